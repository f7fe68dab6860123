package consoleapi

import (
	"net/http"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// visit is somebody on a page of a project that they see.
type visit struct {
	User    user.User
	Project project.Project
	Role    project.Role
}

// actor is the visitor as the audit trail knows people.
func (v visit) actor() audit.Actor { return audit.Actor{ID: v.User.ID, UserID: v.User.ID} }

// projectHandler serves a page of a project.
type projectHandler func(w http.ResponseWriter, r *http.Request, v visit) error

var (
	errNoProject = fault.New(fault.NotFound, "no such project")
	errRole      = fault.New(fault.Forbidden, "Your role in this project does not allow it. Its maintainers can give you another one.")
)

// in lets through who has the role in the project that {id} names, by its id
// or its path in any letter case; project.NoRole is for everybody who sees it.
// To whoever does not see it, it does not exist.
func (a *api) in(role project.Role) func(projectHandler) http.Handler {
	return func(h projectHandler) http.Handler {
		return a.site.SignedIn(func(w http.ResponseWriter, r *http.Request, u user.User) error {
			v, err := a.visit(r, u)
			switch {
			case err != nil:
				return err
			case v.Role < role:
				return errRole
			}
			return h(w, r, v)
		})
	}
}

// visit reads the project and the user's memberships side by side.
func (a *api) visit(r *http.Request, u user.User) (visit, error) {
	var p project.Project
	viewer := project.Viewer{UserID: u.ID, Admin: u.Admin}
	reads, ctx := errgroup.WithContext(r.Context())
	reads.Go(func() (err error) {
		p, err = a.app.Projects.FindProject(ctx, r.PathValue("id"))
		return err
	})
	reads.Go(func() (err error) {
		viewer.Memberships, err = a.app.Projects.Memberships(ctx, u.ID)
		return err
	})
	if err := reads.Wait(); err != nil {
		return visit{}, err
	}
	v := visit{u, p, viewer.RoleIn(p, a.app.Now())}
	if !project.Sees(v.Role, p.Visibility) {
		return visit{}, errNoProject
	}
	return v, nil
}

// Address is where the project's pages are. A path has nothing in it that an
// address would have to escape.
func (v visit) Address() string { return consolePath + "/" + v.Project.FullPath }

// Maintains reports whether the visitor may set the project up.
func (v visit) Maintains() bool { return v.Role >= project.Maintainer }

// Develops reports whether the visitor may work on the project's alerts.
func (v visit) Develops() bool { return v.Role >= project.Developer }

// RoleName says what the visitor is in the project.
func (v visit) RoleName() string { return roleNames[v.Role] }

var roleNames = map[project.Role]string{
	project.NoRole: "Visitor", project.Guest: "Guest", project.Planner: "Planner", project.Reporter: "Reporter",
	project.Developer: "Developer", project.Maintainer: "Maintainer", project.Owner: "Owner",
}

// The tabs of a project, as the ends of their addresses.
const (
	overviewTab = ""
	alertsTab   = "/alerts"
	settingsTab = "/settings"
)

// tabs leads to the project's pages that the visitor may open.
func (v visit) tabs() []site.Tab {
	tabs := []site.Tab{{Name: "Overview", Address: v.Address() + overviewTab}}
	if v.Develops() {
		tabs = append(tabs, site.Tab{Name: "Alerts", Address: v.Address() + alertsTab})
	}
	if v.Maintains() {
		tabs = append(tabs, site.Tab{Name: "Monitor settings", Address: v.Address() + settingsTab})
	}
	return tabs
}

// render answers with a page of the project that lies in this tab.
func (a *api) render(w http.ResponseWriter, r *http.Request, v visit, tab string, p site.Page) error {
	p.Title += " · " + v.Project.Name
	p.Place, p.Tabs = v.Project.FullPath, v.tabs()
	for i, t := range p.Tabs {
		p.Tabs[i].Current = t.Address == v.Address()+tab
	}
	return a.site.Render(w, r, p)
}

func (a *api) showProject(w http.ResponseWriter, r *http.Request, v visit) error {
	return a.render(w, r, v, overviewTab, site.Page{Template: "project", Title: "Overview", Body: v})
}
