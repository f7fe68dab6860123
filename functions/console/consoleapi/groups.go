package consoleapi

import (
	"context"
	"net/http"
	"strings"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/page"
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
	Rows     []groupRow
	Paging   site.Paging
	All      bool // that the user may see, and not only those that the user joined
	MayMake  bool // top-level groups
	Username string
}

// groupRow is a group in the list, with the user's role in it.
type groupRow struct {
	groupVisit
	Ended bool // the membership
}

// listGroups lists the groups of which the user is a member, or all that the user sees, the
// newest first.
func (a *api) listGroups(w http.ResponseWriter, r *http.Request, u user.User) error {
	body := groupsBody{All: r.URL.Query().Get("all") != "", Username: u.Username}
	list := a.joinedGroups
	if body.All {
		list = a.visibleGroups
	}
	reads, ctx := errgroup.WithContext(r.Context())
	reads.Go(func() (err error) {
		body.Rows, body.Paging, err = list(ctx, u, site.PageOf(r))
		return err
	})
	reads.Go(func() (err error) {
		body.MayMake, err = a.app.Projects.MakesTopLevel(ctx, u)
		return err
	})
	if err := reads.Wait(); err != nil {
		return err
	}
	return a.site.Render(w, r, site.Page{Template: "groups", Title: "Groups", Place: "Projects and groups", Body: body, Tabs: directoryTabs(groupsPath), Sections: []site.Tab{
		{Name: "Mine", Address: groupsPath, Current: !body.All},
		{Name: "All that I may see", Address: allGroupsPath, Current: body.All},
	}})
}

// allGroupsPath is the path of the list of all groups that a user sees.
const allGroupsPath = groupsPath + "?all=1"

func (a *api) joinedGroups(ctx context.Context, u user.User, wanted page.Request) (rows []groupRow, _ site.Paging, _ error) {
	found, err := a.app.Projects.JoinedGroups(ctx, u.ID, wanted)
	for _, j := range found.Items {
		rows = append(rows, groupRow{groupVisit{u, j.Group, j.Member.Role}, !j.Member.Active(a.app.Now())})
	}
	return rows, site.NewPaging(groupsPath, wanted, found), err
}

func (a *api) visibleGroups(ctx context.Context, u user.User, wanted page.Request) (rows []groupRow, _ site.Paging, _ error) {
	sight := a.app.Projects.Sight(viewerOf(u), project.Narrowing{})
	found, err := sight.Groups(ctx, wanted)
	for _, g := range found.Items {
		rows = append(rows, groupRow{groupVisit: groupVisit{u, g, sight.RoleIn(g)}})
	}
	return rows, site.NewPaging(allGroupsPath, wanted, found), err
}

// directoryTabs are the tabs of the lists of projects and groups, of which one is open.
func directoryTabs(open string) []site.Tab {
	return []site.Tab{
		{Name: "Projects", Address: consolePath, Current: open == consolePath},
		{Name: "Groups", Address: groupsPath, Current: open == groupsPath},
	}
}
