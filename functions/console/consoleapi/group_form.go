package consoleapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// placeForm is the form with what a group and a project have in common.
type placeForm struct {
	Name, Path string
	Visibility project.Visibility
	Seen       int64 // the version on which the change was decided; zero: whatever it is
	Complaints site.Complaints
	Complaint  string // about all of it
}

func readPlaceForm(form site.Form) placeForm {
	return placeForm{
		Name: strings.TrimSpace(form.Get("name")), Path: strings.TrimSpace(form.Get("path")), Visibility: project.Visibility(form.Get("visibility")),
	}
}

// draft describes what the form makes. Without a path it is made of the name.
func (f placeForm) draft() project.Draft {
	d := project.ProjectDraft(f.Name, f.Path, f.Visibility)
	d.Name = f.Name
	return d
}

// change is what the form makes of a group or a project.
func (f placeForm) change() project.Change {
	return project.Change{Name: &f.Name, Visibility: &f.Visibility}
}

// Options are the visibilities to choose from, with what they mean.
func (f placeForm) Options() []visibilityOption {
	return []visibilityOption{
		{project.Private, "Private", "Members alone see it."},
		{project.Internal, "Internal", "Everybody who is signed in sees it."},
		{project.Public, "Public", "Everybody may see it. These pages ask for a sign-in all the same."},
	}
}

type visibilityOption struct {
	Value      project.Visibility
	Name, Hint string
}

// explain notes why the form was not taken, and returns the status of the answer. It returns
// an error that is not about the form.
func (f *placeForm) explain(err error) (status int, _ error) {
	var wrong fault.Fields
	switch {
	case errors.As(err, &wrong):
		f.Complaints = site.NewComplaints(wrong, "parent_id", "The group", "name", "The name", "path", "The path", "visibility", "The visibility")
		return http.StatusUnprocessableEntity, nil
	case (fault.Is(err, fault.Conflict) || fault.Is(err, fault.Forbidden)) && fault.Message(err) != "":
		f.Complaint = sentence(err)
		return web.Status(err), nil
	}
	return 0, err
}

// newGroupBody is the data of the form for a new group.
type newGroupBody struct {
	placeForm
	Parent project.Group // the zero Group: at the top
}

// Cancel is the address to go back to.
func (b newGroupBody) Cancel() string {
	if b.Parent.ID != 0 {
		return b.Parent.PagePath() + subgroupsTab
	}
	return groupsPath
}

// newGroup shows the form, for a group below ?parent= or at the top.
func (a *api) newGroup(w http.ResponseWriter, r *http.Request, u user.User) error {
	var body newGroupBody
	var policy project.Policy
	reads, ctx := errgroup.WithContext(r.Context())
	reads.Go(func() (err error) {
		body.Parent, err = a.parent(ctx, u, r.URL.Query().Get("parent"))
		return err
	})
	reads.Go(func() (err error) {
		policy, err = a.app.Projects.Policy(ctx)
		return err
	})
	if err := reads.Wait(); err != nil {
		return err
	}
	body.Visibility = policy.VisibilityOfGroup(body.Parent)
	return a.renderNewGroup(w, r, http.StatusOK, body)
}

// parent returns the group with the id in a field, which the user must own, or the zero
// Group without one.
func (a *api) parent(ctx context.Context, u user.User, field string) (project.Group, error) {
	if field == "" {
		return project.Group{}, nil
	}
	id, err := strconv.ParseInt(field, 10, 64)
	if err != nil {
		return project.Group{}, project.ErrGroupNotFound
	}
	return a.namespace(ctx, u, id, project.Owner)
}

func (a *api) renderNewGroup(w http.ResponseWriter, r *http.Request, status int, body newGroupBody) error {
	title := "New group"
	if body.Parent.ID != 0 {
		title = "New subgroup of " + body.Parent.Name
	}
	return a.site.Render(w, r, site.Page{Template: "group_new", Title: title, Place: "Projects and groups", Status: status, Body: body, Tabs: directoryTabs(groupsPath)})
}

// createGroup makes the group in the form.
func (a *api) createGroup(w http.ResponseWriter, r *http.Request, u user.User) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	body := newGroupBody{placeForm: readPlaceForm(form)}
	var unreachable error // the parent
	g, err := a.app.Projects.CreateGroupIn(r.Context(), audit.ByUser(u.ID), body.draft(), func(ctx context.Context) (project.Group, error) {
		body.Parent, unreachable = a.parent(ctx, u, form.Get("parent_id"))
		return body.Parent, unreachable
	})
	if unreachable != nil {
		return unreachable
	}
	if err != nil {
		status, err := body.explain(err)
		if err != nil {
			return err
		}
		return a.renderNewGroup(w, r, status, body)
	}
	return a.site.Done(w, r, nil, "group-created", g.PagePath())
}

// groupSettingsBody is the data of the settings of a group.
type groupSettingsBody struct {
	groupVisit
	placeForm
}

func newGroupSettings(v groupVisit) groupSettingsBody {
	return groupSettingsBody{v, placeForm{Name: v.Group.Name, Visibility: v.Group.Visibility, Seen: v.Group.Version}}
}

func (a *api) showGroupSettings(w http.ResponseWriter, r *http.Request, v groupVisit) error {
	return a.renderGroupSettings(w, r, http.StatusOK, newGroupSettings(v))
}

func (a *api) renderGroupSettings(w http.ResponseWriter, r *http.Request, status int, body groupSettingsBody) error {
	return a.renderGroup(w, r, body.groupVisit, settingsTab, site.Page{Template: "group_settings", Title: "Settings", Status: status, Body: body})
}

// changeGroup gives the group the name and visibility in the form.
func (a *api) changeGroup(w http.ResponseWriter, r *http.Request, v groupVisit) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	body := groupSettingsBody{v, readPlaceForm(form)}
	seen, err := seenVersion(form)
	if err == nil && seen != 0 && seen != v.Group.Version {
		body.Complaint, body.Seen = changedMeanwhile, v.Group.Version
		return a.renderGroupSettings(w, r, http.StatusConflict, body)
	}
	if err == nil {
		_, err = a.app.Projects.ChangeGroup(r.Context(), v.actor(), v.Group, body.change())
	}
	if err != nil {
		body.Seen = v.Group.Version
		status, err := body.explain(err)
		if err != nil {
			return err
		}
		return a.renderGroupSettings(w, r, status, body)
	}
	return a.site.Done(w, r, nil, "group-saved", v.Address()+settingsTab)
}

// deleteGroup deletes the group if nothing is in it.
func (a *api) deleteGroup(w http.ResponseWriter, r *http.Request, v groupVisit) error {
	err := a.app.Projects.DeleteGroup(r.Context(), v.actor(), v.Group)
	if errors.Is(err, project.ErrGroupNotEmpty) {
		body := newGroupSettings(v)
		body.Complaint = "The group holds projects or groups. Delete those first."
		return a.renderGroupSettings(w, r, http.StatusConflict, body)
	}
	return a.site.Done(w, r, err, "group-deleted", groupsPath)
}
