package approval

import (
	"slices"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/text"
)

// Rule says how many of whom have to approve a merge request.
type Rule struct {
	ID                   int64      `json:"id"`
	Name                 string     `json:"name"`
	Type                 Type       `json:"rule_type"`
	Report               ReportType `json:"report_type,omitempty"`
	Required             int64      `json:"approvals_required"`
	UserIDs              []int64    `json:"user_ids,omitempty"`
	GroupIDs             []int64    `json:"group_ids,omitempty"` // their direct members approve
	AllProtectedBranches bool       `json:"applies_to_all_protected_branches,omitempty"`
	ProtectedBranchIDs   []int64    `json:"protected_branch_ids,omitempty"`
	Source               *Source    `json:"source_rule,omitempty"`
}

// Source is the rule of the project that a rule of a merge request was copied from, as
// it was then.
type Source struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	Type     Type   `json:"rule_type"`
	Required int64  `json:"approvals_required"`
}

// Type is a kind of rules.
type Type string

// The types.
const (
	Regular Type = "regular" // the users and groups that it names
	Any     Type = "any_approver"
	Report  Type = "report_approver" // the same as Regular, if a report asks for it
)

// Types lists them.
var Types = []Type{Regular, Any, Report}

// ReportType is a kind of reports.
type ReportType string

// ReportTypes lists them.
var ReportTypes = []ReportType{"code_coverage", "license_scanning"}

// The most that is kept of a project, and again of each merge request, so that one
// answer can have it all. All users of all rules are read together.
const (
	maxRules    = 30
	maxUsers    = 100
	maxEligible = 100 // that are shown of a rule
	maxBranches = 100
)

// The reasons why a rule is not there or cannot be made.
var (
	ErrNotFound     = fault.New(fault.NotFound, "approval rule not found")
	ErrTooMany      = fault.New(fault.Conflict, "there are 30 approval rules already")
	ErrNoOverriding = fault.New(fault.Forbidden, "merge requests of this project have no approval rules of their own")
)

// tidied returns the rule with each id once, in order.
func (rule Rule) tidied() Rule {
	for _, ids := range []*[]int64{&rule.UserIDs, &rule.GroupIDs, &rule.ProtectedBranchIDs} {
		*ids = slices.Compact(slices.Sorted(slices.Values(*ids)))
	}
	if rule.AllProtectedBranches {
		rule.ProtectedBranchIDs = nil
	}
	return rule
}

// check adds the complaints about a rule in the project.
func (rule Rule) check(p project.Project, complaints fault.Fields) {
	complaints.Add("name", text.CheckName(rule.Name))
	complaints.Add("approvals_required", checkNumber(rule.Required))
	if rule.Type == Any && len(rule.UserIDs)+len(rule.GroupIDs) > 0 {
		complaints.Add("rule_type", "any_approver names neither users nor groups")
	}
	if (rule.Type == Report) != (rule.Report != "") {
		complaints.Add("report_type", "belongs to a rule of the type report_approver")
	}
	if slices.ContainsFunc(rule.GroupIDs, func(id int64) bool { return !isAbove(id, p) }) {
		complaints.Add("group_ids", "has groups that the project is not in")
	}
	if len(rule.ProtectedBranchIDs) > maxBranches {
		complaints.Add("protected_branch_ids", "has too many (maximum is 100)")
	}
	if slices.ContainsFunc(rule.ProtectedBranchIDs, func(id int64) bool { return id < 1 }) {
		complaints.Add("protected_branch_ids", "is invalid")
	}
}

// isAbove reports whether the group is above the project. Members of other groups have
// no role there. A user's own namespace is no group.
func isAbove(groupID int64, p project.Project) bool {
	return p.OwnerID == 0 && slices.Contains(p.Lineage, groupID)
}

// RuleSet has all rules of a project or of a merge request, in the order in which they
// were made.
type RuleSet struct {
	Rules  []Rule `json:"rules"`
	LastID int64  `json:"last_id"` // is never given again
}

// find returns the rule with this id, or ErrNotFound.
func (s RuleSet) find(id int64) (Rule, error) {
	n := s.index(id)
	if n < 0 {
		return Rule{}, ErrNotFound
	}
	return s.Rules[n], nil
}

func (s RuleSet) index(id int64) int {
	return slices.IndexFunc(s.Rules, func(rule Rule) bool { return rule.ID == id })
}

// add adds a rule under the next id, and returns it.
func (s *RuleSet) add(p project.Project, rule Rule) (Rule, error) {
	if len(s.Rules) >= maxRules {
		return Rule{}, ErrTooMany
	}
	s.LastID++
	rule.ID = s.LastID
	rule = rule.tidied()
	s.Rules = append(slices.Clip(s.Rules), rule)
	return rule, s.check(p, rule)
}

// change changes the rule with this id, and returns it.
func (s *RuleSet) change(p project.Project, id int64, c Change) (Rule, error) {
	n := s.index(id)
	if n < 0 {
		return Rule{}, ErrNotFound
	}
	rule := c.applied(s.Rules[n]).tidied()
	s.Rules = slices.Clone(s.Rules)
	s.Rules[n] = rule
	return rule, s.check(p, rule)
}

// remove removes the rule with this id.
func (s *RuleSet) remove(id int64) error {
	n := s.index(id)
	if n < 0 {
		return ErrNotFound
	}
	s.Rules = slices.Delete(slices.Clone(s.Rules), n, n+1)
	return nil
}

// check returns the complaints about a new or changed rule of the set.
func (s RuleSet) check(p project.Project, rule Rule) error {
	complaints := fault.Fields{}
	rule.check(p, complaints)
	for _, other := range s.Rules {
		if other.ID == rule.ID {
			continue
		}
		if strings.EqualFold(other.Name, rule.Name) {
			complaints.Add("name", fault.Taken)
		}
		if other.Type == Any && rule.Type == Any {
			complaints.Add("rule_type", fault.Taken)
		}
	}
	if len(namedUsers(s.Rules)) > maxUsers {
		complaints.Add("user_ids", "has too many (all rules together may name 100 users)")
	}
	return complaints.Err()
}

// namedUsers returns the ids of the users that the rules name, each once.
func namedUsers(rules []Rule) []int64 {
	return distinct(rules, func(rule Rule) []int64 { return rule.UserIDs })
}

// namedGroups returns the ids of the groups that the rules name, each once.
func namedGroups(rules []Rule) []int64 {
	return distinct(rules, func(rule Rule) []int64 { return rule.GroupIDs })
}

func distinct(rules []Rule, ids func(Rule) []int64) (all []int64) {
	for _, rule := range rules {
		all = append(all, ids(rule)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Change is a change of a rule; nil leaves a field as it is, and an empty list clears
// it.
type Change struct {
	Name                                  *string
	Required                              *int64
	UserIDs, GroupIDs, ProtectedBranchIDs []int64
	AllProtectedBranches                  *bool
}

func (c Change) applied(rule Rule) Rule {
	replace(&rule.Name, c.Name)
	replace(&rule.Required, c.Required)
	replace(&rule.AllProtectedBranches, c.AllProtectedBranches)
	replaceList(&rule.UserIDs, c.UserIDs)
	replaceList(&rule.GroupIDs, c.GroupIDs)
	replaceList(&rule.ProtectedBranchIDs, c.ProtectedBranchIDs)
	return rule
}

func replaceList(field *[]int64, ids []int64) {
	if ids != nil {
		*field = ids
	}
}

// copying returns the rule as a copy of one of the project. What was sent with it
// counts.
func (rule Rule) copying(of Rule) Rule {
	if rule.Name == "" {
		rule.Name = of.Name
	}
	if rule.UserIDs == nil && rule.GroupIDs == nil {
		rule.UserIDs, rule.GroupIDs = of.UserIDs, of.GroupIDs
	}
	rule.Type, rule.Report = of.Type, of.Report
	rule.Source = &Source{of.ID, of.Name, of.Type, of.Required}
	return rule
}

// ruleSets are stored in the project: its own under the number 0, those of a merge
// request under its number.
var ruleSets = record.Of[RuleSet]{Kind: "approval_rules"}

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{ruleSets, settings} }
