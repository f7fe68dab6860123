package dynamodb

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/alert"
)

// The items of this shape have sort keys behind those of the other numbers of alerts, so
// that one request reads all numbers until a day.
var alertExpiry = shape{alerts, "COUNTER#<project>", "COUNTEXPIRY#<day>#<shard>", "a part of the numbers of alerts that expire when the day begins, by severity", ""}

// expiry is a time in the attribute by which DynamoDB removes items, in whole seconds.
// Items that have expired are there for a while.
type expiry time.Time

func expiryField(t *time.Time) field { return field{"ttl", (*expiry)(t)} }

func (e *expiry) value() types.AttributeValue {
	return unless((*time.Time)(e).IsZero(), number((*time.Time)(e).Unix()))
}

func (e *expiry) set(value types.AttributeValue) error {
	seconds, err := parseNumber(value)
	*e = expiry(time.Unix(seconds, 0).UTC())
	return err
}

// passed reports whether something has expired at a time.
func passed(expires, now time.Time) bool { return !expires.IsZero() && !now.Before(expires) }

// expiryChanges are the changes of what expires with an alert, and of how many do on a
// day: an alert is among those numbers exactly while it has a time to expire.
func expiryChanges(was storedAlert, is alert.Alert) (changes []change) {
	if was.ExpiresAt.Equal(is.ExpiresAt) {
		return nil
	}
	if !was.ExpiresAt.IsZero() {
		changes = append(changes, countExpiry(was.Alert, -1))
	}
	if !is.ExpiresAt.IsZero() {
		changes = append(changes, countExpiry(is, 1))
	}
	for _, k := range was.payloadKeys() {
		if !was.gone[k] {
			changes = append(changes, expire(k, is.ExpiresAt))
		}
	}
	return changes
}

// payloadKeys are the keys of the chunks of the alert's payloads.
func (a storedAlert) payloadKeys() []key {
	keys := payloadKeys(a.payload, a.chunks)
	for n := range a.latest {
		keys = append(keys, latestItem.key(a.ProjectID, a.IID, n))
	}
	return keys
}

// errNoChunk means that a chunk of a payload is gone, for which there is nothing to do when
// an alert is resolved.
var errNoChunk = errors.New("a chunk of a payload is gone")

// expire has DynamoDB remove an item, which must be there, at a time; zero: never.
func expire(k key, at time.Time) change {
	c := set(k, fields{expiryField(&at)}).keepNonce()
	if !at.IsZero() {
		return c.orElse(errNoChunk)
	}
	return c.orElse(alertKind.notFound)
}

// withoutGone returns the alert with those of the chunks of its payloads that are there.
func (s *Store) withoutGone(ctx context.Context, a storedAlert) (storedAlert, error) {
	keys := a.payloadKeys()
	found, err := s.getAll(ctx, keys)
	a.gone, a.latest = map[key]bool{}, 0
	for _, k := range keys {
		a.gone[k] = found[k] == nil
		if found[k] != nil && k.pk == latestItem.key(a.ProjectID, a.IID).pk {
			a.latest++
		}
	}
	return a, err
}

// countExpiry adds to the alerts that expire with this one.
func countExpiry(a alert.Alert, n int64) change {
	k := alertExpiry.key(a.ProjectID, a.ExpiresAt.UTC().Format(time.DateOnly), shardOf(a))
	return count(k, nil, item{expiringName(a.Severity): number(n)})
}

// expiringName is the attribute that counts the alerts of a severity that expire.
func expiringName(s alert.Severity) string { return "expire_" + string(s) }

// countsUntil is the query for all numbers of a project's alerts, with those that expire
// until a time.
func (s *Store) countsUntil(projectID int64, now time.Time) *sdk.QueryInput {
	last := alertExpiry.key(projectID, now.UTC().Format(time.DateOnly), "~")
	return &sdk.QueryInput{
		TableName: s.table(last), KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :first AND :last"),
		ExpressionAttributeValues: item{":pk": text(last.pk), ":first": text("COUNT"), ":last": text(last.sk)},
	}
}

// expiring is an item of alerts that have expired.
type expiring struct {
	sk      string
	numbers map[alert.Severity]int64
}

// shard is the part of the numbers to which the item belongs.
func (e expiring) shard() string { return e.sk[strings.LastIndex(e.sk, "#")+1:] }

// readExpiring reads an item of alerts that have expired. Of another item the numbers are
// empty.
func readExpiring(it item) (e expiring, err error) {
	e.numbers = map[alert.Severity]int64{}
	for _, severity := range alert.Severities {
		if stored, ok := it[expiringName(severity)]; ok && err == nil {
			e.numbers[severity], err = parseNumber(stored)
		}
	}
	if err == nil {
		err = fields{{"sk", &e.sk}}.read(it)
	}
	return e, err
}

// foldedAtOnce is how many items of a shard fold takes.
const foldedAtOnce = 20

// fold takes alerts that have expired from the stored numbers, so that these items do not
// become more over the years. What fails, or another caller does at the same time, is left
// to the next caller: the numbers are right before and after.
func (s *Store) fold(ctx context.Context, projectID int64, expired []expiring) {
	shards := map[string][]expiring{}
	for _, e := range expired {
		if of := shards[e.shard()]; len(of) < foldedAtOnce {
			shards[e.shard()] = append(of, e)
		}
	}
	_ = inParallel(ctx, slices.Collect(maps.Values(shards)), func(ctx context.Context, of []expiring) error {
		return s.write(ctx, foldChanges(projectID, of)...)
	})
}

// foldChanges take items of one shard from the stored numbers.
func foldChanges(projectID int64, of []expiring) []change {
	sums := map[alert.Severity]int64{}
	var changes []change
	for _, e := range of {
		removed := mustRemove(key{alertExpiry.table, alertExpiry.key(projectID).pk, e.sk})
		for _, severity := range alert.Severities {
			n, ok := e.numbers[severity]
			sums[severity] += n
			stored := &n
			if !ok {
				stored = nil
			}
			removed = removed.ifEqual(fields{{expiringName(severity), optionalNumber{&stored}}})
		}
		changes = append(changes, removed)
	}
	gone := item{}
	for severity, n := range sums {
		if n != 0 {
			gone[className(alert.Class{Status: alert.Resolved, Severity: severity})] = number(-n)
		}
	}
	if len(gone) > 0 {
		changes = append(changes, count(alertCount.key(projectID, of[0].shard()), nil, gone))
	}
	return changes
}
