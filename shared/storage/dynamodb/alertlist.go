package dynamodb

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
	"gatehouse/shared/batch"
	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// How much a page reads where no key leads to what it shows: some 20 read units of
// entries, 50 of alerts, or 55 of alerts with their slots.
const (
	entriesRead = 700
	alertsRead  = 200
	slotsRead   = 36
)

// alertList reads the list of a project's alerts that a query asks for.
type alertList struct {
	*Store
	alert.Query
	projectID int64
	now       time.Time
	numbers   func() (countedAlerts, error) // reads the numbers once; nil: nobody else wants them
	others    []alert.BesideList
}

// Alerts returns a page of the alerts that match the query.
func (s *Store) Alerts(ctx context.Context, projectID int64, q alert.Query, r page.Request, now time.Time) (page.Of[alert.Alert], error) {
	return alertList{Store: s, Query: q, projectID: projectID, now: now}.page(ctx, r)
}

// CountedAlerts does the same, with the numbers of AlertCounts unless the query searches. The
// list needs the item that has been read with these.
func (s *Store) CountedAlerts(
	ctx context.Context, projectID int64, q alert.Query, r page.Request, now time.Time, others ...alert.BesideList,
) (found page.Of[alert.Alert], counts alert.Counts, err error) {
	l := alertList{Store: s, Query: q, projectID: projectID, now: now, others: others}
	if q.Searches() {
		found, err = l.page(ctx, r)
		return found, nil, err
	}
	reads, ctx := errgroup.WithContext(ctx)
	l.numbers = sync.OnceValues(func() (countedAlerts, error) { return s.countAlerts(ctx, projectID, now) })
	reads.Go(func() (err error) {
		found, err = l.page(ctx, r)
		return err
	})
	reads.Go(func() (err error) {
		counts, err = s.numbersOf(ctx, projectID, l.numbers)
		return err
	})
	err = reads.Wait() // found and counts are complete only now
	return found, counts, err
}

func (l alertList) page(ctx context.Context, r page.Request) (page.Of[alert.Alert], error) {
	found, err := l.read(ctx, r)
	if err != nil {
		return page.Of[alert.Alert]{}, fmt.Errorf("list alerts: %w", err)
	}
	return found, nil
}

func (l alertList) read(ctx context.Context, r page.Request) (found page.Of[alert.Alert], err error) {
	order, everything := l.SortedBy(), len(l.Statuses)+len(l.Severities) == 0
	switch {
	case l.Searches(), everything && order == alert.ByEvents:
		return l.fromAlerts(ctx, r)
	case everything && order == alert.ByCreation:
		near, err := l.jump(ctx, r)
		if err != nil {
			return found, err
		}
		if near.Skipped() == 0 {
			return l.fromAlerts(ctx, near)
		}
		// What is before the page is read: entries are the shortest.
	}
	var listed bool
	reads, inParallel := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		listed, err = l.listed(inParallel)
		return err
	})
	reads.Go(func() (err error) {
		found, err = l.fromEntries(inParallel, r)
		return err
	})
	if err := reads.Wait(); err != nil {
		return found, err
	}
	if !listed {
		return l.fromAlerts(ctx, r)
	}
	if order == alert.ByEvents {
		return found, l.tell(ctx, found.Items) // complete already
	}
	all, err := l.existing(ctx, found.Items)
	if err == nil {
		all, err = l.finished(ctx, all)
	}
	return page.With(found, all), err
}

// listed reports whether all alerts are in the lists.
func (l alertList) listed(ctx context.Context) (bool, error) {
	if l.numbers == nil {
		return l.alertsListed(ctx, l.projectID)
	}
	counted, err := l.numbers()
	return counted.complete(), err
}

// finished returns the alerts of the page as shown does, while the others read what is beside
// them.
func (l alertList) finished(ctx context.Context, all []alert.Alert) (shown []alert.Alert, err error) {
	err = batch.Together(ctx, append(l.besides(all), func(ctx context.Context) (err error) {
		shown, err = l.shown(ctx, slices.Clone(all))
		return err
	})...)
	return shown, err
}

// tell has the others read what is beside the alerts of the page.
func (l alertList) tell(ctx context.Context, all []alert.Alert) error {
	return batch.Together(ctx, l.besides(all)...)
}

func (l alertList) besides(all []alert.Alert) (reads []func(context.Context) error) {
	for _, read := range l.others {
		reads = append(reads, func(ctx context.Context) error { return read(ctx, all) })
	}
	return reads
}

// jump moves a page of all alerts to where its number leads, so that what is before
// it is not read. That needs numbers without gaps: an alert that has expired, or could
// not be stored, leaves one.
func (l alertList) jump(ctx context.Context, r page.Request) (page.Request, error) {
	skipped := int64(r.Skipped())
	if skipped == 0 {
		return r, nil
	}
	numbers := l.numbers
	if numbers == nil {
		numbers = func() (countedAlerts, error) { return l.countAlerts(ctx, l.projectID, l.now) }
	}
	counted, err := numbers()
	if err != nil || int64(counted.counts.Total(alert.Filter{})) != counted.last {
		return r, err
	}
	after := page.At(skipped)
	if l.Descending {
		after = page.At(max(1, counted.last-skipped+1))
	}
	return page.Request{Number: 1, Size: r.Size, After: after}, nil
}

// fromAlerts reads the newest alerts themselves.
func (l alertList) fromAlerts(ctx context.Context, r page.Request) (found page.Of[alert.Alert], err error) {
	list := l.list(l.alerts(l.Descending))
	if l.Searches() || len(l.Statuses)+len(l.Severities) > 0 {
		list.Search, list.Limit, list.Look = l.Matches, alertsRead, alertsRead/4
	}
	if order := l.SortedBy(); order == alert.ByCreation {
		found, err = list.Page(ctx, r)
	} else {
		list.Sources = []alertSource{l.alerts(true)}
		found, err = l.sortedAlerts(list).Page(ctx, r)
	}
	switch {
	case err != nil:
		return found, err
	case l.SortedBy() == alert.ByEvents:
		return found, l.tell(ctx, found.Items)
	}
	all, err := l.finished(ctx, found.Items)
	return page.With(found, all), err
}

// sortedAlerts sorts the alerts of the list in windows. Only their slots have their
// events.
func (l alertList) sortedAlerts(list walk.List[alert.Alert]) walk.Window[alert.Alert] {
	if l.SortedBy() != alert.ByEvents {
		return l.sorted(list, alertsRead)
	}
	w := l.sorted(list, slotsRead)
	w.Complete = l.shown
	return w
}

// fromEntries returns a page of alerts with what their entries have.
func (l alertList) fromEntries(ctx context.Context, r page.Request) (page.Of[alert.Alert], error) {
	switch order := l.SortedBy(); {
	case order == alert.BySeverity:
		return l.list(l.ranked()...).Page(ctx, r)
	case order == alert.ByStatus:
		return l.list(l.grouped()...).Page(ctx, r)
	case order == alert.ByCreation:
		return l.list(l.passing(l.Descending)...).Page(ctx, r)
	case order == alert.ByEvents:
		return l.byEvents().Page(ctx, r)
	default:
		return l.sorted(l.narrowed(l.list(l.byStatus(true)...)), entriesRead).Page(ctx, r)
	}
}

type alertSource = walk.Source[alert.Alert]

// list is the list of these sources, in the order of the query.
func (l alertList) list(sources ...alertSource) walk.List[alert.Alert] {
	return walk.List[alert.Alert]{
		Sources: sources, Position: l.Position, Order: l.Compare,
		Time: func(a alert.Alert) time.Time { return a.CreatedAt },
	}
}

// narrowed looks for the severities of the query, if it names some, in a list of
// entries by status.
func (l alertList) narrowed(list walk.List[alert.Alert]) walk.List[alert.Alert] {
	if len(l.Severities) > 0 {
		list.Search = func(a alert.Alert) bool { return l.Passes(a.Class()) }
		list.Limit = entriesRead / len(list.Sources)
		list.Look = list.Limit // in one request of each source
	}
	return list
}

// sorted reads the list, which has the newest first, in windows.
func (l alertList) sorted(list walk.List[alert.Alert], size int) walk.Window[alert.Alert] {
	list.Position, list.Order = func(a alert.Alert) page.Position { return page.At(a.IID) }, nil
	w := walk.Window[alert.Alert]{
		Newest: list, Size: size,
		Compare: func(a, b alert.Alert) int { return l.Compare(l.Position(a), l.Position(b)) },
	}
	if !l.Searches() {
		w.Reach = page.CountLimit
	}
	return w
}

// byEvents sorts alerts by what only their slots have. Reading the entries of a class
// costs about as much as reading an alert.
func (l alertList) byEvents() walk.Window[alert.Alert] {
	requests := len(l.statuses()) * max(1, len(l.Severities))
	w := l.sorted(l.list(byNumber(true, l.passing(true)).Source()), slotsRead-requests)
	w.Complete = l.complete
	return w
}

// alerts is the source of the alerts themselves.
func (l alertList) alerts(descending bool) alertSource {
	return l.entriesOf(alertItem.key(l.projectID), descending, func(a *alert.Alert) fields { return alertFields(a) })
}

// byNumber is the list of these sources, all by number.
func byNumber(descending bool, sources []alertSource) walk.List[alert.Alert] {
	list := walk.List[alert.Alert]{Sources: sources, Position: func(a alert.Alert) page.Position { return page.At(a.IID) }}
	if !descending {
		list.Order = page.Ascending
	}
	return list
}

// statuses returns those that pass the filter.
func (l alertList) statuses() []alert.Status { return orAll(l.Statuses, alert.Statuses) }

// severities returns those that pass the filter.
func (l alertList) severities() []alert.Severity { return orAll(l.Severities, alert.Severities) }

// orAll returns those of all words that are wanted; none: all of them.
func orAll[T comparable](wanted, all []T) []T {
	return slices.DeleteFunc(slices.Clone(all), func(w T) bool { return len(wanted) > 0 && !slices.Contains(wanted, w) })
}

// passing has a source for each status, of all that passes the filter, by number.
func (l alertList) passing(descending bool) (sources []alertSource) {
	if len(l.Severities) == 0 {
		return l.byStatus(descending)
	}
	for _, status := range l.statuses() {
		sources = append(sources, byNumber(descending, l.byClass(status, descending)).Source())
	}
	return sources
}

// byStatus has a source for each status that passes the filter.
func (l alertList) byStatus(descending bool) (sources []alertSource) {
	for _, status := range l.statuses() {
		sources = append(sources, l.ofStatus(status, descending))
	}
	return sources
}

// ofStatus is the source of the alerts with the status, by number.
func (l alertList) ofStatus(status alert.Status, descending bool) alertSource {
	return l.entriesOf(statusList(l.projectID, status), descending, func(a *alert.Alert) fields {
		a.Status = status
		return statusEntryFields(a)
	})
}

// byClass has a source for each severity that passes the filter, of the alerts with
// the status, by number.
func (l alertList) byClass(status alert.Status, descending bool) (sources []alertSource) {
	for _, severity := range l.severities() {
		at := classList(l.projectID, alert.Class{Status: status, Severity: severity})
		sources = append(sources, l.entriesOf(at, descending, l.ofClass(status)))
	}
	return sources
}

func (l alertList) ofClass(status alert.Status) func(*alert.Alert) fields {
	return func(a *alert.Alert) fields {
		a.Status = status
		return classEntryFields(a)
	}
}

// grouped has a source for each status that passes the filter, in the order of the
// statuses.
func (l alertList) grouped() (sources []alertSource) {
	sources = l.passing(true)
	for i, status := range l.statuses() {
		sources[i] = walk.Group(status.Rank(), l.Descending, sources[i])
	}
	return sources
}

// ranked has a source for each status that passes the filter, in the order of the
// severities. Only for the gravest first the entries of all severities have it.
func (l alertList) ranked() (sources []alertSource) {
	for _, status := range l.statuses() {
		if l.Descending && len(l.Severities) == 0 {
			sources = append(sources, l.gravest(status))
			continue
		}
		groups := l.byClass(status, true)
		for i, severity := range l.severities() {
			groups[i] = walk.Group(severity.Rank(), l.Descending, groups[i])
		}
		sources = append(sources, l.list(groups...).Source())
	}
	return sources
}

// gravest is the source of the alerts with the status, the gravest first.
func (l alertList) gravest(status alert.Status) alertSource {
	return func(ctx context.Context, after page.Position, n int) ([]alert.Alert, error) {
		low, high := classEntry.key(l.projectID, string(status), int64(0)), classEntry.key(l.projectID, string(status), int64(math.MaxInt64))
		if after.Some() {
			high = classEntry.key(l.projectID, string(status), after.Value, after.ID-1)
		}
		return l.between(ctx, low, high, true, n, l.ofClass(status))
	}
}

// entriesOf is the source of the items in the part of a partition whose sort keys
// are the key's with a number behind it.
func (l alertList) entriesOf(at key, descending bool, read func(*alert.Alert) fields) alertSource {
	return func(ctx context.Context, after page.Position, n int) ([]alert.Alert, error) {
		low, high := int64(0), int64(math.MaxInt64)
		if after.Some() && descending {
			high = after.ID - 1
		} else if after.Some() {
			low = after.ID + 1
		}
		return l.between(ctx, at.entry(low), at.entry(high), descending, n, read)
	}
}

// between returns the first n items from one sort key to the other that have not
// expired. It reads those that have in large portions.
func (l alertList) between(ctx context.Context, low, high key, descending bool, n int, read func(*alert.Alert) fields) (found []alert.Alert, err error) {
	input := &sdk.QueryInput{
		TableName: l.table(low), ScanIndexForward: aws.Bool(!descending), Limit: aws.Int32(int32(min(n, maxLimit))),
		KeyConditionExpression:    aws.String("pk = :pk AND sk BETWEEN :low AND :high"),
		ExpressionAttributeValues: item{":pk": text(low.pk), ":low": text(low.sk), ":high": text(high.sk)},
	}
	err = l.run(ctx, input, func(it item) (more bool, err error) {
		a := alert.Alert{ProjectID: l.projectID}
		err = read(&a).read(it)
		if a.Expired(l.now) {
			input.Limit = aws.Int32(maxLimit)
			return true, err
		}
		found = append(found, a)
		return len(found) < n, err
	})
	return found, err
}

// maxLimit is how many items a request asks for at most. It is more than any page
// shows.
const maxLimit = 1000

// complete returns the alerts of the entries that still match, as a list shows them.
func (l alertList) complete(ctx context.Context, entries []alert.Alert) ([]alert.Alert, error) {
	all, err := l.existing(ctx, entries)
	if err != nil {
		return nil, err
	}
	return l.shown(ctx, all)
}

// existing returns the alerts of the entries that are there.
func (l alertList) existing(ctx context.Context, entries []alert.Alert) ([]alert.Alert, error) {
	keys := make([]key, len(entries))
	for i, e := range entries {
		keys[i] = alertItem.key(l.projectID, e.IID)
	}
	found, err := l.getAll(ctx, keys)
	if err != nil {
		return nil, err
	}
	all := make([]alert.Alert, 0, len(found))
	for _, k := range keys {
		if it, ok := found[k]; ok {
			a, err := alertKind.read(it)
			if err != nil {
				return nil, err
			}
			all = append(all, a)
		}
	}
	return all, nil
}

// shown returns the alerts that still match, with their events and without their
// activity.
func (l alertList) shown(ctx context.Context, all []alert.Alert) ([]alert.Alert, error) {
	all, err := l.counted(ctx, all)
	all = slices.DeleteFunc(all, func(a alert.Alert) bool { return !l.Passes(a.Class()) || a.Expired(l.now) })
	for i := range all {
		all[i].Activity = nil
	}
	return all, err
}
