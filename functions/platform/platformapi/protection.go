package platformapi

import (
	"slices"

	"gatehouse/shared/deprecation"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// protectionLevels are the levels of access that a request may have.
type protectionLevels struct {
	push, merge []project.Role
}

var levelsOfGroups = []project.Role{project.NoRole, project.Developer, project.Maintainer}

// levelsBeside returns the levels for a group with this protection: those of groups, and
// what it got from the instance.
func levelsBeside(p project.BranchProtection) protectionLevels {
	return protectionLevels{slices.Concat(levelsOfGroups, p.Push), slices.Concat(levelsOfGroups, p.Merge)}
}

func levelsOfInstance() protectionLevels {
	all := []project.Role{project.Administrators}
	return levelsBeside(project.BranchProtection{Push: all, Merge: all})
}

// protectionBody is the protection of default branches on the wire, beside the number
// that it replaced.
type protectionBody struct {
	Level    int              `json:"default_branch_protection"`
	Defaults protectionObject `json:"default_branch_protection_defaults"`
}

type protectionObject struct {
	AllowedToPush             []accessLevel `json:"allowed_to_push"`
	AllowedToMerge            []accessLevel `json:"allowed_to_merge"`
	AllowForcePush            bool          `json:"allow_force_push"`
	DeveloperCanInitialPush   bool          `json:"developer_can_initial_push"`
	CodeOwnerApprovalRequired bool          `json:"code_owner_approval_required"`
}

type accessLevel struct {
	Level project.Role `json:"access_level"`
}

func newProtectionBody(p project.BranchProtection) protectionBody {
	former := deprecation.Protection{Push: lowest(p.Push), Merge: lowest(p.Merge), ForcePush: p.ForcePush, InitialPush: p.InitialPush}
	return protectionBody{former.Level(), protectionObject{
		AllowedToPush: newLevels(p.Push), AllowedToMerge: newLevels(p.Merge), AllowForcePush: p.ForcePush,
		DeveloperCanInitialPush: p.InitialPush, CodeOwnerApprovalRequired: p.CodeOwnerApproval,
	}}
}

func newLevels(roles []project.Role) []accessLevel {
	levels := make([]accessLevel, len(roles))
	for i, r := range roles {
		levels[i].Level = r
	}
	return levels
}

// lowest returns the least role in an ascending list that somebody has.
func lowest(roles []project.Role) int {
	n := slices.IndexFunc(roles, func(r project.Role) bool { return r != project.NoRole })
	if n < 0 {
		return 0
	}
	return int(roles[n])
}

// readProtection reads how default branches are protected, with these levels of access,
// and returns the edits that set it. The object counts if the number comes beside it.
func readProtection(params *web.Values, levels protectionLevels) []project.Edit[project.GroupSettings] {
	former := web.OptionalIntOf(params, "default_branch_protection", []int{0, 1, 2, 3, 4})
	object := params.OptionalObject("default_branch_protection_defaults")
	switch {
	case object != nil:
		return []project.Edit[project.GroupSettings]{project.Protect(protectionIn(object, levels))}
	case former != nil:
		p, _ := deprecation.ProtectionOf(*former)
		return []project.Edit[project.GroupSettings]{project.Protect(project.BranchProtection{
			Push: []project.Role{project.Role(p.Push)}, Merge: []project.Role{project.Role(p.Merge)}, ForcePush: p.ForcePush, InitialPush: p.InitialPush,
		})}
	}
	return nil
}

// protectionIn returns the protection that the object describes. What it leaves out is
// as in the factory.
func protectionIn(object *web.Values, levels protectionLevels) project.BranchProtection {
	object.NeedsOneOf("allowed_to_push", "allowed_to_merge", "allow_force_push", "developer_can_initial_push", "code_owner_approval_required")
	p := project.FactoryProtection()
	if push := web.OptionalIntsOf(object, "allowed_to_push", "access_level", levels.push); push != nil {
		p.Push = push
	}
	if merge := web.OptionalIntsOf(object, "allowed_to_merge", "access_level", levels.merge); merge != nil {
		p.Merge = merge
	}
	p.ForcePush = object.BoolOr("allow_force_push", false)
	p.InitialPush = object.BoolOr("developer_can_initial_push", false)
	p.CodeOwnerApproval = object.BoolOr("code_owner_approval_required", false)
	return p
}
