package oauth

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/fault"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// IntrospectionRequest is a request to the introspection endpoint (RFC 7662
// section 2.1). Its caller authenticates as a client or with an access token,
// the Bearer.
type IntrospectionRequest struct {
	Client Credentials
	Bearer secret.Text
	Token  secret.Text
}

// Introspection describes a token (RFC 7662 section 2.2). The zero Introspection
// is for a token that does not work or is none of the caller's business.
type Introspection struct {
	Active              bool
	Scopes              scope.Set
	ClientID            string
	IssuedAt, ExpiresAt time.Time
	UserID              int64
	Username            string // empty: the token does not let its bearer read the user's name
}

var errInvalidToken = newError(InvalidToken, "The access token is invalid, or not one that may ask about this token.")

// Introspect serves the introspection endpoint. The caller is a client that asks
// about its own tokens, or the bearer of another token of the same client. A
// caller without proof gets an *Error.
func (s *Server) Introspect(ctx context.Context, req IntrospectionRequest) (Introspection, error) {
	byClient := req.Client.ClientID != "" || !req.Client.Secret.Empty()
	switch {
	case byClient && !req.Bearer.Empty():
		return Introspection{}, newError(InvalidRequest, "The caller authenticates in two ways at once.")
	case byClient:
		return s.introspectAsClient(ctx, req)
	case !req.Bearer.Empty():
		return s.introspectAsBearer(ctx, req)
	default:
		return Introspection{}, newError(InvalidRequest, "The request has neither client credentials nor an access token to authorize it.")
	}
}

// introspectAsClient authenticates a client by its secret only. A public client's
// name proves nothing, and callers without authorization could try out tokens
// here (RFC 7662 section 2.1).
func (s *Server) introspectAsClient(ctx context.Context, req IntrospectionRequest) (Introspection, error) {
	x, err := s.load(ctx, TokenRequest{Client: req.Client}, s.parseToken(req.Token))
	if err != nil {
		return Introspection{}, err
	}
	client, err := s.authenticate(x)
	switch {
	case err != nil:
		return Introspection{}, err
	case req.Client.Secret.Empty():
		return Introspection{}, errInvalidClient
	case x.grant.ClientID != client.ID:
		return Introspection{}, nil
	}
	return s.introspection(ctx, x)
}

// introspectAsBearer accepts another access token of the client that has the
// token in question. An unknown token, or one without a client, has no other.
func (s *Server) introspectAsBearer(ctx context.Context, req IntrospectionRequest) (Introspection, error) {
	bearer, x, err := s.loadBoth(ctx, req)
	switch {
	case err != nil:
		return Introspection{}, err
	case bearer.grant.ClientID == 0, bearer.grant.ClientID != x.grant.ClientID, sameToken(bearer, x), !s.current(bearer):
		return Introspection{}, errInvalidToken
	}
	var client Client
	var usable bool
	var info Introspection
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		client, err = s.store.Client(ctx, bearer.grant.Application)
		return fault.IgnoreNotFound(err)
	})
	reads.Go(func() (err error) {
		_, usable, err = s.userAllows(ctx, bearer.grant)
		return err
	})
	reads.Go(func() (err error) {
		info, err = s.introspection(ctx, x)
		return err
	})
	switch err := reads.Wait(); {
	case err != nil:
		return Introspection{}, err
	case client.ID == 0, !usable:
		return Introspection{}, errInvalidToken
	}
	return info, nil
}

// loadBoth reads the grants of the bearer's token and of the one in question in
// parallel.
func (s *Server) loadBoth(ctx context.Context, req IntrospectionRequest) (bearer, x exchange, err error) {
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		credential, _ := s.codec.Parse(AccessKind, req.Bearer)
		bearer, err = s.load(ctx, TokenRequest{}, credential)
		return err
	})
	reads.Go(func() (err error) {
		x, err = s.load(ctx, TokenRequest{}, s.parseToken(req.Token))
		return err
	})
	err = reads.Wait()
	return bearer, x, err
}

// sameToken compares parsed tokens, as one token can be written in several ways.
func sameToken(a, b exchange) bool {
	return a.credential.Kind == b.credential.Kind && a.grant.GrantID == b.grant.GrantID &&
		a.credential.Generation == b.credential.Generation
}

// showName are the scopes with which a token reads the user's name elsewhere.
var showName = scope.Of(scope.API, scope.ReadAPI, scope.ReadUser, scope.OpenID)

// introspection describes a token whose grant was read. A refresh token is as old
// as its access token and outlives it.
func (s *Server) introspection(ctx context.Context, x exchange) (Introspection, error) {
	if !s.current(x) {
		return Introspection{}, nil
	}
	u, usable, err := s.userAllows(ctx, x.grant)
	if err != nil || !usable {
		return Introspection{}, err
	}
	g := x.grant
	info := Introspection{
		Active: true, Scopes: g.Scopes, ClientID: g.Application, IssuedAt: g.IssuedAt, ExpiresAt: g.AccessExpiresAt(), UserID: u.ID,
	}
	if g.Scopes.HasAny(showName...) {
		info.Username = u.Username
	}
	if x.credential.Kind == RefreshKind {
		info.ExpiresAt = g.EndsAt()
	}
	return info, nil
}

// current reports whether the token belongs to its grant's current pair and has
// not expired.
func (s *Server) current(x exchange) bool {
	g := x.grant
	switch {
	case g.UserID == 0, g.Revoked(), x.credential.Generation != g.Generation:
		return false
	case x.credential.Kind == RefreshKind:
		return g.Refreshable && !g.Idle(s.now())
	default:
		return !g.AccessExpired(s.now())
	}
}

// userAllows returns the grant's user, and whether the user is not blocked and has not
// ended tokens of this kind since. A user who does not exist allows nothing.
func (s *Server) userAllows(ctx context.Context, g Grant) (user.User, bool, error) {
	u, err := s.users.User(ctx, g.UserID)
	if err != nil {
		return user.User{}, false, fault.IgnoreNotFound(err)
	}
	return u, !u.Blocked() && (g.Refreshable || u.SessionValid(g.SessionEpoch)), nil
}
