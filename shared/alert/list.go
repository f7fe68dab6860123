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
	Search     string // in title, description, service and monitoring tool, in any letter case
	Order      Order  // empty: ByCreation
	Descending bool
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

var compare = map[Order]func(a, b Alert) int{
	ByCreation: func(a, b Alert) int { return cmp.Compare(a.IID, b.IID) },
	ByStart:    func(a, b Alert) int { return a.StartedAt.Compare(b.StartedAt) },
	ByEnd:      func(a, b Alert) int { return a.EndedAt.Compare(b.EndedAt) },
	ByUpdate:   func(a, b Alert) int { return a.UpdatedAt.Compare(b.UpdatedAt) },
	ByEvents:   func(a, b Alert) int { return cmp.Compare(a.Events, b.Events) },
	BySeverity: func(a, b Alert) int {
		return cmp.Compare(slices.Index(Severities, b.Severity), slices.Index(Severities, a.Severity))
	},
	ByStatus: func(a, b Alert) int {
		return cmp.Compare(slices.Index(Statuses, a.Status), slices.Index(Statuses, b.Status))
	},
}

// Orders lists every order.
var Orders = []Order{ByCreation, ByStart, ByEnd, ByUpdate, ByEvents, BySeverity, ByStatus}

// Listing is a page of alerts, and the number of alerts of each status that match
// the query apart from its statuses. Beyond page.CountLimit alerts the counts are
// those of the newest, and Total is -1.
type Listing struct {
	page.Of[Alert]
	Counts map[Status]int
}

// errTooMany refuses a query that would search or sort only the newest alerts of
// the project: its result would be arbitrary.
var errTooMany = fault.New(fault.Invalid,
	"too many alerts would have to be searched, sorted or passed over; ask for fewer, by status or severity")

// List returns a page of the alerts that match the query. If more than
// page.CountLimit alerts have the wanted severities and time, they can only be
// listed with the newest first, without a search, and up to a limit; anything
// else is a fault.Invalid error.
func (r *Rules) List(ctx context.Context, projectID int64, q Query, wanted page.Request) (Listing, error) {
	anyStatus := Filter{Severities: q.Severities, Since: q.Since}
	all, more, err := r.RecentAlerts(ctx, projectID, anyStatus, page.CountLimit)
	if err != nil {
		return Listing{}, err
	}
	if more {
		return r.listBeyond(ctx, projectID, q, wanted, all)
	}
	all = slices.DeleteFunc(all, func(a Alert) bool { return !q.finds(a) })
	counts := countStatuses(all)
	all = slices.DeleteFunc(all, func(a Alert) bool { return !q.Passes(a) })
	q.sort(all)
	return Listing{page.Cut(all, wanted), counts}, nil
}

// reach is the number of alerts that can be paged through if there are more than
// can be read at once.
const reach = 5 * page.CountLimit

// listBeyond lists a project with more alerts than can be read at once. Those
// with the wanted statuses may still be few enough.
func (r *Rules) listBeyond(ctx context.Context, projectID int64, q Query, wanted page.Request, newest []Alert) (Listing, error) {
	limit := page.CountLimit
	if q.newestFirst() {
		limit = min(max(limit, wanted.Offset()+wanted.Size), reach)
	}
	found, more, err := r.RecentAlerts(ctx, projectID, q.Filter, limit)
	switch {
	case err != nil:
		return Listing{}, err
	case more && (!q.newestFirst() || wanted.Offset()+wanted.Size > limit):
		return Listing{}, errTooMany
	}
	found = slices.DeleteFunc(found, func(a Alert) bool { return !q.finds(a) })
	q.sort(found)
	l := Listing{page.Cut(found, wanted), countStatuses(newest)}
	if more {
		l.Total, l.More = -1, true
	}
	return l, nil
}

// newestFirst reports whether the query has the order of the store.
func (q Query) newestFirst() bool {
	return q.Search == "" && q.Descending && (q.Order == ByCreation || q.Order == "")
}

func countStatuses(alerts []Alert) map[Status]int {
	counts := map[Status]int{}
	for _, a := range alerts {
		counts[a.Status]++
	}
	return counts
}

// finds reports whether the alert contains the searched text.
func (q Query) finds(a Alert) bool {
	wanted := strings.ToLower(strings.TrimSpace(q.Search))
	return wanted == "" || slices.ContainsFunc([]string{a.Title, a.Description, a.Service, a.MonitoringTool},
		func(text string) bool { return strings.Contains(strings.ToLower(text), wanted) })
}

func (q Query) sort(alerts []Alert) {
	by := compare[cmp.Or(q.Order, ByCreation)]
	slices.SortStableFunc(alerts, func(a, b Alert) int { // stable: the newest are first already
		if q.Descending {
			return by(b, a)
		}
		return by(a, b)
	})
}

// recent is the number of alerts that LastFrom searches.
const recent = 1000

// LastFrom returns the newest alert that the integration opened, or a
// fault.NotFound error when none of the project's newest alerts is from it.
func (r *Rules) LastFrom(ctx context.Context, projectID, integrationID int64) (Alert, error) {
	all, _, err := r.RecentAlerts(ctx, projectID, Filter{}, recent)
	if err != nil {
		return Alert{}, err
	}
	for _, a := range all {
		if a.IntegrationID == integrationID {
			return a, nil
		}
	}
	return Alert{}, fault.New(fault.NotFound, "no recent alert came through the integration")
}

// Day counts the alerts that were opened on one day.
type Day struct {
	Date  time.Time // midnight in UTC
	Total int
	Grave int // critical or high
}

const dayLength = 24 * time.Hour

// Days counts the alerts of the last n days in UTC, today included, the oldest
// day first. More reports whether there were more than page.CountLimit alerts;
// then only the newest are counted.
func (r *Rules) Days(ctx context.Context, projectID int64, n int) (days []Day, more bool, err error) {
	today := r.now().UTC().Truncate(dayLength)
	first := today.AddDate(0, 0, 1-n)
	alerts, more, err := r.RecentAlerts(ctx, projectID, Filter{Since: first}, page.CountLimit)
	if err != nil {
		return nil, false, err
	}
	for day := first; !day.After(today); day = day.Add(dayLength) {
		days = append(days, Day{Date: day})
	}
	for _, a := range alerts {
		// Another function's clock may be ahead, and have opened it tomorrow.
		i := min(int(a.CreatedAt.Sub(first)/dayLength), len(days)-1)
		days[i].Total++
		if a.Severity == SeverityCritical || a.Severity == SeverityHigh {
			days[i].Grave++
		}
	}
	return days, more, nil
}
