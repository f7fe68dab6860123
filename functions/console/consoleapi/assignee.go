package consoleapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"gatehouse/shared/alert"
	"gatehouse/shared/incident"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// assignable is an alert or an incident on the page on which somebody is chosen for it.
type assignable struct {
	What       string // such as "alert #5"
	Title      string
	Page, Back string // its address, and the query part of its list's
	Version    int64
	AssigneeID int64
	tab        string
}

// chooserBody is the data of that page.
type chooserBody struct {
	visit
	assignable
	Of     string // whose members these are
	Owner  string // the user name of the owner who is no member; empty: there is none
	Rows   []choiceRow
	Paging site.Paging
}

// choiceRow is a member who may be chosen.
type choiceRow struct {
	user.User
	Role    project.Role
	You     bool
	Chosen  bool
	Allowed bool // has the role that it takes
}

// chooseForAlert shows whom the alert can be assigned to.
func (a *api) chooseForAlert(w http.ResponseWriter, r *http.Request, v visit) error {
	iid, err := web.PathID(r, "alert")
	if err != nil {
		return err
	}
	query, err := readAlertQuery(r)
	if err != nil {
		return err
	}
	found, err := a.app.Alerts.AlertsByIID(r.Context(), v.Project.ID, []int64{iid})
	if err != nil {
		return err
	}
	of, there := found[iid]
	if !there {
		return alert.ErrNotFound
	}
	return a.choose(w, r, v, assignable{
		What: "alert #" + strconv.FormatInt(iid, 10), Title: of.Title, Page: v.alertAddress(iid), Back: query.address(),
		Version: of.Version, AssigneeID: of.AssigneeID, tab: alertsTab,
	})
}

// chooseForIncident shows whom the incident can be assigned to.
func (a *api) chooseForIncident(w http.ResponseWriter, r *http.Request, v visit, s incident.Stored) error {
	return a.choose(w, r, v, assignable{
		What: "incident #" + strconv.FormatInt(s.Number, 10), Title: incident.TitleOf(s), Page: v.incidentAddress(s.Number),
		Back: backToIncidents(r), Version: s.Version, AssigneeID: s.Thing.AssigneeID, tab: incidentsTab,
	})
}

// choose lists the direct members of the project, or with ?from= those of a group above, as
// the tab Members does: one list at a time, however many groups are above.
func (a *api) choose(w http.ResponseWriter, r *http.Request, v visit, of assignable) error {
	at := venue{User: v.User, At: v.Project, Role: v.Role, Name: v.Project.Name, Address: v.Address()}
	from, err := at.from(r)
	if err != nil {
		return err
	}
	body := chooserBody{visit: v, assignable: of, Of: v.Project.FullPath, Owner: at.OwnerName()}
	place, list := v.Project.Place(), of.Page+"/assignee"+of.Back
	sections := []site.Tab{{Name: "Direct members", Address: list, Current: from == nil}}
	for _, g := range at.above() {
		section := site.Tab{Name: "From " + g.FullPath, Address: withQuery(list, "from="+strconv.FormatInt(g.ID, 10))}
		if from != nil && from.ID == g.ID {
			section.Current, place, body.Of = true, g.Place(), g.FullPath
		}
		sections = append(sections, section)
	}
	wanted := site.PageOf(r)
	found, err := a.app.Projects.MembersOf(r.Context(), wanted, place)
	if err != nil {
		return err
	}
	if body.Rows, err = a.choices(r.Context(), v, of, found); err != nil {
		return err
	}
	for _, section := range sections {
		if section.Current {
			body.Paging = site.NewPaging(section.Address, wanted, found)
		}
	}
	body.Paging.Sorted = true
	return a.render(w, r, v, of.tab, site.Page{Template: "assignee", Title: "Assign " + of.What, Sections: sections, Body: body})
}

func withQuery(address, query string) string {
	if strings.Contains(address, "?") {
		return address + "&" + query
	}
	return address + "?" + query
}

// choices are the members as they can be chosen, without those who are blocked or deleted.
func (a *api) choices(ctx context.Context, v visit, of assignable, found page.Of[project.Member]) (rows []choiceRow, err error) {
	var ids []int64
	for _, m := range found.Items {
		ids = append(ids, m.UserID)
	}
	users, err := a.people(ctx, ids...)
	for _, m := range found.Items {
		if u, there := users[m.UserID]; there && !u.Blocked() {
			rows = append(rows, choiceRow{u, m.Role, u.ID == v.User.ID, u.ID == of.AssigneeID, m.Role >= project.Developer})
		}
	}
	return rows, err
}
