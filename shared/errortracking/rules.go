package errortracking

import (
	"context"
	"errors"
	"strconv"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
)

// Rules switch error tracking on and off and hand out client keys.
type Rules struct {
	store Store
	trail *audit.Trail
	box   secret.Box
	now   func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store Store, trail *audit.Trail, keys secret.Keys, now func() time.Time) *Rules {
	return &Rules{store, trail, keys.Box("error tracking"), now}
}

// Settings returns the project's settings, or a fault.NotFound error when it
// has none.
func (r *Rules) Settings(ctx context.Context, projectID int64) (Settings, error) {
	return r.store.TrackingSettings(ctx, projectID)
}

// Change changes the project's settings and, unless token is nil, the token of
// the external tracker, which is stored sealed.
func (r *Rules) Change(ctx context.Context, by audit.Actor, p project.Project, c Change, token *secret.Text) (s Settings, err error) {
	if token != nil {
		sealed, complaint := r.seal(p.ID, token.Reveal())
		if complaint != "" {
			return Settings{}, fault.Field("token", complaint)
		}
		c.SealedToken = &sealed
	}
	err = r.trail.Do(ctx, by.Event(EventChanged, c.details(p)).In(p.ID), func(ctx context.Context) (err error) {
		s, err = r.store.ChangeTracking(ctx, p.ID, c)
		return err
	})
	return s, err
}

// maxToken is the longest token, in bytes.
const maxToken = 1024

// seal returns the token as it is stored, nil for an empty one.
func (r *Rules) seal(projectID int64, token string) (sealed []byte, complaint string) {
	switch {
	case token == "":
		return nil, ""
	case len(token) > maxToken:
		return nil, "is too long (maximum is 1024 bytes)"
	}
	return r.box.Seal([]byte(token), tokenLabel(projectID)), ""
}

func tokenLabel(projectID int64) string {
	return "token of project " + strconv.FormatInt(projectID, 10)
}

// Reseal seals the token of the project's external tracker under the instance's
// present key, unless it is already or there is none, and reports whether it did.
// The error is secret.ErrSealed if the instance has lost the key that sealed it.
func (r *Rules) Reseal(ctx context.Context, projectID int64) (bool, error) {
	s, err := r.store.TrackingSettings(ctx, projectID)
	switch {
	case fault.Is(err, fault.NotFound), err == nil && len(s.External.SealedToken) == 0:
		return false, nil
	case err != nil:
		return false, err
	}
	anew, err := r.box.Anew(s.External.SealedToken, tokenLabel(projectID))
	if err != nil || anew == nil {
		return false, err
	}
	err = r.store.PutSealedToken(ctx, projectID, s.External.SealedToken, anew)
	return err == nil, err
}

// attempts bounds how often a key is made when its id is taken. Among a million
// keys the chance for that is one in a thousand.
const attempts = 5

// CreateKey makes a client key.
func (r *Rules) CreateKey(ctx context.Context, by audit.Actor, p project.Project) (k ClientKey, err error) {
	for range attempts {
		k = NewClientKey(p.ID, r.now())
		err = r.trail.Do(ctx, keyEvent(by, EventClientKeyCreated, p, k.ID), func(ctx context.Context) error {
			return r.store.AddClientKey(ctx, k)
		})
		if !errors.Is(err, fault.Conflict) {
			break
		}
	}
	return k, err
}

// Keys returns a page of the project's client keys, the newest first.
func (r *Rules) Keys(ctx context.Context, projectID int64, req page.Request) (page.Of[ClientKey], error) {
	return r.store.ClientKeys(ctx, projectID, req)
}

// DeleteKey deletes a client key of the project, and returns it.
func (r *Rules) DeleteKey(ctx context.Context, by audit.Actor, p project.Project, id int64) (k ClientKey, err error) {
	err = r.trail.Do(ctx, keyEvent(by, EventClientKeyDeleted, p, id), func(ctx context.Context) (err error) {
		k, err = r.store.RemoveClientKey(ctx, p.ID, id)
		return err
	})
	return k, err
}
