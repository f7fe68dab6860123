package oauth

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

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
// TouchEvery ago. The first that it records on a day is one of the client too.
func (s *Server) Touch(ctx context.Context, g Grant) error {
	if s.now().Sub(g.LastUse()) < TouchEvery {
		return nil
	}
	today := dayOf(s.now())
	writes, ctx := errgroup.WithContext(ctx)
	writes.Go(func() error { return s.store.TouchGrant(ctx, g.GrantID, s.now()) })
	if g.ClientID != 0 && g.UsedAt.Before(today) {
		writes.Go(func() error { return s.store.NoteUse(ctx, g.ClientID, today) })
	}
	return writes.Wait()
}

// dayOf returns the beginning of the day (UTC).
func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
