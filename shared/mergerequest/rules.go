package mergerequest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/participant"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
)

// The events about merge requests.
var (
	EventCreated = audit.Declare("merge_request.created", "Merge request made")
	EventChanged = audit.Declare("merge_request.changed", "Merge request changed")
	EventMerged  = audit.Declare("merge_request.merged", "Merge request merged")
)

// Store keeps merge requests, and finds the users whom they name.
type Store interface {
	record.Store
	participant.Store
}

// Rules keep merge requests.
type Rules struct {
	store Store
	trail *audit.Trail
	now   func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store Store, trail *audit.Trail, now func() time.Time) *Rules {
	return &Rules{store, trail, now}
}

// List returns a page of the project's merge requests that the filter selects, the
// newest first.
func (r *Rules) List(ctx context.Context, p project.Project, f Filter, req page.Request) (page.Of[Stored], error) {
	if !f.some() {
		return merges.List(ctx, r.store, p.Place(), req)
	}
	return merges.Search(ctx, r.store, p.Place(), f.keeps, req)
}

// One returns the project's merge request with this number, or a fault.NotFound
// error.
func (r *Rules) One(ctx context.Context, p project.Project, number int64) (Stored, error) {
	return merges.Find(ctx, r.store, p.Place(), number)
}

// Draft is a merge request to be made.
type Draft struct {
	Title, Description, SourceBranch, TargetBranch string
	Attributes                                     AttributesChange
}

// Create makes a merge request of the user in whose name the actor acts.
func (r *Rules) Create(ctx context.Context, by audit.Actor, p project.Project, d Draft) (made Stored, err error) {
	now := r.now().UTC().Truncate(time.Microsecond)
	m := MergeRequest{
		Title: d.Title, Description: d.Description, SourceBranch: d.SourceBranch, TargetBranch: d.TargetBranch,
		State: Opened, AuthorID: by.UserID, MergeStatus: Unchecked, UpdatedAt: now,
	}
	d.Attributes.apply(&m.Attributes)
	if err := m.check(); err != nil {
		return Stored{}, err
	}
	if err := r.checkUsers(ctx, p, Attributes{}, m.Attributes); err != nil {
		return Stored{}, err
	}
	err = r.trail.Do(ctx, event(by, EventCreated, p, 0, m), func(ctx context.Context) (err error) {
		made, err = merges.Create(ctx, r.store, p.Place(), m, now)
		return openAlready(err)
	})
	return made, err
}

// openAlready returns ErrOpenAlready for the complaint of a store.
func openAlready(err error) error {
	if fields := (fault.Fields{}); errors.As(err, &fields) && fields["source_branch"] != nil && fields["source_branch"][0] == fault.Taken {
		return ErrOpenAlready
	}
	return err
}

// Change changes a merge request.
func (r *Rules) Change(ctx context.Context, by audit.Actor, p project.Project, was Stored, c Change) (Stored, error) {
	edit := func(m *MergeRequest) error { return c.apply(m, by.UserID, r.now().UTC().Truncate(time.Microsecond)) }
	next := was.Thing
	if err := edit(&next); err != nil {
		return Stored{}, err
	}
	if err := r.checkUsers(ctx, p, was.Thing.Attributes, next.Attributes); err != nil {
		return Stored{}, err
	}
	return r.edit(ctx, by, EventChanged, p, was, edit)
}

// checkUsers returns the complaints about users whom a merge request begins to name
// and who do not take part in the project.
func (r *Rules) checkUsers(ctx context.Context, p project.Project, was, next Attributes) error {
	complaints := fault.Fields{}
	for _, named := range []struct {
		field     string
		was, next []int64
	}{{"assignee_ids", was.AssigneeIDs, next.AssigneeIDs}, {"reviewer_ids", was.ReviewerIDs, next.ReviewerIDs}} {
		known := func(id int64) bool { return slices.Contains(named.was, id) }
		complaint, err := participant.Check(ctx, r.store, p, slices.DeleteFunc(slices.Clone(named.next), known), r.now())
		if err != nil {
			return err
		}
		complaints.Add(named.field, complaint)
	}
	return complaints.Err()
}

// Merging says how to merge.
type Merging struct {
	Auto bool   // what cannot be merged yet is set to be merged later
	SHA  string // the last commit of the source branch; empty: any
}

// Merge merges a merge request, or sets it to be merged later in the name of the actor's
// user.
func (r *Rules) Merge(ctx context.Context, by audit.Actor, p project.Project, was Stored, how Merging) (Stored, error) {
	return r.edit(ctx, by, EventMerged, p, was, func(m *MergeRequest) error {
		return m.merge(by.UserID, how, r.now().UTC().Truncate(time.Microsecond))
	})
}

func (r *Rules) edit(ctx context.Context, by audit.Actor, name audit.Name, p project.Project, was Stored, edit func(*MergeRequest) error) (next Stored, err error) {
	m := was.Thing
	if err := edit(&m); err != nil {
		return Stored{}, err
	}
	if name == EventMerged && m.State != Merged {
		name = EventChanged
	}
	err = r.trail.Do(ctx, event(by, name, p, was.Number, m), func(ctx context.Context) (err error) {
		next, err = merges.Change(ctx, r.store, was, edit)
		return openAlready(err)
	})
	return next, err
}

// Report is what the platform says of a merge request; nil leaves what it said before.
type Report struct {
	MergeStatus    *MergeStatus
	BlockingReason *BlockingReason
	Commits        CommitsReport
	Diffs          []Diff
	Overflow       *bool
}

// Report stores what the platform says: the diffs first, so that whoever finds the
// new status finds them. The platform reports often, so the trail does not have it.
func (r *Rules) Report(ctx context.Context, p project.Project, was Stored, report Report) (Stored, error) {
	if err := report.Commits.check(); err != nil {
		return Stored{}, err
	}
	if report.Diffs != nil || report.Overflow != nil {
		if err := r.putDiffs(ctx, p, was.Number, report); err != nil {
			return Stored{}, err
		}
	}
	if report.MergeStatus == nil && report.BlockingReason == nil && report.Commits == (CommitsReport{}) {
		return was, nil
	}
	return merges.Change(ctx, r.store, was, func(m *MergeRequest) error {
		replace(&m.MergeStatus, report.MergeStatus)
		replace(&m.BlockingReason, report.BlockingReason)
		report.Commits.apply(&m.Commits)
		return nil
	})
}

func (r *Rules) putDiffs(ctx context.Context, p project.Project, number int64, report Report) error {
	was, err := diffs.FindOr(ctx, r.store, p.Place(), number, Diffs{}, r.now())
	if err != nil {
		return err
	}
	_, err = diffs.Change(ctx, r.store, was, func(d *Diffs) error {
		if report.Diffs != nil {
			d.Files = report.Diffs
		}
		replace(&d.Overflow, report.Overflow)
		return nil
	})
	return err
}

// Diffs returns what the platform said that the merge request changes: nothing, if it
// said nothing.
func (r *Rules) Diffs(ctx context.Context, p project.Project, number int64) (Diffs, error) {
	stored, err := diffs.Find(ctx, r.store, p.Place(), number)
	return stored.Thing, fault.IgnoreNotFound(err)
}

func event(by audit.Actor, name audit.Name, p project.Project, number int64, m MergeRequest) audit.Event {
	details := audit.Details{"in": p.Where(), "title": m.Title, "state": string(m.State)}
	if number != 0 {
		details["merge_request"] = strconv.FormatInt(number, 10)
	}
	return by.Event(name, details).In(p.ID)
}
