package consoleapi

import (
	"net/http"
	"strings"

	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// groupsPath is the path of the list of groups. Their pages are below it.
const groupsPath = consolePath + "/groups"

// groupRoutes returns the routes of the pages of groups. In the Mux of projects they would
// clash: both /console/{id}/members and /console/groups/{id} fit /console/groups/members.
func (a *api) groupRoutes() *web.Mux {
	mux := web.NewMux()
	user, anyone, owner := a.site.SignedIn, a.inGroup(project.NoRole), a.inGroup(project.Owner)
	mux.Handle("GET /console/groups", user(a.listGroups))
	mux.Handle("POST /console/groups", user(a.createGroup))
	mux.Handle("GET /console/groups/new", user(a.newGroup))
	mux.Handle("GET /console/groups/{id}", anyone(a.showGroup))
	mux.Handle("GET /console/groups/{id}/subgroups", anyone(a.listSubgroups))
	mux.Handle("GET /console/groups/{id}/settings", owner(a.showGroupSettings))
	mux.Handle("POST /console/groups/{id}/settings", owner(a.changeGroup))
	mux.Handle("POST /console/groups/{id}/settings/delete", owner(a.deleteGroup))
	a.memberRoutes(mux, groupsPath, project.Group{}.Place().ManagerRole(), func(least project.Role, h venueHandler) http.Handler { return a.inGroup(least)(a.ofGroup(h)) })
	return mux
}

// besideGroups serves the pages of groups, and all others.
func besideGroups(others, groups http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := r.URL.EscapedPath(); path == groupsPath || strings.HasPrefix(path, groupsPath+"/") {
			groups.ServeHTTP(w, r)
			return
		}
		others.ServeHTTP(w, r)
	})
}

// groupsBody is the data of the list of groups.
type groupsBody struct {
	Rows     []groupVisit
	Paging   site.Paging
	All      bool // not only those in which the user has a role
	MayMake  bool // top-level groups
	Username string
}

// listGroups lists the groups in which the user has a role, or all that they see, the
// newest first.
func (a *api) listGroups(w http.ResponseWriter, r *http.Request, u user.User) error {
	body := groupsBody{All: r.URL.Query().Get("all") != "", MayMake: a.app.Projects.MakesTopLevel(u), Username: u.Username}
	wanted, narrowing, address := site.PageOf(r), project.Narrowing{LeastRole: project.Guest}, groupsPath
	if body.All {
		narrowing, address = project.Narrowing{}, groupsPath+"?all=1"
	}
	sight := a.app.Projects.Sight(viewerOf(u), narrowing)
	found, err := sight.Groups(r.Context(), wanted)
	if err != nil {
		return err
	}
	for _, g := range found.Items {
		body.Rows = append(body.Rows, groupVisit{u, g, sight.RoleIn(g)})
	}
	body.Paging = site.NewPaging(address, wanted, found)
	return a.site.Render(w, r, site.Page{Template: "groups", Title: "Groups", Place: "Groups", Body: body, Tabs: directoryTabs(groupsPath), Sections: []site.Tab{
		{Name: "Mine", Address: groupsPath, Current: !body.All},
		{Name: "All that I may see", Address: groupsPath + "?all=1", Current: body.All},
	}})
}

// directoryTabs are the tabs of the lists of projects and groups, of which one is open.
func directoryTabs(open string) []site.Tab {
	return []site.Tab{
		{Name: "Projects", Address: consolePath, Current: open == consolePath},
		{Name: "Groups", Address: groupsPath, Current: open == groupsPath},
	}
}
