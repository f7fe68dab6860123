package consoleapi

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/site"
)

// alertQuery is the query in the address of the list of alerts. Unknown words
// are ignored, because people edit addresses by hand.
type alertQuery struct {
	Status, Severity, Sort    string
	Search, Host, Environment string
	Label                     string // name=value
	Integration, Assignee     string // an id, and a user name
}

// typed are the fields that take any text, by their names in the address.
func (q *alertQuery) typed() map[string]*string {
	return map[string]*string{
		"search": &q.Search, "host": &q.Host, "environment": &q.Environment, "label": &q.Label,
		"integration": &q.Integration, "assignee": &q.Assignee,
	}
}

// The filters by status that are not a status of an alert.
const (
	openAlerts = "" // triggered or acknowledged
	allAlerts  = "all"
)

// alertSorts are the orders that the page offers, the default one first.
var alertSorts = []alertSort{
	{"", "Newest first", alert.ByCreation, true},
	{"oldest", "Oldest first", alert.ByCreation, false},
	{"severity", "Gravest first", alert.BySeverity, true},
	{"events", "Most events", alert.ByEvents, true},
	{"started", "Started last", alert.ByStart, true},
	{"updated", "Changed last", alert.ByUpdate, true},
}

type alertSort struct {
	Value, Name string
	order       alert.Order
	descending  bool
}

func readAlertQuery(r *http.Request) (alertQuery, error) {
	values, err := site.ParseValues(r.URL.RawQuery)
	var q alertQuery
	for name, field := range q.typed() {
		*field = strings.TrimSpace(values.Get(name))
	}
	if s := values.Get("status"); s == allAlerts || slices.Contains(alert.Statuses, alert.Status(s)) {
		q.Status = s
	}
	if s := values.Get("severity"); slices.Contains(alert.Severities, alert.Severity(s)) {
		q.Severity = s
	}
	if s := values.Get("sort"); slices.ContainsFunc(alertSorts, func(known alertSort) bool { return known.Value == s }) {
		q.Sort = s
	}
	return q, err
}

// wantedAlerts reads the query of a request, and returns it for the rules too.
func (a *api) wantedAlerts(r *http.Request, v visit) (alertQuery, alert.Query, error) {
	query, err := readAlertQuery(r)
	if err != nil {
		return alertQuery{}, alert.Query{}, err
	}
	wanted, err := a.alertQuery(r.Context(), v, query)
	return query, wanted, err
}

// alertQuery returns the query for the rules.
func (a *api) alertQuery(ctx context.Context, v visit, q alertQuery) (alert.Query, error) {
	wanted := q.alerts()
	var err error
	if q.Assignee != "" {
		wanted.AssigneeID, err = a.assigneeNamed(ctx, v, q.Assignee)
	}
	return wanted, err
}

// noUser is the id of nobody, to whom no alert is assigned.
const noUser = -1

// assigneeNamed returns the id of the user with the name.
func (a *api) assigneeNamed(ctx context.Context, v visit, name string) (int64, error) {
	name = strings.TrimPrefix(name, "@")
	if strings.EqualFold(name, v.User.Username) {
		return v.User.ID, nil
	}
	u, err := a.app.Users.UserByUsername(ctx, name)
	if fault.Is(err, fault.NotFound) {
		return noUser, nil
	}
	return u.ID, err
}

// alerts returns the query for the rules, but for the assignee.
func (q alertQuery) alerts() alert.Query {
	wanted := alert.Query{Search: q.Search, Host: q.Host, Environment: q.Environment}
	wanted.Label, _ = alert.ParseLabel(q.Label)                       // without "=" no alert has it
	wanted.IntegrationID, _ = strconv.ParseInt(q.Integration, 10, 64) // what is no number is ignored
	switch q.Status {
	case openAlerts:
		wanted.Statuses = []alert.Status{alert.Triggered, alert.Acknowledged}
	case allAlerts:
	default:
		wanted.Statuses = []alert.Status{alert.Status(q.Status)}
	}
	if q.Severity != "" {
		wanted.Severities = []alert.Severity{alert.Severity(q.Severity)}
	}
	for _, s := range alertSorts {
		if s.Value == q.Sort {
			wanted.Order, wanted.Descending = s.order, s.descending
		}
	}
	return wanted
}

// address returns the query part of the list's address.
func (q alertQuery) address() string {
	if values := q.values(); len(values) > 0 {
		return "?" + values.Encode()
	}
	return ""
}

// values returns the parameters of the address that are set.
func (q alertQuery) values() url.Values {
	values := url.Values{}
	for name, value := range map[string]string{"status": q.Status, "severity": q.Severity, "sort": q.Sort} {
		values.Set(name, value)
	}
	for name, field := range q.typed() {
		values.Set(name, *field)
	}
	maps.DeleteFunc(values, func(_ string, value []string) bool { return value[0] == "" })
	return values
}

// backToAlerts returns the query part of the address of the place in the list of alerts that
// the request comes from. The pages of alerts have it in their addresses.
func backToAlerts(r *http.Request) string {
	query, err := readAlertQuery(r)
	if err != nil {
		return ""
	}
	return site.PageAddress(query.address(), site.PageOf(r))
}

// Narrowed reports whether there is a filter besides the status.
func (q alertQuery) Narrowed() bool {
	return q.Severity != "" || q.alerts().Searches() || q.Assignee != ""
}

// mine returns the same query for the alerts that are assigned to the user.
func (q alertQuery) mine(username string) alertQuery {
	q.Assignee = username
	return q
}

// Sorts lists the orders.
func (q alertQuery) Sorts() []alertSort { return alertSorts }

// Severities lists the severities, the gravest first.
func (q alertQuery) Severities() []alert.Severity { return alert.Severities }

// statusTab is a link to the alerts of a status.
type statusTab struct {
	Name, Address string
	Status        string // empty: those that are open
	Count         int
	Counted       bool
	Current       bool
}

// tabs returns links to the same query for each status. The counts are nil for a
// search.
func (q alertQuery) tabs(list string, counts map[alert.Status]int) []statusTab {
	all := 0
	for _, count := range counts {
		all += count
	}
	tabs := []statusTab{
		q.tab(list, "Open", openAlerts, counts[alert.Triggered]+counts[alert.Acknowledged]),
	}
	for _, s := range alert.Statuses {
		tabs = append(tabs, q.tab(list, statusNames[s], string(s), counts[s]))
	}
	tabs = append(tabs, q.tab(list, "All", allAlerts, all))
	for i := range tabs {
		tabs[i].Counted = counts != nil
	}
	return tabs
}

func (q alertQuery) tab(list, name, status string, count int) statusTab {
	current := q.Status == status
	q.Status = status
	return statusTab{Name: name, Address: list + q.address(), Status: status, Count: count, Current: current}
}

var statusNames = map[alert.Status]string{
	alert.Triggered: "Triggered", alert.Acknowledged: "Acknowledged", alert.Resolved: "Resolved", alert.Ignored: "Ignored",
}
