package project

import (
	"cmp"
	"context"

	"gatehouse/shared/audit"
	"gatehouse/shared/user"
)

// TopLevel says who may make top-level groups. The zero TopLevel is TopLevelByEverybody.
type TopLevel string

// Who may make them.
const (
	TopLevelByEverybody      TopLevel = "everybody"
	TopLevelByAdministrators TopLevel = "administrators"
)

// Policy is what administrators decide about all groups and projects that are made. The
// zero Policy is that of the factory.
type Policy struct {
	TopLevel          TopLevel      `json:"top_level_groups,omitempty"`
	GroupVisibility   Visibility    `json:"group_visibility,omitempty"`
	ProjectVisibility Visibility    `json:"project_visibility,omitempty"`
	NewGroups         GroupSettings `json:"new_groups"` // what they begin with
}

// Policies returns the policy that is in force.
type Policies interface {
	Policy(ctx context.Context) (Policy, error)
}

// VisibilityOfGroup returns that of a new group below the parent, which is the zero Group
// at the top, where nobody chooses one.
func (p Policy) VisibilityOfGroup(parent Group) Visibility {
	return within(cmp.Or(p.GroupVisibility, Private), parent)
}

// VisibilityOfProject returns that of a new project in the namespace, where nobody chooses
// one.
func (p Policy) VisibilityOfProject(namespace Group) Visibility {
	return within(cmp.Or(p.ProjectVisibility, Private), namespace)
}

// within returns the visibility, or that of the group where the group has a narrower one. A
// user's namespace narrows nothing.
func within(v Visibility, in Group) Visibility {
	if in.ID != 0 && in.OwnerID == 0 && v.Wider(in.Visibility) {
		return in.Visibility
	}
	return v
}

// Policy returns the policy that is in force.
func (r *Rules) Policy(ctx context.Context) (Policy, error) { return r.policies.Policy(ctx) }

// MakesTopLevel reports whether a user may make top-level groups.
func (r *Rules) MakesTopLevel(ctx context.Context, u user.User) (bool, error) {
	if u.Administers() {
		return true, nil
	}
	p, err := r.Policy(ctx)
	return err == nil && p.TopLevel != TopLevelByAdministrators, err
}

// checkTopLevel refuses a top-level group to actors who may not make one.
func (r *Rules) checkTopLevel(ctx context.Context, by audit.Actor, p Policy) error {
	if p.TopLevel != TopLevelByAdministrators {
		return nil
	}
	return r.checkAdministrator(ctx, by, errTopLevel)
}
