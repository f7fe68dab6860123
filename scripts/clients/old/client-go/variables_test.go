package clientgo

import (
	"testing"

	"gatehouse/scripts/clients/old/judge"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

func TestVariablesOfPipelines(t *testing.T) {
	admin := administrator(t)
	project := newProject(t, admin, newGroup(t, admin))
	check := func(p *gitlab.Project, restricted bool, role string) {
		t.Helper()
		judge.Equal(t, "restrict_user_defined_variables", p.RestrictUserDefinedVariables, restricted)
		judge.Equal(t, "ci_pipeline_variables_minimum_override_role", p.CIPipelineVariablesMinimumOverrideRole, role)
	}
	check(project, false, "developer")
	edit := func(restricted *bool, role *string) judge.Answer[*gitlab.Project] {
		return call(admin.Projects.EditProject(project.ID, &gitlab.EditProjectOptions{
			RestrictUserDefinedVariables: restricted, CIPipelineVariablesMinimumOverrideRole: role,
		}))
	}
	const row = "restrict-user-defined-variables"
	check(edit(gitlab.Ptr(true), nil).Told(t, row), true, "maintainer")
	check(edit(nil, gitlab.Ptr("no_one_allowed")).Silent(t), true, "no_one_allowed")
	check(edit(gitlab.Ptr(true), nil).Told(t, row), true, "no_one_allowed")
	check(edit(gitlab.Ptr(false), nil).Told(t, row), false, "developer")
	check(edit(gitlab.Ptr(false), gitlab.Ptr("owner")).Told(t, row), true, "owner")
	check(call(admin.Projects.GetProject(project.ID, nil)).Silent(t), true, "owner")
}
