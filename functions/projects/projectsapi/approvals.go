package projectsapi

import (
	"net/http"
	"strings"

	"gatehouse/shared/approval"
	"gatehouse/shared/auth"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// routeApprovals serves the approval settings, in two forms.
func (a *api) routeApprovals(mux *web.Mux) {
	maintainer := a.app.Auth.Project(project.Maintainer)
	mux.Handle("GET /api/v4/projects/{id}/approvals", maintainer(a.showApprovals))
	mux.Handle("POST /api/v4/projects/{id}/approvals", maintainer(a.changeApprovals))
	mux.Handle("GET /api/v4/projects/{id}/merge_request_approval_setting", maintainer(a.showApprovalSetting))
	mux.Handle("PUT /api/v4/projects/{id}/merge_request_approval_setting", maintainer(a.changeApprovalSetting))
}

// approvalsBody is the flat form. Users and groups are in the rules instead.
type approvalsBody struct {
	Approvers                                 []struct{} `json:"approvers"`       // always empty
	ApproverGroups                            []struct{} `json:"approver_groups"` // always empty
	ApprovalGroups                            []struct{} `json:"approval_groups"` // always empty
	ApprovalsBeforeMerge                      int64      `json:"approvals_before_merge"`
	ResetApprovalsOnPush                      bool       `json:"reset_approvals_on_push"`
	SelectiveCodeOwnerRemovals                bool       `json:"selective_code_owner_removals"`
	DisableOverridingApproversPerMergeRequest bool       `json:"disable_overriding_approvers_per_merge_request"`
	MergeRequestsAuthorApproval               bool       `json:"merge_requests_author_approval"`
	MergeRequestsDisableCommittersApproval    bool       `json:"merge_requests_disable_committers_approval"`
	RequirePasswordToApprove                  bool       `json:"require_password_to_approve"`
	RequireReauthenticationToApprove          bool       `json:"require_reauthentication_to_approve"`
}

func newApprovalsBody(s approval.Settings) approvalsBody {
	return approvalsBody{
		Approvers: []struct{}{}, ApproverGroups: []struct{}{}, ApprovalGroups: []struct{}{},
		ApprovalsBeforeMerge: s.BeforeMerge, ResetApprovalsOnPush: s.ResetOnPush, SelectiveCodeOwnerRemovals: s.SelectiveCodeOwnerRemovals,
		DisableOverridingApproversPerMergeRequest: s.NoOverriding, MergeRequestsAuthorApproval: s.ByAuthors,
		MergeRequestsDisableCommittersApproval: s.NotByCommitters,
		RequirePasswordToApprove:               s.Reauthentication, RequireReauthenticationToApprove: s.Reauthentication,
	}
}

// settingBody is a setting of the other form. Nothing above a project sets it, so it is
// neither locked nor inherited.
type settingBody struct {
	Value         bool    `json:"value"`
	Locked        bool    `json:"locked"`
	InheritedFrom *string `json:"inherited_from"`
}

// approvalSettingBody is the other form, which says of some settings the opposite.
type approvalSettingBody struct {
	AllowAuthorApproval                         settingBody `json:"allow_author_approval"`
	AllowCommitterApproval                      settingBody `json:"allow_committer_approval"`
	AllowOverridesToApproverListPerMergeRequest settingBody `json:"allow_overrides_to_approver_list_per_merge_request"`
	RetainApprovalsOnPush                       settingBody `json:"retain_approvals_on_push"`
	SelectiveCodeOwnerRemovals                  settingBody `json:"selective_code_owner_removals"`
	RequirePasswordToApprove                    settingBody `json:"require_password_to_approve"`
	RequireReauthenticationToApprove            settingBody `json:"require_reauthentication_to_approve"`
}

func newApprovalSettingBody(s approval.Settings) approvalSettingBody {
	is := func(value bool) settingBody { return settingBody{Value: value} }
	return approvalSettingBody{
		AllowAuthorApproval: is(s.ByAuthors), AllowCommitterApproval: is(!s.NotByCommitters),
		AllowOverridesToApproverListPerMergeRequest: is(!s.NoOverriding), RetainApprovalsOnPush: is(!s.ResetOnPush),
		SelectiveCodeOwnerRemovals: is(s.SelectiveCodeOwnerRemovals),
		RequirePasswordToApprove:   is(s.Reauthentication), RequireReauthenticationToApprove: is(s.Reauthentication),
	}
}

func (a *api) showApprovals(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	return answerApprovals(w, http.StatusOK, newApprovalsBody)(a.app.Approvals.Settings(r.Context(), p))
}

func (a *api) showApprovalSetting(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	return answerApprovals(w, http.StatusOK, newApprovalSettingBody)(a.app.Approvals.Settings(r.Context(), p))
}

// answerApprovals answers with the settings in one of their forms.
func answerApprovals[B any](w http.ResponseWriter, status int, form func(approval.Settings) B) func(approval.Settings, error) error {
	return func(s approval.Settings, err error) error {
		if err != nil {
			return web.NotFound("Project", err)
		}
		return web.JSON(w, status, form(s))
	}
}

func (a *api) changeApprovals(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	params := web.Params(r)
	change := approval.SettingsChange{
		BeforeMerge: params.OptionalInt("approvals_before_merge"), ResetOnPush: params.OptionalBool("reset_approvals_on_push"),
		SelectiveCodeOwnerRemovals: params.OptionalBool("selective_code_owner_removals"),
		NoOverriding:               params.OptionalBool("disable_overriding_approvers_per_merge_request"),
		ByAuthors:                  params.OptionalBool("merge_requests_author_approval"),
		NotByCommitters:            params.OptionalBool("merge_requests_disable_committers_approval"),
		Reauthentication:           readReauthentication(params),
	}
	err := requireOne(params,
		"approvals_before_merge", "reset_approvals_on_push", "selective_code_owner_removals", "disable_overriding_approvers_per_merge_request",
		"merge_requests_author_approval", "merge_requests_disable_committers_approval", "require_password_to_approve", "require_reauthentication_to_approve")
	if err != nil {
		return err
	}
	return answerApprovals(w, http.StatusCreated, newApprovalsBody)(a.app.Approvals.ChangeSettings(r.Context(), c.Actor(), p, change))
}

func (a *api) changeApprovalSetting(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	params := web.Params(r)
	change := approval.SettingsChange{
		ByAuthors: params.OptionalBool("allow_author_approval"), NotByCommitters: opposite(params.OptionalBool("allow_committer_approval")),
		NoOverriding:               opposite(params.OptionalBool("allow_overrides_to_approver_list_per_merge_request")),
		ResetOnPush:                opposite(params.OptionalBool("retain_approvals_on_push")),
		SelectiveCodeOwnerRemovals: params.OptionalBool("selective_code_owner_removals"),
		Reauthentication:           readReauthentication(params),
	}
	err := requireOne(params, "allow_author_approval", "allow_committer_approval", "allow_overrides_to_approver_list_per_merge_request",
		"retain_approvals_on_push", "selective_code_owner_removals", "require_password_to_approve", "require_reauthentication_to_approve")
	if err != nil {
		return err
	}
	return answerApprovals(w, http.StatusOK, newApprovalSettingBody)(a.app.Approvals.ChangeSettings(r.Context(), c.Actor(), p, change))
}

// readReauthentication reads the setting that has two names, of which the newer one
// counts if both are sent.
func readReauthentication(params *web.Values) *bool {
	old, next := params.OptionalBool("require_password_to_approve"), params.OptionalBool("require_reauthentication_to_approve")
	if next != nil {
		return next
	}
	return old
}

func opposite(b *bool) *bool {
	if b == nil {
		return nil
	}
	not := !*b
	return &not
}

// requireOne returns the complaints about the parameters, of which one has to be sent.
func requireOne(params *web.Values, names ...string) error {
	if err := params.Err(); err != nil {
		return err
	}
	for _, name := range names {
		if params.Has(name) {
			return nil
		}
	}
	return web.BadParameters(strings.Join(names, ", ") + " are missing, at least one parameter must be provided")
}
