package projectsapi

import (
	"cmp"
	"net/http"

	"gatehouse/shared/approval"
	"gatehouse/shared/auth"
	"gatehouse/shared/mergerequest"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// routeApprovalRules serves the rules of a project and those of a merge request.
func (a *api) routeApprovalRules(mux *web.Mux) {
	ofProject := ruleFamily[projectRuleBody]{a, readProjectRule, a.newProjectRuleBody}
	ofMerge := ruleFamily[mergeRuleBody]{a, readRule, a.newMergeRuleBody}
	ofProject.route(mux, "/api/v4/projects/{id}", func(next scopeHandler) auth.ProjectHandler {
		return func(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
			return next(w, r, c, approval.Scope{Project: p})
		}
	})
	ofMerge.route(mux, "/api/v4/projects/{id}/merge_requests/{iid}", func(next scopeHandler) auth.ProjectHandler {
		return a.ofMerge(func(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, m mergerequest.Stored) error {
			return next(w, r, c, approval.Scope{Project: p, MergeRequest: m.Number, AuthorID: m.Thing.AuthorID})
		})
	})
}

// scopeHandler serves a request about the rules of a project or a merge request.
type scopeHandler func(w http.ResponseWriter, r *http.Request, c auth.Caller, at approval.Scope) error

// ruleFamily serves the rules that have the body B.
type ruleFamily[B any] struct {
	*api
	read func(*web.Values) approval.Rule
	body func(approval.Rule, approval.People) B
}

func (f ruleFamily[B]) route(mux *web.Mux, below string, of func(scopeHandler) auth.ProjectHandler) {
	reporter, maintainer := f.app.Auth.Project(project.Reporter), f.app.Auth.Project(project.Maintainer)
	all := below + "/approval_rules"
	one := all + "/{rule_id}"
	mux.Handle("GET "+all, reporter(of(f.list)))
	mux.Handle("POST "+all, maintainer(of(f.create)))
	mux.Handle("GET "+one, reporter(of(f.show)))
	mux.Handle("PUT "+one, maintainer(of(f.change)))
	mux.Handle("DELETE "+one, maintainer(of(f.remove)))
}

const approvalRule = "Approval Rule"

// ruleBody is what the rules of projects and of merge requests have in common on the
// wire.
type ruleBody struct {
	ID                   int64                `json:"id"`
	Name                 string               `json:"name"`
	RuleType             approval.Type        `json:"rule_type"`
	ReportType           *approval.ReportType `json:"report_type"` // null: the type needs none
	EligibleApprovers    []personBody         `json:"eligible_approvers"`
	ApprovalsRequired    int64                `json:"approvals_required"`
	Users                []personBody         `json:"users"`
	Groups               []approverGroupBody  `json:"groups"`
	ContainsHiddenGroups bool                 `json:"contains_hidden_groups"` // always false: the groups above a project are no secret
}

// approverGroupBody is a group as rules show it.
type approverGroupBody struct {
	ID         int64              `json:"id"`
	Name       string             `json:"name"`
	Path       string             `json:"path"`
	FullPath   string             `json:"full_path"`
	ParentID   *int64             `json:"parent_id"` // null at the top
	Visibility project.Visibility `json:"visibility"`
	WebURL     string             `json:"web_url"`
}

func (a *api) newRuleBody(rule approval.Rule, who approval.People) ruleBody {
	body := ruleBody{
		ID: rule.ID, Name: rule.Name, RuleType: rule.Type, ApprovalsRequired: rule.Required,
		EligibleApprovers: a.personBodies(who.Eligible(rule)), Users: a.personBodies(who.Users(rule)), Groups: []approverGroupBody{},
	}
	if rule.Report != "" {
		body.ReportType = &rule.Report
	}
	for _, g := range who.Groups(rule) {
		body.Groups = append(body.Groups, a.newApproverGroupBody(g))
	}
	return body
}

func (a *api) personBodies(users []user.User) []personBody {
	bodies := make([]personBody, len(users))
	for n, u := range users {
		bodies[n] = a.newPersonBody(u)
	}
	return bodies
}

func (a *api) newApproverGroupBody(g project.Group) approverGroupBody {
	body := approverGroupBody{
		ID: g.ID, Name: g.Name, Path: g.Path, FullPath: g.FullPath, Visibility: g.Visibility, WebURL: a.app.BaseURL + g.PagePath(),
	}
	if g.ParentID != 0 {
		body.ParentID = &g.ParentID
	}
	return body
}

// projectRuleBody is a rule of a project. Of protected branches Gatehouse knows the ids
// alone.
type projectRuleBody struct {
	ruleBody
	AppliesToAllProtectedBranches bool         `json:"applies_to_all_protected_branches"`
	ProtectedBranches             []branchBody `json:"protected_branches"`
}

type branchBody struct {
	ID int64 `json:"id"`
}

func (a *api) newProjectRuleBody(rule approval.Rule, who approval.People) projectRuleBody {
	body := projectRuleBody{a.newRuleBody(rule, who), rule.AllProtectedBranches, make([]branchBody, len(rule.ProtectedBranchIDs))}
	for n, id := range rule.ProtectedBranchIDs {
		body.ProtectedBranches[n].ID = id
	}
	return body
}

// mergeRuleBody is a rule of a merge request.
type mergeRuleBody struct {
	ruleBody
	Section    *string          `json:"section"`     // always null: of code owners
	SourceRule *approval.Source `json:"source_rule"` // null: it is not a copy
}

func (a *api) newMergeRuleBody(rule approval.Rule, who approval.People) mergeRuleBody {
	return mergeRuleBody{ruleBody: a.newRuleBody(rule, who), SourceRule: rule.Source}
}

func (f ruleFamily[B]) list(w http.ResponseWriter, r *http.Request, _ auth.Caller, at approval.Scope) error {
	req, err := web.ReadPage(r)
	if err != nil {
		return err
	}
	rules, err := f.app.Approvals.List(r.Context(), at)
	if err != nil {
		return err
	}
	shown := page.Cut(rules, req)
	who, err := f.app.Approvals.People(r.Context(), at, shown.Items...)
	if err != nil {
		return err
	}
	return web.List(w, r, f.app.BaseURL, req, shown, func(rule approval.Rule) B { return f.body(rule, who) })
}

func (f ruleFamily[B]) show(w http.ResponseWriter, r *http.Request, _ auth.Caller, at approval.Scope) error {
	id, err := web.PathID(r, "rule_id")
	if err != nil {
		return web.NotFound(approvalRule, err)
	}
	rule, err := f.app.Approvals.Rule(r.Context(), at, id)
	if err != nil {
		return web.NotFound(approvalRule, err)
	}
	return f.answer(w, r, http.StatusOK, at, rule)
}

func (f ruleFamily[B]) answer(w http.ResponseWriter, r *http.Request, status int, at approval.Scope, rule approval.Rule) error {
	who, err := f.app.Approvals.People(r.Context(), at, rule)
	if err != nil {
		return err
	}
	return web.JSON(w, status, f.body(rule, who))
}

// readRule reads what new rules of projects and of merge requests have in common.
func readRule(params *web.Values) approval.Rule {
	return approval.Rule{
		Name: text(params.OptionalString("name")), Type: approval.Regular, Required: params.Int("approvals_required"),
		UserIDs: params.OptionalInts("user_ids"), GroupIDs: params.OptionalInts("group_ids"),
	}
}

func readProjectRule(params *web.Values) approval.Rule {
	rule := readRule(params)
	rule.Type = cmp.Or(web.Choice(params, "rule_type", approval.Types), approval.Regular)
	rule.Report = web.Choice(params, "report_type", approval.ReportTypes)
	rule.AllProtectedBranches = params.BoolOr("applies_to_all_protected_branches", false)
	rule.ProtectedBranchIDs = params.OptionalInts("protected_branch_ids")
	return rule
}

func (f ruleFamily[B]) create(w http.ResponseWriter, r *http.Request, c auth.Caller, at approval.Scope) error {
	params := web.Params(r)
	var sourceID int64
	if at.MergeRequest != 0 {
		sourceID = value(params.OptionalInt("approval_project_rule_id"))
	}
	if sourceID == 0 {
		params.String("name")
	}
	rule := f.read(params)
	if err := checkNames(params); err != nil {
		return err
	}
	rule, err := f.app.Approvals.Create(r.Context(), c.Actor(), at, rule, sourceID)
	if err != nil {
		return web.NotFound("Project", err)
	}
	return f.answer(w, r, http.StatusCreated, at, rule)
}

// checkNames returns the complaints about the parameters of a rule, which names users by
// their ids alone.
func checkNames(params *web.Values) error {
	names := params.OptionalWords("usernames") // old clients send an empty list
	if err := params.Err(); err != nil {
		return err
	}
	if len(names) > 0 {
		return web.BadParameters("usernames is not supported, send user_ids")
	}
	return nil
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func (f ruleFamily[B]) change(w http.ResponseWriter, r *http.Request, c auth.Caller, at approval.Scope) error {
	id, err := web.PathID(r, "rule_id")
	if err != nil {
		return web.NotFound(approvalRule, err)
	}
	params := web.Params(r)
	change := approval.Change{
		Name: params.OptionalString("name"), Required: params.OptionalInt("approvals_required"),
		UserIDs: params.OptionalInts("user_ids"), GroupIDs: params.OptionalInts("group_ids"),
	}
	if at.MergeRequest == 0 {
		change.ProtectedBranchIDs = params.OptionalInts("protected_branch_ids")
		change.AllProtectedBranches = params.OptionalBool("applies_to_all_protected_branches")
	}
	if err := checkNames(params); err != nil {
		return err
	}
	rule, err := f.app.Approvals.Change(r.Context(), c.Actor(), at, id, change)
	if err != nil {
		return web.NotFound(approvalRule, err)
	}
	return f.answer(w, r, http.StatusOK, at, rule)
}

func (f ruleFamily[B]) remove(w http.ResponseWriter, r *http.Request, c auth.Caller, at approval.Scope) error {
	id, err := web.PathID(r, "rule_id")
	if err != nil {
		return web.NotFound(approvalRule, err)
	}
	return web.Deleted(w, approvalRule, f.app.Approvals.Delete(r.Context(), c.Actor(), at, id))
}
