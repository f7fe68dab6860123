package alert

import (
	"context"
	"errors"
	"slices"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
)

// Rules list and change alerts.
type Rules struct {
	Reader
	store   Store
	members Members
	now     func() time.Time
}

// Members knows the roles of users.
type Members interface {
	// RoleIn returns the user's role in the project. A user who does not exist
	// or is blocked has none.
	RoleIn(ctx context.Context, p project.Project, userID int64) (project.Role, error)
}

// NewRules returns the rules over a store.
func NewRules(store Store, members Members, now func() time.Time) *Rules {
	return &Rules{store, store, members, now}
}

// maxAttempts is how often Change tries when others change the alert at the
// same time.
const maxAttempts = 3

// Change changes the alert, which the caller has read, on behalf of the actor.
// It applies to whatever state the alert is in by then, unless Seen is set: then
// an alert that was changed since is ErrChanged. Other errors are those of
// Store.ChangeAlert, and fault.Fields for a status that does not exist, a user who
// cannot be assigned, or a silence that ends in the past or too late.
func (r *Rules) Change(ctx context.Context, by audit.Actor, p project.Project, a Alert, c Change) (Alert, error) {
	if c.Status != nil && !slices.Contains(Statuses, *c.Status) {
		return Alert{}, fault.Field("status", "does not have a valid value")
	}
	if err := r.checkAssignee(ctx, p, c.AssigneeID); err != nil {
		return Alert{}, err
	}
	c.ActorID, c.At = by.UserID, r.now()
	if err := c.checkSilence(); err != nil {
		return Alert{}, err
	}
	for n := 1; ; n++ {
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
