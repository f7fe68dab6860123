package oauth

import (
	"context"
	"encoding/binary"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
)

// Lifetimes. AccessLifetime is part of the interface; CodeLifetime is the longest
// that RFC 6749 section 4.1.2 recommends.
const (
	CodeLifetime   = 10 * time.Minute
	AccessLifetime = 7200 * time.Second
	// GrantIdleLimit ends a grant whose refresh token was not used for so long.
	GrantIdleLimit = 180 * 24 * time.Hour
	// raceWindow is how long after a rotation the old refresh token may still
	// arrive in a client's own race without revoking anything.
	raceWindow = 10 * time.Second
	// TouchEvery is the least time between two recorded uses of a grant.
	TouchEvery = time.Minute
)

// GrantID identifies a grant. It is not secret: every code and token contains it.
type GrantID struct {
	UserID   int64
	ClientID int64    // the client's number; zero: a password grant without a client
	Random   [12]byte // distinguishes the grants of one user and client; newer ones are higher
}

// newRandom returns the Random of a grant that is made now. Those that releases
// before made have no time in them, and are lower than nearly all of these.
func newRandom(now time.Time) (r [12]byte) {
	binary.BigEndian.PutUint64(r[:], uint64(now.UnixMicro()))
	r[0] = 0xff
	copy(r[8:], secret.Random(4))
	return r
}

// Grant is a user's permission for a client, from the code through every pair of
// tokens to its end. Codes and tokens are not stored; they are made from the
// grant's ID, Nonce and Generation under the instance's key.
type Grant struct {
	GrantID
	Application string // the client's Application ID; empty without a client
	Nonce       [16]byte
	RedirectURI string
	Scopes      scope.Set
	Challenge   Challenge
	// Refreshable grants have refresh tokens; those of the password grant do
	// not.
	Refreshable bool
	// OIDCNonce is repeated in the client's first id_token. AuthenticatedAt is
	// when the user signed in; zero if unknown.
	OIDCNonce       string
	AuthenticatedAt time.Time
	// SessionEpoch is, for the password grant, the user's SessionEpoch that the
	// password was verified under.
	SessionEpoch time.Time
	CreatedAt    time.Time
	// Generation is zero while the code is outstanding and then counts the
	// pairs of tokens; only the last pair works.
	Generation int64
	// IssuedAt is when the pair of this Generation was made, PreviousIssuedAt
	// the one before it; zero when there was none.
	IssuedAt, PreviousIssuedAt time.Time
	// Narrowed means that the last refresh removed scopes.
	Narrowed  bool
	RevokedAt time.Time // zero: not revoked
	// UsedAt is the last recorded use of an access token. LastUse is more exact.
	UsedAt time.Time
}

// Revoked reports whether the grant was revoked.
func (g Grant) Revoked() bool { return !g.RevokedAt.IsZero() }

// CodeExpired reports whether an outstanding code has run out.
func (g Grant) CodeExpired(now time.Time) bool { return !now.Before(g.CreatedAt.Add(CodeLifetime)) }

// AccessExpiresAt is when the current access token runs out.
func (g Grant) AccessExpiresAt() time.Time { return g.IssuedAt.Add(AccessLifetime) }

// AccessExpired reports whether the current access token has run out.
func (g Grant) AccessExpired(now time.Time) bool { return !now.Before(g.AccessExpiresAt()) }

// Idle reports whether the grant ended for lack of refreshes.
func (g Grant) Idle(now time.Time) bool { return !now.Before(g.IssuedAt.Add(GrantIdleLimit)) }

// EndsAt is when the grant stops working, after which a store may forget it.
func (g Grant) EndsAt() time.Time {
	switch {
	case g.Generation == 0:
		return g.CreatedAt.Add(CodeLifetime)
	case g.Refreshable:
		return g.IssuedAt.Add(GrantIdleLimit)
	default:
		return g.AccessExpiresAt()
	}
}

// Live reports whether the grant has tokens and still works.
func (g Grant) Live(now time.Time) bool {
	return g.Generation > 0 && !g.Revoked() && now.Before(g.EndsAt())
}

// LastUse is when the client last used an access token, exact to TouchEvery, or
// got its tokens.
func (g Grant) LastUse() time.Time {
	if g.UsedAt.After(g.IssuedAt) {
		return g.UsedAt
	}
	return g.IssuedAt
}

// Redeemed returns the grant with its code exchanged for the first pair.
func (g Grant) Redeemed(now time.Time) Grant {
	g.Generation, g.IssuedAt = 1, now
	return g
}

// Rotated returns the grant with its next pair of tokens.
func (g Grant) Rotated(scopes scope.Set, now time.Time) Grant {
	g.Narrowed = len(scopes) < len(g.Scopes)
	g.Scopes = scopes
	g.Generation++
	g.PreviousIssuedAt, g.IssuedAt = g.IssuedAt, now
	return g
}

// GrantStore keeps grants. Reads see every write that was acknowledged
// before. Every change is one conditional write: of any number of concurrent
// callers at most one gets a nil error. A store may forget a grant once its
// EndsAt has passed.
type GrantStore interface {
	// CreateGrant stores a new grant and, unless it is without a client, adds it to
	// the user's Summary of the client: both or neither.
	CreateGrant(ctx context.Context, g Grant) error

	// Grant returns the grant with this id, also a revoked or expired one, or
	// a fault.NotFound error.
	Grant(ctx context.Context, id GrantID) (Grant, error)

	// GrantsOf returns the user's grants to the client, also revoked or expired
	// ones: the highest Random first, and at most that many.
	GrantsOf(ctx context.Context, userID, clientID int64, most int) ([]Grant, error)

	// GrantsOfEach returns what GrantsOf does for each of the summaries, by the
	// client's number. They are of one user, by descending client number.
	GrantsOfEach(ctx context.Context, summaries []Summary, most int) (map[int64][]Grant, error)

	// Summaries returns a page of the user's, the highest client number first.
	// They are not counted.
	Summaries(ctx context.Context, userID int64, r page.Request) (page.Of[Summary], error)

	// ForgetSummary removes it, unless a grant was added since it was read.
	// One that is gone is no error.
	ForgetSummary(ctx context.Context, a Summary) error

	// AdvanceGrant stores next, which is the Redeemed or Rotated grant, if the
	// stored generation is still next.Generation-1 and the grant is not
	// revoked. Else it returns a fault.Conflict error and, so that the caller
	// can tell why, the grant as it is stored; or a fault.NotFound error when
	// the grant is gone.
	AdvanceGrant(ctx context.Context, next Grant) (stored Grant, err error)

	// RevokeGrant ends the grant. One that was revoked before keeps its time,
	// and that, like one that is gone, is no error.
	RevokeGrant(ctx context.Context, id GrantID, now time.Time) error

	// RevokeGrants ends all of the user's grants to the client, outstanding
	// codes included, and forgets the Summary. Once it returns, no grant from
	// before the call works; one that is created meanwhile may stay, and then the
	// Summary does. It returns ErrNothingGranted when there is neither a grant that
	// was not revoked before nor a Summary.
	RevokeGrants(ctx context.Context, userID, clientID int64, now time.Time) error

	// TouchGrant records the use of an access token of the grant, in the grant and
	// in the Summary. It leaves alone what other callers change at the same time. A grant that is gone
	// stays gone, which is no error.
	TouchGrant(ctx context.Context, id GrantID, now time.Time) error

	// People returns how many users have a Summary of their grants to the client. It
	// counts no further than most.
	People(ctx context.Context, clientID int64, most int) (int, error)

	// NoteUse records that the client was used on the day.
	NoteUse(ctx context.Context, clientID int64, day time.Time) error

	// LastUses returns the days that NoteUse recorded last, by the client's number. It
	// leaves out clients without one.
	LastUses(ctx context.Context, clientIDs []int64) (map[int64]time.Time, error)
}
