package oauth

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/fault"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/signin"
	"gatehouse/shared/throttle"
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

// beginPassword counts the attempt before the password is checked, and reports
// whether it is throttled.
func (s *Server) beginPassword(ctx context.Context, req TokenRequest) (attempt throttle.Attempt, throttled bool, err error) {
	kind := throttle.Password
	if req.CrossSite {
		kind = throttle.CrossSitePassword
	}
	attempt, err = s.attempts.Begin(ctx, throttle.Guess{Kind: kind, Account: req.Username, Address: req.Address})
	if errors.Is(err, fault.TooMany) {
		return attempt, true, nil
	}
	return attempt, false, err
}

// errNotOpened is the error of every refusal, so that it reveals nothing about
// an account.
var errNotOpened = invalidGrant("The username or password is wrong, the user may not sign in this way, or too many attempts failed: then wait a few minutes.")

// exchangePassword serves the resource owner password credentials grant (RFC
// 6749 section 4.3). There is no refresh token. Users with two-factor
// authentication cannot use it, since it would bypass the second factor: their
// attempt costs and counts as one with a wrong password, so that nobody learns who has
// two factors.
func (s *Server) exchangePassword(ctx context.Context, x exchange) (Tokens, error) {
	client, scopes, err := s.passwordClient(x)
	switch {
	case err != nil:
		return Tokens{}, s.withdraw(ctx, x, err)
	case x.throttled:
		s.trail.Record(ctx, attemptEvent(signin.EventThrottled, x))
		return Tokens{}, errNotOpened
	}
	right, err := s.users.VerifyPassword(secret.From(ctx, x.Address), x.passwordUser(), x.Password)
	switch {
	case err != nil:
		return Tokens{}, s.withdraw(ctx, x, err)
	case !right, x.user.Blocked():
		s.trail.Record(ctx, attemptEvent(signin.EventFailed, x))
		return Tokens{}, errNotOpened
	}
	g := s.newGrant(x.user.ID, client, scopes).Redeemed(s.now())
	g.SessionEpoch = x.user.SessionEpoch
	issued := event(EventTokenIssued, g, client)
	issued.ActorID, issued.Details["by"] = x.user.ID, "password grant"
	err = s.trail.Do(ctx, issued, func(ctx context.Context) error {
		writes, ctx := errgroup.WithContext(ctx)
		writes.Go(func() error { return s.store.CreateGrant(ctx, g) })
		writes.Go(func() error { return s.attempts.Succeed(ctx, x.attempt) })
		return writes.Wait()
	})
	if err != nil {
		return Tokens{}, err
	}
	return s.tokens(g), nil
}

// passwordUser returns the user whose password opens the grant. It is nobody for one with
// two factors.
func (x exchange) passwordUser() user.User {
	if x.user.TwoFactorEnabled {
		return user.User{}
	}
	return x.user
}

// withdraw uncounts the attempt, since its password is not checked, and returns
// the reason.
func (s *Server) withdraw(ctx context.Context, x exchange, reason error) error {
	if err := s.attempts.Withdraw(ctx, x.attempt); err != nil {
		return err
	}
	return reason
}

// passwordClient returns the client and its scopes. The request need not name a
// client, but a client that it names must authenticate.
func (s *Server) passwordClient(x exchange) (Client, scope.Set, error) {
	var client caller
	if x.Client.ClientID != "" || !x.Client.Secret.Empty() {
		var err error
		if client, err = s.authenticate(x); err != nil {
			return Client{}, nil, err
		}
		if !client.PasswordGrant {
			return Client{}, nil, newError(UnauthorizedClient, "The application may not use the password grant.")
		}
	}
	scopes, err := s.passwordScopes(x.Scope, client.Client)
	return client.Client, scopes, err
}

// passwordScopes returns the requested scopes. Without a client, every scope on
// offer can be requested.
func (s *Server) passwordScopes(parameter string, c Client) (scope.Set, error) {
	if c.ID == 0 {
		for _, d := range s.Scopes() {
			c.Scopes = append(c.Scopes, d.Scope)
		}
	}
	scopes, err := s.requestedScopes(parameter, c)
	if err != nil {
		return nil, err
	}
	return scopes, nil
}
