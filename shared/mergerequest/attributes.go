package mergerequest

import (
	"regexp"
	"slices"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/text"
)

// Attributes are what people say about a merge request beside its text.
type Attributes struct {
	AssigneeIDs        []int64  `json:"assignee_ids,omitempty"`
	ReviewerIDs        []int64  `json:"reviewer_ids,omitempty"`
	Labels             []string `json:"labels,omitempty"`
	Squash             bool     `json:"squash,omitempty"`
	RemoveSourceBranch bool     `json:"remove_source_branch,omitempty"`
	AllowCollaboration bool     `json:"allow_collaboration,omitempty"`
	DiscussionLocked   bool     `json:"discussion_locked,omitempty"`
}

// The most that a merge request has. Lists read all the users of a page.
const maxAssignees, maxReviewers, maxLabels = 20, 20, 100

// check adds the complaints about attributes.
func (a Attributes) check(complaints fault.Fields) {
	if len(a.AssigneeIDs) > maxAssignees {
		complaints.Add("assignee_ids", "has too many (maximum is 20)")
	}
	if len(a.ReviewerIDs) > maxReviewers {
		complaints.Add("reviewer_ids", "has too many (maximum is 20)")
	}
	if len(a.Labels) > maxLabels {
		complaints.Add("labels", "has too many (maximum is 100)")
	}
	for _, label := range a.Labels {
		if complaint := checkLabel(label); complaint != "" {
			complaints.Add("labels", complaint)
			break
		}
	}
}

func checkLabel(name string) string {
	if strings.Contains(name, ",") {
		return "contains a comma"
	}
	return text.CheckName(name)
}

// hasLabels reports whether it has all these labels, in any letter case.
func (a Attributes) hasLabels(all []string) bool {
	return !slices.ContainsFunc(all, func(wanted string) bool { return !hasLabel(a.Labels, wanted) })
}

func hasLabel(labels []string, wanted string) bool {
	return slices.ContainsFunc(labels, func(label string) bool { return strings.EqualFold(label, wanted) })
}

// AttributesChange is a change of attributes; nil leaves one as it is, and an empty
// list clears it.
type AttributesChange struct {
	AssigneeIDs, ReviewerIDs        []int64
	Labels, AddLabels, RemoveLabels []string
	Squash, RemoveSourceBranch      *bool
	AllowCollaboration              *bool
	DiscussionLocked                *bool
}

func (c AttributesChange) apply(a *Attributes) {
	if c.AssigneeIDs != nil {
		a.AssigneeIDs = once(c.AssigneeIDs)
	}
	if c.ReviewerIDs != nil {
		a.ReviewerIDs = once(c.ReviewerIDs)
	}
	a.Labels = c.labels(a.Labels)
	replace(&a.Squash, c.Squash)
	replace(&a.RemoveSourceBranch, c.RemoveSourceBranch)
	replace(&a.AllowCollaboration, c.AllowCollaboration)
	replace(&a.DiscussionLocked, c.DiscussionLocked)
}

// once returns the ids in their order, each once.
func once(ids []int64) (all []int64) {
	for _, id := range ids {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// labels returns the labels as the change makes them, in order.
func (c AttributesChange) labels(was []string) (all []string) {
	if c.Labels != nil {
		was = c.Labels
	}
	for _, label := range slices.Concat(was, c.AddLabels) {
		if !hasLabel(all, label) && !hasLabel(c.RemoveLabels, label) {
			all = append(all, label)
		}
	}
	slices.Sort(all)
	return all
}

// Who selects merge requests by users whom they name; the zero Who selects all.
type Who struct {
	ID      int64
	Anybody bool // one at least
	Nobody  bool
}

func (w Who) among(ids []int64) bool {
	switch {
	case w.Anybody:
		return len(ids) > 0
	case w.Nobody:
		return len(ids) == 0
	}
	return w.ID == 0 || slices.Contains(ids, w.ID)
}

// Commits are those that the platform reported, by their hashes; empty: none.
type Commits struct {
	Head   string `json:"sha,omitempty"`
	Merge  string `json:"merge_commit_sha,omitempty"`
	Squash string `json:"squash_commit_sha,omitempty"`
}

// headIs reports whether the source branch ends with the commit. Where the platform
// did not report the last one, or the caller names none, it is taken to be so.
func (c Commits) headIs(sha string) bool {
	return sha == "" || c.Head == "" || strings.EqualFold(sha, c.Head)
}

// CommitsReport is what the platform says of commits; nil leaves one as it is.
type CommitsReport struct{ Head, Merge, Squash *string }

var hash = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})?$`)

func (r CommitsReport) check() error {
	complaints := fault.Fields{}
	for name, sha := range map[string]*string{"sha": r.Head, "merge_commit_sha": r.Merge, "squash_commit_sha": r.Squash} {
		if sha != nil && !hash.MatchString(*sha) {
			complaints.Add(name, "is not the hash of a commit")
		}
	}
	return complaints.Err()
}

func (r CommitsReport) apply(c *Commits) {
	replace(&c.Head, r.Head)
	replace(&c.Merge, r.Merge)
	replace(&c.Squash, r.Squash)
}
