package alert

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

// Rules list and change alerts.
type Rules struct {
	store    Store
	members  Members
	policies Policies
	now      func() time.Time
}

// Members knows the roles of users.
type Members interface {
	// RoleIn returns the user's role in the project. A user who does not exist
	// or is blocked has none.
	RoleIn(ctx context.Context, p project.Project, userID int64) (project.Role, error)
}

// Policy is what a project's settings say about its alerts.
type Policy struct {
	Tells    bool // somebody wants to be told of them
	KeptDays int  // for how many days they are kept once they are resolved; zero: for ever
}

// Policies knows what projects want.
type Policies interface {
	AlertPolicy(ctx context.Context, p project.Project) (Policy, error)
}

// NewRules returns the rules over a store.
func NewRules(store Store, members Members, policies Policies, now func() time.Time) *Rules {
	return &Rules{store, members, policies, now}
}

// Alert returns the alert, or a fault.NotFound error.
func (r *Rules) Alert(ctx context.Context, projectID, iid int64) (Alert, error) {
	return r.store.Alert(ctx, projectID, iid, r.now())
}

// AlertsByIID returns those of the alerts that are there, by their numbers, without their
// Activity and perhaps without their latest events.
func (r *Rules) AlertsByIID(ctx context.Context, projectID int64, iids []int64) (map[int64]Alert, error) {
	return r.store.AlertsByIID(ctx, projectID, iids, r.now())
}

// WholeAlert returns the alert with its payloads, or a fault.NotFound error. The others are
// called while the payloads are read.
func (r *Rules) WholeAlert(ctx context.Context, projectID, iid int64, others ...Beside) (Whole, error) {
	return r.store.WholeAlert(ctx, projectID, iid, r.now(), others...)
}

// WholeAlertsFrom returns the newest alerts that the integration opened, at most n, with their
// payloads and without their Activity. Of the project's alerts it looks at the newest alone.
func (r *Rules) WholeAlertsFrom(ctx context.Context, projectID, integrationID int64, n int) ([]Whole, error) {
	return r.store.WholeAlertsFrom(ctx, projectID, integrationID, n, r.now())
}

// AlertPayload returns the payload of the occurrence that opened the alert, or a
// fault.NotFound error.
func (r *Rules) AlertPayload(ctx context.Context, projectID, iid int64) ([]byte, error) {
	return r.store.AlertPayload(ctx, projectID, iid, r.now())
}

// LatestPayload returns the newest payload of a repeat that is kept. It is zero where
// nothing repeated, and where there is no such alert.
func (r *Rules) LatestPayload(ctx context.Context, projectID, iid int64) (LatestPayload, error) {
	return r.store.LatestPayload(ctx, projectID, iid, r.now())
}

// AssignedTo returns the newest n alerts, in any project, that wait for the user, and
// whether there are more.
func (r *Rules) AssignedTo(ctx context.Context, userID int64, n int) (found []Alert, more bool, err error) {
	found, err = r.store.AssignedAlerts(ctx, userID, n+1, r.now())
	return found[:min(n, len(found))], len(found) > n, err
}

// Next returns the number of the alert that comes after this one in the order of the query,
// which need not match it, or of the first one; zero: no other alert matches.
func (r *Rules) Next(ctx context.Context, projectID, iid int64, q Query) (int64, error) {
	var from page.Position
	switch of, err := r.Alert(ctx, projectID, iid); {
	case err == nil:
		from = q.Position(of)
	case !fault.Is(err, fault.NotFound):
		return 0, err
	}
	for _, after := range []page.Position{from, {}} {
		found, err := r.store.Alerts(ctx, projectID, q, page.Request{Number: 1, Size: 2, After: after, Uncounted: true}, r.now())
		if err != nil {
			return 0, err
		}
		if n := slices.IndexFunc(found.Items, func(a Alert) bool { return a.IID != iid }); n >= 0 {
			return found.Items[n].IID, nil
		}
	}
	return 0, nil
}

// StatusCounts returns the numbers of a project's alerts of each status with these
// severities, of any where there are none; nil: they are not known yet.
func (r *Rules) StatusCounts(ctx context.Context, projectID int64, severities []Severity) (map[Status]int, error) {
	counts, err := r.store.AlertCounts(ctx, projectID, r.now())
	if counts == nil || err != nil {
		return nil, err
	}
	return counts.statuses(severities), nil
}

// Waiting counts the alerts of a project that somebody still has to do something about, by
// severity; nil: that is not known yet.
func (r *Rules) Waiting(ctx context.Context, projectID int64) (map[Severity]int, error) {
	counts, err := r.store.AlertCounts(ctx, projectID, r.now())
	if counts == nil || err != nil {
		return nil, err
	}
	waiting := map[Severity]int{}
	for class, n := range counts {
		if n > 0 && (Alert{Status: class.Status}).Waits() {
			waiting[class.Severity] += n
		}
	}
	return waiting, nil
}

// OpenAlert returns the open grouped alert with the fingerprint, or a fault.NotFound
// error.
func (r *Rules) OpenAlert(ctx context.Context, projectID int64, f Fingerprint) (Alert, error) {
	return r.store.OpenAlert(ctx, projectID, f)
}

// Current is an alert that was read to be changed.
type Current struct {
	Alert
	Policy
}

// Current returns the alert to be changed, or a fault.NotFound error.
func (r *Rules) Current(ctx context.Context, p project.Project, iid int64) (found Current, err error) {
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		found.Alert, err = r.Alert(ctx, p.ID, iid)
		return err
	})
	reads.Go(func() (err error) {
		found.Policy, err = r.policies.AlertPolicy(ctx, p)
		return err
	})
	err = reads.Wait() // found is complete only now
	return found, err
}

// maxAttempts is how often Change tries when others change the alert at the
// same time.
const maxAttempts = 3

// Change changes the alert, as Current returned it, on behalf of the actor. Those who
// want to be told of the project's alerts or are concerned with its incident are told.
// It applies to whatever state the alert is in by then, unless Seen is set: then
// an alert that was changed since is ErrChanged. Other errors are those of
// Store.ChangeAlert, and fault.Fields for a status that does not exist, a user who
// cannot be assigned, or a silence that ends in the past or too late.
func (r *Rules) Change(ctx context.Context, by audit.Actor, p project.Project, was Current, c Change) (Alert, error) {
	c, err := r.checked(ctx, by, p, c)
	if err != nil {
		return Alert{}, err
	}
	return r.change(ctx, was, c)
}

// checked returns the change as it is made on behalf of the actor.
func (r *Rules) checked(ctx context.Context, by audit.Actor, p project.Project, c Change) (Change, error) {
	if c.Status != nil && !slices.Contains(Statuses, *c.Status) {
		return c, fault.Field("status", "does not have a valid value")
	}
	if err := r.checkAssignee(ctx, p, c.AssigneeID); err != nil {
		return c, err
	}
	c.ActorID, c.At = by.UserID, r.now()
	return c, c.checkSilence()
}

// change makes a change that was checked.
func (r *Rules) change(ctx context.Context, was Current, c Change) (Alert, error) {
	a := was.Alert
	c.KeptDays = was.KeptDays
	for n := 1; ; n++ {
		c.Tell = was.Tells || a.IncidentIID != 0 || c.IncidentIID != nil
		if c.overtaken(a) {
			return Alert{}, ErrChanged
		}
		changed, err := r.store.ChangeAlert(ctx, a, c)
		if !errors.Is(err, ErrChanged) || n == maxAttempts {
			return changed, err
		}
		if a, err = r.Alert(ctx, a.ProjectID, a.IID); err != nil {
			return Alert{}, err
		}
	}
}

// maxSilence is for how long an alert can be silenced.
const maxSilence = 30 * 24 * time.Hour

// checkSilence checks when the silence is to end.
func (c Change) checkSilence() error {
	if c.SilencedUntil == nil || c.SilencedUntil.IsZero() {
		return nil
	}
	if ahead := c.SilencedUntil.Sub(c.At); ahead <= 0 || ahead > maxSilence {
		return fault.Field("silenced_until", "must be in the future, at most 30 days ahead")
	}
	return nil
}

// checkAssignee checks that the user has the role Developer or above in the project.
func (r *Rules) checkAssignee(ctx context.Context, p project.Project, userID *int64) error {
	if userID == nil || *userID == 0 {
		return nil
	}
	role, err := r.members.RoleIn(ctx, p, *userID)
	if err == nil && role < project.Developer {
		return fault.Field("assignee_id", "is not somebody with the role Developer or above in the project")
	}
	return err
}
