package consoleapi

import (
	"context"
	"html/template"
	"net/http"
	"strconv"

	"gatehouse/shared/alert"
	"gatehouse/shared/batch"
	"gatehouse/shared/incident"
	"gatehouse/shared/markdown"
	"gatehouse/shared/page"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// incidentBody is the data of an incident's page.
type incidentBody struct {
	visit
	Incident    incident.Stored
	Title, Page string // Page is its address
	Back        string // the query part of the list's address, which the page's addresses have too
	Description template.HTML
	Alerts      []alertRow
	Unread      []alertLink // alerts that belong to it and are not shown with their titles
	Author      string
	Assigned    user.User
	Assignee    string
	Suggested   []user.User
	Wrong       wrongAssignee
	Timeline    []entry
	Paging      site.Paging
	Complaint   string // why the incident was not changed
	Link, Note  typed  // what the forms have
}

// alertLink leads to an alert, or to an incident.
type alertLink struct {
	IID     int64
	Address string
}

// typed is what was typed into a field, and what is wrong with it.
type typed struct{ Text, Complaint string }

// AssignedToMe reports whether the incident is assigned to the visitor.
func (b incidentBody) AssignedToMe() bool { return b.Incident.Thing.AssigneeID == b.User.ID }

// Version is that of the incident.
func (b incidentBody) Version() int64 { return b.Incident.Version }

// Filter is what the way back says about the list.
func (b incidentBody) Filter() string { return b.Back }

// Closed reports whether the incident is closed.
func (b incidentBody) Closed() bool { return b.Incident.Thing.State == incident.Closed }

// incidentHandler serves a page of an incident.
type incidentHandler func(w http.ResponseWriter, r *http.Request, v visit, s incident.Stored) error

// ofIncident passes the incident in the path to the handler.
func (a *api) ofIncident(h incidentHandler) projectHandler {
	return func(w http.ResponseWriter, r *http.Request, v visit) error {
		iid, err := web.PathID(r, "incident")
		if err != nil {
			return err
		}
		s, err := a.app.Incidents.Find(r.Context(), v.Project, iid)
		if err != nil {
			return err
		}
		return h(w, r, v, s)
	}
}

func (a *api) showIncident(w http.ResponseWriter, r *http.Request, v visit, s incident.Stored) error {
	body, err := a.newIncidentBody(r, v, s)
	if err != nil {
		return err
	}
	return a.renderIncident(w, r, http.StatusOK, body)
}

func (a *api) renderIncident(w http.ResponseWriter, r *http.Request, status int, body incidentBody) error {
	title := "Incident #" + strconv.FormatInt(body.Incident.Number, 10) + " " + body.Title
	return a.render(w, r, body.visit, incidentsTab, site.Page{Template: "incident", Title: title, Status: status, Body: body})
}

// maxLinked is how many alerts the page shows with their titles.
const maxLinked = 10

// incidentParts is what is read for an incident's page besides the incident.
type incidentParts struct {
	alerts   map[int64]alert.Alert // without those that are gone
	timeline page.Of[incident.Entry]
	people   people // whom the page names
}

// incidentParts reads the timeline, and then the people with the alerts at the same time.
func (a *api) incidentParts(ctx context.Context, v visit, s incident.Stored, wanted page.Request) (parts incidentParts, err error) {
	parts.timeline, err = a.app.Incidents.Timeline(ctx, v.Project, s, wanted)
	if err != nil {
		return parts, err
	}
	linked := s.Thing.Alerts[:min(len(s.Thing.Alerts), maxLinked)]
	err = batch.Together(ctx, func(ctx context.Context) (err error) {
		parts.alerts, err = a.app.Alerts.AlertsByIID(ctx, v.Project.ID, linked)
		return err
	}, func(ctx context.Context) (err error) {
		parts.people, err = a.people(ctx, append(idsIn(parts.timeline.Items), s.Thing.AssigneeID, s.Thing.AuthorID)...)
		return err
	})
	return parts, err
}

func (a *api) newIncidentBody(r *http.Request, v visit, s incident.Stored) (incidentBody, error) {
	wanted := site.PageOf(r)
	parts, err := a.incidentParts(r.Context(), v, s, wanted)
	if err != nil {
		return incidentBody{}, err
	}
	i, people := s.Thing, parts.people
	body := incidentBody{
		visit: v, Incident: s, Title: incident.TitleOf(s), Page: v.incidentAddress(s.Number), Back: backToIncidents(r),
		Description: template.HTML(markdown.HTML(i.Description)), Author: people.name(i.AuthorID),
		Assigned: people[i.AssigneeID], Assignee: people.name(i.AssigneeID), Suggested: people.present(),
	}
	for _, iid := range i.Alerts {
		if found, shown := parts.alerts[iid]; shown {
			body.Alerts = append(body.Alerts, alertRow{Alert: found, Address: v.alertAddress(iid)})
		} else {
			body.Unread = append(body.Unread, alertLink{iid, v.alertAddress(iid)})
		}
	}
	for _, e := range parts.timeline.Items {
		body.Timeline = append(body.Timeline, newEntry(e, v, people))
	}
	body.Paging = site.NewPaging(body.Page+body.Back, wanted, parts.timeline)
	return body, nil
}

// idsIn lists all users that the entries name.
func idsIn(timeline []incident.Entry) (ids []int64) {
	for _, e := range timeline {
		ids = append(ids, e.ActorID, e.UserID)
	}
	return ids
}
