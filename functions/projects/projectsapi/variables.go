package projectsapi

import (
	"gatehouse/shared/deprecation"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// readVariables reads who may set variables of a pipeline, and returns the edits that
// set it. The role counts if the former setting comes beside it.
func readVariables(params *web.Values) []project.Edit[project.ProjectSettings] {
	restricted := params.OptionalBool("restrict_user_defined_variables")
	role := web.Choice(params, "ci_pipeline_variables_minimum_override_role", project.VariablesRoles)
	switch {
	case role != "":
		return setVariables(func(project.VariablesRole) project.VariablesRole { return role })
	case restricted != nil:
		return setVariables(func(present project.VariablesRole) project.VariablesRole {
			return project.VariablesRole(deprecation.OverrideRole(*restricted, string(present)))
		})
	}
	return nil
}

func setVariables(choose func(project.VariablesRole) project.VariablesRole) []project.Edit[project.ProjectSettings] {
	return []project.Edit[project.ProjectSettings]{project.LetSetVariables(choose)}
}
