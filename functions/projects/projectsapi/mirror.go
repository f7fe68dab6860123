package projectsapi

import (
	"errors"
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/fault"
	"gatehouse/shared/mirror"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/web"
)

func (a *api) routeMirror(mux *web.Mux) {
	const path = "/api/v4/projects/{id}/mirror/pull"
	maintainer := a.app.Auth.Project(project.Maintainer)
	mux.Handle("GET "+path, maintainer(a.showMirror))
	mux.Handle("PUT "+path, maintainer(a.changeMirror))
	mux.Handle("POST "+path, maintainer(a.pullMirror))
	mux.Handle("PUT "+path+"/status", maintainer(a.reportMirror))
}

// mirrorBody is a project's pull mirror on the wire.
type mirrorBody struct {
	ID                               int64         `json:"id"` // the project's
	Enabled                          bool          `json:"enabled"`
	URL                              *string       `json:"url"`
	LastError                        *string       `json:"last_error"`
	LastSuccessfulUpdateAt           web.Time      `json:"last_successful_update_at"`
	LastUpdateAt                     web.Time      `json:"last_update_at"`
	LastUpdateStartedAt              web.Time      `json:"last_update_started_at"`
	UpdateStatus                     mirror.Status `json:"update_status"`
	MirrorTriggerBuilds              bool          `json:"mirror_trigger_builds"`
	OnlyMirrorProtectedBranches      *bool         `json:"only_mirror_protected_branches"`
	MirrorOverwritesDivergedBranches bool          `json:"mirror_overwrites_diverged_branches"`
	MirrorBranchRegex                *string       `json:"mirror_branch_regex"`
}

func newMirrorBody(p project.Project, s mirror.State) mirrorBody {
	m := p.Settings.Mirror
	return mirrorBody{
		ID: p.ID, Enabled: m.Enabled, URL: web.OrNull(m.ShownURL()), LastError: web.OrNull(s.LastError),
		LastSuccessfulUpdateAt: web.Time(s.SucceededAt), LastUpdateAt: web.Time(s.UpdatedAt), LastUpdateStartedAt: web.Time(s.StartedAt),
		UpdateStatus: s.Status, MirrorTriggerBuilds: m.TriggerBuilds, OnlyMirrorProtectedBranches: m.ProtectedOnly,
		MirrorOverwritesDivergedBranches: m.OverwritesDiverged, MirrorBranchRegex: web.OrNull(m.BranchRegex),
	}
}

func (a *api) showMirror(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	s, err := a.app.Mirrors.State(r.Context(), p)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, newMirrorBody(p, s))
}

func (a *api) changeMirror(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	params := web.Params(r)
	change := readMirror(params)
	change.Enabled, change.URL = params.OptionalBool("enabled"), params.OptionalString("url")
	change.User, change.Password = secretOf(params.OptionalString("auth_user")), secretOf(params.OptionalString("auth_password"))
	change.OverwritesDiverged = params.OptionalBool("mirror_overwrites_diverged_branches")
	if err := params.Err(); err != nil {
		return err
	}
	p, err := a.app.Mirrors.ChangeProject(r.Context(), c.Actor(), p, project.Change{}, a.app.Mirrors.Edit(p.FullPath, change))
	if err != nil {
		return web.NotFound("Project", err)
	}
	return a.showMirror(w, r, c, p)
}

// readMirror reads the parameters of a mirror that have one name everywhere.
func readMirror(params *web.Values) mirror.Change {
	return mirror.Change{
		BranchRegex: params.OptionalString("mirror_branch_regex"), TriggerBuilds: params.OptionalBool("mirror_trigger_builds"),
		ProtectedOnly: params.OptionalBool("only_mirror_protected_branches"),
	}
}

func secretOf(text *string) *secret.Text {
	if text == nil {
		return nil
	}
	s := secret.NewText(*text)
	return &s
}

// pullMirror asks for a pull.
func (a *api) pullMirror(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	s, err := a.app.Mirrors.Schedule(r.Context(), c.Actor(), p)
	if err != nil {
		return web.NotFound("Project", err)
	}
	return web.JSON(w, http.StatusAccepted, newMirrorBody(p, s))
}

// reportMirror stores what the platform says of a pull.
func (a *api) reportMirror(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	if err := c.CheckAdmin(); err != nil {
		return err
	}
	params := web.Params(r)
	report := mirror.Report{
		Status:    web.RequiredChoice(params, "update_status", mirror.Statuses),
		LastError: params.OptionalString("last_error"), UpdatedAt: params.OptionalTime("last_update_at"),
	}
	if report.LastError == nil && params.Has("last_error") {
		report.LastError = new(string) // null: there is none
	}
	if err := params.Err(); err != nil {
		return err
	}
	s, err := a.app.Mirrors.Report(r.Context(), p, report)
	if err != nil {
		return web.NotFound("Project", err)
	}
	return web.JSON(w, http.StatusOK, newMirrorBody(p, s))
}

// readMirrored reads the older names. The edit is for the project with the path.
func (a *api) readMirrored(params *web.Values) func(fullPath string) project.Edit[project.ProjectSettings] {
	change := readMirror(params)
	change.Enabled, change.URL = params.OptionalBool("mirror"), params.OptionalString("import_url")
	return func(fullPath string) project.Edit[project.ProjectSettings] {
		edit := a.app.Mirrors.Edit(fullPath, change)
		return func(s *project.ProjectSettings) error { return byOlderName(edit(s)) }
	}
}

// byOlderName has complaints about the URL name it as the projects API does.
func byOlderName(err error) error {
	var complaints fault.Fields
	if errors.As(err, &complaints) && complaints["url"] != nil {
		complaints["import_url"] = complaints["url"]
		delete(complaints, "url")
	}
	return err
}
