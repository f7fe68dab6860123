package consoleapi

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/attention"
	"gatehouse/shared/fault"
	"gatehouse/shared/incident"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// start shows people what needs them. Clients that want JSON are sent where they were before
// there was such a page.
func (a *api) start(w http.ResponseWriter, r *http.Request) error {
	u, seen, err := a.site.SessionUser(r)
	switch {
	case errors.Is(err, site.ErrNotSignedIn):
		return site.Redirect(w, r, "/users/sign_in")
	case fault.Is(err, fault.Forbidden), err == nil && web.PrefersJSON(r): // the next page explains the block
		return site.Redirect(w, r, "/user_settings/applications")
	case err != nil:
		return err
	}
	return a.showHome(w, seen, u)
}

// homeBody is the data of the start page.
type homeBody struct {
	attention.Home
	User      user.User
	Needing   []homeRow
	Projects  []homeRow // those that are not in Needing
	Alerts    []homeAlert
	Incidents []homeIncident
	OnCall    []homeTurn
}

// Quiet reports whether nothing needs the user.
func (b homeBody) Quiet() bool { return len(b.Needing)+len(b.Alerts)+len(b.Incidents) == 0 }

// Nowhere reports whether the user has no project.
func (b homeBody) Nowhere() bool { return len(b.Home.Needing)+len(b.Home.Projects) == 0 }

// homeRow is a project with what is open in it.
type homeRow struct {
	Project   project.Project
	Address   string
	Alerts    openCount
	Incidents openCount
	CountedAt time.Time
}

// openCount leads to what is open, by severity.
type openCount struct {
	Noun  string
	Parts []openPart // those that there are, the gravest first
}

// openPart is how much is open of a severity.
type openPart struct {
	Severity alert.Severity
	Count    int
	Address  string
}

// countsIn returns what is open in a project.
func countsIn(p project.Project, s attention.Summary) homeRow {
	address := visit{Project: p}.Address()
	return homeRow{
		Project: p, Address: address, CountedAt: s.CountedAt,
		Alerts: newOpenCount("alert", address+alertsTab, s.Alerts), Incidents: newOpenCount("incident", address+incidentsTab, s.Incidents),
	}
}

func newOpenCount(noun, address string, of attention.Numbers) openCount {
	c := openCount{Noun: noun}
	for _, severity := range alert.Severities {
		if n := of[severity]; n > 0 {
			c.Parts = append(c.Parts, openPart{severity, n, address + "?" + url.Values{"severity": {string(severity)}}.Encode()})
		}
	}
	return c
}

// Of returns the word for so many.
func (c openCount) Of(n int) string {
	if n == 1 {
		return c.Noun
	}
	return c.Noun + "s"
}

// homeAlert is an alert that waits for the user.
type homeAlert struct {
	alert.Alert
	Project project.Project
	Address string
}

// homeIncident is such an incident.
type homeIncident struct {
	incident.Incident
	Title   string
	Number  int64
	Project project.Project
	Address string
}

// homeTurn is somebody's turn on call.
type homeTurn struct {
	attention.Turn
	Address string
}

func (a *api) showHome(w http.ResponseWriter, r *http.Request, u user.User) error {
	found, err := a.app.Attention.Home(r.Context(), project.Viewer{UserID: u.ID, NamespaceID: u.NamespaceID, Admin: u.Admin})
	if err != nil {
		return err
	}
	return a.site.Render(w, r, site.Page{Template: "home", Title: "Home", Body: newHomeBody(u, found)})
}

func newHomeBody(u user.User, found attention.Home) homeBody {
	body := homeBody{Home: found, User: u}
	for _, row := range found.Needing {
		body.Needing = append(body.Needing, countsIn(row.Project, row.Summary))
	}
	for _, row := range found.Projects {
		if !found.Needs(row.Project.ID) {
			body.Projects = append(body.Projects, countsIn(row.Project, row.Summary))
		}
	}
	for _, one := range found.Alerts {
		address := visit{Project: one.Project}.Address() + alertsTab + "/" + strconv.FormatInt(one.Thing.IID, 10)
		body.Alerts = append(body.Alerts, homeAlert{one.Thing, one.Project, address})
	}
	for _, one := range found.Incidents {
		address := visit{Project: one.Project}.incidentAddress(one.Thing.Number)
		body.Incidents = append(body.Incidents, homeIncident{one.Thing.Thing, incident.TitleOf(one.Thing), one.Thing.Number, one.Project, address})
	}
	for _, turn := range found.OnCall {
		body.OnCall = append(body.OnCall, homeTurn{turn, visit{Project: turn.Project}.Address() + onCallTab})
	}
	return body
}
