// Package mergerequest keeps what is known of a project's merge requests. Gatehouse runs
// neither Git nor pipelines: people and tools write merge requests through the REST
// API, and the platform reports whether one can be merged and what it changes
// (Interface: "Merge requests").
package mergerequest

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/record"
	"gatehouse/shared/text"
)

// MergeRequest is a wish to merge one branch into another.
type MergeRequest struct {
	Title          string         `json:"title"`
	Description    string         `json:"description,omitempty"`
	SourceBranch   string         `json:"source_branch"`
	TargetBranch   string         `json:"target_branch"`
	State          State          `json:"state"`
	AuthorID       int64          `json:"author_id"`
	MergeUserID    int64          `json:"merge_user_id,omitempty"` // who merged it or set it to be merged
	AutoMerge      bool           `json:"auto_merge,omitempty"`
	MergeStatus    MergeStatus    `json:"merge_status"`
	BlockingReason BlockingReason `json:"blocking_reason,omitempty"`
	Commits        Commits        `json:"commits"`
	UpdatedAt      time.Time      `json:"updated_at"`
	MergedAt       time.Time      `json:"merged_at"`
	ClosedAt       time.Time      `json:"closed_at"`
	ClosedByID     int64          `json:"closed_by_id,omitempty"`
	Attributes
}

// State is how far a merge request is.
type State string

// The states.
const (
	Opened State = "opened"
	Closed State = "closed"
	Merged State = "merged"
)

// MergeStatus is what the platform says of the two branches.
type MergeStatus string

// The statuses. Unchecked is that of a new merge request.
const (
	Unchecked     MergeStatus = "unchecked"
	Checking      MergeStatus = "checking"
	CanBeMerged   MergeStatus = "can_be_merged"
	CannotBe      MergeStatus = "cannot_be_merged"
	CannotRecheck MergeStatus = "cannot_be_merged_recheck"
)

// MergeStatuses lists them.
var MergeStatuses = []MergeStatus{Unchecked, Checking, CanBeMerged, CannotBe, CannotRecheck}

// BlockingReason is why a merge request whose branches fit cannot be merged; empty:
// nothing blocks it.
type BlockingReason string

// UnresolvedDiscussions is the reason that people look for by itself.
const UnresolvedDiscussions BlockingReason = "discussions_not_resolved"

// BlockingReasons lists them.
var BlockingReasons = []BlockingReason{
	"", "approvals_syncing", "ci_must_pass", "ci_still_running", "commits_status", UnresolvedDiscussions,
	"jira_association_missing", "locked_lfs_files", "locked_paths", "merge_request_blocked", "merge_time", "need_rebase",
	"not_approved", "preparing", "requested_changes", "security_policy_violations", "status_checks_must_pass", "title_regex",
}

// Draft reports whether the title says that the merge request is not ready.
func (m MergeRequest) Draft() bool { return draft.MatchString(m.Title) }

var draft = regexp.MustCompile(`(?i)^\s*(draft:|\[draft\]|\(draft\))`)

// The detailed statuses that follow from the others.
const (
	mergeable = "mergeable"
	conflict  = "conflict"
)

// DetailedStatus says in one word whether the merge request can be merged, and why
// not.
func (m MergeRequest) DetailedStatus() string {
	switch {
	case m.State != Opened:
		return "not_open"
	case m.Draft():
		return "draft_status"
	case m.MergeStatus == Unchecked:
		return "unchecked"
	case m.MergeStatus == Checking, m.MergeStatus == CannotRecheck:
		return "checking"
	case m.MergeStatus == CannotBe:
		return conflict
	case m.BlockingReason != "":
		return string(m.BlockingReason)
	}
	return mergeable
}

// MergedByID returns who merged it, zero if it is not merged.
func (m MergeRequest) MergedByID() int64 {
	if m.State != Merged {
		return 0
	}
	return m.MergeUserID
}

// maxDescription is the longest description, in bytes.
const maxDescription = 64 << 10

// Tasks returns how many tasks the description lists, and how many are done.
func (m MergeRequest) Tasks() (all, done int) {
	for _, found := range task.FindAllStringSubmatch(m.Description, -1) {
		all++
		if found[1] != " " {
			done++
		}
	}
	return all, done
}

var task = regexp.MustCompile(`(?m)^\s*(?:[-*+]|\d+[.)])[ \t]+\[([ xX])\][ \t]`)

// check returns the complaints about a merge request.
func (m MergeRequest) check() error {
	complaints := fault.Fields{}
	complaints.Add("title", text.CheckName(m.Title))
	complaints.Add("source_branch", checkBranch(m.SourceBranch))
	complaints.Add("target_branch", checkBranch(m.TargetBranch))
	if len(complaints) == 0 && m.SourceBranch == m.TargetBranch {
		complaints.Add("source_branch", "must differ from the target branch")
	}
	if len(m.Description) > maxDescription {
		complaints.Add("description", "is too long (maximum is 65536 bytes)")
	}
	m.Attributes.check(complaints)
	return complaints.Err()
}

func checkBranch(name string) string {
	if complaint := text.CheckName(name); complaint != "" {
		return complaint
	}
	if strings.ContainsAny(name, " ~^:?*[\\") || strings.Contains(name, "..") || strings.HasPrefix(name, "-") {
		return "is not the name of a branch"
	}
	return ""
}

// merges are stored below their project, which numbers them. There is one open merge
// request for two branches.
var merges = record.Of[MergeRequest]{Kind: "merge_request", PerPlace: true, Words: func(m MergeRequest) record.Words {
	if m.State != Opened {
		return nil
	}
	branches := sha256.Sum256([]byte(m.SourceBranch + "\n" + m.TargetBranch)) // letter case counts here
	return record.Words{"source_branch": hex.EncodeToString(branches[:])}
}}

// Stored is a merge request with its ids: ID in the instance, Number in the project.
type Stored = record.Stored[MergeRequest]

// Change is a change of a merge request; nil leaves a field as it is.
type Change struct {
	Title, Description, TargetBranch *string
	Event                            StateEvent
	Attributes                       AttributesChange
}

// StateEvent closes or opens a merge request.
type StateEvent string

// The events; empty: none.
const (
	Close  StateEvent = "close"
	Reopen StateEvent = "reopen"
)

// apply has the user change the merge request, or returns the complaints about it.
func (c Change) apply(m *MergeRequest, userID int64, now time.Time) error {
	replace(&m.Title, c.Title)
	replace(&m.Description, c.Description)
	replace(&m.TargetBranch, c.TargetBranch)
	c.Attributes.apply(&m.Attributes)
	if c.TargetBranch != nil && m.State == Opened {
		m.MergeStatus = Unchecked
	}
	switch {
	case c.Event == Close && m.State == Opened:
		m.State, m.ClosedAt, m.ClosedByID, m.AutoMerge, m.MergeUserID = Closed, now, userID, false, 0
	case c.Event == Reopen && m.State == Closed:
		m.State, m.ClosedAt, m.ClosedByID, m.MergeStatus = Opened, time.Time{}, 0, Unchecked
	}
	m.UpdatedAt = now
	return m.check()
}

func replace[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// The reasons why a merge request cannot be made, opened or merged.
var (
	ErrOpenAlready  = fault.New(fault.Conflict, "another open merge request has these branches")
	ErrConflict     = fault.New(fault.Unprocessable, "the branches conflict")
	ErrNotMergeable = fault.New(fault.Conflict, "the merge request cannot be merged")
	ErrOtherCommit  = fault.New(fault.Conflict, "the source branch has another commit by now")
)

// merge makes the user merge it, or be the one in whose name it will be merged when
// nothing blocks it any more.
func (m *MergeRequest) merge(userID int64, how Merging, now time.Time) error {
	switch status := m.DetailedStatus(); {
	case m.State == Opened && !m.Commits.headIs(how.SHA):
		return ErrOtherCommit
	case status == conflict:
		return ErrConflict
	case status == mergeable:
		if m.MergeUserID == 0 {
			m.MergeUserID = userID
		}
		m.State, m.MergedAt, m.AutoMerge = Merged, now, false
	case how.Auto && m.State == Opened && !m.Draft():
		m.MergeUserID, m.AutoMerge = userID, true
	default:
		return ErrNotMergeable
	}
	m.UpdatedAt = now
	return nil
}

// Filter selects merge requests; empty fields select all.
type Filter struct {
	State                      State
	AuthorID                   int64
	SourceBranch, TargetBranch string
	Search                     string // in title and description, in any letter case
	Numbers                    []int64
	Assignee, Reviewer         Who
	Labels                     []string // all of them
	Draft                      *bool
}

// some reports whether the filter leaves anything out.
func (f Filter) some() bool {
	return f.State != "" || f.AuthorID != 0 || f.SourceBranch != "" || f.TargetBranch != "" || f.Search != "" || f.Numbers != nil ||
		f.Assignee != (Who{}) || f.Reviewer != (Who{}) || len(f.Labels) > 0 || f.Draft != nil
}

func (f Filter) keeps(m Stored) bool {
	thing := m.Thing
	return (f.State == "" || f.State == thing.State) && (f.AuthorID == 0 || f.AuthorID == thing.AuthorID) &&
		(f.SourceBranch == "" || f.SourceBranch == thing.SourceBranch) && (f.TargetBranch == "" || f.TargetBranch == thing.TargetBranch) &&
		(f.Numbers == nil || slices.Contains(f.Numbers, m.Number)) &&
		f.Assignee.among(thing.AssigneeIDs) && f.Reviewer.among(thing.ReviewerIDs) && thing.hasLabels(f.Labels) &&
		(f.Draft == nil || *f.Draft == thing.Draft()) &&
		strings.Contains(strings.ToLower(thing.Title+"\n"+thing.Description), strings.ToLower(f.Search))
}

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{merges, diffs} }
