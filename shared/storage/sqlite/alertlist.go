package sqlite

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// listedAlerts are alerts as lists show them.
var listedAlerts = kind[alert.Alert]{
	table: "alerts", notFound: alert.ErrNotFound, complete: completeAlert,
	columns: func(a *alert.Alert) columns {
		return slices.DeleteFunc(alertColumns(a), func(c column) bool { return c.name == "activity" })
	},
}.prepared()

// Alerts returns a page of the alerts that match the query.
func (s *Store) Alerts(ctx context.Context, projectID int64, q alert.Query, r page.Request, now time.Time) (page.Of[alert.Alert], error) {
	list, err := s.alertList(ctx, projectID, q, now)
	if err != nil {
		return page.Of[alert.Alert]{}, err
	}
	found, err := list.Page(ctx, r)
	if err != nil {
		return page.Of[alert.Alert]{}, err
	}
	all, err := s.listedAlerts(ctx, projectID, found.Items)
	all = slices.DeleteFunc(all, func(a alert.Alert) bool { return !q.Passes(a.Class()) }) // changed meanwhile
	return page.With(found, all), err
}

// alertEntry is an alert in its place of a list.
type alertEntry struct {
	page.Position
	createdAt time.Time
	matches   bool // what no index leads to
}

// listedAlerts returns the alerts of the entries.
func (s *Store) listedAlerts(ctx context.Context, projectID int64, entries []alertEntry) ([]alert.Alert, error) {
	iids := make([]int64, len(entries))
	for i, e := range entries {
		iids[i] = e.ID
	}
	found, err := listedAlerts.all(ctx, s.readers,
		"WHERE project_id = ? AND iid IN (SELECT value FROM json_each(?))", projectID, text(iids))
	byIID := make(map[int64]alert.Alert, len(found))
	for _, a := range found {
		byIID[a.IID] = a
	}
	all := make([]alert.Alert, 0, len(found))
	for _, iid := range iids {
		if a, ok := byIID[iid]; ok {
			all = append(all, a)
		}
	}
	return all, err
}

// alertList reads the entries of a list.
type alertList struct {
	*Store
	alert.Query
	projectID int64
	now       time.Time
	// What no index leads to, as a condition; empty: nothing.
	condition string
	wanted    []any
	look      int // at how many alerts at first
}

// alertColumn is what an order compares.
var alertColumn = map[alert.Order]string{
	alert.ByCreation: "iid", alert.ByStart: "started_at", alert.ByEnd: "ended_at", alert.ByUpdate: "updated_at", alert.ByEvents: "events",
	alert.BySeverity: ranks("severity", alert.Severities, alert.Severity.Rank),
	alert.ByStatus:   ranks("status", alert.Statuses, alert.Status.Rank),
}

// ranks is an expression for the ranks of what is in the column.
func ranks[T ~string](column string, all []T, rank func(T) int64) string {
	expression := "CASE " + column
	for _, word := range all {
		expression += fmt.Sprintf(" WHEN '%s' THEN %d", word, rank(word))
	}
	return expression + " END"
}

// pager is a list, or one that is sorted in windows.
type pager interface {
	Page(context.Context, page.Request) (page.Of[alertEntry], error)
}

func (s *Store) alertList(ctx context.Context, projectID int64, q alert.Query, now time.Time) (pager, error) {
	l := alertList{Store: s, Query: q, projectID: projectID, now: now}
	if wanted := q.Wanted(); wanted != "" {
		l.require("instr(search_text, ?) > 0", wanted)
	}
	if q.Host != "" {
		l.require("EXISTS (SELECT 1 FROM json_each(hosts) WHERE value = ?)", q.Host)
	}
	if q.Environment != "" {
		l.require("environment = ?", q.Environment)
	}
	if q.Label.Name != "" {
		l.require("EXISTS (SELECT 1 FROM json_each(labels) WHERE key = ? AND value = ?)", q.Label.Name, q.Label.Value)
	}
	if q.IntegrationID != 0 {
		l.require("integration_id = ?", q.IntegrationID)
	}
	if q.AssigneeID != 0 {
		l.require("assignee_id = ?", q.AssigneeID)
	}
	sources, err := l.sources(ctx)
	list := walk.List[alertEntry]{
		Sources: sources, Order: q.Compare, Look: l.look,
		Position: func(e alertEntry) page.Position { return e.Position },
		Time:     func(e alertEntry) time.Time { return e.createdAt },
	}
	if l.condition != "" {
		list.Search = func(e alertEntry) bool { return e.matches }
	}
	if sources == nil {
		return l.windows(list), err
	}
	return list, err
}

// windows is the list in the order that has no index.
func (l *alertList) windows(list walk.List[alertEntry]) walk.Window[alertEntry] {
	list.Sources = []alertSource{l.newest}
	list.Position, list.Order = func(e alertEntry) page.Position { return page.At(e.ID) }, nil
	w := walk.Window[alertEntry]{
		Newest: list, Size: walk.SearchLimit,
		Compare: func(a, b alertEntry) int { return l.Compare(a.Position, b.Position) },
	}
	if !l.Searches() {
		w.Reach = page.CountLimit
	}
	return w
}

// newest is the source of all alerts by descending number.
func (l *alertList) newest(ctx context.Context, after page.Position, n int) ([]alertEntry, error) {
	return l.read(ctx, alertColumn[l.SortedBy()], "project_id = ? AND iid < ? ORDER BY iid DESC LIMIT ?", l.projectID, numberBelow(after), n)
}

func (l *alertList) require(condition string, args ...any) {
	if l.condition != "" {
		condition = " AND " + condition
	}
	l.condition += condition
	l.wanted = append(l.wanted, args...)
}

type alertSource = walk.Source[alertEntry]

// sources returns where the list is read from. Nil: there is no index.
func (l *alertList) sources(ctx context.Context) ([]alertSource, error) {
	narrowed := len(l.Statuses)+len(l.Severities) > 0
	switch order := l.SortedBy(); {
	case l.Searches() || order == alert.ByEvents:
		return l.looked(ctx)
	case order == alert.ByStatus || order == alert.BySeverity:
		return l.ranked(), nil
	case order == alert.ByCreation && narrowed:
		return l.byClass(), nil
	case order == alert.ByCreation:
		return []alertSource{l.byNumber("project_id = ?", l.projectID)}, nil
	case narrowed:
		return l.looked(ctx)
	default:
		return l.byValue(), nil
	}
}

// ofClass are the alerts of a class. An index has them by their numbers.
const ofClass = "project_id = ? AND status = ? AND severity = ?"

// byClass has a source for each class that passes the filter.
func (l *alertList) byClass() (sources []alertSource) {
	for _, c := range l.Classes() {
		sources = append(sources, l.byNumber(ofClass, l.projectID, c.Status, c.Severity))
	}
	return sources
}

// ranked is for the orders in which all alerts of a class are equal.
func (l *alertList) ranked() (sources []alertSource) {
	for _, c := range l.Classes() {
		rank := l.Position(alert.Alert{Status: c.Status, Severity: c.Severity}).Value
		sources = append(sources, l.equal(rank, ofClass, l.projectID, c.Status, c.Severity))
	}
	return sources
}

// looked sorts what passes the filter if that is little. Otherwise it looks for what
// passes in the index of the order.
func (l *alertList) looked(ctx context.Context) ([]alertSource, error) {
	counts, err := l.AlertCounts(ctx, l.projectID, l.now)
	if err != nil || counts.Total(l.Filter) <= walk.SearchLimit {
		l.look = walk.SearchLimit // at all, because sorting reads all
		return []alertSource{l.sorted(counts)}, err
	}
	if len(l.Statuses)+len(l.Severities) > 0 {
		var passing []string
		for _, c := range l.Classes() {
			passing = append(passing, string(c.Status)+" "+string(c.Severity))
		}
		l.require("status || ' ' || severity IN (SELECT value FROM json_each(?))", text(passing))
	}
	switch order := l.SortedBy(); {
	case order == alert.ByCreation:
		return []alertSource{l.byNumber("project_id = ?", l.projectID)}, nil
	case order == alert.ByStart || order == alert.ByUpdate || order == alert.ByEnd && !l.Searches():
		return l.byValue(), nil
	default:
		return nil, nil
	}
}

// byValue reads the index of the order. That by the end has only alerts that have
// one; the others are equal.
func (l *alertList) byValue() (sources []alertSource) {
	column, clause := alertColumn[l.SortedBy()], "project_id = ?"
	if l.SortedBy() == alert.ByEnd {
		clause += " AND status = 'resolved'"
		for _, c := range l.Classes() {
			if c.Status != alert.Resolved {
				sources = append(sources, l.equal(0, ofClass, l.projectID, c.Status, c.Severity))
			}
		}
		if len(l.Statuses) > 0 && !slices.Contains(l.Statuses, alert.Resolved) {
			return sources
		}
	}
	if l.Descending {
		return append(sources, l.falling(column, clause))
	}
	return append(sources, l.rising(column, clause))
}

// read returns entries with this value in the order.
func (l *alertList) read(ctx context.Context, value, clause string, args ...any) ([]alertEntry, error) {
	columns := value + ", iid, 0, 1"
	if l.condition != "" {
		columns = value + ", iid, created_at, " + l.condition
	}
	return many(ctx, l.readers, scanAlertEntry, "SELECT "+columns+" FROM alerts WHERE "+unexpired+" AND "+clause,
		slices.Concat(l.wanted, []any{micros(l.now)}, args)...)
}

func scanAlertEntry(r row) (e alertEntry, err error) {
	return e, r.Scan(&e.Value, &e.ID, (*moment)(&e.createdAt), &e.matches)
}

// byNumber is the source of what the clause selects, by creation.
func (l *alertList) byNumber(clause string, args ...any) alertSource {
	return func(ctx context.Context, after page.Position, n int) ([]alertEntry, error) {
		if l.Descending {
			return l.read(ctx, "iid", clause+" AND iid < ? ORDER BY iid DESC LIMIT ?", append(args, numberBelow(after), n)...)
		}
		return l.read(ctx, "iid", clause+" AND iid > ? ORDER BY iid LIMIT ?", append(args, after.ID, n)...)
	}
}

// equal is the source of what the clause selects, all of which has the value in
// the order of the list.
func (l *alertList) equal(value int64, clause string, args ...any) alertSource {
	ordered := clause + " AND iid < ? ORDER BY iid DESC LIMIT ?"
	return walk.Group(value, l.Descending, func(ctx context.Context, after page.Position, n int) ([]alertEntry, error) {
		return l.read(ctx, fmt.Sprint(value), ordered, append(args, numberBelow(after), n)...)
	})
}

// falling is the source of what the clause selects, by a column with an index.
func (l *alertList) falling(column, clause string) alertSource {
	ordered := fmt.Sprintf("%s AND (%s, iid) < (?, ?) ORDER BY %[2]s DESC, iid DESC LIMIT ?", clause, column)
	return func(ctx context.Context, after page.Position, n int) ([]alertEntry, error) {
		if !after.Some() {
			after = page.Position{Value: math.MaxInt64, ID: math.MaxInt64}
		}
		return l.read(ctx, column, ordered, l.projectID, after.Value, after.ID, n)
	}
}

// rising is the same in the other direction. The index has equal values with the
// oldest first, and the list with the newest, so that it reads those from their
// other end.
func (l *alertList) rising(column, clause string) alertSource {
	above := fmt.Sprintf("%s AND %s > ? ORDER BY %[2]s, iid LIMIT ?", clause, column)
	same := fmt.Sprintf("%s AND %s = ? AND iid < ? ORDER BY iid DESC LIMIT ?", clause, column)
	return func(ctx context.Context, after page.Position, n int) (found []alertEntry, err error) {
		if !after.Some() {
			after.Value = math.MinInt64
		} else if found, err = l.read(ctx, column, same, l.projectID, after.Value, after.ID, n); err != nil {
			return nil, err
		}
		n -= len(found)
		rest, err := l.read(ctx, column, above, l.projectID, after.Value, n)
		if err == nil && n > 0 && len(rest) == n { // there may be more with the last value
			last := rest[n-1].Value
			rest = slices.DeleteFunc(rest, func(e alertEntry) bool { return e.Value == last })
			var newest []alertEntry
			newest, err = l.read(ctx, column, same, l.projectID, last, int64(math.MaxInt64), n-len(rest))
			rest = append(rest, newest...)
		}
		slices.SortFunc(rest, func(a, b alertEntry) int { return page.Rising(a.Position, b.Position) })
		return append(found, rest...), err
	}
}

// sorted reads everything of the counted classes that passes the filter, and sorts
// it.
func (l *alertList) sorted(counts alert.Counts) alertSource {
	return func(ctx context.Context, after page.Position, n int) (all []alertEntry, err error) {
		for _, c := range l.Classes() {
			if counts[c] == 0 {
				continue
			}
			found, err := l.read(ctx, alertColumn[l.SortedBy()], ofClass, l.projectID, c.Status, c.Severity)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
		if after.Some() {
			all = slices.DeleteFunc(all, func(e alertEntry) bool { return l.Compare(e.Position, after) <= 0 })
		}
		slices.SortFunc(all, func(a, b alertEntry) int { return l.Compare(a.Position, b.Position) })
		return all[:min(n, len(all))], nil
	}
}
