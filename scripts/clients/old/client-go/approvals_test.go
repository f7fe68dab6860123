package clientgo

import (
	"testing"

	"gatehouse/scripts/clients/old/judge"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

const password = "require-password-to-approve"

func TestApprovals(t *testing.T) {
	admin := administrator(t)
	id := newProject(t, admin, newGroup(t, admin)).ID
	empty := gitlab.ProjectApprovals{Approvers: []*gitlab.MergeRequestApproverUser{}, ApproverGroups: []*gitlab.MergeRequestApproverGroup{}}
	before := call(admin.Projects.GetApprovalConfiguration(id)).Silent(t)
	judge.Equal(t, "approvers", before.Approvers, empty.Approvers)
	judge.Equal(t, "approver_groups", before.ApproverGroups, empty.ApproverGroups)

	changed := call(admin.Projects.ChangeApprovalConfiguration(id, &gitlab.ChangeApprovalConfigurationOptions{
		ApprovalsBeforeMerge: gitlab.Ptr(2), ResetApprovalsOnPush: gitlab.Ptr(true), DisableOverridingApproversPerMergeRequest: gitlab.Ptr(true),
		MergeRequestsAuthorApproval: gitlab.Ptr(true), MergeRequestsDisableCommittersApproval: gitlab.Ptr(true),
	})).Silent(t)
	empty.ApprovalsBeforeMerge, empty.ResetApprovalsOnPush, empty.DisableOverridingApproversPerMergeRequest = 2, true, true
	empty.MergeRequestsAuthorApproval, empty.MergeRequestsDisableCommittersApproval = true, true
	judge.Equal(t, "the changed approvals", changed, &empty)
	changed = call(admin.Projects.ChangeApprovalConfiguration(id, &gitlab.ChangeApprovalConfigurationOptions{
		RequirePasswordToApprove: gitlab.Ptr(true), ResetApprovalsOnPush: gitlab.Ptr(false), SelectiveCodeOwnerRemovals: gitlab.Ptr(true),
	})).Told(t, password)
	empty.RequirePasswordToApprove, empty.ResetApprovalsOnPush, empty.SelectiveCodeOwnerRemovals = true, false, true
	judge.Equal(t, "the changed approvals", changed, &empty)
	judge.Equal(t, "the approvals", call(admin.Projects.GetApprovalConfiguration(id)).Silent(t), &empty)
}

func TestApprovalSettings(t *testing.T) {
	admin := administrator(t)
	id := newProject(t, admin, newGroup(t, admin)).ID
	call(admin.Projects.ChangeApprovalConfiguration(id, &gitlab.ChangeApprovalConfigurationOptions{RequirePasswordToApprove: gitlab.Ptr(true)})).Told(t, password)
	got := call(admin.MergeRequestApprovalSettings.GetProjectMergeRequestApprovalSettings(id)).Silent(t)
	judge.Equal(t, "require_password_to_approve", got.RequirePasswordToApprove, gitlab.MergeRequestApprovalSetting{Value: true})
	judge.Equal(t, "require_reauthentication_to_approve", got.RequireReauthenticationToApprove, got.RequirePasswordToApprove)

	got = call(admin.MergeRequestApprovalSettings.UpdateProjectMergeRequestApprovalSettings(id, &gitlab.UpdateMergeRequestApprovalSettingsOptions{
		AllowAuthorApproval: gitlab.Ptr(true), AllowCommitterApproval: gitlab.Ptr(false), RetainApprovalsOnPush: gitlab.Ptr(false),
		AllowOverridesToApproverListPerMergeRequest: gitlab.Ptr(false), RequireReauthenticationToApprove: gitlab.Ptr(false),
	})).Silent(t)
	yes := gitlab.MergeRequestApprovalSetting{Value: true}
	judge.Equal(t, "the changed settings", got, &gitlab.MergeRequestApprovalSettings{AllowAuthorApproval: yes})
	judge.Equal(t, "the settings", call(admin.MergeRequestApprovalSettings.GetProjectMergeRequestApprovalSettings(id)).Silent(t), got)
	flat := call(admin.Projects.GetApprovalConfiguration(id)).Silent(t)
	judge.Equal(t, "require_password_to_approve", flat.RequirePasswordToApprove, false)
	judge.Equal(t, "merge_requests_author_approval", flat.MergeRequestsAuthorApproval, true)
	judge.Equal(t, "reset_approvals_on_push", flat.ResetApprovalsOnPush, true)
}

func TestApprovalRulesOfProjects(t *testing.T) {
	admin := administrator(t)
	group := newGroup(t, admin)
	project := newProject(t, admin, group)
	user, _ := newDeveloper(t, admin, project)
	rule := call(admin.Projects.CreateProjectApprovalRule(project.ID, &gitlab.CreateProjectLevelRuleOptions{
		Name: gitlab.Ptr("Security"), ApprovalsRequired: gitlab.Ptr(1), UserIDs: &[]int{user.ID}, GroupIDs: &[]int{group.ID},
		AppliesToAllProtectedBranches: gitlab.Ptr(true),
	})).Silent(t)
	judge.Equal(t, "name", rule.Name, "Security")
	judge.Equal(t, "rule_type", rule.RuleType, "regular")
	judge.Equal(t, "approvals_required", rule.ApprovalsRequired, 1)
	judge.Equal(t, "users", rule.Users, []*gitlab.BasicUser{basic(user)})
	judge.Equal(t, "the group", []string{rule.Groups[0].Name, rule.Groups[0].Path, rule.Groups[0].FullPath}, []string{group.Name, group.Path, group.FullPath})
	judge.Equal(t, "eligible_approvers", rule.EligibleApprovers[0], basic(user))
	judge.Equal(t, "applies_to_all_protected_branches", rule.AppliesToAllProtectedBranches, true)

	judge.Equal(t, "the rule", call(admin.Projects.GetProjectApprovalRule(project.ID, rule.ID)).Silent(t), rule)
	rule = call(admin.Projects.UpdateProjectApprovalRule(project.ID, rule.ID, &gitlab.UpdateProjectLevelRuleOptions{
		Name: gitlab.Ptr("Safety"), ApprovalsRequired: gitlab.Ptr(0), UserIDs: &[]int{user.ID}, GroupIDs: &[]int{},
	})).Silent(t)
	judge.Equal(t, "the changed name", rule.Name, "Safety")
	judge.Equal(t, "the groups that are left", rule.Groups, []*gitlab.Group{})
	listed := call(admin.Projects.GetProjectApprovalRules(project.ID, &gitlab.GetProjectApprovalRulesListsOptions{PerPage: 10})).Silent(t)
	judge.Equal(t, "the rules", listed, []*gitlab.ProjectApprovalRule{rule})
	done(admin.Projects.DeleteProjectApprovalRule(project.ID, rule.ID)).Silent(t)
}

func TestApprovalRulesOfMergeRequests(t *testing.T) {
	m := newMerging(t)
	rules := m.admin.MergeRequestApprovals
	reviewer, _ := newDeveloper(t, m.admin, m.project)
	source := call(m.admin.Projects.CreateProjectApprovalRule(m.project.ID, &gitlab.CreateProjectLevelRuleOptions{
		Name: gitlab.Ptr("Security"), ApprovalsRequired: gitlab.Ptr(1), UserIDs: &[]int{reviewer.ID},
	})).Silent(t)
	copied := call(rules.CreateApprovalRule(m.project.ID, m.iid, &gitlab.CreateMergeRequestApprovalRuleOptions{
		Name: gitlab.Ptr("Copied"), ApprovalsRequired: gitlab.Ptr(2), ApprovalProjectRuleID: &source.ID,
	})).Silent(t)
	judge.Equal(t, "the copied users", copied.Users, []*gitlab.BasicUser{basic(reviewer)})
	judge.Equal(t, "the copied number", copied.ApprovalsRequired, 2)

	rule := call(rules.CreateApprovalRule(m.project.ID, m.iid, &gitlab.CreateMergeRequestApprovalRuleOptions{
		Name: gitlab.Ptr("Docs"), ApprovalsRequired: gitlab.Ptr(1), UserIDs: &[]int{reviewer.ID},
	})).Silent(t)
	judge.Equal(t, "the rule", rule, &gitlab.MergeRequestApprovalRule{
		ID: rule.ID, Name: "Docs", RuleType: "regular", ApprovalsRequired: 1, Groups: []*gitlab.Group{},
		Users: []*gitlab.BasicUser{basic(reviewer)}, EligibleApprovers: []*gitlab.BasicUser{basic(reviewer)},
	})
	rule = call(rules.UpdateApprovalRule(m.project.ID, m.iid, rule.ID, &gitlab.UpdateMergeRequestApprovalRuleOptions{
		Name: gitlab.Ptr("Manual"), ApprovalsRequired: gitlab.Ptr(3), UserIDs: &[]int{reviewer.ID},
	})).Silent(t)
	judge.Equal(t, "the changed rule", rule.Name, "Manual")
	listed := call(rules.GetApprovalRules(m.project.ID, m.iid)).Silent(t)
	judge.Equal(t, "how many rules there are", len(listed), 2)
	done(rules.DeleteApprovalRule(m.project.ID, m.iid, rule.ID)).Silent(t)
}
