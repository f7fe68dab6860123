package oauth

import (
	"context"
	"errors"

	"gatehouse/shared/fault"
)

func requireCode(req TokenRequest) error {
	if req.Code.Empty() {
		return missing("code")
	}
	return checkVerifierForm(req.CodeVerifier)
}

func codeOf(c codec, req TokenRequest) Credential {
	credential, _ := c.Parse(CodeKind, req.Code)
	return credential
}

// exchangeCode serves the authorization code grant (RFC 6749 section 4.1.3).
// Nothing is consumed before everything fits.
func (s *Server) exchangeCode(ctx context.Context, x exchange) (Tokens, error) {
	switch {
	case x.grant.Challenge != "" && x.CodeVerifier == "":
		return Tokens{}, missing("code_verifier")
	case x.RedirectURI == "":
		return Tokens{}, missing("redirect_uri")
	}
	client, err := s.authenticate(x)
	if err != nil {
		return Tokens{}, err
	}
	if err := s.checkCode(client, x); err != nil {
		return Tokens{}, err
	}
	return s.issue(ctx, x, s.redeem)
}

func (s *Server) checkCode(client caller, x exchange) error {
	g := x.grant
	switch {
	case g.UserID == 0, g.ClientID != client.ID:
		return invalidGrant("The code is unknown, expired or issued to another client.")
	case g.Revoked(), g.Generation == 0 && g.CodeExpired(s.now()):
		return invalidGrant("The code is expired or revoked.")
	case g.RedirectURI != x.RedirectURI:
		return invalidGrant("The redirect_uri is not the one of the authorization request.")
	case !g.Challenge.Verify(x.CodeVerifier):
		return errWrongVerifier
	}
	return nil
}

// redeem turns an unused code into the first pair of tokens. A code that is used
// a second time was stolen, so the tokens issued for it are not safe either and
// are revoked (RFC 6749 section 4.1.2).
func (s *Server) redeem(ctx context.Context, x exchange) (Tokens, error) {
	g := x.grant
	if g.Generation == 0 {
		next := g.Redeemed(s.now())
		issued := event(EventTokenIssued, next, x.client)
		issued.Details["by"] = "authorization code"
		err := s.trail.Do(ctx, issued, func(ctx context.Context) error {
			_, err := s.store.AdvanceGrant(ctx, next)
			return err
		})
		if err == nil {
			return s.tokens(next), nil
		}
		if !errors.Is(err, fault.Conflict) && !errors.Is(err, fault.NotFound) {
			return Tokens{}, err
		}
	}
	if err := s.revokeAs(ctx, EventCodeReused, x, g); err != nil {
		return Tokens{}, err
	}
	return Tokens{}, invalidGrant("The code was used before.")
}
