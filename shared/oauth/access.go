package oauth

import (
	"context"
	"errors"

	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
)

// What can be wrong with an access token that Gatehouse once gave. A token it
// never gave is fault.NotFound.
var (
	ErrExpired = errors.New("the access token has expired")
	ErrRevoked = errors.New("the access token was revoked")
)

// IsAccessToken reports whether the text is an access token made under the
// instance's keys, whatever became of it. It asks no store.
func (s *Server) IsAccessToken(text secret.Text) bool {
	_, ok := s.codec.Parse(AccessKind, text)
	return ok
}

// Access returns the grant whose present access token this is. Whether the
// user and the client are still there is for the caller to ask.
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

// UseIsNews reports whether the use of a token of the grant is to be noted,
// which is at most every TouchEvery.
func (s *Server) UseIsNews(g Grant) bool { return s.now().Sub(g.LastUse()) >= TouchEvery }

// NoteUse notes that a token of the grant was used.
func (s *Server) NoteUse(ctx context.Context, g Grant) error {
	return s.store.TouchGrant(ctx, g.GrantID, s.now())
}
