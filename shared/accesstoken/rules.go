package accesstoken

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/text"
)

const (
	// Prefix begins every token that Gatehouse makes.
	Prefix = "gtpat-"
	// maxLifetime is the longest lifetime of a token, and the default.
	maxLifetime = 365 * 24 * time.Hour
	// TouchEvery is the least time between two recorded uses of a token.
	TouchEvery = time.Minute

	entropy = 20 // bytes
)

// Rules create, find and revoke personal access tokens.
type Rules struct {
	Reader
	store Store
	trail *audit.Trail
	now   func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store Store, trail *audit.Trail, now func() time.Time) *Rules {
	return &Rules{store, store, trail, now}
}

// Request describes a new token.
type Request struct {
	UserID    int64
	Admin     bool // the user is an administrator
	Name      string
	Scopes    scope.Set
	ExpiresAt time.Time // zero: LastDay
}

// Check returns what is wrong with the request as fault.Fields.
func (r *Rules) Check(req Request) error { return req.until(r.now()).check(r.now()) }

// until returns the request with its default for ExpiresAt.
func (req Request) until(now time.Time) Request {
	if req.ExpiresAt.IsZero() {
		req.ExpiresAt = LastDay(now)
	}
	return req
}

// Create makes a token and returns it with its secret, which cannot be read
// again. A wrong request is a fault.Fields error.
func (r *Rules) Create(ctx context.Context, actor audit.Actor, req Request) (Token, secret.Text, error) {
	now := r.now()
	req = req.until(now)
	if err := req.check(now); err != nil {
		return Token{}, secret.Text{}, err
	}
	text := secret.New(Prefix, entropy)
	token, err := r.add(ctx, req.Admin, Token{
		UserID: req.UserID, Name: req.Name, Scopes: req.Scopes, Digest: text.Digest(),
		CreatedAt: now, ExpiresAt: req.ExpiresAt,
	})
	return token, text, r.trail.RecordUnless(ctx, err, token.event(EventCreated, actor))
}

// add stores the token of a user, who as an administrator can have any number of them.
func (r *Rules) add(ctx context.Context, admin bool, t Token) (Token, error) {
	if admin {
		return r.store.CreateAccessToken(ctx, t)
	}
	return r.store.CreateAccessTokenWithin(ctx, MaxActive, t)
}

// LastDay returns the latest day on which a token made now can end.
func LastDay(now time.Time) time.Time {
	return now.UTC().Add(maxLifetime).Truncate(24 * time.Hour)
}

func (req Request) check(now time.Time) error {
	complaints := fault.Fields{}
	complaints.Add("name", text.CheckName(req.Name))
	complaints.Add("scopes", req.checkScopes())
	switch {
	case !req.ExpiresAt.After(now):
		complaints.Add("expires_at", "must be in the future")
	case req.ExpiresAt.After(LastDay(now)):
		complaints.Add("expires_at", "must be within 365 days")
	}
	return complaints.Err()
}

func (req Request) checkScopes() string {
	if len(req.Scopes) == 0 {
		return "can't be blank"
	}
	for _, s := range req.Scopes {
		if !slices.Contains(scope.Token, s) {
			return "can only contain available scopes"
		}
		if s == scope.Sudo && !req.Admin {
			return "sudo is for administrators only"
		}
	}
	return ""
}

// Limits of a token that an administrator supplies, in characters.
const minGiven, maxGiven = 20, 255

// Adopt stores a token for the first start with a secret that the administrator
// chose: 20 to 255 printable ASCII characters, without a space at either end,
// which a header would lose. The token never expires.
func (r *Rules) Adopt(ctx context.Context, userID int64, name string, scopes scope.Set, text secret.Text) (Token, error) {
	value := text.Reveal()
	printable := !strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c > '~' })
	if len(value) < minGiven || len(value) > maxGiven || !printable || strings.TrimSpace(value) != value {
		return Token{}, fault.New(fault.Invalid,
			fmt.Sprintf("a token has %d to %d printable ASCII characters and no space at either end", minGiven, maxGiven))
	}
	return r.store.CreateAccessToken(ctx, Token{
		UserID: userID, Name: name, Scopes: scopes, Digest: text.Digest(), CreatedAt: r.now(),
	})
}

// Rotate revokes a token and makes its successor with the same name and scopes,
// which lasts until expiresAt (zero: a week).
func (r *Rules) Rotate(ctx context.Context, actor audit.Actor, old Token, expiresAt time.Time) (Token, secret.Text, error) {
	now := r.now()
	if expiresAt.IsZero() {
		expiresAt = now.UTC().AddDate(0, 0, 7).Truncate(24 * time.Hour)
	}
	req := Request{Name: old.Name, Scopes: old.Scopes, Admin: true, ExpiresAt: expiresAt}
	if err := req.check(now); err != nil {
		return Token{}, secret.Text{}, err
	}
	text := secret.New(Prefix, entropy)
	successor, err := r.store.RotateAccessToken(ctx, old.ID, Token{
		UserID: old.UserID, Name: old.Name, Scopes: old.Scopes, Digest: text.Digest(),
		CreatedAt: now, ExpiresAt: expiresAt,
	}, now)
	return successor, text, r.trail.RecordUnless(ctx, err, successor.event(EventRotated, actor))
}

// Revoke ends a token for good. A token that was revoked before is no error, and
// not in the trail again.
func (r *Rules) Revoke(ctx context.Context, actor audit.Actor, t Token) error {
	err := r.store.RevokeAccessToken(ctx, t.ID, r.now())
	if errors.Is(err, ErrRevoked) {
		return nil
	}
	return r.trail.RecordUnless(ctx, err, t.event(EventRevoked, actor))
}

// Touch records the use of a token, unless it did so less than TouchEvery ago.
func (r *Rules) Touch(ctx context.Context, t Token) error {
	if r.now().Sub(t.LastUsedAt) < TouchEvery {
		return nil
	}
	return r.store.TouchAccessToken(ctx, t, r.now())
}

// Events of personal access tokens.
var (
	EventCreated = audit.Declare("access_token.created", "Access token made")
	EventRotated = audit.Declare("access_token.rotated", "Access token rotated")
	EventRevoked = audit.Declare("access_token.revoked", "Access token revoked")
)

// event returns an event about the token, in the trail of its user.
func (t Token) event(name audit.Name, actor audit.Actor) audit.Event {
	return audit.Event{
		Name: name, ActorID: actor.ID, UserID: t.UserID,
		Details: audit.Details{"name": t.Name, "scopes": t.Scopes.String()},
	}
}
