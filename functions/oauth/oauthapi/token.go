package oauthapi

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"gatehouse/shared/auth"
	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/web"
)

// tokenBody is a token response.
type tokenBody struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope,omitempty"`
	CreatedAt    int64  `json:"created_at"` // Unix seconds
	IDToken      string `json:"id_token,omitempty"`
}

// origins recognises requests that a page of another site made a browser send.
var origins http.CrossOriginProtection

// token serves the token endpoint.
func (a *api) token(w http.ResponseWriter, r *http.Request) error {
	f, credentials, err := readRequest(r)
	if err == nil {
		err = refuseForeign(r, credentials)
	}
	if err != nil {
		return err
	}
	tokens, err := a.OAuth.Token(r.Context(), oauth.TokenRequest{
		GrantType:    f.get("grant_type"),
		Client:       credentials,
		Code:         f.secret("code"),
		RedirectURI:  f.get("redirect_uri"),
		CodeVerifier: f.get("code_verifier"),
		RefreshToken: f.secret("refresh_token"),
		Scope:        f.get("scope"),
		Username:     f.get("username"),
		Password:     f.secret("password"),
		Address:      web.ClientAddress(r),
		CrossSite:    origins.Check(r) != nil,
	})
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, tokenBody{
		AccessToken:  tokens.Access.Reveal(),
		TokenType:    "bearer",
		ExpiresIn:    seconds(tokens.ExpiresIn),
		RefreshToken: tokens.Refresh.Reveal(),
		Scope:        tokens.Scopes.String(),
		CreatedAt:    tokens.CreatedAt.Unix(),
		IDToken:      tokens.ID.Reveal(),
	})
}

// revoke serves the revocation endpoint (RFC 7009).
func (a *api) revoke(w http.ResponseWriter, r *http.Request) error {
	f, credentials, err := readRequest(r)
	if err != nil {
		return err
	}
	err = a.OAuth.Revoke(r.Context(), credentials, f.secret("token"))
	var known *oauth.Error
	switch {
	case errors.As(err, &known):
		body := errorBody{Error: string(known.Code), Description: known.Description}
		challenge(w, body)
		return answer(w, http.StatusForbidden, body)
	case err != nil:
		return err
	}
	return answer(w, http.StatusOK, struct{}{})
}

// infoBody describes a token. The last two fields are former names of two others.
type infoBody struct {
	ResourceOwnerID  int64           `json:"resource_owner_id"`
	Scope            scope.Set       `json:"scope"`
	ExpiresIn        *int64          `json:"expires_in"` // seconds; null: never
	Application      applicationBody `json:"application"`
	CreatedAt        int64           `json:"created_at"` // Unix seconds
	Scopes           scope.Set       `json:"scopes"`
	ExpiresInSeconds *int64          `json:"expires_in_seconds"`
}

type applicationBody struct {
	UID *string `json:"uid"` // null for a token without an application
}

// tokenInfo describes a token to its bearer.
func (a *api) tokenInfo(w http.ResponseWriter, r *http.Request) error {
	caller, err := a.Auth.Recognise(r.Context(), presented(r))
	switch {
	case errors.Is(err, fault.Unauthorized), errors.Is(err, fault.Forbidden):
		body := errorBody{Error: "invalid_token", Description: "The access token is invalid.", State: "unauthorized"}
		challenge(w, body)
		return answer(w, http.StatusUnauthorized, body)
	case err != nil:
		return err
	}
	return answer(w, http.StatusOK, newInfoBody(caller, a.Now()))
}

// presented returns the token of the request, from the first place that has one.
func presented(r *http.Request) secret.Text {
	query := r.URL.Query()
	for _, token := range []string{query.Get("access_token"), auth.BearerToken(r), query.Get("bearer_token")} {
		if strings.TrimSpace(token) != "" {
			return secret.NewText(token)
		}
	}
	return secret.Text{}
}

func newInfoBody(c auth.Caller, now time.Time) infoBody {
	body := infoBody{ResourceOwnerID: c.User.ID, Scope: c.Scopes, Scopes: c.Scopes}
	expiresAt, createdAt := c.Token.ExpiresAt, c.Token.CreatedAt
	if c.ByOAuth() {
		expiresAt, createdAt = c.Grant.AccessExpiresAt(), c.Grant.IssuedAt
	}
	if c.Client.ID != 0 {
		body.Application.UID = &c.Client.ClientID
	}
	if !expiresAt.IsZero() {
		left := seconds(expiresAt.Sub(now))
		body.ExpiresIn, body.ExpiresInSeconds = &left, &left
	}
	body.CreatedAt = createdAt.Unix()
	return body
}

// seconds rounds up, so that a new token has its whole lifetime left and one that
// still works has at least a second.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
