package clientgo

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse/scripts/clients/old/judge"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

// merging is a merge request, with the people around it.
type merging struct {
	admin, author *gitlab.Client
	by            *gitlab.User // the author
	project       *gitlab.Project
	iid           int
}

func newMerging(t *testing.T) merging {
	t.Helper()
	m := merging{admin: administrator(t)}
	m.project = newProject(t, m.admin, newGroup(t, m.admin))
	m.by, m.author = newDeveloper(t, m.admin, m.project)
	m.iid = call(m.author.MergeRequests.CreateMergeRequest(m.project.ID, &gitlab.CreateMergeRequestOptions{
		Title: gitlab.Ptr("Faster start"), Description: gitlab.Ptr("It starts late."),
		SourceBranch: gitlab.Ptr("fast"), TargetBranch: gitlab.Ptr("main"),
	})).Silent(t).IID
	return m
}

func (m merging) get(t *testing.T) *gitlab.MergeRequest {
	t.Helper()
	return call(m.admin.MergeRequests.GetMergeRequest(m.project.ID, m.iid, nil)).Silent(t)
}

func (m merging) update(t *testing.T, change gitlab.UpdateMergeRequestOptions) *gitlab.MergeRequest {
	t.Helper()
	return call(m.author.MergeRequests.UpdateMergeRequest(m.project.ID, m.iid, &change)).Silent(t)
}

// report has the platform say something of the merge request.
func (m merging) report(t *testing.T, said map[string]any) {
	t.Helper()
	report(t, m.admin, fmt.Sprintf("projects/%d/merge_requests/%d/platform_state", m.project.ID, m.iid), said).Silent(t)
}

// full makes a second merge request, which has everything that can be said of one.
func (m merging) full(t *testing.T) *gitlab.MergeRequest {
	t.Helper()
	return call(m.author.MergeRequests.CreateMergeRequest(m.project.ID, &gitlab.CreateMergeRequestOptions{
		Title: gitlab.Ptr("Draft: later end"), Description: gitlab.Ptr("- [x] test\n- [ ] code"),
		SourceBranch: gitlab.Ptr("late"), TargetBranch: gitlab.Ptr("main"), TargetProjectID: &m.project.ID,
		Labels: &gitlab.LabelOptions{"end", "not now"}, AssigneeIDs: &[]int{m.by.ID}, ReviewerIDs: &[]int{m.by.ID},
		Squash: gitlab.Ptr(true), RemoveSourceBranch: gitlab.Ptr(true), AllowCollaboration: gitlab.Ptr(true),
	})).Silent(t)
}

func TestMergeRequest(t *testing.T) {
	m := newMerging(t)
	m.full(t)
	base, _ := judge.Server(t)
	got := call(m.admin.MergeRequests.GetMergeRequest(m.project.ID, 2, nil)).Silent(t)
	if got.ID == 0 || got.CreatedAt == nil || got.UpdatedAt == nil {
		t.Errorf("the merge request has the id %d, and was made at %v and changed at %v", got.ID, got.CreatedAt, got.UpdatedAt)
	}
	author := []*gitlab.BasicUser{basic(m.by)}
	want := gitlab.MergeRequest{WorkInProgress: true, BasicMergeRequest: gitlab.BasicMergeRequest{
		ID: got.ID, IID: 2, ProjectID: m.project.ID, SourceProjectID: m.project.ID, TargetProjectID: m.project.ID,
		Title: "Draft: later end", Description: "- [x] test\n- [ ] code", SourceBranch: "late", TargetBranch: "main",
		State: "opened", Draft: true, DetailedMergeStatus: "draft_status", BlockingDiscussionsResolved: true,
		Author: author[0], Assignee: author[0], Assignees: author, Reviewers: author, Labels: gitlab.Labels{"end", "not now"},
		Squash: true, SquashOnMerge: true, ForceRemoveSourceBranch: true, AllowCollaboration: true, AllowMaintainerToPush: true,
		WebURL:     base + "/" + m.project.PathWithNamespace + "/-/merge_requests/2",
		References: &gitlab.IssueReferences{Short: "!2", Relative: "!2", Full: m.project.PathWithNamespace + "!2"},
		TimeStats:  &gitlab.TimeStats{}, TaskCompletionStatus: &gitlab.TasksCompletionStatus{Count: 2, CompletedCount: 1},
		CreatedAt: got.CreatedAt, UpdatedAt: got.UpdatedAt,
	}}
	want.User.CanMerge = true
	judge.Equal(t, "the merge request", got, &want)
}

func TestMergeRequestLists(t *testing.T) {
	m := newMerging(t)
	full := m.full(t).IID
	tests := map[string]struct {
		options gitlab.ListProjectMergeRequestsOptions
		want    []int
	}{
		"all":         {gitlab.ListProjectMergeRequestsOptions{Scope: gitlab.Ptr("all")}, []int{full, m.iid}},
		"opened":      {gitlab.ListProjectMergeRequestsOptions{State: gitlab.Ptr("opened")}, []int{full, m.iid}},
		"merged":      {gitlab.ListProjectMergeRequestsOptions{State: gitlab.Ptr("merged")}, nil},
		"author":      {gitlab.ListProjectMergeRequestsOptions{AuthorID: &m.by.ID, AuthorUsername: &m.by.Username}, []int{full, m.iid}},
		"others":      {gitlab.ListProjectMergeRequestsOptions{AuthorUsername: gitlab.Ptr("nobody")}, nil},
		"branches":    {gitlab.ListProjectMergeRequestsOptions{SourceBranch: gitlab.Ptr("fast"), TargetBranch: gitlab.Ptr("main")}, []int{m.iid}},
		"numbers":     {gitlab.ListProjectMergeRequestsOptions{IIDs: &[]int{m.iid, 7}}, []int{m.iid}},
		"search":      {gitlab.ListProjectMergeRequestsOptions{Search: gitlab.Ptr("STARTS")}, []int{m.iid}},
		"labels":      {gitlab.ListProjectMergeRequestsOptions{Labels: &gitlab.LabelOptions{"not now", "end"}}, []int{full}},
		"drafts":      {gitlab.ListProjectMergeRequestsOptions{Draft: gitlab.Ptr(true)}, []int{full}},
		"no drafts":   {gitlab.ListProjectMergeRequestsOptions{WIP: gitlab.Ptr("no")}, []int{m.iid}},
		"assignee":    {gitlab.ListProjectMergeRequestsOptions{AssigneeID: gitlab.AssigneeID(m.by.ID)}, []int{full}},
		"no reviewer": {gitlab.ListProjectMergeRequestsOptions{ReviewerID: gitlab.ReviewerID(gitlab.UserIDNone)}, []int{m.iid}},
		"check again": {gitlab.ListProjectMergeRequestsOptions{WithMergeStatusRecheck: gitlab.Ptr(true)}, []int{full, m.iid}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			listed := call(m.admin.MergeRequests.ListProjectMergeRequests(m.project.PathWithNamespace, &test.options)).Silent(t)
			var got []int
			for _, one := range listed {
				got = append(got, one.IID)
				read := call(m.admin.MergeRequests.GetMergeRequest(m.project.ID, one.IID, nil)).Silent(t)
				judge.Equal(t, "the listed merge request", *one, read.BasicMergeRequest)
			}
			judge.Equal(t, "merge requests", got, test.want)
		})
	}
}

func TestMergeStatus(t *testing.T) {
	m := newMerging(t)
	for _, test := range []struct {
		said      map[string]any
		want      string
		conflicts bool
	}{
		{map[string]any{"merge_status": "checking"}, "checking", false},
		{map[string]any{"merge_status": "cannot_be_merged"}, "conflict", true},
		{map[string]any{"merge_status": "cannot_be_merged_recheck"}, "checking", false},
		{map[string]any{"merge_status": "can_be_merged"}, "mergeable", false},
		{map[string]any{"blocking_reason": "not_approved"}, "not_approved", false},
	} {
		m.report(t, test.said)
		got := m.get(t)
		judge.Equal(t, fmt.Sprint("detailed_merge_status after ", test.said), got.DetailedMergeStatus, test.want)
		judge.Equal(t, fmt.Sprint("has_conflicts after ", test.said), got.HasConflicts, test.conflicts)
	}
}

func TestChangedMergeRequest(t *testing.T) {
	m := newMerging(t)
	got := m.update(t, gitlab.UpdateMergeRequestOptions{
		Title: gitlab.Ptr("Draft: faster start"), TargetBranch: gitlab.Ptr("release"), Labels: &gitlab.LabelOptions{"slow"},
		AssigneeID: &m.by.ID, DiscussionLocked: gitlab.Ptr(true),
	})
	judge.Equal(t, "draft", got.Draft, true)
	judge.Equal(t, "detailed_merge_status of a draft", got.DetailedMergeStatus, "draft_status")
	judge.Equal(t, "target_branch", got.TargetBranch, "release")
	judge.Equal(t, "assignees", got.Assignees, []*gitlab.BasicUser{basic(m.by)})
	judge.Equal(t, "discussion_locked", got.DiscussionLocked, true)
	got = m.update(t, gitlab.UpdateMergeRequestOptions{
		AddLabels: &gitlab.LabelOptions{"start"}, RemoveLabels: &gitlab.LabelOptions{"slow"}, AssigneeIDs: &[]int{0},
	})
	judge.Equal(t, "labels", got.Labels, gitlab.Labels{"start"})
	judge.Equal(t, "assignees that are left", got.Assignees, []*gitlab.BasicUser{})
	got = m.update(t, gitlab.UpdateMergeRequestOptions{StateEvent: gitlab.Ptr("close")})
	judge.Equal(t, "state when closed", got.State, "closed")
	judge.Equal(t, "detailed_merge_status when closed", got.DetailedMergeStatus, "not_open")
	judge.Equal(t, "closed_by", got.ClosedBy, basic(m.by))
	if got.ClosedAt == nil {
		t.Error("the closed merge request has no closed_at")
	}
	got = m.update(t, gitlab.UpdateMergeRequestOptions{StateEvent: gitlab.Ptr("reopen")})
	judge.Equal(t, "state when reopened", got.State, "opened")
	judge.Equal(t, "closed_at when reopened", got.ClosedAt, nil)
}

func TestMerge(t *testing.T) {
	m := newMerging(t)
	admin := whoami(t, m.admin)
	sha, merged := strings.Repeat("c0ffee00", 5), strings.Repeat("decade00", 5)
	accept := func(auto bool) judge.Answer[*gitlab.MergeRequest] {
		return call(m.admin.MergeRequests.AcceptMergeRequest(m.project.ID, m.iid, &gitlab.AcceptMergeRequestOptions{
			MergeWhenPipelineSucceeds: &auto, Squash: gitlab.Ptr(true), ShouldRemoveSourceBranch: gitlab.Ptr(true), SHA: &sha,
		}))
	}
	accept(false).Refused(t, "405")
	m.report(t, map[string]any{"sha": sha, "merge_status": "can_be_merged", "blocking_reason": "ci_still_running"})
	got := accept(true).Silent(t)
	judge.Equal(t, "merge_when_pipeline_succeeds", got.MergeWhenPipelineSucceeds, true)
	judge.Equal(t, "merged_by before the merge", got.MergedBy, nil)
	judge.Equal(t, "merge_user before the merge", got.MergeUser, admin)

	m.report(t, map[string]any{"blocking_reason": nil})
	got = accept(false).Silent(t)
	judge.Equal(t, "state", got.State, "merged")
	judge.Equal(t, "detailed_merge_status", got.DetailedMergeStatus, "not_open")
	judge.Equal(t, "merged_by", got.MergedBy, admin)
	judge.Equal(t, "merge_user", got.MergeUser, admin)
	judge.Equal(t, "merge_when_pipeline_succeeds", got.MergeWhenPipelineSucceeds, false)
	if got.MergedAt == nil {
		t.Error("the merge request has no merged_at")
	}
	m.report(t, map[string]any{"merge_commit_sha": merged})
	got = m.get(t)
	judge.Equal(t, "the commits", []string{got.SHA, got.MergeCommitSHA, got.SquashCommitSHA}, []string{sha, merged, ""})
	listed := call(m.author.MergeRequests.ListProjectMergeRequests(m.project.ID, &gitlab.ListProjectMergeRequestsOptions{State: gitlab.Ptr("merged")})).Silent(t)
	judge.Equal(t, "the listed merge requests", listed, []*gitlab.BasicMergeRequest{&got.BasicMergeRequest})
}

func TestChanges(t *testing.T) {
	m := newMerging(t)
	m.report(t, map[string]any{"overflow": true, "diffs": []map[string]any{
		{"old_path": "a.go", "new_path": "b.go", "a_mode": "100644", "b_mode": "100755", "diff": "@@ -1 +1 @@", "renamed_file": true},
		{"old_path": "c.go", "new_path": "c.go", "a_mode": "0", "b_mode": "100644", "diff": "@@ -0,0 +1 @@", "new_file": true},
	}})
	successor := fmt.Sprintf("/projects/%d/merge_requests/%d/diffs", m.project.ID, m.iid)
	changes := call(m.admin.MergeRequests.GetMergeRequestChanges(m.project.ID, m.iid, &gitlab.GetMergeRequestChangesOptions{Unidiff: gitlab.Ptr(true)}))
	want := m.get(t)
	want.ChangesCount = "2+"
	judge.Equal(t, "the merge request with its changes", changes.Moved(t, "merge-request-changes", successor), want)

	var pages [][]*gitlab.MergeRequestDiff
	for page := 1; page != 0; {
		options := &gitlab.ListMergeRequestDiffsOptions{ListOptions: gitlab.ListOptions{Page: page, PerPage: 1}, Unidiff: gitlab.Ptr(true)}
		diffs, answer, err := m.admin.MergeRequests.ListMergeRequestDiffs(m.project.ID, m.iid, options)
		pages = append(pages, call(diffs, answer, err).Silent(t))
		judge.Equal(t, "diffs in all", answer.TotalItems, 2)
		page = answer.NextPage
	}
	judge.Equal(t, "diffs", pages, [][]*gitlab.MergeRequestDiff{
		{{OldPath: "a.go", NewPath: "b.go", AMode: "100644", BMode: "100755", Diff: "@@ -1 +1 @@", RenamedFile: true}},
		{{OldPath: "c.go", NewPath: "c.go", AMode: "0", BMode: "100644", Diff: "@@ -0,0 +1 @@", NewFile: true}},
	})
}
