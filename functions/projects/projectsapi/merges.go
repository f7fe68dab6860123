package projectsapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/fault"
	"gatehouse/shared/mergerequest"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

func (a *api) routeMerges(mux *web.Mux) {
	const all, one = "/api/v4/projects/{id}/merge_requests", "/api/v4/projects/{id}/merge_requests/{iid}"
	reporter, developer, maintainer := a.app.Auth.Project(project.Reporter), a.app.Auth.Project(project.Developer), a.app.Auth.Project(project.Maintainer)
	mux.Handle("GET "+all, reporter(a.listMerges))
	mux.Handle("POST "+all, developer(a.createMerge))
	mux.Handle("GET "+one, reporter(a.ofMerge(a.showMerge)))
	mux.Handle("PUT "+one, developer(a.ofMerge(a.changeMerge)))
	mux.Handle("GET "+one+"/changes", reporter(a.ofMerge(a.showChanges)))
	mux.Handle("GET "+one+"/diffs", reporter(a.ofMerge(a.listDiffs)))
	mux.Handle("PUT "+one+"/merge", maintainer(a.ofMerge(a.merge)))
	mux.Handle("PUT "+one+"/platform_state", maintainer(a.ofMerge(a.reportMerge)))
}

const mergeRequest = "Merge Request"

// mergeBody is a merge request on the wire.
type mergeBody struct {
	ID                        int64                    `json:"id"`
	IID                       int64                    `json:"iid"`
	ProjectID                 int64                    `json:"project_id"`
	SourceProjectID           int64                    `json:"source_project_id"`
	TargetProjectID           int64                    `json:"target_project_id"`
	Title                     string                   `json:"title"`
	Description               string                   `json:"description"`
	State                     mergerequest.State       `json:"state"`
	Draft                     bool                     `json:"draft"`
	SourceBranch              string                   `json:"source_branch"`
	TargetBranch              string                   `json:"target_branch"`
	Author                    *personBody              `json:"author"`    // null: the account was deleted
	MergedBy                  *personBody              `json:"merged_by"` // null: it is not merged
	MergeUser                 *personBody              `json:"merge_user"`
	MergeStatus               mergerequest.MergeStatus `json:"merge_status"`
	DetailedMergeStatus       string                   `json:"detailed_merge_status"`
	HasConflicts              bool                     `json:"has_conflicts"`
	MergeWhenPipelineSucceeds bool                     `json:"merge_when_pipeline_succeeds"`
	CreatedAt                 web.Time                 `json:"created_at"`
	UpdatedAt                 web.Time                 `json:"updated_at"`
	MergedAt                  web.Time                 `json:"merged_at"`
	ClosedAt                  web.Time                 `json:"closed_at"`
}

// personBody is a user as others see them.
type personBody struct {
	ID        int64      `json:"id"`
	Username  string     `json:"username"`
	Name      string     `json:"name"`
	State     user.State `json:"state"`
	AvatarURL *string    `json:"avatar_url"` // always null: there are no pictures
	WebURL    string     `json:"web_url"`
}

// people are users by their ids.
type people map[int64]user.User

// peopleOf reads the users that merge requests name.
func (a *api) peopleOf(ctx context.Context, merges ...mergerequest.Stored) (people, error) {
	var ids []int64
	for _, m := range merges {
		for _, id := range []int64{m.Thing.AuthorID, m.Thing.MergeUserID} {
			if id != 0 {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return a.app.Users.UsersByID(ctx, ids)
}

func (a *api) personBody(who people, id int64) *personBody {
	u, known := who[id]
	if !known {
		return nil
	}
	body := a.newPersonBody(u)
	return &body
}

func (a *api) newPersonBody(u user.User) personBody {
	return personBody{ID: u.ID, Username: u.Username, Name: u.Name, State: u.State, WebURL: a.app.BaseURL + "/" + u.Username}
}

func (a *api) newMergeBody(stored mergerequest.Stored, who people) mergeBody {
	m, projectID := stored.Thing, stored.Place.ID
	return mergeBody{
		ID: stored.ID, IID: stored.Number, ProjectID: projectID, SourceProjectID: projectID, TargetProjectID: projectID,
		Title: m.Title, Description: m.Description, State: m.State, Draft: m.Draft(), SourceBranch: m.SourceBranch, TargetBranch: m.TargetBranch,
		Author: a.personBody(who, m.AuthorID), MergedBy: a.personBody(who, m.MergedByID()), MergeUser: a.personBody(who, m.MergeUserID),
		MergeStatus: m.MergeStatus, DetailedMergeStatus: m.DetailedStatus(), HasConflicts: m.MergeStatus == mergerequest.CannotBe,
		MergeWhenPipelineSucceeds: m.AutoMerge, CreatedAt: web.Time(stored.CreatedAt), UpdatedAt: web.Time(m.UpdatedAt),
		MergedAt: web.Time(m.MergedAt), ClosedAt: web.Time(m.ClosedAt),
	}
}

// answerMerge answers with one merge request.
func (a *api) answerMerge(w http.ResponseWriter, r *http.Request, status int, m mergerequest.Stored) error {
	who, err := a.peopleOf(r.Context(), m)
	if err != nil {
		return err
	}
	return web.JSON(w, status, a.newMergeBody(m, who))
}

// mergeHandler serves a request about the merge request with the iid in the path.
type mergeHandler func(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, m mergerequest.Stored) error

func (a *api) ofMerge(next mergeHandler) auth.ProjectHandler {
	return func(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
		iid, err := web.PathID(r, "iid")
		if err != nil {
			return web.NotFound(mergeRequest, err)
		}
		m, err := a.app.Merges.One(r.Context(), p, iid)
		if err != nil {
			return web.NotFound(mergeRequest, err)
		}
		return next(w, r, c, p, m)
	}
}

// allStates is the filter that selects every state.
const allStates mergerequest.State = "all"

// foreignFilters would narrow a list by what Gatehouse does not know.
var foreignFilters = []string{
	"approved_by_ids", "approver_ids", "assignee_id", "assignee_username", "deployed_after", "deployed_before", "environment", "in", "labels",
	"merge_user_id", "merge_user_username", "milestone", "my_reaction_emoji", "not", "reviewer_id", "reviewer_username", "updated_after",
	"updated_before", "created_after", "created_before", "wip",
}

// readFilter reads the filters of a list, and the id or name of an author.
func (a *api) readFilter(ctx context.Context, params *web.Values) (mergerequest.Filter, error) {
	f := mergerequest.Filter{
		State:        web.Choice(params, "state", []mergerequest.State{mergerequest.Opened, mergerequest.Closed, mergerequest.Merged, allStates}),
		SourceBranch: text(params.OptionalString("source_branch")), TargetBranch: text(params.OptionalString("target_branch")),
		Search: text(params.OptionalString("search")), Numbers: params.OptionalInts("iids"),
	}
	if f.State == allStates {
		f.State = ""
	}
	authorID, author := params.OptionalInt("author_id"), params.OptionalString("author_username")
	params.OptionalBool("with_merge_status_recheck") // the platform checks by itself
	web.Choice(params, "scope", []string{"all"})
	web.Choice(params, "order_by", []string{"created_at"})
	web.Choice(params, "sort", []string{"desc"})
	for _, name := range foreignFilters {
		if params.Has(name) {
			return f, web.BadParameters(name + " is not supported")
		}
	}
	if err := params.Err(); err != nil {
		return f, err
	}
	if authorID != nil {
		f.AuthorID = cmp.Or(*authorID, nobody)
	}
	return f, a.findAuthor(ctx, &f, author)
}

// nobody has written anything.
const nobody = -1

func (a *api) findAuthor(ctx context.Context, f *mergerequest.Filter, username *string) error {
	if username == nil {
		return nil
	}
	u, err := a.app.Users.UserByUsername(ctx, *username)
	if err != nil || f.AuthorID != 0 && f.AuthorID != u.ID {
		f.AuthorID = nobody
		return fault.IgnoreNotFound(err)
	}
	f.AuthorID = u.ID
	return nil
}

func (a *api) listMerges(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	params := web.Params(r)
	req := params.Page()
	filter, err := a.readFilter(r.Context(), params)
	if err != nil {
		return err
	}
	merges, err := a.app.Merges.List(r.Context(), p, filter, req)
	if err != nil {
		return err
	}
	who, err := a.peopleOf(r.Context(), merges.Items...)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, merges, func(m mergerequest.Stored) mergeBody { return a.newMergeBody(m, who) })
}

func (a *api) createMerge(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	params := web.Params(r)
	draft := mergerequest.Draft{
		SourceBranch: params.String("source_branch"), TargetBranch: params.String("target_branch"), Title: params.String("title"),
		Description: text(params.OptionalString("description")),
	}
	target := params.OptionalInt("target_project_id")
	if err := params.Err(); err != nil {
		return err
	}
	if target != nil && *target != p.ID {
		return web.BadParameters("target_project_id does not have a valid value")
	}
	m, err := a.app.Merges.Create(r.Context(), c.Actor(), p, draft)
	if err != nil {
		return web.NotFound("Project", err)
	}
	return a.answerMerge(w, r, http.StatusCreated, m)
}

func (a *api) showMerge(w http.ResponseWriter, r *http.Request, _ auth.Caller, _ project.Project, m mergerequest.Stored) error {
	return a.answerMerge(w, r, http.StatusOK, m)
}

func (a *api) changeMerge(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, m mergerequest.Stored) error {
	params := web.Params(r)
	change := mergerequest.Change{
		Title: params.OptionalString("title"), Description: params.OptionalString("description"), TargetBranch: params.OptionalString("target_branch"),
		Event: web.Choice(params, "state_event", []mergerequest.StateEvent{mergerequest.Close, mergerequest.Reopen}),
	}
	if err := params.Err(); err != nil {
		return err
	}
	m, err := a.app.Merges.Change(r.Context(), c.Actor(), p, m, change)
	if err != nil {
		return web.NotFound(mergeRequest, err)
	}
	return a.answerMerge(w, r, http.StatusOK, m)
}

func (a *api) merge(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, m mergerequest.Stored) error {
	params := web.Params(r)
	auto := params.BoolOr("auto_merge", params.BoolOr("merge_when_pipeline_succeeds", false))
	if err := params.Err(); err != nil {
		return err
	}
	m, err := a.app.Merges.Merge(r.Context(), c.Actor(), p, m, auto)
	if errors.Is(err, mergerequest.ErrNotMergeable) {
		return web.JSON(w, http.StatusMethodNotAllowed, map[string]string{"message": "405 Method Not Allowed"})
	}
	if err != nil {
		return web.NotFound(mergeRequest, err)
	}
	return a.answerMerge(w, r, http.StatusOK, m)
}

// reportMerge stores what the platform says.
func (a *api) reportMerge(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project, m mergerequest.Stored) error {
	params := web.Params(r)
	report, err := readReport(params)
	if err != nil {
		return err
	}
	if m, err = a.app.Merges.Report(r.Context(), p, m, report); err != nil {
		return web.NotFound(mergeRequest, err)
	}
	return a.answerMerge(w, r, http.StatusOK, m)
}

func readReport(params *web.Values) (report mergerequest.Report, err error) {
	if status := web.Choice(params, "merge_status", mergerequest.MergeStatuses); status != "" {
		report.MergeStatus = &status
	}
	if reason := web.Choice(params, "blocking_reason", mergerequest.BlockingReasons); params.Has("blocking_reason") {
		report.BlockingReason = &reason // null: nothing blocks it any more
	}
	report.Overflow = params.OptionalBool("overflow")
	list := params.OptionalJSON("diffs")
	if err := params.Err(); err != nil || list == nil {
		return report, err
	}
	report.Diffs, err = mergerequest.ParseDiffs(list)
	return report, err
}

// readDiffs reads what a merge request changes.
func (a *api) readDiffs(r *http.Request, p project.Project, m mergerequest.Stored, params *web.Values) (mergerequest.Diffs, error) {
	params.OptionalBool("access_raw_diffs")
	params.OptionalBool("unidiff") // diffs are as the platform reported them
	if err := params.Err(); err != nil {
		return mergerequest.Diffs{}, err
	}
	return a.app.Merges.Diffs(r.Context(), p, m.Number)
}

// changesBody is a merge request with all that it changes.
type changesBody struct {
	mergeBody
	Changes  []mergerequest.Diff `json:"changes"`
	Overflow bool                `json:"overflow"`
}

func (a *api) showChanges(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project, m mergerequest.Stored) error {
	diffs, err := a.readDiffs(r, p, m, web.Params(r))
	if err != nil {
		return err
	}
	who, err := a.peopleOf(r.Context(), m)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, changesBody{a.newMergeBody(m, who), append([]mergerequest.Diff{}, diffs.Files...), diffs.Overflow})
}

func (a *api) listDiffs(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project, m mergerequest.Stored) error {
	params := web.Params(r)
	req := params.Page()
	diffs, err := a.readDiffs(r, p, m, params)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, page.Cut(diffs.Files, req), func(d mergerequest.Diff) mergerequest.Diff { return d })
}
