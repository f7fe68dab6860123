package oauth

import (
	"context"
	"errors"
	"net/netip"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
)

// TokenRequest is a request to the token endpoint as it came (RFC 6749
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
	// CrossSite tells that a page of another site had a browser send it.
	CrossSite bool
}

// Credentials are what a client says of itself (RFC 6749 section 2.3.1).
type Credentials struct {
	ClientID string
	Secret   secret.Text
}

// exchange is a token request with what the store knows of it.
type exchange struct {
	TokenRequest
	client     Client
	credential Credential // the code or refresh token
	grant      Grant      // the zero Grant when the credential gave none
	user       user.User  // whom the password grant names; zero when there is nobody
	attempt    throttle.Attempt
	throttled  bool // after too many wrong passwords
}

// caller is a client that proved who it is. Only authenticate makes one, and
// every way to a token needs one.
type caller struct{ Client }

// grantType is one way to a token. Every request takes the same road: what
// the request must have, what the store knows, then the grant's own rules,
// which authenticate the client before anything changes.
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

// noCredential is for grants that show neither code nor token: what came along
// all the same proves nothing.
func noCredential(codec, TokenRequest) Credential { return Credential{} }

// Token serves the token endpoint (RFC 6749 section 3.2). What is wrong with
// the request comes as an *Error.
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
	return grantType.issue(s, ctx, x)
}

// load reads the client and the grant or user that the request names, side by
// side, and counts the attempt at a password meanwhile. One that is unknown
// stays zero, and so does the grant of the zero credential.
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

// provenGrant returns the grant that gave the credential, in whichever
// generation, or a fault.NotFound error.
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

// authenticate proves the client by its secret or, for a grant that has a code
// challenge, by the code verifier; a public client by its name alone, as it
// has nothing to prove it with. A secret that is sent must be right.
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

// activeUser returns the user behind a grant, who must not be blocked.
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
