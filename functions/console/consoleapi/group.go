package consoleapi

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/listing"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// groupVisit is a user on a page of a group, with their role in it.
type groupVisit struct {
	User  user.User
	Group project.Group
	Role  project.Role
}

func (v groupVisit) actor() audit.Actor { return audit.ByUser(v.User.ID) }

// groupHandler serves a page of a group.
type groupHandler func(w http.ResponseWriter, r *http.Request, v groupVisit) error

var errGroupRole = fault.New(fault.Forbidden, "Your role in this group does not allow it. Its owners can give you another one.")

// inGroup guards a page for users with at least this role in the group with the reference
// {id}, like in. A user's namespace is no group here.
func (a *api) inGroup(role project.Role) func(groupHandler) http.Handler {
	return func(h groupHandler) http.Handler {
		return a.site.SignedIn(func(w http.ResponseWriter, r *http.Request, u user.User) error {
			v, err := a.groupVisit(r, u)
			switch {
			case err != nil:
				return err
			case v.Role < role:
				return errGroupRole
			}
			return h(w, r, v)
		})
	}
}

// groupVisit reads the group in the path.
func (a *api) groupVisit(r *http.Request, u user.User) (groupVisit, error) {
	g, role, err := enter(r.Context(), a, u, project.ErrGroupNotFound, func(ctx context.Context) (project.Group, error) {
		g, err := a.app.Projects.FindGroup(ctx, r.PathValue("id"))
		if err == nil && g.OwnerID != 0 {
			err = project.ErrGroupNotFound
		}
		return g, err
	})
	return groupVisit{u, g, role}, err
}

// viewerOf is the user as lists and roles know them.
func viewerOf(u user.User) project.Viewer {
	return project.Viewer{UserID: u.ID, NamespaceID: u.NamespaceID, Admin: u.Admin}
}

// namespace returns the group or user's namespace with this id, if the user has at least
// this role there.
func (a *api) namespace(ctx context.Context, u user.User, id int64, least project.Role) (project.Group, error) {
	g, err := a.app.Projects.Group(ctx, id)
	if err != nil {
		return project.Group{}, err
	}
	role, _, err := a.app.Projects.RoleIn(ctx, viewerOf(u), project.Known{}, g)
	_, visibility := g.Access()
	switch {
	case err != nil:
		return project.Group{}, err
	case !project.Sees(role, visibility):
		return project.Group{}, project.ErrGroupNotFound
	case role < least:
		return project.Group{}, errGroupRole
	}
	return g, nil
}

// Address is the path of the group's pages.
func (v groupVisit) Address() string { return v.Group.PagePath() }

// Owns reports whether the user may change the group and its members.
func (v groupVisit) Owns() bool { return v.Role >= project.Owner }

// Maintains reports whether the user may make projects in the group.
func (v groupVisit) Maintains() bool { return v.Role >= project.Maintainer }

// RoleName is the name of the user's role in the group.
func (v groupVisit) RoleName() string { return cmp.Or(v.Role.String(), "Visitor") }

// subgroupsTab is the tab of a group that a project does not have.
const subgroupsTab = "/subgroups"

// renderGroup answers with a page of the group in this tab.
func (a *api) renderGroup(w http.ResponseWriter, r *http.Request, v groupVisit, tab string, p site.Page) error {
	p.Title += " · " + v.Group.Name
	p.Place = v.Group.FullPath
	tabs := []section{{"Projects", overviewTab}, {"Subgroups", subgroupsTab}, {"Members", membersTab}}
	if v.Owns() {
		tabs = append(tabs, section{"Settings", settingsTab})
	}
	for _, t := range tabs {
		p.Tabs = append(p.Tabs, site.Tab{Name: t.name, Address: v.Address() + t.path, Current: t.path == tab})
	}
	return a.site.Render(w, r, p)
}

// groupBody is the data of the pages that list what is in a group.
type groupBody struct {
	groupVisit
	Projects []project.Project
	Groups   []project.Group
	Paging   site.Paging
}

// showGroup lists the projects in the group and below it, the newest first.
func (a *api) showGroup(w http.ResponseWriter, r *http.Request, v groupVisit) error {
	wanted := site.PageOf(r)
	found, err := a.app.Projects.ProjectsBelow(r.Context(), v.Group, v.Role, wanted)
	if err != nil {
		return err
	}
	body := groupBody{groupVisit: v, Projects: found.Items, Paging: site.NewPaging(v.Address(), wanted, found)}
	return a.renderGroup(w, r, v, overviewTab, site.Page{Template: "group", Title: "Projects", Body: body})
}

// groupsBelow is what lists of groups obey.
var groupsBelow = listing.List[project.Group]{
	ID:   func(g project.Group) int64 { return g.ID },
	Time: func(g project.Group) time.Time { return g.CreatedAt },
}

// listSubgroups lists the groups below the group, the newest first.
func (a *api) listSubgroups(w http.ResponseWriter, r *http.Request, v groupVisit) error {
	q, wanted := groupsBelow.Read(web.Params(r)), site.PageOf(r)
	q.Keep(func(g project.Group) bool { return g.ID != v.Group.ID })
	found, err := q.Page(r.Context(), wanted, func(ctx context.Context, wanted page.Request) (page.Of[project.Group], error) {
		return a.app.Projects.GroupsBelow(ctx, v.Group, v.Role, wanted)
	})
	if err != nil {
		return err
	}
	body := groupBody{groupVisit: v, Groups: found.Items, Paging: site.NewPaging(v.Address()+subgroupsTab, wanted, found)}
	return a.renderGroup(w, r, v, subgroupsTab, site.Page{Template: "subgroups", Title: "Subgroups", Body: body})
}
