package oauth

import (
	"context"

	"gatehouse/shared/scope"
	"gatehouse/shared/user"
)

func requirePassword(req TokenRequest) error {
	switch {
	case req.Username == "":
		return missing("username")
	case req.Password.Empty():
		return missing("password")
	}
	return nil
}

// exchangePassword serves the resource owner password credentials grant (RFC
// 6749 section 4.3). A client need not be named; one that is must prove
// itself. There is no refresh token.
func (s *Server) exchangePassword(ctx context.Context, x exchange) (Tokens, error) {
	var client caller
	if x.Client.ClientID != "" || !x.Client.Secret.Empty() {
		var err error
		if client, err = s.authenticate(x); err != nil {
			return Tokens{}, err
		}
		if !client.PasswordGrant {
			return Tokens{}, newError(UnauthorizedClient, "The application may not use the password grant.")
		}
	}
	scopes, err := passwordScopes(x.Scope, client.Client)
	if err != nil {
		return Tokens{}, err
	}
	u, err := s.passwordUser(ctx, x.TokenRequest)
	if err != nil {
		return Tokens{}, err
	}
	g := s.newGrant(u.ID, client.Client, scopes).Redeemed(s.now())
	if err := s.store.CreateGrant(ctx, g); err != nil {
		return Tokens{}, err
	}
	return s.tokens(g), nil
}

// passwordScopes are those that were asked for; without a client every scope
// on offer can be.
func passwordScopes(parameter string, c Client) (scope.Set, error) {
	if c.ID == 0 {
		for _, d := range scope.Client {
			c.Scopes = append(c.Scopes, d.Scope)
		}
	}
	scopes, err := requestedScopes(parameter, c)
	if err != nil {
		return nil, err
	}
	return scopes, nil
}

// passwordUser returns the user whose name and password these are. A user
// with two-factor authentication is refused before the password is looked at:
// the grant would get around the second factor.
func (s *Server) passwordUser(ctx context.Context, req TokenRequest) (user.User, error) {
	refused := invalidGrant("The username or password is wrong, or the user may not sign in this way.")
	u, err := s.users.UserByLogin(ctx, req.Username)
	if known(err) != nil {
		return user.User{}, err
	}
	if u.TwoFactorEnabled || !s.users.VerifyPassword(u, req.Password) || u.Blocked() {
		return user.User{}, refused
	}
	return u, nil
}
