// Package accesstoken holds the rules for personal access tokens, which people
// make for their own scripts. A token is shown once; the store keeps its digest.
// It ends at the start of a day in UTC. Only the token that an administrator
// supplies for the first start never ends. Wrong requests are fault.Fields
// errors.
package accesstoken

import (
	"context"
	"strconv"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
)

// Token is a personal access token as it is stored.
type Token struct {
	ID         int64
	UserID     int64
	Name       string
	Scopes     scope.Set
	Digest     secret.Digest
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero: never
	RevokedAt  time.Time // zero: not revoked
	LastUsedAt time.Time // zero: never used; else exact to a minute
}

// Expired reports whether the token has run out.
func (t Token) Expired(now time.Time) bool { return !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt) }

// Revoked reports whether the token was revoked.
func (t Token) Revoked() bool { return !t.RevokedAt.IsZero() }

// Active reports whether the token can be used.
func (t Token) Active(now time.Time) bool { return !t.Revoked() && !t.Expired(now) }

// Reader finds personal access tokens. Reads see every write that was
// acknowledged before.
type Reader interface {
	// AccessTokenByDigest returns the token with this digest, also a revoked
	// or expired one, or a fault.NotFound error.
	AccessTokenByDigest(ctx context.Context, d secret.Digest) (Token, error)

	// AccessToken returns the token with this id, also a revoked or expired
	// one, or a fault.NotFound error.
	AccessToken(ctx context.Context, id int64) (Token, error)

	// AccessTokens returns a page of the user's tokens, the newest first; for
	// user 0 of everybody's.
	AccessTokens(ctx context.Context, userID int64, r page.Request) (page.Of[Token], error)
}

// The reasons why a store refuses an operation.
var (
	ErrNotFound = fault.New(fault.NotFound, "token not found")
	ErrTaken    = fault.New(fault.Conflict, "a token with this value exists")
	ErrRevoked  = fault.New(fault.Conflict, "the token is revoked")
	ErrTooMany  = fault.New(fault.Conflict, "the user has the most tokens that work: "+strconv.Itoa(MaxActive)+"; revoke one first")
)

// MaxActive is how many active tokens a user can have who is no administrator.
const MaxActive = 1000

// Store keeps personal access tokens.
type Store interface {
	Reader

	// CreateAccessToken stores the token under the next id and returns it. It
	// returns a fault.Conflict error when a token with the digest exists.
	CreateAccessToken(ctx context.Context, t Token) (Token, error)

	// CreateAccessTokenWithin does the same unless the user has so many active tokens at
	// that moment: then it returns ErrTooMany.
	CreateAccessTokenWithin(ctx context.Context, most int, t Token) (Token, error)

	// RevokeAccessToken ends the token for good. A token revoked before stays
	// as it is, and the error is ErrRevoked; an unknown one is fault.NotFound.
	RevokeAccessToken(ctx context.Context, id int64, now time.Time) error

	// RotateAccessToken revokes the old token and stores its successor under
	// the next id, both or neither. It returns a fault.Conflict error when
	// the old token was revoked before: of concurrent callers one wins.
	RotateAccessToken(ctx context.Context, id int64, successor Token, now time.Time) (Token, error)

	// TouchAccessToken notes the use of a token.
	TouchAccessToken(ctx context.Context, t Token, now time.Time) error
}
