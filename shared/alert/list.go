package alert

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
)

// Query says which alerts of a project are wanted, and in which order.
type Query struct {
	Filter
	Search     string // in title, description, service and monitoring tool, in any letter case
	Order      Order  // ByCreation when empty
	Descending bool
}

// Order is what a list is sorted by. Equals come with the newest first.
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

// Listing is a page of alerts, and how many alerts of each status there are
// that pass everything else in the query. Beyond page.CountLimit alerts the
// counts are those of the newest, and Total is -1.
type Listing struct {
	page.Of[Alert]
	Counts map[Status]int
}

// errTooMany asks for less. Only the newest alerts can be searched and sorted,
// and which those are depends on what else is in the project.
var errTooMany = fault.New(fault.Invalid,
	"too many alerts would have to be searched, sorted or passed over; ask for fewer, by status or severity")

// List returns a page of the alerts that the query asks for. Beyond
// page.CountLimit alerts of the wanted severities and time only the newest
// first can be listed, unsearched, and those not without end; anything else is
// a fault.Invalid error.
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

// reach is how far one can leaf through alerts of which not all can be read at
// once.
const reach = 5 * page.CountLimit

// listBeyond lists a project of which not all alerts can be read at once. What
// the status leaves may still be few enough.
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

// newestFirst reports whether the store brings the alerts as they are wanted.
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

// finds reports whether what is searched for is in the alert.
func (q Query) finds(a Alert) bool {
	wanted := strings.ToLower(strings.TrimSpace(q.Search))
	return wanted == "" || slices.ContainsFunc([]string{a.Title, a.Description, a.Service, a.MonitoringTool},
		func(text string) bool { return strings.Contains(strings.ToLower(text), wanted) })
}

func (q Query) sort(alerts []Alert) {
	by := compare[cmp.Or(q.Order, ByCreation)]
	slices.SortStableFunc(alerts, func(a, b Alert) int { // the newest are first already
		if q.Descending {
			return by(b, a)
		}
		return by(a, b)
	})
}

// recent is how far back LastFrom looks.
const recent = 1000

// LastFrom returns the newest alert that came through the integration first, or
// a fault.NotFound error when none of the project's newest alerts did.
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
