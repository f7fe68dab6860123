package clientgo

import (
	"fmt"
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

func TestMergeRequest(t *testing.T) {
	m := newMerging(t)
	got := m.get(t)
	if got.ID == 0 || got.CreatedAt == nil || got.UpdatedAt == nil {
		t.Errorf("the merge request has the id %d, and was made at %v and changed at %v", got.ID, got.CreatedAt, got.UpdatedAt)
	}
	judge.Equal(t, "the merge request", got, &gitlab.MergeRequest{BasicMergeRequest: gitlab.BasicMergeRequest{
		ID: got.ID, IID: 1, ProjectID: m.project.ID, SourceProjectID: m.project.ID, TargetProjectID: m.project.ID,
		Title: "Faster start", Description: "It starts late.", SourceBranch: "fast", TargetBranch: "main",
		State: "opened", DetailedMergeStatus: "unchecked", Author: basic(m.by), CreatedAt: got.CreatedAt, UpdatedAt: got.UpdatedAt,
	}})
}

func TestMergeRequestLists(t *testing.T) {
	m := newMerging(t)
	tests := map[string]struct {
		options gitlab.ListProjectMergeRequestsOptions
		want    int
	}{
		"all":         {gitlab.ListProjectMergeRequestsOptions{Scope: gitlab.Ptr("all")}, 1},
		"opened":      {gitlab.ListProjectMergeRequestsOptions{State: gitlab.Ptr("opened")}, 1},
		"merged":      {gitlab.ListProjectMergeRequestsOptions{State: gitlab.Ptr("merged")}, 0},
		"author":      {gitlab.ListProjectMergeRequestsOptions{AuthorID: &m.by.ID, AuthorUsername: &m.by.Username}, 1},
		"others":      {gitlab.ListProjectMergeRequestsOptions{AuthorUsername: gitlab.Ptr("nobody")}, 0},
		"branches":    {gitlab.ListProjectMergeRequestsOptions{SourceBranch: gitlab.Ptr("fast"), TargetBranch: gitlab.Ptr("main")}, 1},
		"numbers":     {gitlab.ListProjectMergeRequestsOptions{IIDs: &[]int{1, 7}}, 1},
		"search":      {gitlab.ListProjectMergeRequestsOptions{Search: gitlab.Ptr("STARTS")}, 1},
		"check again": {gitlab.ListProjectMergeRequestsOptions{WithMergeStatusRecheck: gitlab.Ptr(true)}, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			listed := call(m.admin.MergeRequests.ListProjectMergeRequests(m.project.PathWithNamespace, &test.options)).Silent(t)
			judge.Equal(t, "merge requests", len(listed), test.want)
			for _, one := range listed {
				judge.Equal(t, "the listed merge request", *one, m.get(t).BasicMergeRequest)
			}
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
	got := m.update(t, gitlab.UpdateMergeRequestOptions{Title: gitlab.Ptr("Draft: faster start"), TargetBranch: gitlab.Ptr("release")})
	judge.Equal(t, "draft", got.Draft, true)
	judge.Equal(t, "detailed_merge_status of a draft", got.DetailedMergeStatus, "draft_status")
	judge.Equal(t, "target_branch", got.TargetBranch, "release")
	got = m.update(t, gitlab.UpdateMergeRequestOptions{StateEvent: gitlab.Ptr("close")})
	judge.Equal(t, "state when closed", got.State, "closed")
	judge.Equal(t, "detailed_merge_status when closed", got.DetailedMergeStatus, "not_open")
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
	accept := func(auto bool) judge.Answer[*gitlab.MergeRequest] {
		return call(m.admin.MergeRequests.AcceptMergeRequest(m.project.ID, m.iid, &gitlab.AcceptMergeRequestOptions{
			MergeWhenPipelineSucceeds: &auto, Squash: gitlab.Ptr(true), ShouldRemoveSourceBranch: gitlab.Ptr(true),
		}))
	}
	accept(false).Refused(t, "405")
	m.report(t, map[string]any{"merge_status": "can_be_merged", "blocking_reason": "ci_still_running"})
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
	judge.Equal(t, "the merge request with its changes", changes.Moved(t, "merge-request-changes", successor), m.get(t))

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
