package dynamodb

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
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
}

// Alerts returns a page of the alerts that match the query.
func (s *Store) Alerts(ctx context.Context, projectID int64, q alert.Query, r page.Request) (page.Of[alert.Alert], error) {
	l := alertList{s, q, projectID}
	found, err := l.page(ctx, r)
	if err != nil {
		return page.Of[alert.Alert]{}, fmt.Errorf("list alerts: %w", err)
	}
	return found, nil
}

func (l alertList) page(ctx context.Context, r page.Request) (found page.Of[alert.Alert], err error) {
	order := l.SortedBy()
	if everything := len(l.Statuses)+len(l.Severities) == 0 && (order == alert.ByCreation || order == alert.ByEvents); everything || l.Searches() {
		return l.fromAlerts(ctx, r)
	}
	var listed bool
	reads, inParallel := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		listed, err = l.alertsListed(inParallel, l.projectID)
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
		return found, nil // complete already
	}
	all, err := l.complete(ctx, found.Items)
	return page.With(found, all), err
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
		found, err = l.sorted(list, alertsRead, l.shown).Page(ctx, r)
	}
	if err != nil || l.SortedBy() == alert.ByEvents {
		return found, err
	}
	all, err := l.shown(ctx, found.Items)
	return page.With(found, all), err
}

// fromEntries returns a page of alerts with what their entries have. Those of the
// severities have only what no change of an alert changes.
func (l alertList) fromEntries(ctx context.Context, r page.Request) (page.Of[alert.Alert], error) {
	switch order := l.SortedBy(); {
	case order == alert.ByCreation && len(l.Statuses) == 0:
		return l.list(l.bySeverity(l.Descending, false)...).Page(ctx, r)
	case order == alert.ByCreation:
		return l.narrowed(l.list(l.byStatus(l.Descending, false)...)).Page(ctx, r)
	case order == alert.BySeverity && len(l.Statuses) == 0:
		return l.list(l.bySeverity(true, true)...).Page(ctx, r)
	case order == alert.ByStatus:
		return l.narrowed(l.list(l.byStatus(true, true)...)).Page(ctx, r)
	case order == alert.ByEvents && len(l.Statuses) == 0:
		return l.sorted(l.list(l.bySeverity(true, false)...), slotsRead, l.complete).Page(ctx, r)
	default:
		return l.sorted(l.narrowed(l.list(l.byStatus(true, false)...)), entriesRead, l.complete).Page(ctx, r)
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

// sorted reads the list, which has the newest first, in windows. Only the number of
// events is not in the entries.
func (l alertList) sorted(list walk.List[alert.Alert], size int, complete func(context.Context, []alert.Alert) ([]alert.Alert, error)) walk.Window[alert.Alert] {
	list.Position, list.Order = func(a alert.Alert) page.Position { return page.At(a.IID) }, nil
	w := walk.Window[alert.Alert]{
		Newest: list, Size: size,
		Compare: func(a, b alert.Alert) int { return l.Compare(l.Position(a), l.Position(b)) },
	}
	if l.SortedBy() == alert.ByEvents {
		w.Size, w.Complete = min(size, slotsRead), complete
	}
	return w
}

// alerts is the source of the alerts themselves.
func (l alertList) alerts(descending bool) alertSource {
	return l.entriesOf(alertItem.key(l.projectID), descending, func(a *alert.Alert) fields { return alertFields(a) })
}

// byStatus has a source for each status that passes the filter. If the list is by
// status, their order is that of the ranks.
func (l alertList) byStatus(descending, ranked bool) (sources []alertSource) {
	for _, status := range alert.Statuses {
		if !l.Passes(alert.Class{Status: status, Severity: l.anySeverity()}) {
			continue
		}
		source := l.entriesOf(statusList(l.projectID, status), descending, func(a *alert.Alert) fields {
			a.Status = status
			return statusEntryFields(a)
		})
		if ranked {
			source = walk.Group(status.Rank(), l.Descending, source)
		}
		sources = append(sources, source)
	}
	return sources
}

// anySeverity returns a severity that passes the filter.
func (l alertList) anySeverity() alert.Severity {
	return append(slices.Clone(l.Severities), alert.SeverityUnknown)[0]
}

// bySeverity has a source for each severity that passes the filter, in the same way.
func (l alertList) bySeverity(descending, ranked bool) (sources []alertSource) {
	for _, severity := range alert.Severities {
		if len(l.Severities) > 0 && !slices.Contains(l.Severities, severity) {
			continue
		}
		source := l.entriesOf(severityList(l.projectID, severity), descending, func(a *alert.Alert) fields {
			a.Severity = severity
			return severityEntryFields(a)
		})
		if ranked {
			source = walk.Group(severity.Rank(), l.Descending, source)
		}
		sources = append(sources, source)
	}
	return sources
}

// entriesOf is the source of the items in the part of a partition whose sort keys
// are the key's with a number behind it.
func (l alertList) entriesOf(at key, descending bool, read func(*alert.Alert) fields) alertSource {
	return func(ctx context.Context, after page.Position, n int) (found []alert.Alert, err error) {
		low, high := int64(0), int64(math.MaxInt64)
		if after.Some() && descending {
			high = after.ID - 1
		} else if after.Some() {
			low = after.ID + 1
		}
		err = l.run(ctx, &sdk.QueryInput{
			TableName: l.table(at), ScanIndexForward: aws.Bool(!descending), Limit: aws.Int32(int32(min(n, maxLimit))),
			KeyConditionExpression:    aws.String("pk = :pk AND sk BETWEEN :low AND :high"),
			ExpressionAttributeValues: item{":pk": text(at.pk), ":low": text(at.entry(low).sk), ":high": text(at.entry(high).sk)},
		}, func(it item) (more bool, err error) {
			a := alert.Alert{ProjectID: l.projectID}
			err = read(&a).read(it)
			found = append(found, a)
			return len(found) < n, err
		})
		return found, err
	}
}

// maxLimit is how many items a request asks for at most. It is more than any page
// shows.
const maxLimit = 1000

// complete returns the alerts of the entries that still match, as a list shows them.
func (l alertList) complete(ctx context.Context, entries []alert.Alert) ([]alert.Alert, error) {
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
	return l.shown(ctx, all)
}

// shown returns the alerts that still match, with their events and without their
// activity.
func (l alertList) shown(ctx context.Context, all []alert.Alert) ([]alert.Alert, error) {
	all, err := l.counted(ctx, all)
	all = slices.DeleteFunc(all, func(a alert.Alert) bool { return !l.Passes(a.Class()) })
	for i := range all {
		all[i].Activity = nil
	}
	return all, err
}
