// Package oidc holds the rules of the OpenID provider on top of the
// authorization server: the keys that sign, the id_token, and the claims about
// a user (OpenID Connect Core 1.0). It knows neither HTTP nor a database.
package oidc

import (
	"context"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
)

// SealedKeys is the key ring as a store keeps it: encrypted under the instance
// keys.
type SealedKeys struct {
	Sealed  []byte
	Version int64 // counts the replacements from 1
}

// The reasons why a store refuses an operation.
var (
	ErrNotFound = fault.New(fault.NotFound, "signing keys not found")
	ErrReplaced = fault.New(fault.Conflict, "the signing keys were replaced in between")
)

// Store keeps the key ring. Reads see every write that was acknowledged before.
type Store interface {
	// SigningKeys returns the ring, or a fault.NotFound error before the first
	// was stored.
	SigningKeys(ctx context.Context) (SealedKeys, error)

	// ReplaceSigningKeys stores next if the stored version, 0 without a ring,
	// is next.Version-1, and else returns a fault.Conflict error. Of any number
	// of concurrent callers one gets a nil error.
	ReplaceSigningKeys(ctx context.Context, next SealedKeys) error
}

// Groups finds the groups of users, at most so many.
type Groups interface {
	// Direct returns the groups of which the user is a direct member.
	Direct(ctx context.Context, userID int64, most int) (project.Joined, error)
	// Joined returns the groups of Direct and the groups below them.
	Joined(ctx context.Context, userID int64, most int) (project.Joined, error)
}

// The limits of the claims about groups. Anybody can make anybody else a member
// of any number of groups, and applications keep claims in cookies and headers.
const (
	maxGroups       = 200     // in each claim
	maxIDTokenBytes = 8 << 10 // of groups in an id_token, as JSON
)

// Provider makes the claims about users.
type Provider struct {
	issuer string
	groups Groups
	keys   *keyring
	now    func() time.Time
}

var _ oauth.Identities = (*Provider)(nil)

// New returns a provider. The issuer is the service's base URL.
func New(store Store, groups Groups, keys secret.Keys, issuer string, now func() time.Time) *Provider {
	return &Provider{issuer, groups, newKeyring(store, keys, now), now}
}
