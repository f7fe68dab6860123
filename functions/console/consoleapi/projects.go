package consoleapi

import (
	"context"
	"net/http"
	"net/url"

	"gatehouse/shared/attention"
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
	var open map[int64]attention.Summary
	visits, found, err := a.visible(r, u, project.Narrowing{Search: search, Meanwhile: func(ctx context.Context, ids []int64) (err error) {
		open, err = a.app.Attention.Of(ctx, ids)
		return err
	}}, wanted)
	if err != nil {
		return err
	}
	rows := projectRows(visits, open)
	mayGroup := false
	if len(rows) == 0 { // what the empty list alone asks
		if mayGroup, err = a.app.Projects.MakesTopLevel(r.Context(), u); err != nil {
			return err
		}
	}
	address := consolePath
	if search != "" {
		address += "?" + url.Values{"search": {search}}.Encode()
	}
	return a.site.Render(w, r, site.Page{Template: "projects", Title: "Projects", Place: "Projects", Tabs: directoryTabs(consolePath), Body: projectsBody{
		Search: search, Rows: rows, Paging: site.NewPaging(address, wanted, found), ConsolePath: consolePath,
		MayGroup: mayGroup, Username: u.Username,
	}})
}

// visible returns a page of the projects that the user sees, narrowed, as visits.
func (a *api) visible(r *http.Request, u user.User, n project.Narrowing, wanted page.Request) (visits []visit, found page.Of[project.Project], err error) {
	found, roles, err := a.app.Projects.VisibleWithRoles(r.Context(), viewerOf(u), n, wanted)
	if err != nil {
		return nil, found, err
	}
	for n, p := range found.Items {
		visits = append(visits, visit{u, p, roles[n]})
	}
	return visits, found, nil
}

// projectRows returns the rows of projects, with the open alerts of those that the user works on.
func projectRows(visits []visit, open map[int64]attention.Summary) (rows []projectRow) {
	for _, v := range visits {
		row := projectRow{visit: v}
		if v.Develops() {
			row.Open = countsIn(v.Project, open[v.Project.ID]).Alerts
		}
		rows = append(rows, row)
	}
	return rows
}
