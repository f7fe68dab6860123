package incident

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"gatehouse/shared/alert"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
)

// Query selects incidents of a project; what is empty selects all.
type Query struct {
	States     []State
	Statuses   []Status
	Severities []alert.Severity
	AssigneeID *int64 // zero: those that nobody is assigned to
	Search     string // in the title, in any letter case
}

// hint is what lists keep of an incident, so that a search need not read those that it
// cannot keep.
type hint struct {
	Severity alert.Severity `json:"s"`
	Assignee int64          `json:"a,omitempty"`
	Title    string         `json:"t,omitempty"` // in lower case
}

func hintOf(i Incident) string {
	text, _ := json.Marshal(hint{i.Severity, i.AssigneeID, strings.ToLower(i.Title)}) // numbers and texts cannot fail
	return string(text)
}

// List returns a page of the incidents that the query selects, the newest first. States
// and statuses have lists of their own, and the rest is searched for.
func (r *Rules) List(ctx context.Context, p project.Project, q Query, req page.Request) (page.Of[Stored], error) {
	var find record.Find[Incident]
	if q.searches() {
		find = record.Find[Incident]{May: q.may, Keep: q.keep}
	}
	return incidents.Listed(ctx, r.records, q.lists(p.Place()), find, req)
}

// lists returns the lists of the incidents with the states and statuses.
func (q Query) lists(at project.Place) (lists []record.List) {
	for _, state := range States {
		for _, status := range Statuses {
			if state == Closed && status != Resolved || len(q.States) > 0 && !slices.Contains(q.States, state) ||
				len(q.Statuses) > 0 && !slices.Contains(q.Statuses, status) {
				continue
			}
			lists = append(lists, record.List{Place: at, Name: listName(state, status)})
		}
	}
	return lists
}

func (q Query) searches() bool {
	return len(q.Severities) > 0 || q.AssigneeID != nil || q.wanted() != ""
}

func (q Query) wanted() string { return strings.ToLower(strings.TrimSpace(q.Search)) }

// may reports whether keep can be true for the incident with this hint.
func (q Query) may(r record.Record) bool {
	var h hint
	if err := json.Unmarshal([]byte(r.Hint), &h); err != nil {
		return true
	}
	return q.passes(h.Severity, h.Assignee) && (h.Title == "" || strings.Contains(h.Title, q.wanted()))
}

func (q Query) keep(s Stored) bool {
	return q.passes(s.Thing.Severity, s.Thing.AssigneeID) && strings.Contains(strings.ToLower(TitleOf(s)), q.wanted())
}

func (q Query) passes(severity alert.Severity, assigneeID int64) bool {
	return (len(q.Severities) == 0 || slices.Contains(q.Severities, severity)) &&
		(q.AssigneeID == nil || *q.AssigneeID == assigneeID)
}

// AssignedTo returns the newest n incidents, in any project, that wait for the user, and
// whether there are more.
func (r *Rules) AssignedTo(ctx context.Context, userID int64, n int) (found []Stored, more bool, err error) {
	all, err := incidents.Listed(ctx, r.records, []record.List{assignedTo(userID)}, record.Find[Incident]{}, page.Request{Number: 1, Size: n})
	return all.Items, all.More, err
}

// Waiting counts the incidents of a project that somebody still has to do something about,
// by severity: the newest thousand of each status.
func (r *Rules) Waiting(ctx context.Context, p project.Project) (map[alert.Severity]int, error) {
	counts := map[alert.Severity]int{}
	q := Query{States: []State{Opened}, Statuses: []Status{Triggered, Acknowledged}}
	// It takes none, so that the list reads on. What the list keeps says enough of most.
	_, err := incidents.Listed(ctx, r.records, q.lists(p.Place()), record.Find[Incident]{
		May: func(listed record.Record) bool {
			var h hint
			if err := json.Unmarshal([]byte(listed.Hint), &h); err != nil {
				return true
			}
			counts[h.Severity]++
			return false
		},
		Keep: func(s Stored) bool {
			counts[s.Thing.Severity]++
			return false
		},
	}, page.Request{Number: 1, Size: 1})
	return counts, err
}
