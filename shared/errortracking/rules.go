package errortracking

import (
	"context"
	"errors"
	"strconv"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/secret"
)

// Rules switch error tracking on and off and hand out client keys.
type Rules struct {
	store Store
	box   secret.Box
	now   func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store Store, keys secret.Keys, now func() time.Time) *Rules {
	return &Rules{store, keys.Box("error tracking"), now}
}

// Settings returns the project's settings, or a fault.NotFound error when it
// has none.
func (r *Rules) Settings(ctx context.Context, projectID int64) (Settings, error) {
	return r.store.TrackingSettings(ctx, projectID)
}

// Change changes the project's settings and, unless it is nil, the token of
// the external tracker, which is stored sealed.
func (r *Rules) Change(ctx context.Context, projectID int64, c Change, token *secret.Text) (Settings, error) {
	if token != nil {
		sealed, complaint := r.seal(projectID, token.Reveal())
		if complaint != "" {
			return Settings{}, fault.Field("token", complaint)
		}
		c.SealedToken = &sealed
	}
	return r.store.ChangeTracking(ctx, projectID, c)
}

// maxToken is the longest token, in bytes.
const maxToken = 1024

// seal returns the token as a store keeps it, nothing for an empty one.
func (r *Rules) seal(projectID int64, token string) (sealed []byte, complaint string) {
	switch {
	case token == "":
		return nil, ""
	case len(token) > maxToken:
		return nil, "is too long (maximum is 1024 bytes)"
	}
	return r.box.Seal([]byte(token), "token of project "+strconv.FormatInt(projectID, 10)), ""
}

// attempts is how often a key is made again when its id is taken, which of a
// million keys is one in a thousand.
const attempts = 5

// CreateKey makes a client key.
func (r *Rules) CreateKey(ctx context.Context, projectID int64) (k ClientKey, err error) {
	for range attempts {
		k = NewClientKey(projectID, r.now())
		if err = r.store.AddClientKey(ctx, k); !errors.Is(err, fault.Conflict) {
			break
		}
	}
	return k, err
}

// Keys returns a page of the project's client keys, the newest first.
func (r *Rules) Keys(ctx context.Context, projectID int64, req page.Request) (page.Of[ClientKey], error) {
	return r.store.ClientKeys(ctx, projectID, req)
}

// DeleteKey ends a client key of the project at once, and returns it.
func (r *Rules) DeleteKey(ctx context.Context, projectID, id int64) (ClientKey, error) {
	return r.store.RemoveClientKey(ctx, projectID, id)
}
