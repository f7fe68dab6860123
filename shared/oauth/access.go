package oauth

import (
	"context"
	"errors"

	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
)

// Errors of an access token that Gatehouse once issued. For any other token the
// error is fault.NotFound.
var (
	ErrExpired = errors.New("the access token has expired")
	ErrRevoked = errors.New("the access token was revoked")
)

// IsAccessToken reports whether the text is an access token made under the
// instance's keys, valid or not. It does not ask the store.
func (s *Server) IsAccessToken(text secret.Text) bool {
	_, ok := s.codec.Parse(AccessKind, text)
	return ok
}

// Access returns the grant of a current access token. The caller still has to
// check that the user and the client exist.
func (s *Server) Access(ctx context.Context, text secret.Text) (Grant, error) {
	credential, ok := s.codec.Parse(AccessKind, text)
	if !ok {
		return Grant{}, fault.New(fault.NotFound, "no such access token")
	}
	g, err := s.provenGrant(ctx, credential)
	switch {
	case err != nil:
		return Grant{}, err
	case g.Revoked(), credential.Generation != g.Generation:
		return Grant{}, ErrRevoked
	case g.AccessExpired(s.now()):
		return Grant{}, ErrExpired
	}
	return g, nil
}

// Touch records the use of a token of the grant, unless it did so less than
// TouchEvery ago.
func (s *Server) Touch(ctx context.Context, g Grant) error {
	if s.now().Sub(g.LastUse()) < TouchEvery {
		return nil
	}
	return s.store.TouchGrant(ctx, g.GrantID, s.now())
}
