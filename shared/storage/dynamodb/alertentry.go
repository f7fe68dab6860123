package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"gatehouse/shared/alert"
)

var (
	statusEntry = shape{alerts, "STATUS#<project>#<status>", "<iid>", "an alert in the list of those with the status, with what orders and filters need", "with the alert"}
	classEntry  = shape{alerts, "BYSEVERITY#<project>#<status>", "<rank>#<iid>", "an alert among those with the status, by its severity", "with the alert"}
	alertCount  = shape{alerts, "COUNTER#<project>", "COUNT#<shard>", "a part of the numbers of alerts by status and severity", ""}
	assigned    = shape{alerts, "ASSIGNED#<user>", "<time>#<project>#<iid>", "an alert in the list of those that wait for a user", ""}
	alertDay    = shape{alerts, "DAYS#<project>", "<day>#<shard>", "a part of the numbers of alerts that were opened on a day", "three months later"}
)

func statusList(projectID int64, status alert.Status) key {
	return statusEntry.key(projectID, string(status))
}

// classList is the part of a status whose alerts have the severity.
func classList(projectID int64, c alert.Class) key {
	return classEntry.key(projectID, string(c.Status), c.Severity.Rank())
}

// statusEntryFields have short names, because a list reads hundreds of them.
func statusEntryFields(a *alert.Alert) fields {
	return fields{
		{"n", &a.IID}, {"v", (*string)(&a.Severity)}, {"c", &a.CreatedAt}, {"b", &a.StartedAt}, {"e", &a.EndedAt}, {"u", &a.UpdatedAt},
		expiryField(&a.ExpiresAt),
	}
}

func classEntryFields(a *alert.Alert) fields {
	return fields{{"n", &a.IID}, {"v", (*string)(&a.Severity)}, {"c", &a.CreatedAt}, expiryField(&a.ExpiresAt)}
}

// listKeys are the keys of an alert's entries.
func listKeys(a alert.Alert) []key {
	return []key{statusList(a.ProjectID, a.Status).entry(a.IID), classEntry.key(a.ProjectID, string(a.Status), a.Severity.Rank(), a.IID)}
}

// listEntries put an alert into the lists.
func listEntries(a alert.Alert) []change {
	keys := listKeys(a)
	return []change{putEntry(keys[0], statusEntryFields(&a)), putEntry(keys[1], classEntryFields(&a))}
}

// unlist takes an alert out of the lists.
func unlist(a alert.Alert) (changes []change) {
	for _, k := range listKeys(a) {
		changes = append(changes, remove(k))
	}
	return changes
}

// assignedKey is the key of the alert's entry in the list of whom it waits for; the zero
// key: nobody.
func assignedKey(a alert.Alert) key {
	if a.AssigneeID == 0 || !a.Waits() {
		return key{}
	}
	return assigned.key(a.AssigneeID, a.CreatedAt.UnixMicro(), a.ProjectID, a.IID)
}

// reassign are the changes of that list with a change of the alert.
func reassign(was, is alert.Alert) (changes []change) {
	before, after := assignedKey(was), assignedKey(is)
	if before == after {
		return nil
	}
	if before != (key{}) {
		changes = append(changes, remove(before))
	}
	if after != (key{}) {
		changes = append(changes, putEntry(after, fields{{"project_id", &is.ProjectID}, {"iid", &is.IID}}))
	}
	return changes
}

// AssignedAlerts returns the newest alerts that wait for a user.
func (s *Store) AssignedAlerts(ctx context.Context, userID int64, n int, now time.Time) ([]alert.Alert, error) {
	var keys []key
	input := s.partition(assigned.key(userID), backward)
	input.Limit = atOnce(n)
	err := s.run(ctx, input, func(it item) (bool, error) {
		var projectID, iid int64
		err := fields{{"project_id", &projectID}, {"iid", &iid}}.read(it)
		keys = append(keys, alertItem.key(projectID, iid))
		return len(keys) < n, err
	})
	if err != nil {
		return nil, fmt.Errorf("list the alerts of a user: %w", err)
	}
	found, err := s.getAll(ctx, keys)
	var all []alert.Alert
	for _, k := range keys {
		if it := found[k]; it != nil && err == nil {
			var a alert.Alert
			if a, err = alertKind.read(it); err == nil && a.AssigneeID == userID && a.Waits() {
				a.Activity = nil
				all = append(all, a)
			}
		}
	}
	return all, err
}

// alertShards is how many items a count is spread over. The alerts of a webhook follow
// each other in numbers, so that the transactions that open them do not collide.
const alertShards = 16

func shardOf(a alert.Alert) string { return fmt.Sprintf("%02d", a.IID%alertShards) }

// listedName is the attribute of an alert for the status with which it is in the
// lists and the counts, and that of the counter for how many numbers went to such
// alerts. Functions of earlier releases keep neither lists nor counts, and leave the
// attribute as it is.
const listedName = "listed"

func listedField(as alert.Status) field { return field{listedName, (*string)(&as)} }

// listedAs returns with which status a stored alert is listed; none: "".
func listedAs(stored item) (as alert.Status, err error) {
	err = fields{{listedName, (*string)(&as)}}.read(stored)
	return as, err
}

// whileListed requires the version of the alert and the status with which it is
// listed.
func (c change) whileListed(version int64, as alert.Status) change {
	if as == "" {
		return c.when("version = :was AND attribute_not_exists("+listedName+")", item{":was": number(version)})
	}
	return c.when("version = :was AND "+listedName+" = :as", item{":was": number(version), ":as": text(string(as))})
}

// relistChanges bring an alert that is listed with a status, or not, to where it
// belongs.
func relistChanges(as alert.Status, is alert.Alert) []change {
	if as == "" {
		return listChanges(is)
	}
	was := is
	was.Status = as
	return moveChanges(was, is)
}

// listChanges bring an alert into the lists and the counts, in the transaction that
// marks it.
func listChanges(a alert.Alert) []change {
	return append(listEntries(a),
		count(alertCount.key(a.ProjectID, shardOf(a)), nil, item{className(a.Class()): number(1)}),
		countDay(a),
	)
}

// moveChanges keep the lists and the counts in step with a change of an alert.
func moveChanges(was, is alert.Alert) []change {
	entries := listEntries(is)
	if was.Status == is.Status {
		return entries[:1] // the other has nothing that changes
	}
	moved := count(alertCount.key(is.ProjectID, shardOf(is)), nil, item{className(was.Class()): number(-1), className(is.Class()): number(1)})
	return slices.Concat(entries, unlist(was), []change{moved})
}

// className is the attribute that counts the alerts of a class.
func className(c alert.Class) string { return string(c.Status) + "_" + string(c.Severity) }

// daysKept is how long the alerts of a day are counted.
const daysKept = 90 * 24 * time.Hour

func countDay(a alert.Alert) change {
	day := a.CreatedAt.UTC().Truncate(24 * time.Hour)
	ends := day.Add(daysKept).Unix()
	numbers := item{"total": number(1)}
	if a.Severity.Grave() {
		numbers["grave"] = number(1)
	}
	return count(alertDay.key(a.ProjectID, day.Format(time.DateOnly), shardOf(a)), fields{{"day", &day}, {"ttl", &ends}}, numbers)
}

// putEntry stores an item that is only there to be found. Another item of its
// transaction has the nonce.
func putEntry(k key, fs fields) change { return replace(k, fs).keepNonce() }

// count adds to numbers of an item, which it creates if there is none. It must be
// in a transaction with an item that has a condition, which keeps it from being
// made twice.
func count(k key, fs fields, add item) change {
	return change{key: k, action: update, item: fs.item(), add: add, keepsNonce: true}
}

// numberAlerts takes the next n numbers of a project's alerts and returns the last
// of them.
func (s *Store) numberAlerts(ctx context.Context, projectID, n int64) (last int64, err error) {
	return s.reserve(ctx, alertCounter.key(projectID), n, listedName)
}

// alertCounting is what the item that numbers alerts tells.
type alertCounting struct {
	last   int64
	listed int64 // of these numbers, those that went to alerts that are listed since they were opened
	older  int64 // of the others, those that are listed by now, or are not there
}

func alertCounterFields(c *alertCounting) fields {
	return fields{{"last_id", &c.last}, {listedName, &c.listed}, {"older", &c.older}}
}

// complete reports whether all alerts are in the lists and the counts.
func (c alertCounting) complete() bool { return c.last <= c.listed+c.older }

// alertsListed reports whether all alerts of a project are in the lists.
func (s *Store) alertsListed(ctx context.Context, projectID int64) (bool, error) {
	c, err := s.alertCounter(ctx, projectID)
	return c.complete(), err
}

func (s *Store) alertCounter(ctx context.Context, projectID int64) (c alertCounting, err error) {
	it, err := s.get(ctx, alertCounter.key(projectID))
	if err == nil {
		err = alertCounterFields(&c).read(it)
	}
	if err != nil {
		return c, fmt.Errorf("get the counter of alerts: %w", err)
	}
	return c, nil
}

// AlertCounts returns the numbers of a project's alerts.
func (s *Store) AlertCounts(ctx context.Context, projectID int64, now time.Time) (alert.Counts, error) {
	return s.numbersOf(ctx, projectID, func() (countedAlerts, error) { return s.countAlerts(ctx, projectID, now) })
}

// numbersOf returns the numbers that were read; nil: they are not complete.
func (s *Store) numbersOf(ctx context.Context, projectID int64, read func() (countedAlerts, error)) (alert.Counts, error) {
	counted, err := read()
	if err != nil || !counted.complete() {
		return nil, err
	}
	s.fold(ctx, projectID, counted.expired)
	return counted.counts, nil
}

// countedAlerts are the numbers of a project's alerts that are listed and have not
// expired.
type countedAlerts struct {
	counts alert.Counts
	alertCounting
	expired []expiring // what is still to be taken from the stored numbers
}

// countAlerts reads the numbers of a project's alerts.
func (s *Store) countAlerts(ctx context.Context, projectID int64, now time.Time) (counted countedAlerts, err error) {
	counted.counts = alert.Counts{}
	err = s.run(ctx, s.countsUntil(projectID, now), func(it item) (bool, error) {
		for _, class := range (alert.Filter{}).Classes() {
			if err := addTo(counted.counts, class, it); err != nil {
				return false, err
			}
		}
		gone, err := readExpiring(it)
		for severity, n := range gone.numbers {
			counted.counts[alert.Class{Status: alert.Resolved, Severity: severity}] -= int(n)
		}
		if len(gone.numbers) > 0 {
			counted.expired = append(counted.expired, gone)
		}
		return true, errors.Join(err, alertCounterFields(&counted.alertCounting).read(it))
	})
	if err != nil {
		err = fmt.Errorf("count alerts: %w", err)
	}
	return counted, err
}

func addTo(counts alert.Counts, class alert.Class, it item) error {
	stored, ok := it[className(class)]
	if !ok {
		return nil
	}
	n, err := parseNumber(stored)
	counts[class] += int(n)
	return err
}

// AlertDays returns the days since the first on which alerts were opened.
func (s *Store) AlertDays(ctx context.Context, projectID int64, first time.Time) ([]alert.Day, error) {
	var days []alert.Day
	err := s.since(ctx, alertDay.key(projectID), first.UTC().Format(time.DateOnly), func(it item) (bool, error) {
		var d alert.Day
		err := fields{{"day", &d.Date}, {"total", &d.Total}, {"grave", &d.Grave}}.read(it)
		if last := len(days) - 1; last >= 0 && days[last].Date.Equal(d.Date) {
			days[last].Total += d.Total
			days[last].Grave += d.Grave
		} else {
			days = append(days, d)
		}
		return true, err
	})
	if err != nil {
		return nil, fmt.Errorf("count alerts by day: %w", err)
	}
	return days, nil
}

// since queries the sort keys of a partition from the first on.
func (s *Store) since(ctx context.Context, of key, first string, each func(item) (more bool, err error)) error {
	return s.run(ctx, &sdk.QueryInput{
		TableName: s.table(of), KeyConditionExpression: aws.String("pk = :pk AND sk >= :first"),
		ExpressionAttributeValues: item{":pk": text(of.pk), ":first": text(first)},
	}, each)
}
