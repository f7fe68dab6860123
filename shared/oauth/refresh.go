package oauth

import (
	"context"
	"errors"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/scope"
)

func requireRefresh(req TokenRequest) error {
	if req.RefreshToken.Empty() {
		return missing("refresh_token")
	}
	return checkVerifierForm(req.CodeVerifier)
}

func refreshTokenOf(c codec, req TokenRequest) Credential {
	credential, _ := c.Parse(RefreshKind, req.RefreshToken)
	return credential
}

// refresh serves the refresh token grant (RFC 6749 section 6). Every refresh
// rotates: the pair before it stops working at once.
func (s *Server) refresh(ctx context.Context, x exchange) (Tokens, error) {
	g := x.grant
	switch {
	case g.UserID == 0, !g.Refreshable, x.credential.Generation > g.Generation:
		return Tokens{}, invalidGrant("The refresh token is unknown.")
	case g.Revoked(), g.Idle(s.now()):
		return Tokens{}, invalidGrant("The refresh token is revoked or expired.")
	}
	x, err := s.nameClient(ctx, x)
	if err == nil {
		err = s.checkRefreshClient(x)
	}
	if err != nil {
		return Tokens{}, err
	}
	return s.issue(ctx, x, s.nextPair)
}

func (s *Server) nextPair(ctx context.Context, x exchange) (Tokens, error) {
	g := x.grant
	if x.credential.Generation < g.Generation {
		return s.reused(ctx, x, g)
	}
	scopes, err := narrowedScopes(x.Scope, g.Scopes)
	if err != nil {
		return Tokens{}, err
	}
	return s.rotate(ctx, x, g.Rotated(scopes, s.now()))
}

// nameClient adds the client that the token belongs to, if the request names none and the
// client is public: RFC 6749 section 6 wants credentials only where a client has some.
func (s *Server) nameClient(ctx context.Context, x exchange) (exchange, error) {
	if x.Client.ClientID != "" || !x.Client.Secret.Empty() || x.grant.Application == "" {
		return x, nil
	}
	c, err := s.store.Client(ctx, x.grant.Application)
	if err == nil && !c.Confidential {
		x.Client.ClientID, x.client = c.ClientID, c
	}
	return x, fault.IgnoreNotFound(err)
}

// checkRefreshClient authenticates the client and compares its optional
// redirect_uri and code_verifier with the grant. They are not required, as no
// client library in use sends them here.
func (s *Server) checkRefreshClient(x exchange) error {
	if x.Client.ClientID == "" {
		return invalidGrant("The refresh token belongs to a client, whose client_id is missing.")
	}
	client, err := s.authenticate(x)
	switch {
	case err != nil:
		return err
	case x.grant.ClientID != client.ID:
		return invalidGrant("The refresh token was issued to another client.")
	case x.RedirectURI != "" && x.RedirectURI != x.grant.RedirectURI:
		return invalidGrant("The redirect_uri is not the one of the authorization request.")
	case x.CodeVerifier != "" && !x.grant.Challenge.Verify(x.CodeVerifier):
		return errWrongVerifier
	}
	return nil
}

func narrowedScopes(parameter string, granted scope.Set) (scope.Set, error) {
	if parameter == "" {
		return granted, nil
	}
	scopes, ok := scope.Parse(parameter)
	if !ok || len(scopes) == 0 || !scopes.Within(granted) {
		return nil, newError(InvalidScope, "The scope is malformed or goes beyond what was granted.")
	}
	return scopes, nil
}

func (s *Server) rotate(ctx context.Context, x exchange, next Grant) (Tokens, error) {
	stored, err := s.store.AdvanceGrant(ctx, next)
	switch {
	case err == nil:
		s.trail.Record(ctx, event(EventTokenRefreshed, next, x.client))
		return s.tokens(next), nil
	case errors.Is(err, fault.Conflict) && stored.Generation > x.credential.Generation && !stored.Revoked():
		return s.reused(ctx, x, stored) // another caller rotated in between
	case errors.Is(err, fault.Conflict), errors.Is(err, fault.NotFound):
		return Tokens{}, invalidGrant("The refresh token is revoked.")
	default:
		return Tokens{}, err
	}
}

// reused answers a refresh token of an earlier generation. Soon after the
// rotation it is a client's own race or, if the instance allows that, a retry
// after a lost response. Later it is theft, and the grant with all its tokens is
// revoked (RFC 9700 section 4.14.2).
func (s *Server) reused(ctx context.Context, x exchange, g Grant) (Tokens, error) {
	if s.isRetry(x, g) {
		return s.tokens(g), nil
	}
	spent := invalidGrant("The refresh token was used before.")
	if s.isRace(x.credential.Generation, g) {
		return Tokens{}, spent
	}
	if err := s.revokeAs(ctx, EventRefreshTokenReused, x, g); err != nil {
		return Tokens{}, err
	}
	return Tokens{}, spent
}

// isRace reports whether the token of this generation was replaced so recently,
// or by a clock so far ahead of ours, that its reuse proves nothing. The grant
// has the times of its last two rotations; an earlier one counts as the older.
func (s *Server) isRace(generation int64, g Grant) bool {
	rotated := g.PreviousIssuedAt
	if generation == g.Generation-1 {
		rotated = g.IssuedAt
	}
	return s.now().Sub(rotated) < raceWindow
}

// refreshRetry returns how long after a rotation the client gets the same new pair again.
func (s *Server) refreshRetry(c Client) time.Duration {
	if c.OwnRefreshRetry {
		return time.Duration(c.RefreshRetry) * time.Second
	}
	return s.settings.RefreshRetry
}

// isRetry reports whether the same client repeats its last refresh within the
// retry window and for the same scope.
func (s *Server) isRetry(x exchange, g Grant) bool {
	age := s.now().Sub(g.IssuedAt)
	if x.credential.Generation != g.Generation-1 || age < 0 || age >= s.refreshRetry(x.client) {
		return false
	}
	if x.Scope == "" {
		return !g.Narrowed
	}
	scopes, ok := scope.Parse(x.Scope)
	return ok && scopes.Equal(g.Scopes)
}
