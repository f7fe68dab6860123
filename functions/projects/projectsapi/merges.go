package projectsapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"gatehouse/shared/auth"
	"gatehouse/shared/fault"
	"gatehouse/shared/mergerequest"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
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
	"approved", "approved_by_ids", "approver_ids", "assignee_username", "deployed_after", "deployed_before", "environment", "in",
	"merge_user_id", "merge_user_username", "milestone", "my_reaction_emoji", "not", "reviewer_username", "updated_after",
	"updated_before", "created_after", "created_before",
}

// readFilter reads the filters of a list, and the id or name of an author.
func (a *api) readFilter(ctx context.Context, params *web.Values) (mergerequest.Filter, error) {
	f := mergerequest.Filter{
		State:        web.Choice(params, "state", []mergerequest.State{mergerequest.Opened, mergerequest.Closed, mergerequest.Merged, allStates}),
		SourceBranch: text(params.OptionalString("source_branch")), TargetBranch: text(params.OptionalString("target_branch")),
		Search: text(params.OptionalString("search")), Numbers: params.OptionalInts("iids"),
		Assignee: readWho(params, "assignee_id"), Reviewer: readWho(params, "reviewer_id"), Labels: params.OptionalTexts("labels"),
		Draft: params.OptionalBool("draft"),
	}
	if wip := web.Choice(params, "wip", []string{"yes", "no"}); wip != "" { // the older name of draft
		draft := wip == "yes"
		f.Draft = &draft
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

// readWho reads the id of a user, or Any or None.
func readWho(params *web.Values, name string) (who mergerequest.Who) {
	switch word := text(params.OptionalString(name)); strings.ToLower(word) {
	case "any":
		who.Anybody = true
	case "none":
		who.Nobody = true
	case "":
	default:
		who.ID = cmp.Or(value(params.OptionalInt(name)), nobody)
	}
	return who
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
	return web.List(w, r, a.app.BaseURL, req, merges, func(m mergerequest.Stored) mergeBody { return a.newMergeBody(p, m, who) })
}

// readAttributes reads what can be said about a new merge request and in a change.
func readAttributes(params *web.Values) mergerequest.AttributesChange {
	return mergerequest.AttributesChange{
		AssigneeIDs: readAssignees(params), ReviewerIDs: withoutZero(params.OptionalInts("reviewer_ids")), Labels: params.OptionalTexts("labels"),
		Squash: params.OptionalBool("squash"), RemoveSourceBranch: params.OptionalBool("remove_source_branch"),
		AllowCollaboration: params.OptionalBool("allow_collaboration"),
	}
}

// readAssignees reads the list of assignees, or else the only one.
func readAssignees(params *web.Values) []int64 {
	one := params.OptionalInt("assignee_id")
	ids := params.OptionalInts("assignee_ids")
	if ids == nil && params.Has("assignee_id") {
		ids = []int64{value(one)}
	}
	return withoutZero(ids)
}

// withoutZero returns the ids of users but for zero, by which clients say nobody.
func withoutZero(ids []int64) []int64 {
	return slices.DeleteFunc(ids, func(id int64) bool { return id == 0 })
}

func (a *api) createMerge(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	params := web.Params(r)
	draft := mergerequest.Draft{
		SourceBranch: params.String("source_branch"), TargetBranch: params.String("target_branch"), Title: params.String("title"),
		Description: text(params.OptionalString("description")), Attributes: readAttributes(params),
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
	return a.answerMerge(w, r, http.StatusCreated, c, p, m)
}

func (a *api) showMerge(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, m mergerequest.Stored) error {
	return a.answerMerge(w, r, http.StatusOK, c, p, m)
}

func (a *api) changeMerge(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, m mergerequest.Stored) error {
	params := web.Params(r)
	change := mergerequest.Change{
		Title: params.OptionalString("title"), Description: params.OptionalString("description"), TargetBranch: params.OptionalString("target_branch"),
		Event: web.Choice(params, "state_event", []mergerequest.StateEvent{mergerequest.Close, mergerequest.Reopen}), Attributes: readAttributes(params),
	}
	change.Attributes.AddLabels, change.Attributes.RemoveLabels = params.OptionalTexts("add_labels"), params.OptionalTexts("remove_labels")
	change.Attributes.DiscussionLocked = params.OptionalBool("discussion_locked")
	if err := params.Err(); err != nil {
		return err
	}
	m, err := a.app.Merges.Change(r.Context(), c.Actor(), p, m, change)
	if err != nil {
		return web.NotFound(mergeRequest, err)
	}
	return a.answerMerge(w, r, http.StatusOK, c, p, m)
}

func (a *api) merge(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, m mergerequest.Stored) error {
	params := web.Params(r)
	how := mergerequest.Merging{
		Auto: params.BoolOr("auto_merge", params.BoolOr("merge_when_pipeline_succeeds", false)), SHA: text(params.OptionalString("sha")),
	}
	if err := params.Err(); err != nil {
		return err
	}
	m, err := a.app.Merges.Merge(r.Context(), c.Actor(), p, m, how)
	if errors.Is(err, mergerequest.ErrNotMergeable) {
		return web.JSON(w, http.StatusMethodNotAllowed, map[string]string{"message": "405 Method Not Allowed"})
	}
	if err != nil {
		return web.NotFound(mergeRequest, err)
	}
	return a.answerMerge(w, r, http.StatusOK, c, p, m)
}

// reportMerge stores what the platform says.
func (a *api) reportMerge(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, m mergerequest.Stored) error {
	params := web.Params(r)
	report, err := readReport(params)
	if err != nil {
		return err
	}
	if m, err = a.app.Merges.Report(r.Context(), p, m, report); err != nil {
		return web.NotFound(mergeRequest, err)
	}
	return a.answerMerge(w, r, http.StatusOK, c, p, m)
}

func readReport(params *web.Values) (report mergerequest.Report, err error) {
	if status := web.Choice(params, "merge_status", mergerequest.MergeStatuses); status != "" {
		report.MergeStatus = &status
	}
	if reason := web.Choice(params, "blocking_reason", mergerequest.BlockingReasons); params.Has("blocking_reason") {
		report.BlockingReason = &reason // null: nothing blocks it any more
	}
	report.Commits = mergerequest.CommitsReport{
		Head: orEmpty(params, "sha"), Merge: orEmpty(params, "merge_commit_sha"), Squash: orEmpty(params, "squash_commit_sha"),
	}
	report.Overflow = params.OptionalBool("overflow")
	list := params.OptionalJSON("diffs")
	if err := params.Err(); err != nil || list == nil {
		return report, err
	}
	report.Diffs, err = mergerequest.ParseDiffs(list)
	return report, err
}

// orEmpty returns a text, which null makes empty, or nil when it was not sent.
func orEmpty(params *web.Values, name string) *string {
	if sent := params.OptionalString(name); sent != nil || !params.Has(name) {
		return sent
	}
	return new(string)
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

func (a *api) showChanges(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, m mergerequest.Stored) error {
	diffs, err := a.readDiffs(r, p, m, web.Params(r))
	if err != nil {
		return err
	}
	who, err := a.peopleOf(r.Context(), m)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, newChangesBody(a.newOneMergeBody(c, p, m, who), diffs))
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
