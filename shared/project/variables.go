package project

// VariablesRole is the least role of those who may set variables of a pipeline.
type VariablesRole string

// The roles.
const (
	VariablesByNobody      VariablesRole = "no_one_allowed"
	VariablesByDevelopers  VariablesRole = "developer"
	VariablesByMaintainers VariablesRole = "maintainer"
	VariablesByOwners      VariablesRole = "owner"
)

// VariablesRoles are the roles, the most open one first.
var VariablesRoles = []VariablesRole{VariablesByDevelopers, VariablesByMaintainers, VariablesByOwners, VariablesByNobody}

// OverrideRole returns the role that may set variables of a pipeline.
func (s ProjectSettings) OverrideRole() VariablesRole {
	if s.VariablesRole == "" {
		return VariablesByDevelopers
	}
	return s.VariablesRole
}

// LetSetVariables returns the edit that sets the role that choose makes of the present
// one.
func LetSetVariables(choose func(VariablesRole) VariablesRole) Edit[ProjectSettings] {
	return func(s *ProjectSettings) error {
		s.VariablesRole = choose(s.OverrideRole())
		if s.VariablesRole == VariablesByDevelopers {
			s.VariablesRole = ""
		}
		return nil
	}
}
