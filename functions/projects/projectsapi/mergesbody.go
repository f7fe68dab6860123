package projectsapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"gatehouse/shared/auth"
	"gatehouse/shared/mergerequest"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// mergeBody is a merge request on the wire, as lists have it.
type mergeBody struct {
	ID                          int64                    `json:"id"`
	IID                         int64                    `json:"iid"`
	ProjectID                   int64                    `json:"project_id"`
	SourceProjectID             int64                    `json:"source_project_id"`
	TargetProjectID             int64                    `json:"target_project_id"`
	Title                       string                   `json:"title"`
	Description                 string                   `json:"description"`
	State                       mergerequest.State       `json:"state"`
	Draft                       bool                     `json:"draft"`
	WorkInProgress              bool                     `json:"work_in_progress"` // the same
	SourceBranch                string                   `json:"source_branch"`
	TargetBranch                string                   `json:"target_branch"`
	Author                      *personBody              `json:"author"`   // null: the account was deleted
	Assignee                    *personBody              `json:"assignee"` // the first of them
	Assignees                   []personBody             `json:"assignees"`
	Reviewers                   []personBody             `json:"reviewers"`
	Labels                      []string                 `json:"labels"`
	MergedBy                    *personBody              `json:"merged_by"` // null: it is not merged
	MergeUser                   *personBody              `json:"merge_user"`
	ClosedBy                    *personBody              `json:"closed_by"`
	MergeStatus                 mergerequest.MergeStatus `json:"merge_status"`
	DetailedMergeStatus         string                   `json:"detailed_merge_status"`
	HasConflicts                bool                     `json:"has_conflicts"`
	BlockingDiscussionsResolved bool                     `json:"blocking_discussions_resolved"`
	MergeWhenPipelineSucceeds   bool                     `json:"merge_when_pipeline_succeeds"`
	SHA                         *string                  `json:"sha"` // null: the platform did not report it
	MergeCommitSHA              *string                  `json:"merge_commit_sha"`
	SquashCommitSHA             *string                  `json:"squash_commit_sha"`
	Squash                      bool                     `json:"squash"`
	SquashOnMerge               bool                     `json:"squash_on_merge"` // the same
	ForceRemoveSourceBranch     bool                     `json:"force_remove_source_branch"`
	AllowCollaboration          bool                     `json:"allow_collaboration"`
	AllowMaintainerToPush       bool                     `json:"allow_maintainer_to_push"` // the same
	DiscussionLocked            bool                     `json:"discussion_locked"`
	References                  referencesBody           `json:"references"`
	WebURL                      string                   `json:"web_url"`
	TaskCompletionStatus        tasksBody                `json:"task_completion_status"`
	CreatedAt                   web.Time                 `json:"created_at"`
	UpdatedAt                   web.Time                 `json:"updated_at"`
	MergedAt                    web.Time                 `json:"merged_at"`
	ClosedAt                    web.Time                 `json:"closed_at"`
	unknownBody
}

// unknownBody has what there is nothing of in Gatehouse. Clients expect the names.
type unknownBody struct {
	Milestone      *string   `json:"milestone"`
	UserNotesCount int       `json:"user_notes_count"`
	Upvotes        int       `json:"upvotes"`
	Downvotes      int       `json:"downvotes"`
	TimeStats      timesBody `json:"time_stats"`
}

type timesBody struct {
	TimeEstimate        int     `json:"time_estimate"`
	TotalTimeSpent      int     `json:"total_time_spent"`
	HumanTimeEstimate   *string `json:"human_time_estimate"`
	HumanTotalTimeSpent *string `json:"human_total_time_spent"`
}

type referencesBody struct {
	Short    string `json:"short"`
	Relative string `json:"relative"`
	Full     string `json:"full"`
}

type tasksBody struct {
	Count          int `json:"count"`
	CompletedCount int `json:"completed_count"`
}

// oneMergeBody is a merge request by itself.
type oneMergeBody struct {
	mergeBody
	User         mergerBody `json:"user"`          // the caller
	ChangesCount *string    `json:"changes_count"` // null where changes were not asked for
	Pipeline     *string    `json:"pipeline"`      // always null, as the next two
	HeadPipeline *string    `json:"head_pipeline"`
	DiffRefs     *string    `json:"diff_refs"`
}

type mergerBody struct {
	CanMerge bool `json:"can_merge"` // as to the role
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

func (a *api) newPersonBody(u user.User) personBody {
	return personBody{ID: u.ID, Username: u.Username, Name: u.Name, State: u.State, WebURL: a.app.BaseURL + u.PagePath()}
}

// people are users by their ids.
type people map[int64]user.User

// peopleOf reads the users that merge requests name.
func (a *api) peopleOf(ctx context.Context, merges ...mergerequest.Stored) (people, error) {
	var ids []int64
	for _, stored := range merges {
		m := stored.Thing
		for _, id := range []int64{m.AuthorID, m.MergeUserID, m.ClosedByID} {
			if id != 0 {
				ids = append(ids, id)
			}
		}
		ids = append(append(ids, m.AssigneeIDs...), m.ReviewerIDs...)
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

// named returns the users with these ids that still exist.
func (a *api) named(who people, ids []int64) []personBody {
	bodies := []personBody{}
	for _, id := range ids {
		if body := a.personBody(who, id); body != nil {
			bodies = append(bodies, *body)
		}
	}
	return bodies
}

func (a *api) newMergeBody(p project.Project, stored mergerequest.Stored, who people) mergeBody {
	m, short := stored.Thing, fmt.Sprintf("!%d", stored.Number)
	all, done := m.Tasks()
	body := mergeBody{
		ID: stored.ID, IID: stored.Number, ProjectID: p.ID, SourceProjectID: p.ID, TargetProjectID: p.ID,
		Title: m.Title, Description: m.Description, State: m.State, Draft: m.Draft(), WorkInProgress: m.Draft(),
		SourceBranch: m.SourceBranch, TargetBranch: m.TargetBranch, Labels: append([]string{}, m.Labels...),
		Author: a.personBody(who, m.AuthorID), MergedBy: a.personBody(who, m.MergedByID()), MergeUser: a.personBody(who, m.MergeUserID),
		ClosedBy: a.personBody(who, m.ClosedByID), Assignees: a.named(who, m.AssigneeIDs), Reviewers: a.named(who, m.ReviewerIDs),
		MergeStatus: m.MergeStatus, DetailedMergeStatus: m.DetailedStatus(), HasConflicts: m.MergeStatus == mergerequest.CannotBe,
		BlockingDiscussionsResolved: m.BlockingReason != mergerequest.UnresolvedDiscussions, MergeWhenPipelineSucceeds: m.AutoMerge,
		SHA: web.OrNull(m.Commits.Head), MergeCommitSHA: web.OrNull(m.Commits.Merge), SquashCommitSHA: web.OrNull(m.Commits.Squash),
		Squash: m.Squash, SquashOnMerge: m.Squash, ForceRemoveSourceBranch: m.RemoveSourceBranch,
		AllowCollaboration: m.AllowCollaboration, AllowMaintainerToPush: m.AllowCollaboration, DiscussionLocked: m.DiscussionLocked,
		References:           referencesBody{short, short, p.FullPath + short},
		WebURL:               fmt.Sprintf("%s/%s/-/merge_requests/%d", a.app.BaseURL, p.FullPath, stored.Number),
		TaskCompletionStatus: tasksBody{all, done},
		CreatedAt:            web.Time(stored.CreatedAt), UpdatedAt: web.Time(m.UpdatedAt), MergedAt: web.Time(m.MergedAt), ClosedAt: web.Time(m.ClosedAt),
	}
	if len(body.Assignees) > 0 {
		body.Assignee = &body.Assignees[0]
	}
	return body
}

func (a *api) newOneMergeBody(c auth.Caller, p project.Project, m mergerequest.Stored, who people) oneMergeBody {
	return oneMergeBody{mergeBody: a.newMergeBody(p, m, who), User: mergerBody{c.Role >= project.Maintainer}}
}

// answerMerge answers with one merge request.
func (a *api) answerMerge(w http.ResponseWriter, r *http.Request, status int, c auth.Caller, p project.Project, m mergerequest.Stored) error {
	who, err := a.peopleOf(r.Context(), m)
	if err != nil {
		return err
	}
	return web.JSON(w, status, a.newOneMergeBody(c, p, m, who))
}

// changesBody is a merge request with all that it changes.
type changesBody struct {
	oneMergeBody
	Changes  []mergerequest.Diff `json:"changes"`
	Overflow bool                `json:"overflow"`
}

func newChangesBody(one oneMergeBody, diffs mergerequest.Diffs) changesBody {
	count := strconv.Itoa(len(diffs.Files))
	if diffs.Overflow {
		count += "+"
	}
	one.ChangesCount = &count
	return changesBody{one, append([]mergerequest.Diff{}, diffs.Files...), diffs.Overflow}
}
