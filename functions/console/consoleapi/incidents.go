package consoleapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"gatehouse/shared/alert"
	"gatehouse/shared/incident"
	"gatehouse/shared/site"
)

// incidentsBody is the data of the list of incidents.
type incidentsBody struct {
	visit
	Query  incidentQuery
	Tabs   []statusTab
	Rows   []incidentRow
	Paging site.Paging
}

// incidentRow is an incident in the list.
type incidentRow struct {
	incident.Stored
	Title, Address string
	Assignee       string
}

func (v visit) incidentAddress(iid int64) string {
	return v.Address() + incidentsTab + "/" + strconv.FormatInt(iid, 10)
}

// incidentQuery is the query in the address of the list of incidents. Unknown words are
// ignored, because people edit addresses by hand.
type incidentQuery struct{ Show, Severity, Search string }

// incidentChoice is one of the choices of which incidents to show, by state and status.
type incidentChoice struct {
	Value, Name string
	states      []incident.State
	statuses    []incident.Status
}

// incidentChoices are what the page offers, the default first.
var incidentChoices = []incidentChoice{
	{"", "Open", []incident.State{incident.Opened}, nil},
	{"triggered", "Triggered", []incident.State{incident.Opened}, []incident.Status{incident.Triggered}},
	{"acknowledged", "Acknowledged", []incident.State{incident.Opened}, []incident.Status{incident.Acknowledged}},
	{"resolved", "Resolved", []incident.State{incident.Opened}, []incident.Status{incident.Resolved}},
	{"closed", "Closed", []incident.State{incident.Closed}, nil},
	{"all", "All", nil, nil},
}

func readIncidentQuery(r *http.Request) (incidentQuery, error) {
	values, err := site.ParseValues(r.URL.RawQuery)
	q := incidentQuery{Search: values.Get("search")}
	if s := values.Get("show"); slices.ContainsFunc(incidentChoices, func(c incidentChoice) bool { return c.Value == s }) {
		q.Show = s
	}
	if s := values.Get("severity"); slices.Contains(alert.Severities, alert.Severity(s)) {
		q.Severity = s
	}
	return q, err
}

// incidents returns the query for the rules.
func (q incidentQuery) incidents() incident.Query {
	wanted := incident.Query{Search: q.Search}
	for _, c := range incidentChoices {
		if c.Value == q.Show {
			wanted.States, wanted.Statuses = c.states, c.statuses
		}
	}
	if q.Severity != "" {
		wanted.Severities = []alert.Severity{alert.Severity(q.Severity)}
	}
	return wanted
}

// address returns the query part of the list's address.
func (q incidentQuery) address() string {
	values := url.Values{}
	for name, value := range map[string]string{"show": q.Show, "severity": q.Severity, "search": q.Search} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// backToIncidents returns the query part of the address of the list of incidents that the
// request comes from, without its page: the timeline of an incident has pages of its own.
func backToIncidents(r *http.Request) string {
	query, err := readIncidentQuery(r)
	if err != nil {
		return ""
	}
	return query.address()
}

// Narrowed reports whether there is a filter besides state and status.
func (q incidentQuery) Narrowed() bool { return q.Severity != "" || q.Search != "" }

// Severities lists the severities, the gravest first.
func (q incidentQuery) Severities() []alert.Severity { return alert.Severities }

// tabs returns links to the same query for each choice.
func (q incidentQuery) tabs(list string) (tabs []statusTab) {
	for _, c := range incidentChoices {
		to := q
		to.Show = c.Value
		tabs = append(tabs, statusTab{Name: c.Name, Address: list + to.address(), Current: c.Value == q.Show})
	}
	return tabs
}

// listIncidents lists the project's incidents, the newest first.
func (a *api) listIncidents(w http.ResponseWriter, r *http.Request, v visit) error {
	query, err := readIncidentQuery(r)
	if err != nil {
		return err
	}
	wanted := site.PageOf(r)
	found, err := a.app.Incidents.List(r.Context(), v.Project, query.incidents(), wanted)
	if err != nil {
		return err
	}
	var assignees []int64
	for _, s := range found.Items {
		assignees = append(assignees, s.Thing.AssigneeID)
	}
	people, err := a.people(r.Context(), assignees...)
	if err != nil {
		return err
	}
	list := v.Address() + incidentsTab
	body := incidentsBody{visit: v, Query: query, Tabs: query.tabs(list), Paging: site.NewPaging(list+query.address(), wanted, found)}
	for _, s := range found.Items {
		body.Rows = append(body.Rows, incidentRow{s, incident.TitleOf(s), v.incidentAddress(s.Number) + query.address(), people.name(s.Thing.AssigneeID)})
	}
	return a.render(w, r, v, incidentsTab, site.Page{Template: "incidents", Title: "Incidents", Body: body})
}
