package oauth

import (
	"context"
	"sync"

	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// Identities makes id_tokens (OpenID Connect Core section 2).
type Identities interface {
	// Identity reads what an id_token of the user contains, and the key that
	// signs it.
	Identity(ctx context.Context, userID int64) (Identity, error)
}

// Identity makes one user's id_token.
type Identity interface {
	// IDToken returns the id_token that goes with the grant's access token.
	IDToken(u user.User, g Grant, access secret.Text) (secret.Text, error)
}

// WithIdentities returns a server that issues id_tokens too. Only the token
// function uses it, so the others do not link the signer.
func (s *Server) WithIdentities(identities Identities) *Server {
	with := *s
	with.idTokens = identities
	return &with
}

// issue returns the tokens that the grant type makes for an active user, with an
// id_token if the scope has openid. The parts of the id_token are read in
// parallel, so that they delay nothing.
func (s *Server) issue(ctx context.Context, x exchange, own func(context.Context, exchange) (Tokens, error)) (Tokens, error) {
	if !x.grant.Scopes.Has(scope.OpenID) || s.idTokens == nil {
		_, tokens, err := s.issuePair(ctx, x, own)
		return tokens, err
	}
	var identity Identity
	var unread error
	var reading sync.WaitGroup
	reads, stop := context.WithCancel(ctx)
	reading.Go(func() { identity, unread = s.idTokens.Identity(reads, x.grant.UserID) })
	u, tokens, err := s.issuePair(ctx, x, own)
	if err != nil {
		stop()
	}
	reading.Wait()
	stop()
	switch {
	case err != nil:
		return Tokens{}, err
	case unread != nil:
		return Tokens{}, unread
	}
	return tokens.identify(u, identity)
}

func (s *Server) issuePair(ctx context.Context, x exchange, own func(context.Context, exchange) (Tokens, error)) (user.User, Tokens, error) {
	u, err := s.activeUser(ctx, x.grant.UserID)
	if err != nil {
		return user.User{}, Tokens{}, err
	}
	tokens, err := own(ctx, x)
	return u, tokens, err
}

// identify adds the id_token, unless this refresh removed the scope openid.
func (t Tokens) identify(u user.User, identity Identity) (Tokens, error) {
	if !t.Scopes.Has(scope.OpenID) {
		return t, nil
	}
	var err error
	t.ID, err = identity.IDToken(u, t.grant, t.Access)
	return t, err
}
