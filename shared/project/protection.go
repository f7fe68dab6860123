package project

import "slices"

// BranchProtection says who may change the default branches of a group's projects.
type BranchProtection struct {
	Push              []Role `json:"allowed_to_push"`
	Merge             []Role `json:"allowed_to_merge"`
	ForcePush         bool   `json:"allow_force_push,omitempty"`
	InitialPush       bool   `json:"developer_can_initial_push,omitempty"` // developers may push to an empty repository
	CodeOwnerApproval bool   `json:"code_owner_approval_required,omitempty"`
}

// Administrators are the role of the instance's, in the protection of branches alone.
const Administrators Role = 60

// FactoryProtection returns the protection where nobody chose one.
func FactoryProtection() BranchProtection {
	return BranchProtection{Push: []Role{Maintainer}, Merge: []Role{Maintainer}}
}

// Equal reports whether both say the same.
func (p BranchProtection) Equal(other BranchProtection) bool {
	return slices.Equal(p.Push, other.Push) && slices.Equal(p.Merge, other.Merge) && p.ForcePush == other.ForcePush &&
		p.InitialPush == other.InitialPush && p.CodeOwnerApproval == other.CodeOwnerApproval
}

// BranchProtection returns the protection of default branches.
func (s GroupSettings) BranchProtection() BranchProtection {
	if s.Protection == nil {
		return FactoryProtection()
	}
	return *s.Protection
}

// Protect returns the edit that sets the protection of default branches.
func Protect(p BranchProtection) Edit[GroupSettings] {
	return func(s *GroupSettings) error {
		s.Protection = nil
		if !p.Equal(FactoryProtection()) {
			s.Protection = &p
		}
		return nil
	}
}
