package oauth

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/netip"
	"slices"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/telemetry"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
)

// TokenRequest is an unchecked request to the token endpoint (RFC 6749
// sections 4.1.3, 4.3.2 and 6, RFC 7636 section 4.5).
type TokenRequest struct {
	GrantType    string
	Client       Credentials
	Code         secret.Text
	RedirectURI  string
	CodeVerifier string
	RefreshToken secret.Text
	Scope        string
	Username     string
	Password     secret.Text
	Address      netip.Addr // where it came from
	// CrossSite means that a page of another site made a browser send it.
	CrossSite bool
}

// Credentials are a client's name and secret (RFC 6749 section 2.3.1).
type Credentials struct {
	ClientID string
	Secret   secret.Text
}

// exchange is a token request with what the store has for it.
type exchange struct {
	TokenRequest
	client     Client
	credential Credential // the code or refresh token
	grant      Grant      // of the credential; zero if there is none
	user       user.User  // with the password grant's username; zero if there is none
	attempt    throttle.Attempt
	throttled  bool // too many passwords were wrong
}

// caller is an authenticated client. Only authenticate makes one, and every way
// to a token needs one.
type caller struct{ Client }

// grantType is one way to a token. Every request is handled in the same order:
// check its parameters, read the store, then apply the grant's own rules, which
// authenticate the client before anything changes.
type grantType struct {
	require    func(TokenRequest) error
	credential func(codec, TokenRequest) Credential // the code or refresh token, zero for none
	issue      func(*Server, context.Context, exchange) (Tokens, error)
}

var grantTypes = map[string]grantType{
	"authorization_code": {requireCode, codeOf, (*Server).exchangeCode},
	"refresh_token":      {requireRefresh, refreshTokenOf, (*Server).refresh},
	"password":           {requirePassword, noCredential, (*Server).exchangePassword},
}

// GrantTypes lists the grant types that the instance offers.
func (s *Server) GrantTypes() []string {
	offered := slices.Sorted(maps.Keys(grantTypes))
	return slices.DeleteFunc(offered, func(name string) bool { return name == "password" && !s.settings.PasswordGrant })
}

// noCredential is for grants without code or token. Those sent anyway prove
// nothing.
func noCredential(codec, TokenRequest) Credential { return Credential{} }

// Token serves the token endpoint (RFC 6749 section 3.2). A wrong request is an
// *Error.
func (s *Server) Token(ctx context.Context, req TokenRequest) (Tokens, error) {
	grantType, ok := grantTypes[req.GrantType]
	switch {
	case req.GrantType == "":
		return Tokens{}, missing("grant_type")
	case !ok, req.GrantType == "password" && !s.settings.PasswordGrant:
		return Tokens{}, newError(UnsupportedGrantType, "This grant_type is not offered here.")
	}
	if err := grantType.require(req); err != nil {
		return Tokens{}, err
	}
	x, err := s.load(ctx, req, grantType.credential(s.codec, req))
	if err != nil {
		return Tokens{}, err
	}
	known := telemetry.Caller{ApplicationID: x.client.ID}
	telemetry.NoteCaller(ctx, known)
	tokens, err := grantType.issue(s, ctx, x)
	if err == nil {
		known.UserID = cmp.Or(x.grant.UserID, x.user.ID)
		telemetry.NoteCaller(ctx, known)
	}
	return tokens, err
}

// load reads the client and the grant or user of the request in parallel, and
// counts the attempt at a password meanwhile. What does not exist stays zero.
func (s *Server) load(ctx context.Context, req TokenRequest, c Credential) (exchange, error) {
	x := exchange{TokenRequest: req, credential: c}
	reads, ctx := errgroup.WithContext(ctx)
	if req.Client.ClientID != "" {
		reads.Go(func() (err error) {
			x.client, err = s.store.Client(ctx, req.Client.ClientID)
			return fault.IgnoreNotFound(err)
		})
	}
	if c.Kind != 0 {
		reads.Go(func() (err error) {
			x.grant, err = s.provenGrant(ctx, c)
			return fault.IgnoreNotFound(err)
		})
	}
	if req.GrantType == "password" {
		reads.Go(func() (err error) {
			x.user, err = s.users.UserByLogin(ctx, req.Username)
			return fault.IgnoreNotFound(err)
		})
		reads.Go(func() (err error) {
			x.attempt, x.throttled, err = s.beginPassword(ctx, req)
			return err
		})
	}
	err := reads.Wait()
	return x, err
}

// provenGrant returns the grant that gave the credential, in any generation, or
// a fault.NotFound error.
func (s *Server) provenGrant(ctx context.Context, c Credential) (Grant, error) {
	g, err := s.store.Grant(ctx, c.Grant)
	if err != nil {
		return Grant{}, err
	}
	if !s.codec.Proves(c, g) {
		return Grant{}, fault.New(fault.NotFound, "no grant gave this credential")
	}
	return g, nil
}

// authenticate checks the client's secret or, for a grant with a code challenge,
// the code verifier. A public client has nothing to prove itself with, so its
// name is enough. A secret that is sent must be right.
func (s *Server) authenticate(x exchange) (caller, error) {
	c := x.client
	switch {
	case c.ID == 0:
		return caller{}, errInvalidClient
	case !x.Client.Secret.Empty():
		if !c.SecretDigest.Matches(x.Client.Secret) {
			return caller{}, errInvalidClient
		}
		return caller{c}, nil
	case !c.Confidential:
		return caller{c}, nil
	case c.RequireSecret, x.CodeVerifier == "", x.grant.Challenge == "", x.grant.ClientID != c.ID:
		return caller{}, errInvalidClient
	case !x.grant.Challenge.Verify(x.CodeVerifier):
		return caller{}, errWrongVerifier
	default:
		return caller{c}, nil
	}
}

var errWrongVerifier = invalidGrant("The code_verifier does not match.")

// activeUser returns the user of a grant, who must not be blocked.
func (s *Server) activeUser(ctx context.Context, id int64) (user.User, error) {
	u, err := s.users.User(ctx, id)
	switch {
	case errors.Is(err, fault.NotFound), err == nil && u.Blocked():
		return user.User{}, invalidGrant("The user is gone or blocked.")
	}
	return u, err
}

func checkVerifierForm(verifier string) error {
	if verifier != "" && !wellFormedVerifier(verifier) {
		return newError(InvalidRequest, "The code_verifier is malformed: it has 43 to 128 unreserved characters.")
	}
	return nil
}
