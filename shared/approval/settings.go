// Package approval keeps how the merge requests of a project are to be approved: the
// settings of the project, and the rules that say who approves, for the whole project
// or for one merge request. Gatehouse itself approves nothing: whoever runs the
// platform reads all this (Interface: "Approvals").
package approval

import (
	"gatehouse/shared/fault"
	"gatehouse/shared/record"
)

// Settings are a project's.
type Settings struct {
	BeforeMerge                int64 `json:"approvals_before_merge"` // how many; rules are more precise
	ResetOnPush                bool  `json:"reset_approvals_on_push"`
	SelectiveCodeOwnerRemovals bool  `json:"selective_code_owner_removals"` // a push resets the approvals of those alone who own its files
	NoOverriding               bool  `json:"disable_overriding_approvers_per_merge_request"`
	ByAuthors                  bool  `json:"merge_requests_author_approval"`
	NotByCommitters            bool  `json:"merge_requests_disable_committers_approval"`
	Reauthentication           bool  `json:"require_reauthentication_to_approve"`
}

// defaultSettings are those of a new project.
var defaultSettings = Settings{ResetOnPush: true}

// SettingsChange is a change of settings; nil leaves one as it is.
type SettingsChange struct {
	BeforeMerge                *int64
	ResetOnPush                *bool
	SelectiveCodeOwnerRemovals *bool
	NoOverriding               *bool
	ByAuthors                  *bool
	NotByCommitters            *bool
	Reauthentication           *bool
}

// apply changes the settings, or returns the complaints about them.
func (c SettingsChange) apply(s *Settings) error {
	replace(&s.BeforeMerge, c.BeforeMerge)
	replace(&s.ResetOnPush, c.ResetOnPush)
	replace(&s.SelectiveCodeOwnerRemovals, c.SelectiveCodeOwnerRemovals)
	replace(&s.NoOverriding, c.NoOverriding)
	replace(&s.ByAuthors, c.ByAuthors)
	replace(&s.NotByCommitters, c.NotByCommitters)
	replace(&s.Reauthentication, c.Reauthentication)
	return s.check()
}

func replace[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// maxApprovals is the largest number of approvals that is asked for.
const maxApprovals = 100

func (s Settings) check() error {
	complaints := fault.Fields{}
	complaints.Add("approvals_before_merge", checkNumber(s.BeforeMerge))
	if s.SelectiveCodeOwnerRemovals && s.ResetOnPush {
		complaints.Add("selective_code_owner_removals", "cannot be true while every push resets all approvals")
	}
	return complaints.Err()
}

func checkNumber(approvals int64) string {
	if approvals < 0 || approvals > maxApprovals {
		return "must be between 0 and 100"
	}
	return ""
}

// settings are stored once in a project, under the number 0.
var settings = record.Of[Settings]{Kind: "approval_settings"}
