package oauth

import (
	"context"
	"sync"

	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// Identities say who signed in, in the id_token beside a pair of tokens (OpenID
// Connect Core section 2).
type Identities interface {
	// Identity reads what an id_token of the user takes, and what signs it.
	Identity(ctx context.Context, userID int64) (Identity, error)
}

// Identity makes one user's id_token.
type Identity interface {
	// IDToken returns the id_token beside the grant's present access token.
	IDToken(u user.User, g Grant, access secret.Text) (secret.Text, error)
}

// WithIdentities returns the server that gives id_tokens as well. Only where
// there is a token endpoint has it to be there with all that it links.
func (s *Server) WithIdentities(identities Identities) *Server {
	with := *s
	with.idTokens = identities
	return &with
}

// give gives tokens to a user in good standing, in the grant type's own way,
// and an id_token with them where the scope has openid. What that takes is read
// beside everything else, so that it delays nothing.
func (s *Server) give(ctx context.Context, x exchange, own func(context.Context, exchange) (Tokens, error)) (Tokens, error) {
	if !x.grant.Scopes.Has(scope.OpenID) || s.idTokens == nil {
		_, tokens, err := s.giveTokens(ctx, x, own)
		return tokens, err
	}
	var identity Identity
	var unread error
	var reading sync.WaitGroup
	reads, stop := context.WithCancel(ctx)
	reading.Go(func() { identity, unread = s.idTokens.Identity(reads, x.grant.UserID) })
	u, tokens, err := s.giveTokens(ctx, x, own)
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

func (s *Server) giveTokens(ctx context.Context, x exchange, own func(context.Context, exchange) (Tokens, error)) (user.User, Tokens, error) {
	u, err := s.activeUser(ctx, x.grant.UserID)
	if err != nil {
		return user.User{}, Tokens{}, err
	}
	tokens, err := own(ctx, x)
	return u, tokens, err
}

// identify adds the id_token, unless this refresh took openid away.
func (t Tokens) identify(u user.User, identity Identity) (Tokens, error) {
	if !t.Scopes.Has(scope.OpenID) {
		return t, nil
	}
	var err error
	t.ID, err = identity.IDToken(u, t.grant, t.Access)
	return t, err
}
