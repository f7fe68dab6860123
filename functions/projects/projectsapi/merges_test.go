package projectsapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions/projects/projectsapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// mergeAPI makes calls about the merge requests of a project that ada owns.
type mergeAPI struct {
	*apptest.App
	handler http.Handler
	ada     user.User
	token   string
}

func newMergeAPI(t *testing.T) mergeAPI {
	t.Helper()
	a := apptest.New(t)
	ada := a.User("ada")
	a.Project("web", a.Namespace(ada), project.Private)
	return mergeAPI{a, projectsapi.New(a.App), ada, a.Token(ada)}
}

func (m mergeAPI) call(t *testing.T, method, path string, params any) apptest.Answer {
	t.Helper()
	return apptest.Call(t, m.handler, method, projects+"/ada%2Fweb/merge_requests"+path, m.token, params)
}

// fix is a merge request that can be made.
func fix() object {
	return object{"source_branch": "fix", "target_branch": "main", "title": "Fix it", "description": "all of it"}
}

// add makes a merge request, and has the platform say that it can be merged.
func (m mergeAPI) add(t *testing.T, params object) string {
	t.Helper()
	made := m.call(t, "POST", "", params)
	made.Want(t, 201, nil)
	path := fmt.Sprintf("/%v", made.Object(t)["iid"])
	m.call(t, "PUT", path+"/platform_state", object{"merge_status": "can_be_merged"}).Want(t, 200, nil)
	return path
}

func person(u user.User) object {
	return object{
		"id": float64(u.ID), "username": u.Username, "name": u.Name, "state": "active", "avatar_url": nil,
		"web_url": apptest.BaseURL + "/users/" + u.Username,
	}
}

// listed is the body of a merge request in a list.
func (m mergeAPI) listed(changes object) object {
	body := m.body(changes)
	for _, name := range []string{"user", "changes_count", "pipeline", "head_pipeline", "diff_refs"} {
		delete(body, name)
	}
	return body
}

func (m mergeAPI) body(changes object) object {
	now := m.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	body := object{
		"id": 1., "iid": 1., "project_id": 1., "source_project_id": 1., "target_project_id": 1., "title": "Fix it", "description": "all of it",
		"state": "opened", "draft": false, "source_branch": "fix", "target_branch": "main", "author": person(m.ada), "merged_by": nil,
		"merge_user": nil, "merge_status": "unchecked", "detailed_merge_status": "unchecked", "has_conflicts": false,
		"merge_when_pipeline_succeeds": false, "created_at": now, "updated_at": now, "merged_at": nil, "closed_at": nil,
		"work_in_progress": false, "assignee": nil, "assignees": []any{}, "reviewers": []any{}, "labels": []any{}, "closed_by": nil,
		"blocking_discussions_resolved": true, "sha": nil, "merge_commit_sha": nil, "squash_commit_sha": nil, "squash": false, "squash_on_merge": false,
		"force_remove_source_branch": false, "allow_collaboration": false, "allow_maintainer_to_push": false, "discussion_locked": false,
		"task_completion_status": object{"count": 0., "completed_count": 0.}, "milestone": nil, "user_notes_count": 0., "upvotes": 0., "downvotes": 0.,
		"time_stats": object{"time_estimate": 0., "total_time_spent": 0., "human_time_estimate": nil, "human_total_time_spent": nil},
		"user":       object{"can_merge": true}, "changes_count": nil, "pipeline": nil, "head_pipeline": nil, "diff_refs": nil,
	}
	for name, value := range changes {
		body[name] = value
	}
	short := fmt.Sprint("!", body["iid"])
	body["references"] = object{"short": short, "relative": short, "full": "ada/web" + short}
	body["web_url"] = fmt.Sprintf("%s/ada/web/-/merge_requests/%v", apptest.BaseURL, body["iid"])
	body["work_in_progress"] = body["draft"]
	return body
}

func TestMergeRequests(t *testing.T) {
	m := newMergeAPI(t)
	now := m.body(nil)["created_at"]
	m.call(t, "GET", "", nil).Want(t, 200, []any{})
	m.call(t, "POST", "", fix()).Want(t, 201, m.body(nil))
	m.call(t, "GET", "/1", nil).Want(t, 200, m.body(nil))
	m.call(t, "GET", "", nil).Want(t, 200, []any{m.listed(nil)})
	m.call(t, "POST", "", fix()).WantMessage(t, 409, "409 Conflict - another open merge request has these branches")

	want := object{"title": "[draft] Fix", "draft": true, "detailed_merge_status": "draft_status", "target_branch": "next", "description": ""}
	m.call(t, "PUT", "/1", object{"title": "[draft] Fix", "target_branch": "next", "description": ""}).Want(t, 200, m.body(want))
	want["state"], want["closed_at"], want["closed_by"], want["detailed_merge_status"] = "closed", now, person(m.ada), "not_open"
	for range 2 {
		m.call(t, "PUT", "/1", object{"state_event": "close"}).Want(t, 200, m.body(want))
	}
	second := m.add(t, object{"source_branch": "fix", "target_branch": "next", "title": "Again"})
	m.call(t, "PUT", "/1", object{"state_event": "reopen"}).Want(t, 409, nil)
	m.call(t, "PUT", second, object{"state_event": "close"}).Want(t, 200, nil)
	want["state"], want["closed_at"], want["closed_by"], want["detailed_merge_status"] = "opened", nil, nil, "draft_status"
	m.call(t, "PUT", "/1", object{"state_event": "reopen"}).Want(t, 200, m.body(want))
}

// The order of the reasons is the specification's.
func TestDetailedMergeStatus(t *testing.T) {
	m := newMergeAPI(t)
	m.call(t, "POST", "", fix()).Want(t, 201, nil)
	tests := []struct {
		report object
		want   string
	}{
		{object{"blocking_reason": "not_approved"}, "unchecked"},
		{object{"merge_status": "checking"}, "checking"},
		{object{"merge_status": "cannot_be_merged_recheck"}, "checking"},
		{object{"merge_status": "cannot_be_merged"}, "conflict"},
		{object{"merge_status": "can_be_merged"}, "not_approved"},
		{object{"blocking_reason": "ci_must_pass"}, "ci_must_pass"},
		{object{"blocking_reason": nil}, "mergeable"},
		{object{"merge_status": nil}, "mergeable"},
		{object{}, "mergeable"},
	}
	for _, test := range tests {
		got := m.call(t, "PUT", "/1/platform_state", test.report).Object(t)
		if got["detailed_merge_status"] != test.want || got["has_conflicts"] != (test.want == "conflict") {
			t.Errorf("%v: the detailed status is %v with conflicts %v, want %s", test.report, got["detailed_merge_status"], got["has_conflicts"], test.want)
		}
	}
	if got := m.call(t, "PUT", "/1", object{"target_branch": "next"}).Object(t)["detailed_merge_status"]; got != "unchecked" {
		t.Errorf("with another target branch the detailed status is %v, want unchecked", got)
	}
}

// Who merged it is in both fields afterwards, and who set it to be merged only in one
// before.
func TestMerge(t *testing.T) {
	m := newMergeAPI(t)
	now := m.body(nil)["created_at"]
	merged := object{"state": "merged", "merged_at": now, "merge_status": "can_be_merged", "detailed_merge_status": "not_open", "merged_by": person(m.ada), "merge_user": person(m.ada)}
	first := m.add(t, fix())
	m.call(t, "PUT", first+"/merge", nil).Want(t, 200, m.body(merged))
	m.call(t, "GET", first, nil).Want(t, 200, m.body(merged))
	m.call(t, "PUT", first+"/merge", nil).WantMessage(t, 405, "405 Method Not Allowed")
	m.call(t, "PUT", first, object{"state_event": "close"}).Want(t, 200, m.body(merged))

	second := m.add(t, fix())
	m.call(t, "PUT", second+"/platform_state", object{"blocking_reason": "ci_still_running"}).Want(t, 200, nil)
	m.call(t, "PUT", second+"/merge", nil).Want(t, 405, nil)
	waiting := object{"id": 2., "iid": 2., "merge_status": "can_be_merged", "detailed_merge_status": "ci_still_running", "merge_user": person(m.ada), "merge_when_pipeline_succeeds": true}
	m.call(t, "PUT", second+"/merge", object{"merge_when_pipeline_succeeds": true}).Want(t, 200, m.body(waiting))
	m.call(t, "PUT", second+"/platform_state", object{"blocking_reason": ""}).Want(t, 200, nil)
	boss := m
	boss.token = m.Token(m.Admin("boss"))
	merged["id"], merged["iid"] = 2., 2.
	boss.call(t, "PUT", second+"/merge", nil).Want(t, 200, m.body(merged))

	third := m.add(t, fix())
	m.call(t, "PUT", third+"/platform_state", object{"merge_status": "cannot_be_merged"}).Want(t, 200, nil)
	m.call(t, "PUT", third+"/merge", object{"auto_merge": true}).WantMessage(t, 422, "422 Unprocessable Entity - the branches conflict")
	m.call(t, "PUT", third, object{"title": "Draft: x"}).Want(t, 200, nil)
	m.call(t, "PUT", third+"/merge", object{"auto_merge": true}).Want(t, 405, nil)
	m.call(t, "PUT", third+"/merge", object{"auto_merge": "x"}).WantError(t, 400, "auto_merge is invalid")
}

func TestMergeRequestChanges(t *testing.T) {
	m := newMergeAPI(t)
	path := m.add(t, fix())
	whole := object{"merge_status": "can_be_merged", "detailed_merge_status": "mergeable", "changes": []any{}, "changes_count": "0", "overflow": false}
	m.call(t, "GET", path+"/changes", nil).Want(t, 200, m.body(whole))
	m.call(t, "GET", path+"/diffs", nil).Want(t, 200, []any{})
	diff := func(name string) object {
		return object{
			"old_path": name, "new_path": name, "a_mode": "100644", "b_mode": "100644", "diff": "@@ -1 +1 @@\n-a\n+b\n", "new_file": false,
			"renamed_file": false, "deleted_file": false, "generated_file": true, "collapsed": false, "too_large": false,
		}
	}
	all := []any{diff("a"), diff("b"), diff("c")}
	m.call(t, "PUT", path+"/platform_state", object{"diffs": all}).Want(t, 200, nil)
	m.call(t, "PUT", path+"/platform_state", object{"overflow": true}).Want(t, 200, nil)
	whole["changes"], whole["changes_count"], whole["overflow"] = all, "3+", true
	m.call(t, "GET", path+"/changes?unidiff=true&access_raw_diffs=true", nil).Want(t, 200, m.body(whole))
	page := m.call(t, "GET", path+"/diffs?per_page=2&page=2", nil)
	page.Want(t, 200, all[2:])
	if got := page.Header.Get("X-Total"); got != "3" {
		t.Errorf("X-Total is %s, want 3", got)
	}
	markup := strings.Repeat("<&>", 50<<10)
	m.call(t, "PUT", path+"/platform_state", object{"diffs": []any{object{"new_path": "a", "diff": markup}}}).Want(t, 200, nil)
	if got := m.call(t, "GET", path+"/diffs", nil).Each(t, "diff"); len(got) != 1 || got[0] != markup {
		t.Error("a diff of 150 KiB of markup came back changed")
	}
	m.call(t, "PUT", path+"/platform_state", object{"diffs": []any{}}).Want(t, 200, nil)
	m.call(t, "GET", path+"/diffs", nil).Want(t, 200, []any{})
	const tooLong = "is too long (maximum is 300 KiB; leave out the rest and set overflow)"
	for _, refusal := range []struct{ report, want object }{
		{object{"diffs": "x"}, object{"message": object{"diffs": []any{"is invalid"}}}},
		{object{"diffs": []any{object{"new_path": 1}}}, object{"message": object{"diffs": []any{"is invalid"}}}},
		{object{"diffs": []any{object{}}}, object{"message": object{"diffs": []any{"needs the paths of each file"}}}},
		{object{"diffs": []any{object{"new_path": "a", "diff": strings.Repeat("x", 300<<10)}}}, object{"message": object{"diffs": []any{tooLong}}}},
		{object{"merge_status": "mergeable", "blocking_reason": "conflict", "overflow": 7},
			object{"error": "merge_status does not have a valid value, blocking_reason does not have a valid value, overflow is invalid"}},
	} {
		m.call(t, "PUT", path+"/platform_state", refusal.report).Want(t, 400, refusal.want)
	}
}

func TestListMergeRequests(t *testing.T) {
	m := newMergeAPI(t)
	m.add(t, fix())
	m.call(t, "PUT", m.add(t, object{"source_branch": "Fix", "target_branch": "main", "title": "Second Thing"}), object{"state_event": "close"}).Want(t, 200, nil)
	ben := m.User("ben")
	if err := m.Store.AddMember(t.Context(), project.Member{Place: project.Place{Kind: project.InProject, ID: 1}, UserID: ben.ID, Role: project.Developer, CreatedAt: m.Now()}); err != nil {
		t.Fatal(err)
	}
	bens := m
	bens.token = m.Token(ben)
	bens.call(t, "POST", "", object{"source_branch": "other", "target_branch": "next", "title": "Third"}).Want(t, 201, nil)
	m.call(t, "PUT", "/1/merge", nil).Want(t, 200, nil)
	for query, want := range map[string][]any{
		"":                                  {3., 2., 1.},
		"?state=all&scope=all":              {3., 2., 1.},
		"?state=opened":                     {3.},
		"?state=closed":                     {2.},
		"?state=merged":                     {1.},
		fmt.Sprint("?author_id=", ben.ID):   {3.},
		"?author_id=0":                      {},
		"?author_username=ADA":              {2., 1.},
		"?author_username=nobody":           {},
		"?author_username=ada&author_id=99": {},
		"?source_branch=fix":                {1.},
		"?target_branch=main&state=closed":  {2.},
		"?search=THING":                     {2.},
		"?search=all+of":                    {1.},
		"?iids[]=1&iids[]=3":                {3., 1.},
		"?per_page=1&page=2":                {2.},
		"?with_merge_status_recheck=true&order_by=created_at&sort=desc": {3., 2., 1.},
	} {
		if diff := cmp.Diff(want, m.call(t, "GET", query, nil).Each(t, "iid")); diff != "" {
			t.Errorf("GET merge_requests%s differs (-want +got):\n%s", query, diff)
		}
	}
	for query, complaint := range map[string]string{
		"?milestone=x": "milestone is not supported", "?state=locked": "state does not have a valid value", "?sort=asc": "sort does not have a valid value",
		"?iids[]=x": "iids is invalid", "?assignee_id=x": "assignee_id is invalid", "?reviewer_id=x": "reviewer_id is invalid", "?wip=x": "wip does not have a valid value", "?draft=x": "draft is invalid", "?with_merge_status_recheck=maybe": "with_merge_status_recheck is invalid", "?author_id=x": "author_id is invalid",
	} {
		m.call(t, "GET", query, nil).WantError(t, 400, complaint)
	}
}

func TestMergeRequestRefusals(t *testing.T) {
	m := newMergeAPI(t)
	field := func(name, complaint string) object { return object{"message": object{name: []any{complaint}}} }
	for _, test := range []struct{ params, want object }{
		{object{}, object{"error": "source_branch is missing, target_branch is missing, title is missing"}},
		{object{"source_branch": "a b", "target_branch": "main", "title": "x"}, field("source_branch", "is not the name of a branch")},
		{object{"source_branch": "main", "target_branch": "main", "title": "x"}, field("source_branch", "must differ from the target branch")},
		{object{"source_branch": "fix", "target_branch": "", "title": "x"}, field("target_branch", "can't be blank")},
		{object{"source_branch": "fix", "target_branch": "main", "title": " "}, field("title", "can't be blank")},
		{object{"source_branch": "fix", "target_branch": "main", "title": "x", "target_project_id": 2}, object{"error": "target_project_id does not have a valid value"}},
		{object{"source_branch": "fix", "target_branch": "main", "title": "x", "description": strings.Repeat("x", 64<<10+1)}, field("description", "is too long (maximum is 65536 bytes)")},
	} {
		m.call(t, "POST", "", test.params).Want(t, 400, test.want)
	}
	m.call(t, "GET", "", nil).Want(t, 200, []any{})
	for _, path := range []string{"/1", "/0", "/x", "/1/changes", "/1/diffs"} {
		m.call(t, "GET", path, nil).WantMessage(t, 404, "404 Merge Request Not Found")
	}
	m.call(t, "POST", "", fix()).Want(t, 201, nil)
	m.call(t, "PUT", "/1", object{"state_event": "merge"}).WantError(t, 400, "state_event does not have a valid value")
	m.call(t, "PUT", "/1", object{"title": ""}).Want(t, 400, field("title", "can't be blank"))
}

// What a deleted user wrote stays.
func TestMergeRequestOfADeletedUser(t *testing.T) {
	m := newMergeAPI(t)
	boss := m
	boss.token = m.Token(m.Admin("boss"))
	gone := m.Admin("gone")
	theirs := m
	theirs.token = m.Token(gone)
	theirs.call(t, "POST", "", fix()).Want(t, 201, nil)
	if err := m.Users.Delete(t.Context(), audit.Setup, gone.ID); err != nil {
		t.Fatal(err)
	}
	boss.call(t, "GET", "/1", nil).Want(t, 200, m.body(object{"author": nil}))
}

// What people say about a merge request beside its text is kept, and lists select by it.
func TestAttributesOfMergeRequests(t *testing.T) {
	m := newMergeAPI(t)
	ben := m.User("ben")
	m.Member(project.Place{Kind: project.InProject, ID: 1}, ben, project.Developer)
	both := []any{person(ben), person(m.ada)}
	want := object{
		"description": "- [ ] a\n* [x] b\n1. [X] c", "task_completion_status": object{"count": 3., "completed_count": 2.}, "assignee": person(ben), "assignees": both,
		"reviewers": []any{person(m.ada)}, "labels": []any{"bug", "needs review"}, "squash": true, "squash_on_merge": true, "force_remove_source_branch": true,
		"allow_collaboration": true, "allow_maintainer_to_push": true,
	}
	m.call(t, "POST", "", with(fix(), object{
		"description": want["description"], "assignee_id": 99, "assignee_ids": []int64{ben.ID, m.ada.ID, ben.ID}, "reviewer_ids": []int64{m.ada.ID},
		"labels": "needs review, bug ,,BUG", "squash": true, "remove_source_branch": true, "allow_collaboration": true,
	})).Want(t, 201, m.body(want))
	m.call(t, "GET", "", nil).Want(t, 200, []any{m.listed(want)})
	for _, step := range []struct{ send, want object }{
		{object{"title": "Fix it"}, nil},
		{object{"assignee_ids": nil, "reviewer_ids": nil, "labels": nil}, nil},
		{object{"assignee_id": m.ada.ID}, object{"assignee": person(m.ada), "assignees": []any{person(m.ada)}}},
		{object{"assignee_id": nil}, object{"assignee": nil, "assignees": []any{}}},
		{object{"assignee_id": ben.ID}, object{"assignee": person(ben), "assignees": []any{person(ben)}}},
		{object{"assignee_id": 0, "reviewer_ids": []int{0}}, object{"assignee": nil, "assignees": []any{}, "reviewers": []any{}}},
		{object{"add_labels": "late,bug", "remove_labels": []string{"Needs Review"}}, object{"labels": []any{"bug", "late"}}},
		{object{"labels": []string{"a b"}, "add_labels": "c"}, object{"labels": []any{"a b", "c"}}},
		{object{"labels": ""}, object{"labels": []any{}}},
		{object{"squash": false, "remove_source_branch": nil, "allow_collaboration": "no", "discussion_locked": true},
			object{"squash": false, "squash_on_merge": false, "force_remove_source_branch": false, "allow_collaboration": false, "allow_maintainer_to_push": false, "discussion_locked": true}},
	} {
		m.call(t, "PUT", "/1", step.send).Want(t, 200, m.body(with(want, step.want)))
	}
	field := func(name, complaint string) object { return object{"message": object{name: []any{complaint}}} }
	const stranger = "has users who are not members of the project"
	boss := m.Admin("boss")
	for _, test := range []struct{ params, want object }{
		{object{"assignee_ids": []int{99}}, field("assignee_ids", stranger)},
		{object{"assignee_id": m.User("eve").ID}, field("assignee_ids", stranger)},
		{object{"assignee_ids": []int64{boss.ID}}, field("assignee_ids", stranger)},
		{object{"reviewer_ids": []int{99}}, field("reviewer_ids", stranger)},
		{object{"reviewer_ids": []int64{boss.ID}}, field("reviewer_ids", stranger)},
		{object{"labels": []string{"a,b"}}, field("labels", "contains a comma")},
		{object{"assignee_id": "x", "assignee_ids": "x", "reviewer_ids": true, "labels": 7.5, "squash": "x", "remove_source_branch": "x", "allow_collaboration": "x"},
			object{"error": "assignee_id is invalid, assignee_ids is invalid, reviewer_ids is invalid, squash is invalid, remove_source_branch is invalid, allow_collaboration is invalid"}},
	} {
		m.call(t, "PUT", "/1", test.params).Want(t, 400, test.want)
		m.call(t, "POST", "", with(object{"source_branch": "x", "target_branch": "main", "title": "x"}, test.params)).Want(t, 400, test.want)
	}
	m.call(t, "PUT", "/1", object{"add_labels": []any{1}, "remove_labels": []any{1}, "discussion_locked": "x"}).
		WantError(t, 400, "add_labels is invalid, remove_labels is invalid, discussion_locked is invalid")
	m.call(t, "GET", "/1", nil).Want(t, 200, m.body(want))
}

func TestListMergeRequestsByAttributes(t *testing.T) {
	m := newMergeAPI(t)
	ben := m.User("ben")
	m.Member(project.Place{Kind: project.InProject, ID: 1}, ben, project.Developer)
	for n, more := range []object{
		{"assignee_ids": []int64{m.ada.ID, ben.ID}, "labels": "bug,late"},
		{"assignee_ids": []int64{ben.ID}, "reviewer_ids": []int64{m.ada.ID}, "labels": "bug"},
		{"title": "Draft: x"},
	} {
		m.call(t, "POST", "", with(object{"source_branch": fmt.Sprint("fix-", n), "target_branch": "main", "title": "x"}, more)).Want(t, 201, nil)
	}
	for query, want := range map[string][]any{
		fmt.Sprint("?assignee_id=", m.ada.ID): {1.},
		fmt.Sprint("?assignee_id=", ben.ID):   {2., 1.},
		"?assignee_id=0":                      {},
		"?assignee_id=None":                   {3.},
		"?assignee_id=any":                    {2., 1.},
		fmt.Sprint("?reviewer_id=", m.ada.ID): {2.},
		"?reviewer_id=None":                   {3., 1.},
		"?labels=BUG":                         {2., 1.},
		"?labels=late,bug":                    {1.},
		"?labels[]=late":                      {1.},
		"?labels=":                            {3., 2., 1.},
		"?wip=yes":                            {3.},
		"?wip=no":                             {2., 1.},
		"?draft=true":                         {3.},
		"?draft=false":                        {2., 1.},
	} {
		if diff := cmp.Diff(want, m.call(t, "GET", query, nil).Each(t, "iid")); diff != "" {
			t.Errorf("GET merge_requests%s differs (-want +got):\n%s", query, diff)
		}
	}
}

func TestCommitsOfMergeRequests(t *testing.T) {
	m := newMergeAPI(t)
	path := m.add(t, fix())
	head, merged := strings.Repeat("a1", 20), strings.Repeat("b2", 32)
	m.call(t, "PUT", path+"/platform_state", object{"sha": "x", "merge_commit_sha": strings.Repeat("a", 41), "squash_commit_sha": "A1"}).Want(t, 400, object{"message": object{
		"sha": []any{"is not the hash of a commit"}, "merge_commit_sha": []any{"is not the hash of a commit"}, "squash_commit_sha": []any{"is not the hash of a commit"},
	}})
	m.call(t, "PUT", path+"/platform_state", object{"sha": 1.5, "diffs": []any{}}).Want(t, 400, nil)
	want := object{"merge_status": "can_be_merged", "detailed_merge_status": "mergeable", "sha": head, "merge_commit_sha": merged, "squash_commit_sha": head}
	m.call(t, "PUT", path+"/platform_state", object{"sha": head, "merge_commit_sha": merged, "squash_commit_sha": head}).Want(t, 200, m.body(want))
	m.call(t, "PUT", path+"/platform_state", object{"merge_commit_sha": "", "squash_commit_sha": nil}).
		Want(t, 200, m.body(with(want, object{"merge_commit_sha": nil, "squash_commit_sha": nil})))
	m.call(t, "PUT", path+"/merge", object{"sha": merged}).WantMessage(t, 409, "409 Conflict - the source branch has another commit by now")
	m.call(t, "PUT", path+"/platform_state", object{"blocking_reason": "discussions_not_resolved"}).
		Want(t, 200, m.body(with(want, object{"detailed_merge_status": "discussions_not_resolved", "blocking_discussions_resolved": false})))
	m.call(t, "PUT", path+"/platform_state", object{"blocking_reason": nil}).Want(t, 200, nil)
	m.call(t, "PUT", path+"/merge", object{"sha": strings.ToUpper(head)}).Want(t, 200, nil)
	m.call(t, "PUT", path+"/merge", object{"sha": merged}).Want(t, 405, nil)
}

// Whoever may merge is told so.
func TestWhoCanMerge(t *testing.T) {
	m := newMergeAPI(t)
	m.call(t, "POST", "", fix()).Want(t, 201, nil)
	ben := m.User("ben")
	m.Member(project.Place{Kind: project.InProject, ID: 1}, ben, project.Developer)
	bens := m
	bens.token = m.Token(ben)
	bens.call(t, "GET", "/1", nil).Want(t, 200, m.body(object{"user": object{"can_merge": false}}))
}
