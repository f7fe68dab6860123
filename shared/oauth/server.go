package oauth

import (
	"context"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
)

// Settings are options of the instance.
type Settings struct {
	// HTTPS means that clients reach the service over https, so that plain http
	// redirect URIs are for loopback hosts only.
	HTTPS bool
	// Issuer is the service's base URL, its name among authorization servers.
	Issuer string
	// PasswordGrant enables the password grant.
	PasswordGrant bool
	// RefreshRetry is how long after a rotation the client gets the same new
	// pair again for the old refresh token, in case the response was lost.
	// Zero: never; at most MaxRefreshRetry.
	RefreshRetry time.Duration
	// Sudo offers the scope sudo to clients, and clients without it act for an
	// administrator as for anybody else.
	Sudo bool
}

// MaxRefreshRetry bounds Settings.RefreshRetry.
const MaxRefreshRetry = 30 * time.Second

// The reasons why a store refuses an operation. For people a client is an
// application.
var (
	ErrClientNotFound = fault.New(fault.NotFound, "application not found")
	ErrClientChanged  = fault.New(fault.Conflict, "the application was changed in between")

	ErrGrantNotFound = fault.New(fault.NotFound, "grant not found")
	ErrGrantChanged  = fault.New(fault.Conflict, "the grant was advanced or revoked before")
	// ErrNothingGranted means that the user allowed the client nothing that could be ended.
	ErrNothingGranted = fault.New(fault.NotFound, "nothing was granted")
)

// Store keeps clients and grants.
type Store interface {
	ClientStore
	GrantStore
}

// Users finds users and verifies their passwords.
type Users interface {
	User(ctx context.Context, id int64) (user.User, error)
	UserByLogin(ctx context.Context, login string) (user.User, error)
	// VerifyPassword costs the same for the zero User as for a real one.
	// secret.ErrBusy says that it did not look.
	VerifyPassword(ctx context.Context, u user.User, password secret.Text) (bool, error)
}

// Server is the authorization server.
type Server struct {
	ClientReader
	store    Store
	users    Users
	attempts *throttle.Rules
	trail    *audit.Trail
	idTokens Identities // nil: no id_tokens
	codec    codec
	returns  secret.MACs // authenticate AuthorizeRequest.SignedInSince
	settings Settings
	now      func() time.Time
}

// NewServer returns an authorization server that makes codes and tokens under
// the keys.
func NewServer(store Store, users Users, attempts *throttle.Rules, trail *audit.Trail, keys secret.Keys, settings Settings, now func() time.Time) *Server {
	settings.RefreshRetry = min(settings.RefreshRetry, MaxRefreshRetry)
	return &Server{
		ClientReader: store, store: store, users: users, attempts: attempts, trail: trail, codec: newCodec(keys),
		returns: keys.Derive("authorization request after a sign-in"), settings: settings, now: now,
	}
}

// Tokens is a response of the token endpoint (RFC 6749 section 5.1).
type Tokens struct {
	Access    secret.Text
	Refresh   secret.Text // empty for the password grant
	ExpiresIn time.Duration
	Scopes    scope.Set
	CreatedAt time.Time
	ID        secret.Text // the id_token; empty without the scope openid
	grant     Grant
}

// tokens makes the grant's current pair.
func (s *Server) tokens(g Grant) Tokens {
	t := Tokens{
		Access:    s.codec.Credential(AccessKind, g),
		ExpiresIn: g.AccessExpiresAt().Sub(s.now()),
		Scopes:    g.Scopes,
		CreatedAt: g.IssuedAt,
		grant:     g,
	}
	if g.Refreshable {
		t.Refresh = s.codec.Credential(RefreshKind, g)
	}
	return t
}

// newGrant returns a grant of the user to the client, without tokens.
func (s *Server) newGrant(userID int64, c Client, scopes scope.Set) Grant {
	return Grant{
		GrantID:     GrantID{UserID: userID, ClientID: c.ID, Random: newRandom(s.now())},
		Application: c.ClientID,
		Nonce:       [16]byte(secret.Random(16)),
		Scopes:      scopes,
		CreatedAt:   s.now(),
	}
}
