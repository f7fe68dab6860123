package platformapi

import (
	"context"
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/memberapi"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// groupBody is a group on the wire.
type groupBody struct {
	ID         int64              `json:"id"`
	Name       string             `json:"name"`
	Path       string             `json:"path"`
	FullPath   string             `json:"full_path"`
	ParentID   *int64             `json:"parent_id"` // null at the top
	Visibility project.Visibility `json:"visibility"`
	protectionBody
}

func newGroupBody(g project.Group) groupBody {
	body := groupBody{
		ID: g.ID, Name: g.Name, Path: g.Path, FullPath: g.FullPath, Visibility: g.Visibility,
		protectionBody: newProtectionBody(g.Settings.BranchProtection()),
	}
	if g.ParentID != 0 {
		body.ParentID = &g.ParentID
	}
	return body
}

// createGroup creates a group: at the top, which every user may do, or below a
// group that the caller owns.
func (a *api) createGroup(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	draft := project.Draft{Name: params.String("name"), Path: params.String("path")}
	parentID, visibility := params.OptionalInt("parent_id"), params.OptionalString("visibility")
	edits := readProtection(params, levelsBeside(project.FactoryProtection()))
	if visibility != nil && *visibility == "" {
		params.NotAllowed("visibility")
	}
	if err := params.Err(); err != nil {
		return err
	}
	if visibility != nil {
		draft.Visibility = project.Visibility(*visibility)
	}
	g, err := a.app.Projects.CreateGroupIn(r.Context(), c.Actor(), draft, func(ctx context.Context) (parent project.Group, err error) {
		if parentID != nil {
			parent, err = a.app.Auth.Namespace(ctx, c, *parentID, project.Owner, "Group")
		}
		return parent, err
	}, edits...)
	if err != nil {
		return web.NotFound("Group", err)
	}
	return web.JSON(w, http.StatusCreated, newGroupBody(g))
}

func (a *api) showGroup(w http.ResponseWriter, _ *http.Request, _ auth.Caller, g project.Group) error {
	return web.JSON(w, http.StatusOK, newGroupBody(g))
}

func (a *api) changeGroup(w http.ResponseWriter, r *http.Request, c auth.Caller, g project.Group) error {
	params := web.Params(r)
	change, edits := memberapi.ReadChange(params), readProtection(params, levelsBeside(g.Settings.BranchProtection()))
	if err := params.Err(); err != nil {
		return err
	}
	g, err := a.app.Projects.ChangeGroup(r.Context(), c.Actor(), g, change, edits...)
	if err != nil {
		return web.NotFound("Group", err)
	}
	return web.JSON(w, http.StatusOK, newGroupBody(g))
}

func (a *api) deleteGroup(w http.ResponseWriter, r *http.Request, c auth.Caller, g project.Group) error {
	err := a.app.Projects.DeleteGroup(r.Context(), c.Actor(), g)
	return web.Deleted(w, "Group", err)
}
