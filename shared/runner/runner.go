// Package runner keeps the runners that execute jobs of projects. Gatehouse runs no
// jobs: it keeps who registered which runner where, and when the runner was last in
// contact (Interface: "Runners").
package runner

import (
	"slices"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
)

// Runner is a runner. It belongs to the place where it was registered: the instance,
// a group or a project.
type Runner struct {
	Token           string    `json:"token"`      // the digest of its secret
	CreatorID       int64     `json:"creator_id"` // who made it, or its registration token
	Description     string    `json:"description,omitempty"`
	Name            string    `json:"name,omitempty"` // of the program
	MaintenanceNote string    `json:"maintenance_note,omitempty"`
	Paused          bool      `json:"paused,omitempty"`
	Locked          bool      `json:"locked,omitempty"`
	RunUntagged     bool      `json:"run_untagged"`
	Tags            []string  `json:"tag_list,omitempty"`
	AccessLevel     Access    `json:"access_level"`
	MaximumTimeout  int64     `json:"maximum_timeout,omitempty"` // in seconds; zero: none
	ContactedAt     time.Time `json:"contacted_at"`
	// Projects are those besides its own to which a project's runner is assigned. Some
	// may be deleted.
	Projects []int64 `json:"projects,omitempty"`

	// What is permanent of its place.
	Where   string  `json:"in,omitempty"`       // the full path
	Above   []int64 `json:"above,omitempty"`    // the groups above, from the top
	OwnerID int64   `json:"owner_id,omitempty"` // the user, if a project is in a user's own namespace
}

// Access says for which branches a runner takes jobs.
type Access string

// The levels of access.
const (
	NotProtected Access = "not_protected"
	RefProtected Access = "ref_protected"
)

// Accesses lists them.
var Accesses = []Access{NotProtected, RefProtected}

// Type is the kind of place that a runner belongs to.
type Type string

// The types.
const (
	InstanceType Type = "instance_type"
	GroupType    Type = "group_type"
	ProjectType  Type = "project_type"
)

// Types lists them.
var Types = []Type{InstanceType, GroupType, ProjectType}

// TypeOf returns the type of the runners of a place.
func TypeOf(at project.Place) Type {
	switch at.Kind {
	case project.InGroup:
		return GroupType
	case project.InProject:
		return ProjectType
	}
	return InstanceType
}

// Status says whether a runner is there.
type Status string

// The statuses.
const (
	NotConnected Status = "not_connected" // it never was in contact
	Online       Status = "online"
	Offline      Status = "offline"
)

// Stale selects runners in lists whose last contact was long ago. A runner itself has one
// of the other statuses.
const Stale Status = "stale"

// Statuses lists those that a runner has.
var Statuses = []Status{NotConnected, Online, Offline}

// onlineFor is how long a runner is online after a contact.
const onlineFor = 2 * time.Hour

// staleAfter is how long after a contact a runner is stale.
const staleAfter = 7 * 24 * time.Hour

// isAfter reports whether the status selects a runner after its last contact.
func (s Status) isAfter(contact, now time.Time) bool {
	if s == Stale {
		return !contact.IsZero() && !now.Before(contact.Add(staleAfter))
	}
	return statusAfter(contact, now) == s
}

// StatusAt returns the status at a time.
func (r Runner) StatusAt(now time.Time) Status { return statusAfter(r.ContactedAt, now) }

func statusAfter(contact, now time.Time) Status {
	switch {
	case contact.IsZero():
		return NotConnected
	case now.Before(contact.Add(onlineFor)):
		return Online
	}
	return Offline
}

// Stored is a runner with its id and the place that it belongs to.
type Stored = record.Stored[Runner]

// runners are listed where they are looked for.
var runners = record.Of[Runner]{Kind: "runner", Lists: listsOf, Hint: hintOf}

// all is the list of all runners.
var all = record.List{Place: record.Instance, Name: "all"}

// usableIn is the list of the group's runners, or of those that belong to the project
// or are assigned to it.
func usableIn(at project.Place) record.List { return record.List{Place: at, Name: "usable"} }

// below is the list of the runners of a type that belong to the place or to what is
// below it.
func below(at project.Place, t Type) record.List { return record.List{Place: at, Name: string(t)} }

func listsOf(at project.Place, r Runner) []record.List {
	t := TypeOf(at)
	lists := []record.List{all, below(record.Instance, t)}
	if at == record.Instance {
		return lists
	}
	for _, groupID := range r.Above {
		lists = append(lists, below(project.Place{Kind: project.InGroup, ID: groupID}, t))
	}
	lists = append(lists, below(at, t), usableIn(at))
	for _, id := range r.Projects {
		lists = append(lists, usableIn(project.Place{Kind: project.InProject, ID: id}))
	}
	return lists
}

// maxProjects is to how many projects besides its own a runner can be assigned.
const maxProjects = 50

// assign adds a project to those that a project's runner is assigned to.
func (r *Runner) assign(own, p project.Place) error {
	switch {
	case own == p || slices.Contains(r.Projects, p.ID):
		return fault.Field("runner_id", fault.Taken)
	case len(r.Projects) >= maxProjects:
		return fault.Field("runner_id", "is assigned to too many projects (maximum is 50 besides its own); make it a runner of a group")
	}
	r.Projects = append(slices.Clone(r.Projects), p.ID)
	return nil
}

// home returns the group or project that a runner belongs to, as far as roles in it
// depend on it.
func home(s Stored) project.GroupOrProject {
	if s.Place.Kind == project.InProject {
		return project.Project{ID: s.Place.ID, OwnerID: s.Thing.OwnerID, Lineage: s.Thing.Above}
	}
	return project.Group{ID: s.Place.ID, Ancestors: s.Thing.Above}
}

// roleToManage is the least role in a place with which one manages its runners.
func roleToManage(t Type) project.Role {
	if t == ProjectType {
		return project.Maintainer
	}
	return project.Owner
}

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{runners, registrations} }
