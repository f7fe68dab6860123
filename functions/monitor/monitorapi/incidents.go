package monitorapi

import (
	"cmp"
	"net/http"

	"gatehouse/shared/alert"
	"gatehouse/shared/auth"
	"gatehouse/shared/incident"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// noIncident makes a fault.NotFound error one about the incident.
func noIncident(err error) error { return web.NotFound("Incident", err) }

// incidentHandler serves a request about an incident.
type incidentHandler func(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s incident.Stored) error

// ofIncident passes the incident in the path to the handler.
func (a *api) ofIncident(h incidentHandler) auth.ProjectHandler {
	return func(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
		iid, err := web.PathID(r, "iid")
		if err != nil {
			return noIncident(err)
		}
		s, err := a.app.Incidents.Find(r.Context(), p, iid)
		if err != nil {
			return noIncident(err)
		}
		return h(w, r, c, p, s)
	}
}

func (a *api) listIncidents(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	params := web.Params(r)
	q := incident.Query{
		States: web.Choices(params, "state", incident.States), Statuses: web.Choices(params, "status", incident.Statuses),
		Severities: web.Choices(params, "severity", alert.Severities), AssigneeID: params.OptionalInt("assignee_id"),
		Search: orZero(params.OptionalString("search")),
	}
	req := params.Page()
	if err := params.Err(); err != nil {
		return err
	}
	found, err := a.app.Incidents.List(r.Context(), p, q, req)
	if err != nil {
		return err
	}
	n, err := a.peopleOf(r, nil, found.Items...)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, found, func(s incident.Stored) incidentBody { return a.incidentBody(p, s, n) })
}

func (a *api) createIncident(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	params := web.Params(r)
	d := incident.Draft{
		Title: params.String("title"), Description: orZero(params.OptionalString("description")),
		Severity:   cmp.Or(web.Choice(params, "severity", alert.Severities), alert.SeverityUnknown),
		AssigneeID: orZero(params.OptionalInt("assignee_id")), Alerts: params.OptionalInts("alert_iids"),
	}
	if err := params.Err(); err != nil {
		return err
	}
	made, err := a.app.Incidents.Create(r.Context(), c.Actor(), p, d)
	if err != nil {
		return err
	}
	return a.answerIncident(w, r, http.StatusCreated, p, made)
}

func (a *api) showIncident(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project, s incident.Stored) error {
	return a.answerIncident(w, r, http.StatusOK, p, s)
}

func (a *api) changeIncident(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s incident.Stored) error {
	change, err := readIncidentChange(r)
	if err != nil {
		return err
	}
	changed, err := a.app.Incidents.Change(r.Context(), c.Actor(), p, s, change)
	if err != nil {
		return noIncident(err)
	}
	return a.answerIncident(w, r, http.StatusOK, p, changed)
}

// states are what a state_event leads to.
var states = map[string]incident.State{"close": incident.Closed, "reopen": incident.Opened}

// readIncidentChange reads any of the fields that can be changed.
func readIncidentChange(r *http.Request) (incident.Change, error) {
	params := web.Params(r)
	c := incident.Change{Title: params.OptionalString("title"), Description: params.OptionalString("description")}
	if event := web.Choice(params, "state_event", []string{"close", "reopen"}); event != "" {
		state := states[event]
		c.State = &state
	}
	if status := web.Choice(params, "status", incident.Statuses); status != "" {
		c.Status = &status
	}
	if severity := web.Choice(params, "severity", alert.Severities); severity != "" {
		c.Severity = &severity
	}
	if params.Has("assignee_id") {
		assignee := orZero(params.OptionalInt("assignee_id"))
		c.AssigneeID = &assignee
	}
	if err := params.Err(); err != nil {
		return incident.Change{}, err
	}
	if c == (incident.Change{}) {
		const none = "state_event, status, severity, title, description, assignee_id are missing, at least one parameter must be provided"
		return incident.Change{}, web.BadParameters(none)
	}
	return c, nil
}

func (a *api) linkAlert(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s incident.Stored) error {
	params := web.Params(r)
	iid := params.Int("alert_iid")
	if err := params.Err(); err != nil {
		return err
	}
	linked, err := a.app.Incidents.Link(r.Context(), c.Actor(), p, s, iid)
	if err != nil {
		return noAlert(err)
	}
	return a.answerIncident(w, r, http.StatusCreated, p, linked)
}

func (a *api) unlinkAlert(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s incident.Stored) error {
	iid, err := web.PathID(r, "alert_iid")
	if err == nil {
		_, err = a.app.Incidents.Unlink(r.Context(), c.Actor(), p, s, iid)
	}
	if err != nil {
		return noAlert(err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *api) listTimeline(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project, s incident.Stored) error {
	req, err := web.ReadPage(r)
	if err != nil {
		return err
	}
	found, err := a.app.Incidents.Timeline(r.Context(), p, s, req)
	if err != nil {
		return err
	}
	n, err := a.peopleOf(r, found.Items)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, found, func(e incident.Entry) entryBody { return newEntryBody(e, n) })
}

func (a *api) addNote(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s incident.Stored) error {
	params := web.Params(r)
	note := params.String("note")
	if err := params.Err(); err != nil {
		return err
	}
	e, err := a.app.Incidents.Note(r.Context(), c.Actor(), p, s, note)
	if err != nil {
		return noIncident(err)
	}
	n, err := a.peopleOf(r, []incident.Entry{e})
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusCreated, newEntryBody(e, n))
}
