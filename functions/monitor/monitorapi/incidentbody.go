package monitorapi

import (
	"net/http"
	"strconv"

	"gatehouse/shared/alert"
	"gatehouse/shared/incident"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// incidentBody is an incident in a list on the wire.
type incidentBody struct {
	IID         int64           `json:"iid"`
	Title       string          `json:"title"`
	Severity    alert.Severity  `json:"severity"`
	Status      incident.Status `json:"status"`
	State       incident.State  `json:"state"`
	Environment *string         `json:"environment"`
	AlertIIDs   []int64         `json:"alert_iids"`
	Assignee    *userBody       `json:"assignee"`
	Author      *userBody       `json:"author"`
	StartedAt   web.Time        `json:"started_at"`
	EndedAt     web.Time        `json:"ended_at"`
	ClosedAt    web.Time        `json:"closed_at"`
	WebURL      string          `json:"web_url"`
	CreatedAt   web.Time        `json:"created_at"`
	UpdatedAt   web.Time        `json:"updated_at"`
}

// detailedIncident is a single incident on the wire.
type detailedIncident struct {
	incidentBody
	Description *string     `json:"description"`
	Timeline    []entryBody `json:"timeline"`
}

// entryBody is an entry of a timeline on the wire.
type entryBody struct {
	ID       int64              `json:"id"`
	At       web.Time           `json:"at"`
	Actor    *userBody          `json:"actor"`
	Kind     incident.EntryKind `json:"kind"`
	Text     *string            `json:"text"`
	Assignee *userBody          `json:"assignee"`
	AlertIID *int64             `json:"alert_iid"`
}

func (a *api) incidentBody(p project.Project, s incident.Stored, n names) incidentBody {
	i := s.Thing
	return incidentBody{
		IID: s.Number, Title: incident.TitleOf(s), Severity: i.Severity, Status: i.Status, State: i.State,
		Environment: web.OrNull(i.Environment), AlertIIDs: append([]int64{}, i.Alerts...),
		Assignee: n.user(i.AssigneeID), Author: n.user(i.AuthorID),
		StartedAt: web.Time(i.StartedAt), EndedAt: web.Time(i.EndedAt), ClosedAt: web.Time(i.ClosedAt),
		WebURL:    a.app.BaseURL + "/console/" + p.FullPath + "/incidents/" + strconv.FormatInt(s.Number, 10),
		CreatedAt: web.Time(s.CreatedAt), UpdatedAt: web.Time(i.UpdatedAt),
	}
}

func newEntryBody(e incident.Entry, n names) entryBody {
	return entryBody{
		ID: e.ID, At: web.Time(e.At), Actor: n.user(e.ActorID), Kind: e.Kind, Text: web.OrNull(e.Text),
		Assignee: n.user(e.UserID), AlertIID: numberOrNull(e.AlertIID),
	}
}

// timelineShown is how many entries a single incident has: as many as fit into an answer,
// whatever they are made of.
const timelineShown = 50

// answerIncident writes a single incident with the newest part of its timeline.
func (a *api) answerIncident(w http.ResponseWriter, r *http.Request, status int, p project.Project, s incident.Stored) error {
	latest, err := a.app.Incidents.Timeline(r.Context(), p, s, page.Request{Number: 1, Size: timelineShown})
	if err != nil {
		return err
	}
	n, err := a.peopleOf(r, latest.Items, s)
	if err != nil {
		return err
	}
	body := detailedIncident{a.incidentBody(p, s, n), web.OrNull(s.Thing.Description), make([]entryBody, len(latest.Items))}
	for i, e := range latest.Items {
		body.Timeline[i] = newEntryBody(e, n)
	}
	return web.JSON(w, status, body)
}

// peopleOf returns the users in entries and incidents.
func (a *api) peopleOf(r *http.Request, entries []incident.Entry, all ...incident.Stored) (n names, err error) {
	var ids []int64
	for _, e := range entries {
		ids = append(ids, e.ActorID, e.UserID)
	}
	for _, s := range all {
		ids = append(ids, s.Thing.AssigneeID, s.Thing.AuthorID)
	}
	var users map[int64]user.User
	users, err = a.users(r.Context(), ids)
	return names{users: users}, err
}
