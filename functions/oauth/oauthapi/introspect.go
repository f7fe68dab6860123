package oauthapi

import (
	"net/http"
	"strconv"

	"gatehouse/shared/auth"
	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
)

// inactiveBody is the whole description of a token that does not work.
type inactiveBody struct {
	Active bool `json:"active"`
}

// activeBody describes a token that works.
type activeBody struct {
	Active    bool   `json:"active"`
	Scope     string `json:"scope"`
	ClientID  string `json:"client_id"`
	TokenType string `json:"token_type"`
	ExpiresAt int64  `json:"exp"` // Unix seconds
	IssuedAt  int64  `json:"iat"`
	Subject   string `json:"sub"`
	Username  string `json:"username,omitempty"`
}

// introspect serves the introspection endpoint (RFC 7662).
func (a *api) introspect(w http.ResponseWriter, r *http.Request) error {
	f, credentials, err := readRequest(r)
	if err != nil {
		return err
	}
	info, err := a.OAuth.Introspect(r.Context(), oauth.IntrospectionRequest{
		Client: credentials, Bearer: secret.NewText(auth.BearerToken(r)), Token: f.secret("token"),
	})
	switch {
	case err != nil:
		return err
	case !info.Active:
		return answer(w, http.StatusOK, inactiveBody{})
	}
	return answer(w, http.StatusOK, activeBody{
		Active: true, Scope: info.Scopes.String(), ClientID: info.ClientID, TokenType: "bearer",
		ExpiresAt: info.ExpiresAt.Unix(), IssuedAt: info.IssuedAt.Unix(),
		Subject: strconv.FormatInt(info.UserID, 10), Username: info.Username,
	})
}
