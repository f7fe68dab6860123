package consoleapi

import (
	"context"
	"net/http"
	"strconv"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// maxNamespaces is how many memberships the form for a new project looks at to offer groups.
// The page of each other group leads to the form too.
const maxNamespaces = 50

// newProjectBody is the data of the form for a new project.
type newProjectBody struct {
	placeForm
	Own    project.Group   // the user's namespace
	Groups []project.Group // in which the user may make projects
	Chosen int64
}

// in returns the namespace that the form begins with.
func (b newProjectBody) in() project.Group {
	for _, g := range b.Groups {
		if g.ID == b.Chosen || b.Chosen == 0 {
			return g
		}
	}
	return b.Own
}

// newProject shows the form, for a project in ?namespace= or in one of the user's groups.
func (a *api) newProject(w http.ResponseWriter, r *http.Request, u user.User) error {
	chosen, _ := strconv.ParseInt(r.URL.Query().Get("namespace"), 10, 64) // what is no number chooses none
	body := newProjectBody{Chosen: chosen}
	var policy project.Policy
	reads, ctx := errgroup.WithContext(r.Context())
	reads.Go(func() error { return a.offerNamespaces(ctx, u, &body) })
	reads.Go(func() (err error) {
		policy, err = a.app.Projects.Policy(ctx)
		return err
	})
	if err := reads.Wait(); err != nil {
		return err
	}
	body.Visibility = policy.VisibilityOfProject(body.in())
	return a.renderNewProject(w, r, http.StatusOK, body)
}

// refuseProject shows the form again, with what is wrong in it.
func (a *api) refuseProject(w http.ResponseWriter, r *http.Request, status int, u user.User, body newProjectBody) error {
	if err := a.offerNamespaces(r.Context(), u, &body); err != nil {
		return err
	}
	return a.renderNewProject(w, r, status, body)
}

func (a *api) renderNewProject(w http.ResponseWriter, r *http.Request, status int, body newProjectBody) error {
	return a.site.Render(w, r, site.Page{Template: "project_new", Title: "New project", Place: "Projects", Status: status, Body: body, Tabs: directoryTabs(consolePath)})
}

// offerNamespaces notes the user's namespace, and the chosen group or the newest of those
// whose members with the role may make projects.
func (a *api) offerNamespaces(ctx context.Context, u user.User, body *newProjectBody) error {
	body.Own = project.Group{ID: u.NamespaceID, OwnerID: u.ID, FullPath: u.Username}
	if body.Chosen != 0 && body.Chosen != u.NamespaceID {
		chosen, err := a.namespace(ctx, u, body.Chosen, project.Maintainer)
		body.Groups = []project.Group{chosen}
		return err
	}
	found, err := a.app.Projects.JoinedGroups(ctx, u.ID, page.Request{Number: 1, Size: maxNamespaces, Uncounted: true})
	for _, j := range found.Items {
		if j.Member.Role >= project.Maintainer && j.Member.Active(a.app.Now()) {
			body.Groups = append(body.Groups, j.Group)
		}
	}
	return err
}

// createProject makes the project in the form.
func (a *api) createProject(w http.ResponseWriter, r *http.Request, u user.User) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	body := newProjectBody{placeForm: readPlaceForm(form), Chosen: u.NamespaceID}
	if text := form.Get("namespace_id"); text != "" {
		if body.Chosen, err = strconv.ParseInt(text, 10, 64); err != nil {
			return project.ErrGroupNotFound
		}
	}
	in, err := a.namespace(r.Context(), u, body.Chosen, project.Maintainer)
	if err != nil {
		return err
	}
	p, err := a.app.Projects.CreateProject(r.Context(), audit.ByUser(u.ID), body.draft(), in)
	if err != nil {
		status, err := body.explain(err)
		if err != nil {
			return err
		}
		return a.refuseProject(w, r, status, u, body)
	}
	return a.site.Done(w, r, nil, "project-created", p.PagePath())
}

// generalTab is the tab of what a project is, beside that of its monitoring.
const generalTab = settingsTab + "/general"

// generalBody is the data of the general settings of a project.
type generalBody struct {
	visit
	placeForm
}

// Owns reports whether the user may delete the project.
func (b generalBody) Owns() bool { return b.Role >= project.Owner }

func (a *api) showGeneral(w http.ResponseWriter, r *http.Request, v visit) error {
	return a.renderGeneral(w, r, http.StatusOK, generalBody{v, placeForm{Name: v.Project.Name, Visibility: v.Project.Visibility, Seen: v.Project.Version}})
}

func (a *api) renderGeneral(w http.ResponseWriter, r *http.Request, status int, body generalBody) error {
	return a.render(w, r, body.visit, generalTab, site.Page{Template: "project_settings", Title: "General settings", Status: status, Body: body})
}

// changeProject gives the project the name and visibility in the form.
func (a *api) changeProject(w http.ResponseWriter, r *http.Request, v visit) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	body := generalBody{v, readPlaceForm(form)}
	body.Seen = v.Project.Version
	seen, err := seenVersion(form)
	if err == nil && seen != 0 && seen != v.Project.Version {
		body.Complaint = changedMeanwhile
		return a.renderGeneral(w, r, http.StatusConflict, body)
	}
	if err == nil {
		_, err = a.app.Mirrors.ChangeProject(r.Context(), v.actor(), v.Project, body.change())
	}
	if err != nil {
		status, err := body.explain(err)
		if err != nil {
			return err
		}
		return a.renderGeneral(w, r, status, body)
	}
	return a.site.Done(w, r, nil, "project-saved", v.Address()+generalTab)
}

func (a *api) deleteProject(w http.ResponseWriter, r *http.Request, v visit) error {
	err := a.app.Projects.DeleteProject(r.Context(), v.actor(), v.Project)
	return a.site.Done(w, r, err, "project-deleted", consolePath)
}
