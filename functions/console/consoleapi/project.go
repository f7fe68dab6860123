package consoleapi

import (
	"cmp"
	"context"
	"net/http"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// visit is a user on a page of a project, with their role in it.
type visit struct {
	User    user.User
	Project project.Project
	Role    project.Role
}

// actor is the user as the audit trail records them.
func (v visit) actor() audit.Actor { return audit.ByUser(v.User.ID) }

// projectHandler serves a page of a project.
type projectHandler func(w http.ResponseWriter, r *http.Request, v visit) error

var errRole = fault.New(fault.Forbidden, "Your role in this project does not allow it. Its maintainers can give you another one.")

// in guards a page for users with at least this role in the project with the
// reference {id}; project.NoRole is for everyone who sees it. Who does not see
// the project gets the answer for one that does not exist.
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

// visit reads the project in the path.
func (a *api) visit(r *http.Request, u user.User) (visit, error) {
	return a.visitTo(r.Context(), u, r.PathValue("id"))
}

// visitTo reads the project with the reference.
func (a *api) visitTo(ctx context.Context, u user.User, reference string) (visit, error) {
	p, role, err := enter(ctx, a, u, project.ErrNotFound, func(ctx context.Context) (project.Project, error) {
		return a.app.Projects.FindProject(ctx, reference)
	})
	return visit{u, p, role}, err
}

// enter finds a group or project, reads what tells most users' role in parallel, and returns
// the user's role there, or the error for who does not see it.
func enter[P project.GroupOrProject](ctx context.Context, a *api, u user.User, unseen error, find func(context.Context) (P, error)) (at P, role project.Role, err error) {
	var known project.Known
	reads, readCtx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		at, err = find(readCtx)
		return err
	})
	reads.Go(func() (err error) {
		known, err = a.app.Projects.Known(readCtx, u.ID)
		return err
	})
	if err := reads.Wait(); err != nil {
		return at, role, err
	}
	role, _, err = a.app.Projects.RoleIn(ctx, viewerOf(u), known, at)
	if _, visibility := at.Access(); err == nil && !project.Sees(role, visibility) {
		err = unseen
	}
	return at, role, err
}

// Address is the path of the project's pages.
func (v visit) Address() string { return v.Project.PagePath() }

// Maintains reports whether the user may change the project's settings.
func (v visit) Maintains() bool { return v.Role >= project.Maintainer }

// Develops reports whether the user may work on the project's alerts.
func (v visit) Develops() bool { return v.Role >= project.Developer }

// RoleName is the name of the user's role in the project.
func (v visit) RoleName() string { return cmp.Or(v.Role.String(), "Visitor") }

// The tabs of a project, as the ends of their paths.
const (
	overviewTab  = ""
	alertsTab    = "/alerts"
	incidentsTab = "/incidents"
	onCallTab    = "/oncall"
	webhooksTab  = settingsTab + "/webhooks"
	settingsTab  = "/settings"
)

// tabs returns the tabs that the user may open.
func (v visit) tabs() []site.Tab {
	tabs := []site.Tab{{Name: "Overview", Address: v.Address() + overviewTab}}
	if v.Develops() {
		tabs = append(tabs, site.Tab{Name: "Alerts", Address: v.Address() + alertsTab}, site.Tab{Name: "Incidents", Address: v.Address() + incidentsTab},
			site.Tab{Name: "On call", Address: v.Address() + onCallTab})
	}
	tabs = append(tabs, site.Tab{Name: "Members", Address: v.Address() + membersTab})
	if v.Maintains() {
		tabs = append(tabs, site.Tab{Name: "Webhooks", Address: v.Address() + webhooksTab},
			site.Tab{Name: "Monitor settings", Address: v.Address() + settingsTab}, site.Tab{Name: "General settings", Address: v.Address() + generalTab})
	}
	return tabs
}

// render answers with a page of the project in this tab.
func (a *api) render(w http.ResponseWriter, r *http.Request, v visit, tab string, p site.Page) error {
	p.Title += " · " + v.Project.Name
	p.Place, p.Within, p.Tabs = v.Project.FullPath, v.Project.FullPath, v.tabs()
	for i, t := range p.Tabs {
		p.Tabs[i].Current = t.Address == v.Address()+tab
	}
	return a.site.Render(w, r, p)
}

// projectBody is the data of the page of a project.
type projectBody struct {
	visit
	Unconnected bool // no tool can send alerts yet
}

func (a *api) showProject(w http.ResponseWriter, r *http.Request, v visit) error {
	body := projectBody{visit: v}
	if v.Maintains() { // and can connect one
		found, err := a.app.Integrations.Integrations(r.Context(), v.Project)
		if err != nil {
			return err
		}
		body.Unconnected = len(found) == 0
	}
	return a.render(w, r, v, overviewTab, site.Page{Template: "project", Title: "Overview", Body: body})
}
