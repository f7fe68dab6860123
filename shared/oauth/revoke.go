package oauth

import (
	"context"

	"gatehouse/shared/audit"
	"gatehouse/shared/secret"
)

var errNotAllowedToRevoke = newError(UnauthorizedClient, "You are not authorized to revoke this token.")

// Revoke serves the revocation endpoint (RFC 7009 section 2.1). Each token of a
// pair revokes both, and so does a refresh token that was rotated: else a sign-out that
// races a refresh would sign nobody out. A token that is unknown and an access token that is
// no longer current are left alone, which is no error. The type hint is not needed, as a token contains its type. A
// client that does not own the token, or does not prove itself, gets an *Error.
func (s *Server) Revoke(ctx context.Context, credentials Credentials, token secret.Text) error {
	x, err := s.load(ctx, TokenRequest{Client: credentials}, s.parseToken(token))
	if err == nil {
		x, err = s.nameClient(ctx, x)
	}
	if err != nil {
		return err
	}
	if err := s.mayRevoke(x); err != nil {
		return err
	}
	if x.grant.UserID == 0 || x.grant.Revoked() || !s.worthRevoking(x) {
		return nil
	}
	return s.revokeAs(ctx, EventTokenRevoked, x, x.grant)
}

// revokeAs ends the grant and records the reason.
func (s *Server) revokeAs(ctx context.Context, why audit.Name, x exchange, g Grant) error {
	return s.trail.Do(ctx, event(why, g, x.client), func(ctx context.Context) error {
		return s.store.RevokeGrant(ctx, g.GrantID, s.now())
	})
}

func (s *Server) parseToken(token secret.Text) Credential {
	if c, ok := s.codec.Parse(AccessKind, token); ok {
		return c
	}
	c, _ := s.codec.Parse(RefreshKind, token)
	return c
}

// mayRevoke lets a client revoke its own tokens, a public one also without its client_id,
// which is no secret. A token of the password grant
// without a client may be revoked by its bearer.
func (s *Server) mayRevoke(x exchange) error {
	if x.grant.UserID != 0 && x.grant.ClientID == 0 {
		return nil
	}
	client, err := s.authenticate(x)
	if err != nil || x.grant.UserID != 0 && x.grant.ClientID != client.ID {
		return errNotAllowedToRevoke
	}
	return nil
}

// worthRevoking reports whether the token is a refresh token, or an access token that works.
func (s *Server) worthRevoking(x exchange) bool {
	current := x.credential.Generation == x.grant.Generation && !x.grant.AccessExpired(s.now())
	return x.credential.Kind == RefreshKind || current
}
