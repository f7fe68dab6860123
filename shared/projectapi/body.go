// Package projectapi has what the REST calls about projects have in common: a project on
// the wire, and the parameters of lists of projects.
package projectapi

import (
	"path"
	"strconv"

	"gatehouse/shared/app"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// Body is a project on the wire.
type Body struct {
	ID                int64              `json:"id"`
	Name              string             `json:"name"`
	Path              string             `json:"path"`
	PathWithNamespace string             `json:"path_with_namespace"`
	Namespace         Namespace          `json:"namespace"`
	Visibility        project.Visibility `json:"visibility"`
	WebURL            string             `json:"web_url"`
	HTTPURLToRepo     *string            `json:"http_url_to_repo"`
	CreatedAt         web.Time           `json:"created_at"`
	Permissions       *Permissions       `json:"permissions,omitempty"` // of one project alone
	variablesBody
	mirroredBody
}

// Namespace is a group or a user's namespace on the wire.
type Namespace struct {
	ID       int64  `json:"id"`
	Name     string `json:"name,omitempty"` // lists of projects do not read it
	Path     string `json:"path"`
	Kind     string `json:"kind"` // "group" or "user"
	FullPath string `json:"full_path"`
}

// Kind says what a namespace is, by its owner's id.
func Kind(ownerID int64) string {
	if ownerID != 0 {
		return "user"
	}
	return "group"
}

// repository returns where the front end of the Git server has the project, or nil.
func repository(a *app.App, p project.Project) *string {
	if a.GitURL == "" {
		return nil
	}
	address := a.GitURL + "/" + p.FullPath + ".git"
	return &address
}

// New returns the project as its maintainers see it, or as others do.
func New(a *app.App, p project.Project, maintained bool) Body {
	return Body{
		ID: p.ID, Name: p.Name, Path: p.Path, PathWithNamespace: p.FullPath,
		Namespace:  Namespace{ID: p.NamespaceID, Path: path.Base(p.NamespacePath), Kind: Kind(p.OwnerID), FullPath: p.NamespacePath},
		Visibility: p.Visibility, CreatedAt: web.Time(p.CreatedAt),
		HTTPURLToRepo: repository(a, p),
		WebURL:        a.BaseURL + "/console/" + strconv.FormatInt(p.ID, 10),
		variablesBody: newVariablesBody(p.Settings),
		mirroredBody:  newMirroredBody(p.Settings.Mirror, maintained),
	}
}

// Permissions are the roles that the caller has in a project by memberships: by one of
// the project, and by one of a group that it is in. Null: none.
type Permissions struct {
	Project *Access `json:"project_access"`
	Group   *Access `json:"group_access"`
}

// Access is a role on the wire.
type Access struct {
	Role         project.Role `json:"access_level"`
	Notification int          `json:"notification_level"`
}

// byDefault is the level of notifications of somebody who set none for the place.
const byDefault = 3

// NewPermissions returns the roles on the wire.
func NewPermissions(inProject, inGroup project.Role) *Permissions {
	return &Permissions{newAccess(inProject), newAccess(inGroup)}
}

func newAccess(r project.Role) *Access {
	if r == project.NoRole {
		return nil
	}
	return &Access{r, byDefault}
}

// variablesBody says on the wire who may set variables of a pipeline, beside the
// setting that the role replaced.
type variablesBody struct {
	Restricted bool                  `json:"restrict_user_defined_variables"`
	Role       project.VariablesRole `json:"ci_pipeline_variables_minimum_override_role"`
}

func newVariablesBody(s project.ProjectSettings) variablesBody {
	role := s.OverrideRole()
	return variablesBody{deprecation.Restricted(string(role)), role}
}

// mirroredBody are what a project says of its pull mirror, by the older names.
type mirroredBody struct {
	ImportURL                   *string `json:"import_url"` // null for everybody below Maintainer
	Mirror                      bool    `json:"mirror"`
	MirrorBranchRegex           *string `json:"mirror_branch_regex"`
	MirrorTriggerBuilds         bool    `json:"mirror_trigger_builds"`
	OnlyMirrorProtectedBranches *bool   `json:"only_mirror_protected_branches"`
}

func newMirroredBody(m project.Mirror, maintained bool) mirroredBody {
	b := mirroredBody{
		Mirror: m.Enabled, MirrorBranchRegex: web.OrNull(m.BranchRegex), MirrorTriggerBuilds: m.TriggerBuilds, OnlyMirrorProtectedBranches: m.ProtectedOnly,
	}
	if maintained {
		b.ImportURL = web.OrNull(m.ShownURL())
	}
	return b
}
