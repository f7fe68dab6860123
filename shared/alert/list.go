package alert

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
)

// Query selects and sorts alerts of a project.
type Query struct {
	Filter
	Search        string // in title, description, service and monitoring tool, in any letter case
	Host          string // one of the alert's; empty: any
	Environment   string // empty: any
	Label         Label  // one of the alert's; without a name: any
	IntegrationID int64  // that opened the alert; zero: any
	AssigneeID    int64  // zero: any
	Order         Order  // empty: ByCreation
	Descending    bool
}

// Order is what a list is sorted by. Equal alerts have the newest first.
type Order string

// The orders.
const (
	ByCreation Order = "created_at"
	ByStart    Order = "started_at"
	ByEnd      Order = "ended_at"
	ByUpdate   Order = "updated_at"
	ByEvents   Order = "event_count"
	BySeverity Order = "severity" // descending: the gravest first
	ByStatus   Order = "status"
)

// Orders lists every order.
var Orders = []Order{ByCreation, ByStart, ByEnd, ByUpdate, ByEvents, BySeverity, ByStatus}

// Position returns the place of an alert in the order of the query.
func (q Query) Position(a Alert) page.Position {
	return page.Position{Value: q.SortedBy().value(a), ID: a.IID}
}

// Compare is the order of positions in the list.
func (q Query) Compare(a, b page.Position) int {
	if q.Descending {
		return page.Falling(a, b)
	}
	return page.Rising(a, b)
}

// SortedBy returns the order, ByCreation if the query names none.
func (q Query) SortedBy() Order { return cmp.Or(q.Order, ByCreation) }

// value is what the order compares. A missing time is before all others.
func (o Order) value(a Alert) int64 {
	switch o {
	case ByStart:
		return micros(a.StartedAt)
	case ByEnd:
		return micros(a.EndedAt)
	case ByUpdate:
		return micros(a.UpdatedAt)
	case ByEvents:
		return a.Events
	case BySeverity:
		return a.Severity.Rank()
	case ByStatus:
		return a.Status.Rank()
	default:
		return a.IID
	}
}

// micros is a time in microseconds since 1970, and 0 for the zero time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Searches reports whether the query selects by something that no store has a key
// for, so that it looks at one alert after the other.
func (q Query) Searches() bool { return q.Wanted() != "" || len(q.traits()) > 0 }

// traits are what the query wants of each alert for which no store has a key.
func (q Query) traits() (wanted []func(Alert) bool) {
	add := func(asked bool, has func(Alert) bool) {
		if asked {
			wanted = append(wanted, has)
		}
	}
	add(q.Host != "", func(a Alert) bool { return slices.Contains(a.Hosts, q.Host) })
	add(q.Environment != "", func(a Alert) bool { return a.Environment == q.Environment })
	add(q.Label.Name != "", func(a Alert) bool { return a.Labels.has(q.Label) })
	add(q.IntegrationID != 0, func(a Alert) bool { return a.IntegrationID == q.IntegrationID })
	add(q.AssigneeID != 0, func(a Alert) bool { return a.AssigneeID == q.AssigneeID })
	return wanted
}

// Wanted returns the text that is searched for, as it is in a SearchText.
func (q Query) Wanted() string { return strings.ToLower(strings.TrimSpace(q.Search)) }

// SearchText is what a search looks into, in lower case. No text that people
// search for goes from one field into the next.
func (a Alert) SearchText() string {
	return strings.ToLower(strings.Join([]string{a.Title, a.Description, a.Service, a.MonitoringTool}, "\x1f"))
}

// Matches reports whether the query selects the alert.
func (q Query) Matches(a Alert) bool {
	lacks := func(has func(Alert) bool) bool { return !has(a) }
	return q.Passes(a.Class()) && !slices.ContainsFunc(q.traits(), lacks) &&
		(q.Wanted() == "" || strings.Contains(a.SearchText(), q.Wanted()))
}

// Listing is a page of alerts, and the number of alerts of each status that match
// the query apart from its statuses; Counts is nil if they were not counted.
type Listing struct {
	page.Of[Alert]
	Counts map[Status]int
}

// List returns a page of the alerts that match the query, without their Activity.
// What a search finds is not counted. A page beyond the reach of its number is
// page.ErrTooFar. The others are called with the alerts, while their events are read.
func (r *Rules) List(ctx context.Context, projectID int64, q Query, wanted page.Request, others ...BesideList) (Listing, error) {
	if wanted.TooFar() {
		return r.listBeyond(ctx, projectID, q, wanted)
	}
	found, counts, err := r.store.CountedAlerts(ctx, projectID, q, wanted, r.now(), others...)
	if err != nil {
		return Listing{}, err
	}
	l := Listing{Of: found}
	l.count(counts, q)
	return l, nil
}

// listBeyond answers for a page that is beyond the reach of its number: if the
// list is shorter, the page is empty.
func (r *Rules) listBeyond(ctx context.Context, projectID int64, q Query, wanted page.Request) (Listing, error) {
	counts, err := r.store.AlertCounts(ctx, projectID, r.now())
	switch {
	case err != nil:
		return Listing{}, err
	case counts == nil || counts.Total(q.Filter) > wanted.Skipped():
		return Listing{}, page.ErrTooFar
	}
	l := Listing{Of: page.Of[Alert]{Items: []Alert{}}}
	if q.Searches() {
		counts = nil
	}
	l.count(counts, q)
	return l, nil
}

// count sets the numbers of the listing; nil: they are not known.
func (l *Listing) count(counts Counts, q Query) {
	l.Total = -1
	if counts != nil {
		l.Total, l.Counts = page.Count(counts.Total(q.Filter)), counts.statuses(q.Severities)
	}
}

// LastFrom returns the newest alert that the integration opened, or a
// fault.NotFound error when none of the project's newest alerts is from it.
func (r *Rules) LastFrom(ctx context.Context, projectID, integrationID int64) (Alert, error) {
	found, err := r.store.Alerts(ctx, projectID, Query{IntegrationID: integrationID, Descending: true}, page.Request{Number: 1, Size: 1}, r.now())
	if err == nil && len(found.Items) == 0 {
		err = fault.New(fault.NotFound, "no recent alert came through the integration")
	}
	if err != nil {
		return Alert{}, err
	}
	return found.Items[0], nil
}

// Day counts the alerts that were opened on one day.
type Day struct {
	Date  time.Time // midnight in UTC
	Total int
	Grave int // critical or high
}

const dayLength = 24 * time.Hour

// Days counts the alerts of the last n days in UTC, today included, the oldest
// day first.
func (r *Rules) Days(ctx context.Context, projectID int64, n int) ([]Day, error) {
	today := r.now().UTC().Truncate(dayLength)
	first := today.AddDate(0, 0, 1-n)
	counted, err := r.store.AlertDays(ctx, projectID, first)
	if err != nil {
		return nil, err
	}
	days := make([]Day, n)
	for i := range days {
		days[i].Date = first.AddDate(0, 0, i)
	}
	for _, c := range counted {
		// Another function's clock may be ahead, and have opened it tomorrow.
		day := &days[min(int(c.Date.Sub(first)/dayLength), n-1)]
		day.Total, day.Grave = day.Total+c.Total, day.Grave+c.Grave
	}
	return days, nil
}

// Grave reports whether somebody should look at once: the severity is critical or
// high.
func (s Severity) Grave() bool { return s == SeverityCritical || s == SeverityHigh }

// Rank is the place of the severity in an order: the gravest is the highest.
func (s Severity) Rank() int64 {
	return int64(len(Severities) - 1 - slices.Index(Severities, s))
}

// Rank is the place of the status in an order.
func (s Status) Rank() int64 { return int64(slices.Index(Statuses, s)) }
