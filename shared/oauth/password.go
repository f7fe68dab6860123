package oauth

import (
	"context"

	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
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
	if !s.opens(x.user, x.Password) {
		return Tokens{}, invalidGrant("The username or password is wrong, or the user may not sign in this way.")
	}
	g := s.newGrant(x.user.ID, client.Client, scopes).Redeemed(s.now())
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

// opens reports whether the password opens the user's account by itself. With
// two-factor authentication it does not, and is not even looked at: the grant
// would get around the second factor.
func (s *Server) opens(u user.User, password secret.Text) bool {
	return !u.TwoFactorEnabled && s.users.VerifyPassword(u, password) && !u.Blocked()
}
