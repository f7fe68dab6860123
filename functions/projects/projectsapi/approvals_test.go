package projectsapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"gatehouse/functions/projects/projectsapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// approvalAPI makes calls about a project acme/web that ada owns.
type approvalAPI struct {
	*apptest.App
	handler http.Handler
	ada     user.User
	acme    project.Group
	web     project.Project
	token   string
}

func newApprovalAPI(t *testing.T) approvalAPI {
	t.Helper()
	a := apptest.New(t)
	ada := a.User("ada")
	acme := a.Group("acme", project.Group{}, ada, project.Private)
	return approvalAPI{a, projectsapi.New(a.App), ada, acme, a.Project("web", acme, project.Private), a.Token(ada)}
}

func (a approvalAPI) call(t *testing.T, method, path string, params any) apptest.Answer {
	t.Helper()
	return apptest.Call(t, a.handler, method, projects+"/acme%2Fweb"+path, a.token, params)
}

const (
	flat   = "/approvals"
	single = "/merge_request_approval_setting"
	old    = "require_password_to_approve"
	next   = "require_reauthentication_to_approve"
)

// flatBody is what GET approvals answers in a new project, with changes.
func flatBody(changes object) object {
	return with(object{
		"approvers": []any{}, "approver_groups": []any{}, "approval_groups": []any{}, "approvals_before_merge": 0., "reset_approvals_on_push": true,
		"selective_code_owner_removals": false, "disable_overriding_approvers_per_merge_request": false, "merge_requests_author_approval": false,
		"merge_requests_disable_committers_approval": false, old: false, next: false,
	}, changes)
}

// singleBody is the other form.
func singleBody(changes object) object {
	body := with(object{
		"allow_author_approval": false, "allow_committer_approval": true, "allow_overrides_to_approver_list_per_merge_request": true,
		"retain_approvals_on_push": false, "selective_code_owner_removals": false, old: false, next: false,
	}, changes)
	for name, value := range body {
		body[name] = object{"value": value, "locked": false, "inherited_from": nil}
	}
	return body
}

func with(body, changes object) object {
	for name, value := range changes {
		body[name] = value
	}
	return body
}

// What is written through one form is read through the other.
func TestApprovalSettings(t *testing.T) {
	a := newApprovalAPI(t)
	inFlat, inSingle := object{}, object{}
	want := func() {
		t.Helper()
		a.call(t, "GET", flat, nil).Want(t, 200, flatBody(inFlat))
		a.call(t, "GET", single, nil).Want(t, 200, singleBody(inSingle))
	}
	want()
	for _, step := range []struct{ send, flat, single object }{
		{object{"approvals_before_merge": 2}, object{"approvals_before_merge": 2.}, nil},
		{object{"reset_approvals_on_push": false}, object{"reset_approvals_on_push": false}, object{"retain_approvals_on_push": true}},
		{object{"selective_code_owner_removals": true}, object{"selective_code_owner_removals": true}, object{"selective_code_owner_removals": true}},
		{object{"disable_overriding_approvers_per_merge_request": true}, object{"disable_overriding_approvers_per_merge_request": true},
			object{"allow_overrides_to_approver_list_per_merge_request": false}},
		{object{"merge_requests_author_approval": true}, object{"merge_requests_author_approval": true}, object{"allow_author_approval": true}},
		{object{"merge_requests_disable_committers_approval": true}, object{"merge_requests_disable_committers_approval": true}, object{"allow_committer_approval": false}},
		{object{"merge_requests_author_approval": nil}, object{"merge_requests_author_approval": false}, object{"allow_author_approval": false}},
	} {
		inFlat, inSingle = with(inFlat, step.flat), with(inSingle, step.single)
		a.call(t, "POST", flat, step.send).Want(t, 201, flatBody(inFlat))
		want()
	}
	for _, step := range []struct{ send, flat object }{
		{object{"selective_code_owner_removals": false}, object{"selective_code_owner_removals": false}},
		{object{"retain_approvals_on_push": false}, object{"reset_approvals_on_push": true}},
		{object{"allow_overrides_to_approver_list_per_merge_request": true}, object{"disable_overriding_approvers_per_merge_request": false}},
		{object{"allow_author_approval": true}, object{"merge_requests_author_approval": true}},
		{object{"allow_committer_approval": true}, object{"merge_requests_disable_committers_approval": false}},
		{object{"allow_committer_approval": nil}, object{"merge_requests_disable_committers_approval": true}},
	} {
		inFlat, inSingle = with(inFlat, step.flat), with(inSingle, step.send)
		if inSingle["allow_committer_approval"] == nil {
			inSingle["allow_committer_approval"] = false
		}
		a.call(t, "PUT", single, step.send).Want(t, 200, singleBody(inSingle))
		want()
	}
}

// The old and the new name are one fact in both forms, and the new one counts.
func TestReauthenticationHasTwoNames(t *testing.T) {
	a := newApprovalAPI(t)
	forms := []struct {
		method, path string
		status       int
		body         func(object) object
	}{{"POST", flat, 201, flatBody}, {"PUT", single, 200, singleBody}}
	for n, form := range forms {
		other := forms[1-n]
		for _, test := range []struct {
			send object
			want bool
		}{
			{object{old: true}, true},
			{object{old: false}, false},
			{object{next: true}, true},
			{object{next: false}, false},
			{object{old: false, next: true}, true},
			{object{old: true, next: false}, false},
			{object{old: "yes"}, true},
			{object{old: nil}, false},
			{object{next: 1}, true},
			{object{next: nil}, false},
			{object{old: true, next: nil}, false}, // null is false
		} {
			want := object{old: test.want, next: test.want}
			answer := a.call(t, form.method, form.path, test.send)
			answer.Want(t, form.status, form.body(want))
			a.call(t, "GET", other.path, nil).Want(t, 200, other.body(want))
			_, deprecated := test.send[old]
			if told := answer.Header.Get("Deprecation") == "@1707955200"; told != deprecated {
				t.Errorf("%s %v: the header Deprecation is %q", form.path, test.send, answer.Header.Get("Deprecation"))
			}
		}
		for _, name := range []string{old, next} {
			for _, wrong := range []any{"x", "", 7, []any{}, object{"value": true}} {
				a.call(t, form.method, form.path, object{name: wrong}).WantError(t, 400, name+" is invalid")
			}
		}
		a.call(t, form.method, form.path, object{old: "x", next: true}).WantError(t, 400, old+" is invalid")
	}
}

func TestApprovalsInThePreview(t *testing.T) {
	a := newApprovalAPI(t)
	preview := func(method, path, body string) apptest.Answer {
		t.Helper()
		return apptest.Preview(t, a.handler, method, projects+"/acme%2Fweb"+path, a.token, json.RawMessage(body))
	}
	without := func(body object, names ...string) object {
		for _, name := range names {
			delete(body, name)
		}
		return body
	}
	for _, body := range []string{`{"require_password_to_approve":true}`, `{"require_password_to_approve":null,"require_reauthentication_to_approve":true}`} {
		const complaint = "require_password_to_approve is deprecated: send require_reauthentication_to_approve"
		preview("POST", flat, body).WantError(t, 400, complaint)
		preview("PUT", single, body).WantError(t, 400, complaint)
	}
	empty := []string{"approvers", "approver_groups", "approval_groups", old}
	preview("GET", flat, "").Want(t, 200, without(flatBody(nil), empty...))
	preview("POST", flat, `{"require_reauthentication_to_approve":true}`).Want(t, 201, without(flatBody(object{next: true}), empty...))
	preview("GET", single, "").Want(t, 200, without(singleBody(object{next: true}), old))
	preview("PUT", single, `{"require_reauthentication_to_approve":false}`).Want(t, 200, without(singleBody(nil), old))
}

func TestApprovalSettingsThatAreRefused(t *testing.T) {
	a := newApprovalAPI(t)
	const contradiction = "cannot be true while every push resets all approvals"
	field := func(name, complaint string) object { return object{"message": object{name: []any{complaint}}} }
	for _, test := range []struct {
		path         string
		params, want object
	}{
		{flat, object{}, object{"error": "approvals_before_merge, reset_approvals_on_push, selective_code_owner_removals, disable_overriding_approvers_per_merge_request, " +
			"merge_requests_author_approval, merge_requests_disable_committers_approval, require_password_to_approve, require_reauthentication_to_approve" +
			" are missing, at least one parameter must be provided"}},
		{flat, object{"approvals_before_merge": "x", "reset_approvals_on_push": "x"}, object{"error": "approvals_before_merge is invalid, reset_approvals_on_push is invalid"}},
		{flat, object{"approvals_before_merge": 101}, field("approvals_before_merge", "must be between 0 and 100")},
		{flat, object{"selective_code_owner_removals": true}, field("selective_code_owner_removals", contradiction)},
		{single, object{"approvals_before_merge": 1}, object{"error": "allow_author_approval, allow_committer_approval, allow_overrides_to_approver_list_per_merge_request, " +
			"retain_approvals_on_push, selective_code_owner_removals, require_password_to_approve, require_reauthentication_to_approve" +
			" are missing, at least one parameter must be provided"}},
		{single, object{"allow_author_approval": "x", "allow_committer_approval": 2}, object{"error": "allow_author_approval is invalid, allow_committer_approval is invalid"}},
		{single, object{"selective_code_owner_removals": true}, field("selective_code_owner_removals", contradiction)},
	} {
		method := map[string]string{flat: "POST", single: "PUT"}[test.path]
		a.call(t, method, test.path, test.params).Want(t, 400, test.want)
	}
	a.call(t, "GET", flat, nil).Want(t, 200, flatBody(nil))
}

func (a approvalAPI) group() object {
	return object{
		"id": float64(a.acme.ID), "name": a.acme.Name, "path": "acme", "full_path": "acme", "parent_id": nil, "visibility": "private",
		"web_url": apptest.BaseURL + "/console/groups/acme",
	}
}

func ruleObject(changes object) object {
	return with(object{
		"id": 1., "name": "Security", "rule_type": "regular", "report_type": nil, "eligible_approvers": []any{}, "approvals_required": 1., "users": []any{},
		"groups": []any{}, "contains_hidden_groups": false, "applies_to_all_protected_branches": false, "protected_branches": []any{},
	}, changes)
}

func TestApprovalRules(t *testing.T) {
	a := newApprovalAPI(t)
	ben := a.User("ben")
	a.Member(a.web.Place(), ben, project.Reporter)
	const rules = "/approval_rules"
	a.call(t, "GET", rules, nil).Want(t, 200, []any{})
	first := ruleObject(object{"users": []any{person(a.ada), person(ben)}, "eligible_approvers": []any{person(a.ada)}, "protected_branches": []any{object{"id": 7.}}})
	a.call(t, "POST", rules, object{"name": "Security", "approvals_required": 1, "user_ids": []int64{ben.ID, a.ada.ID}, "protected_branch_ids": []int{7}}).Want(t, 201, first)
	second := ruleObject(object{
		"id": 2., "name": "Coverage", "rule_type": "report_approver", "report_type": "code_coverage", "approvals_required": 0., "groups": []any{a.group()},
		"eligible_approvers": []any{person(a.ada)}, "applies_to_all_protected_branches": true,
	})
	a.call(t, "POST", rules, object{
		"name": "Coverage", "rule_type": "report_approver", "report_type": "code_coverage", "approvals_required": 0, "group_ids": fmt.Sprint(a.acme.ID),
		"applies_to_all_protected_branches": true, "protected_branch_ids": []int{7},
	}).Want(t, 201, second)
	third := ruleObject(object{"id": 3., "name": "Everybody", "rule_type": "any_approver"})
	a.call(t, "POST", rules, object{"name": "Everybody", "rule_type": "any_approver", "approvals_required": 1}).Want(t, 201, third)
	a.call(t, "GET", rules, nil).Want(t, 200, []any{first, second, third})
	page := a.call(t, "GET", rules+"?per_page=2&page=2", nil)
	page.Want(t, 200, []any{third})
	if got := page.Header.Get("X-Total"); got != "3" {
		t.Errorf("X-Total is %s, want 3", got)
	}
	a.call(t, "GET", rules+"/2", nil).Want(t, 200, second)

	a.call(t, "PUT", rules+"/1", object{"name": "Safety", "approvals_required": 2}).
		Want(t, 200, with(first, object{"name": "Safety", "approvals_required": 2.}))
	a.call(t, "PUT", rules+"/1", object{"user_ids": []int64{ben.ID}, "group_ids": []int64{a.acme.ID}, "applies_to_all_protected_branches": true}).
		Want(t, 200, with(first, object{
			"users": []any{person(ben)}, "groups": []any{a.group()}, "applies_to_all_protected_branches": true, "protected_branches": []any{},
		}))
	a.call(t, "PUT", rules+"/1", object{"user_ids": nil, "group_ids": []int64{}, "protected_branch_ids": []int64{4}, "applies_to_all_protected_branches": false}).
		Want(t, 200, with(first, object{
			"groups": []any{}, "eligible_approvers": []any{}, "applies_to_all_protected_branches": false, "protected_branches": []any{object{"id": 4.}},
		}))
	a.call(t, "PUT", rules+"/1", nil).Want(t, 200, first)
	a.call(t, "DELETE", rules+"/2", nil).Want(t, 204, nil)
	a.call(t, "GET", rules, nil).Want(t, 200, []any{first, third})
}

func TestApprovalRulesOfAMergeRequest(t *testing.T) {
	a := newApprovalAPI(t)
	ben := a.User("ben")
	a.Member(a.web.Place(), ben, project.Developer)
	a.call(t, "POST", "/merge_requests", fix()).Want(t, 201, nil)
	a.call(t, "POST", "/approval_rules", object{"name": "Other", "approvals_required": 1}).Want(t, 201, nil)
	a.call(t, "POST", "/approval_rules", object{"name": "Security", "approvals_required": 1, "user_ids": []int64{a.ada.ID, ben.ID}}).Want(t, 201, nil)
	const rules = "/merge_requests/1/approval_rules"
	a.call(t, "GET", rules, nil).Want(t, 200, []any{})
	rule := func(changes object) object {
		body := ruleObject(object{"section": nil, "source_rule": nil})
		delete(body, "applies_to_all_protected_branches")
		delete(body, "protected_branches")
		return with(body, changes)
	}
	// ada is the author, whom the settings do not let approve.
	first := rule(object{
		"approvals_required": 2., "users": []any{person(a.ada), person(ben)}, "eligible_approvers": []any{person(ben)},
		"source_rule": object{"id": 2., "name": "Security", "rule_type": "regular", "approvals_required": 1.},
	})
	a.call(t, "POST", rules, object{"approval_project_rule_id": 2, "approvals_required": 2}).Want(t, 201, first)
	second := rule(object{"id": 2., "name": "Mine"})
	a.call(t, "POST", rules, object{"name": "Mine", "approvals_required": 1}).Want(t, 201, second)
	a.call(t, "GET", rules, nil).Want(t, 200, []any{first, second})
	a.call(t, "POST", flat, object{"merge_requests_author_approval": true}).Want(t, 201, nil)
	first["eligible_approvers"] = []any{person(a.ada), person(ben)}
	a.call(t, "GET", rules+"/1", nil).Want(t, 200, first)
	a.call(t, "PUT", rules+"/2", object{"name": "Ours", "group_ids": []int64{a.acme.ID}}).
		Want(t, 200, with(second, object{"name": "Ours", "groups": []any{a.group()}, "eligible_approvers": []any{person(a.ada)}}))
	a.call(t, "DELETE", rules+"/1", nil).Want(t, 204, nil)
	a.call(t, "GET", rules, nil).Want(t, 200, []any{second})

	a.call(t, "POST", flat, object{"disable_overriding_approvers_per_merge_request": true}).Want(t, 201, nil)
	const forbidden = "403 Forbidden - merge requests of this project have no approval rules of their own"
	a.call(t, "POST", rules, object{"name": "x", "approvals_required": 1}).WantMessage(t, 403, forbidden)
	a.call(t, "PUT", rules+"/2", object{"name": "x"}).WantMessage(t, 403, forbidden)
	a.call(t, "DELETE", rules+"/2", nil).WantMessage(t, 403, forbidden)
	a.call(t, "GET", rules, nil).Want(t, 200, []any{second})
}

func TestApprovalRulesThatAreRefused(t *testing.T) {
	a := newApprovalAPI(t)
	boss := a.Admin("boss")
	a.call(t, "POST", "/merge_requests", fix()).Want(t, 201, nil)
	field := func(name, complaint string) object { return object{"message": object{name: []any{complaint}}} }
	for _, rules := range []string{"/approval_rules", "/merge_requests/1/approval_rules"} {
		made := a.call(t, "POST", rules, object{"name": "Security", "approvals_required": 1, "usernames": []string{}})
		made.Want(t, 201, nil)
		a.call(t, "PUT", rules+"/1", object{"name": "Security", "usernames": []string{}}).Want(t, 200, made.Body)
		for _, test := range []struct{ params, want object }{
			{object{}, object{"error": "name is missing, approvals_required is missing"}},
			{object{"name": "x", "approvals_required": nil}, object{"error": "approvals_required is empty"}},
			{object{"name": []int{1}, "approvals_required": "x", "user_ids": "x", "group_ids": object{}},
				object{"error": "name is invalid, approvals_required is invalid, user_ids is invalid, group_ids is invalid"}},
			{object{"name": "x", "approvals_required": 1, "usernames": []string{"ada"}}, object{"error": "usernames is not supported, send user_ids"}},
			{object{"name": "", "approvals_required": 1}, field("name", "can't be blank")},
			{object{"name": "Security", "approvals_required": 1}, field("name", "has already been taken")},
			{object{"name": "x", "approvals_required": 101}, field("approvals_required", "must be between 0 and 100")},
			{object{"name": "x", "approvals_required": 1, "user_ids": []int{99}}, field("user_ids", "has users who are not members of the project")},
			{object{"name": "x", "approvals_required": 1, "user_ids": []int64{boss.ID}}, field("user_ids", "has users who are not members of the project")},
			{object{"name": "x", "approvals_required": 1, "group_ids": []int{99}}, field("group_ids", "has groups that the project is not in")},
		} {
			a.call(t, "POST", rules, test.params).Want(t, 400, test.want)
		}
		a.call(t, "PUT", rules+"/1", object{"name": 7, "approvals_required": "x", "user_ids": true}).WantError(t, 400, "approvals_required is invalid, user_ids is invalid")
		a.call(t, "PUT", rules+"/1", object{"name": " "}).Want(t, 400, field("name", "can't be blank"))
		a.call(t, "GET", rules, nil).Want(t, 200, []any{made.Body})
		for _, path := range []string{"/2", "/0", "/x"} {
			for _, method := range []string{"GET", "PUT", "DELETE"} {
				a.call(t, method, rules+path, nil).WantMessage(t, 404, "404 Approval Rule Not Found")
			}
		}
	}
	a.call(t, "POST", "/approval_rules", object{"name": "x", "approvals_required": 1, "rule_type": "code_owner", "report_type": "x", "applies_to_all_protected_branches": 7}).
		WantError(t, 400, "rule_type does not have a valid value, report_type does not have a valid value, applies_to_all_protected_branches is invalid")
	a.call(t, "PUT", "/approval_rules/1", object{"protected_branch_ids": "x", "applies_to_all_protected_branches": "x"}).
		WantError(t, 400, "protected_branch_ids is invalid, applies_to_all_protected_branches is invalid")
	a.call(t, "POST", "/merge_requests/1/approval_rules", object{"approval_project_rule_id": 99, "approvals_required": 1}).
		Want(t, 400, field("approval_project_rule_id", "does not exist"))
	a.call(t, "GET", "/merge_requests/2/approval_rules", nil).WantMessage(t, 404, "404 Merge Request Not Found")
}
