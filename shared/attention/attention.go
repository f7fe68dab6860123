// Package attention tells people what needs them across their projects: open alerts and
// incidents, what is assigned to them, and who is on call (Interface: "Home").
//
// A project's numbers of open alerts are spread over many items, and those of its incidents
// are not kept at all. So a project has a Summary of both, which the dispatcher renews after
// each change (alert.KindCounts): one page shows those of many projects in one request. A
// project with something open is also in a list of each group above it, the gravest first.
// Of these lists a page reads the beginning, however many projects are below the groups.
package attention

import (
	"cmp"
	"context"
	"maps"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
)

// Numbers are how many there are of each severity. One without any is missing.
type Numbers map[alert.Severity]int

// Total returns the sum of the numbers.
func (n Numbers) Total() (sum int) {
	for _, one := range n {
		sum += one
	}
	return sum
}

// gravest returns how grave the gravest are: zero if there are none, and then from 1 on.
func (n Numbers) gravest() (rank int64) {
	for severity, one := range n {
		if one > 0 {
			rank = max(rank, severity.Rank()+1)
		}
	}
	return rank
}

// Summary is what is open in a project: what is neither resolved nor ignored.
type Summary struct {
	ProjectID int64
	Alerts    Numbers
	Incidents Numbers
	CountedAt time.Time // it has every change that was stored before
	Version   int64     // zero: nothing was ever open
}

// Rank is the place of the project among those that need attention, the gravest of which
// are the highest. Zero: it needs none.
func (s Summary) Rank() int64 { return max(s.Alerts.gravest(), s.Incidents.gravest()) }

// says reports whether both say the same.
func (s Summary) says(other Summary) bool {
	return maps.Equal(s.Alerts, other.Alerts) && maps.Equal(s.Incidents, other.Incidents)
}

// Needing is a project that needs attention.
type Needing struct {
	ProjectID int64
	Rank      int64 // of its Summary
}

// Compare orders projects: the gravest first, and of one rank the newest.
func (n Needing) Compare(other Needing) int {
	return cmp.Or(cmp.Compare(other.Rank, n.Rank), cmp.Compare(other.ProjectID, n.ProjectID))
}

// ErrChanged means that someone else has counted a project meanwhile.
var ErrChanged = fault.New(fault.Conflict, "the project was counted meanwhile")

// Store keeps summaries, which are deleted with their project.
type Store interface {
	// SaveProjectSummary stores next in place of was, with the Version after that of was, and lists
	// the project in the groups above it by its rank. It returns ErrChanged when the stored
	// Version is not that of was, and a fault.NotFound error when the project is gone. Of
	// any number of concurrent callers with one Version one succeeds.
	SaveProjectSummary(ctx context.Context, p project.Project, was, next Summary) error

	// ProjectSummaries returns the summaries of these projects that have one.
	ProjectSummaries(ctx context.Context, projectIDs []int64) (map[int64]Summary, error)

	// ProjectsInNeed returns the first n projects that need attention below these groups, each
	// once and in the order of Compare. A user's own namespace is a group.
	ProjectsInNeed(ctx context.Context, groupIDs []int64, n int) ([]Needing, error)
}
