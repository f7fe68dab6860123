// Package gogitlab reads with go-gitlab, the predecessor of client-go, what client-go
// no longer reads of merge requests: merge_status, changes and overflow.
package gogitlab

import (
	"fmt"
	"net/http"
	"testing"

	"gatehouse/scripts/clients/old/judge"

	"github.com/xanzy/go-gitlab"
)

// merging is a merge request and a client of the administrator, who made it.
type merging struct {
	git          *gitlab.Client
	project, iid int
}

func newMerging(t *testing.T) merging {
	t.Helper()
	base, token := judge.Server(t)
	git, err := gitlab.NewClient(token, gitlab.WithBaseURL(base), gitlab.WithoutRetries())
	if err != nil {
		t.Fatal(err)
	}
	project := call(git.Projects.CreateProject(&gitlab.CreateProjectOptions{Name: gitlab.Ptr(judge.Unique("shop"))})).Silent(t)
	made := call(git.MergeRequests.CreateMergeRequest(project.ID, &gitlab.CreateMergeRequestOptions{
		Title: gitlab.Ptr("Faster start"), SourceBranch: gitlab.Ptr("fast"), TargetBranch: gitlab.Ptr("main"),
	})).Silent(t)
	return merging{git, project.ID, made.IID}
}

// call takes what a call of the client returned.
func call[T any](value T, r *gitlab.Response, err error) judge.Answer[T] {
	answer := judge.Answer[T]{Value: value, Err: err}
	if r != nil {
		answer.Header = r.Header
	}
	return answer
}

// report has the platform say something of the merge request, and returns what it is
// then.
func (m merging) report(t *testing.T, said map[string]any) *gitlab.MergeRequest {
	t.Helper()
	r, err := m.git.NewRequest(http.MethodPut, fmt.Sprintf("projects/%d/merge_requests/%d/platform_state", m.project, m.iid), said, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.git.Do(r, nil); err != nil {
		t.Fatal(err)
	}
	return call(m.git.MergeRequests.GetMergeRequest(m.project, m.iid, nil)).Silent(t)
}

func TestMergeStatus(t *testing.T) {
	m := newMerging(t)
	for status, detailed := range map[string]string{
		"unchecked": "unchecked", "checking": "checking", "can_be_merged": "mergeable",
		"cannot_be_merged": "conflict", "cannot_be_merged_recheck": "checking",
	} {
		got := m.report(t, map[string]any{"merge_status": status})
		judge.Equal(t, "merge_status", got.MergeStatus, status)
		judge.Equal(t, "detailed_merge_status of "+status, got.DetailedMergeStatus, detailed)
		judge.Equal(t, "has_conflicts of "+status, got.HasConflicts, status == "cannot_be_merged")
	}
}

func TestMerge(t *testing.T) {
	m := newMerging(t)
	m.report(t, map[string]any{"merge_status": "can_be_merged"})
	merged := call(m.git.MergeRequests.AcceptMergeRequest(m.project, m.iid, &gitlab.AcceptMergeRequestOptions{})).Silent(t)
	judge.Equal(t, "merged_by", merged.MergedBy, merged.Author)
	judge.Equal(t, "state", merged.State, "merged")
	merged.User.CanMerge = false // which lists do not say
	listed := call(m.git.MergeRequests.ListProjectMergeRequests(m.project, nil)).Silent(t)
	judge.Equal(t, "the listed merge requests", listed, []*gitlab.MergeRequest{merged})
}

func TestChanges(t *testing.T) {
	m := newMerging(t)
	want := m.report(t, map[string]any{"overflow": true, "diffs": []map[string]any{
		{"old_path": "a.go", "new_path": "b.go", "a_mode": "100644", "b_mode": "100755", "diff": "@@ -1 +1 @@", "renamed_file": true},
	}})
	want.Overflow, want.ChangesCount, want.Changes = true, "1+", []*gitlab.MergeRequestDiff{
		{OldPath: "a.go", NewPath: "b.go", AMode: "100644", BMode: "100755", Diff: "@@ -1 +1 @@", RenamedFile: true},
	}
	got := call(m.git.MergeRequests.GetMergeRequestChanges(m.project, m.iid, nil))
	successor := fmt.Sprintf("/projects/%d/merge_requests/%d/diffs", m.project, m.iid)
	judge.Equal(t, "the merge request with its changes", got.Moved(t, "merge-request-changes", successor), want)
}
