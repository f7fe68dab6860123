package consoleapi

import (
	"net/http"
	"net/url"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// consolePath is the path of the list of projects. Their pages are below it.
const consolePath = "/console"

// projectsBody is the data of the list of projects.
type projectsBody struct {
	Search      string
	Rows        []projectRow
	Paging      site.Paging
	ConsolePath string
	MayGroup    bool // make top-level groups
	Username    string
}

// projectRow is a project in the list, with its open alerts if the user may see them.
type projectRow struct {
	visit
	Open openCount
}

// listProjects lists the projects that the user sees, the newest first.
func (a *api) listProjects(w http.ResponseWriter, r *http.Request, u user.User) error {
	values, err := site.ParseValues(r.URL.RawQuery)
	if err != nil {
		return err
	}
	search, wanted := values.Get("search"), site.PageOf(r)
	rows, found, err := a.visible(r, u, search, wanted)
	if err != nil {
		return err
	}
	address := consolePath
	if search != "" {
		address += "?" + url.Values{"search": {search}}.Encode()
	}
	return a.site.Render(w, r, site.Page{Template: "projects", Title: "Projects", Place: "Projects", Tabs: directoryTabs(consolePath), Body: projectsBody{
		Search: search, Rows: rows, Paging: site.NewPaging(address, wanted, found), ConsolePath: consolePath,
		MayGroup: a.app.Projects.MakesTopLevel(u), Username: u.Username,
	}})
}

// visible returns a page of the projects that the user sees, as rows.
func (a *api) visible(r *http.Request, u user.User, search string, wanted page.Request) (rows []projectRow, found page.Of[project.Project], err error) {
	found, roles, err := a.app.Projects.VisibleWithRoles(r.Context(), viewerOf(u), search, wanted)
	if err != nil {
		return nil, found, err
	}
	var ids []int64
	for n, p := range found.Items {
		rows = append(rows, projectRow{visit: visit{u, p, roles[n]}})
		if rows[n].Develops() {
			ids = append(ids, p.ID)
		}
	}
	open, err := a.app.Attention.Of(r.Context(), ids)
	for n, row := range rows {
		rows[n].Open = countsIn(row.Project, open[row.Project.ID]).Alerts
	}
	return rows, found, err
}
