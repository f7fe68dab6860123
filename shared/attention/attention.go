// Package attention tells people what needs them across their projects: open alerts and
// incidents, what is assigned to them, and who is on call (Interface: "Home").
//
// A project's numbers of open alerts are spread over many items, and those of its incidents
// are not kept at all. So a project has a Summary of both, which the dispatcher renews after
// each change (alert.KindCounts): one page shows those of many projects in one request. A
// project is also in a list of each group above it, the gravest first and then the newest.
// Of these lists a page reads the beginning, however many projects are below the groups.
//
// Who is on call stands in many items as well: schedules, memberships and users. So a Summary
// has the shifts of a day, which the dispatcher renews after each change of a schedule and at
// each handover. A page reads of these people alone whether they still take part.
package attention

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
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

// Summary is what is open in a project: what is neither resolved nor ignored. It also says
// who is on call.
type Summary struct {
	ProjectID int64
	Alerts    Numbers
	Incidents Numbers
	OnCall    []Duty    // of the next day, at most mostDuties
	CountedAt time.Time // it has every change that was stored before
	Version   int64     // zero: nothing was ever open, and nobody on call
}

// Duty is a time in which a user is on call in a schedule. It is stored.
type Duty struct {
	ScheduleID int64     `json:"schedule_id"`
	Schedule   string    `json:"schedule"`
	UserID     int64     `json:"user_id"`
	StartsAt   time.Time `json:"starts_at"`
	EndsAt     time.Time `json:"ends_at"`
}

func (d Duty) equal(other Duty) bool {
	same := d.StartsAt.Equal(other.StartsAt) && d.EndsAt.Equal(other.EndsAt)
	d.StartsAt, d.EndsAt = other.StartsAt, other.EndsAt
	return same && d == other
}

// holds reports whether it is the turn at an instant.
func (d Duty) holds(at time.Time) bool { return !at.Before(d.StartsAt) && at.Before(d.EndsAt) }

// Rank is the place of the project among those that need attention, the gravest of which
// are the highest. Zero: it needs none.
func (s Summary) Rank() int64 { return max(s.Alerts.gravest(), s.Incidents.gravest()) }

// says reports whether both say the same.
func (s Summary) says(other Summary) bool {
	return maps.Equal(s.Alerts, other.Alerts) && maps.Equal(s.Incidents, other.Incidents) &&
		slices.EqualFunc(s.OnCall, other.OnCall, Duty.equal)
}

// Row is a project with its summary.
type Row struct {
	project.Project
	Summary
}

// Needing is a project that needs attention, or any project with the rank zero.
type Needing struct {
	ProjectID int64
	Rank      int64 // of its Summary
}

// Compare orders projects: the gravest first, and of one rank the newest.
func (n Needing) Compare(other Needing) int {
	return cmp.Or(cmp.Compare(other.Rank, n.Rank), cmp.Compare(other.ProjectID, n.ProjectID))
}

// First returns of these, each once and in the order of Compare, the first n that need
// attention and the newest n with rank zero.
func First(all []Needing, n int) []Needing {
	slices.SortFunc(all, Needing.Compare)
	all = slices.Compact(all) // a project is below several groups
	calm := slices.IndexFunc(all, func(one Needing) bool { return one.Rank == 0 })
	if calm < 0 {
		return all[:min(n, len(all))]
	}
	return slices.Concat(all[:min(n, calm)], all[calm:min(calm+n, len(all))])
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

	// ProjectRows returns these projects that exist, with their summaries.
	ProjectRows(ctx context.Context, projectIDs []int64) (map[int64]Row, error)

	// ProjectsBelow returns the projects below these groups, each once, in the order of
	// Compare: the first n that need attention with their rank, and the newest n of all with
	// rank zero. Of the newest some may be missing if very many need attention. If calm
	// is set it returns only the newest. A user's own namespace is a group.
	ProjectsBelow(ctx context.Context, groupIDs []int64, calm bool, n int) ([]Needing, error)

	// UsersWithRoles returns the users with these ids that exist, and those memberships of the same
	// users and places as the wanted ones that exist.
	UsersWithRoles(ctx context.Context, userIDs []int64, wanted []project.Member) (map[int64]user.User, project.Memberships, error)
}
