package oauthapi

import (
	"context"
	"errors"
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/fault"
	"gatehouse/shared/oidc"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
)

// userInfo describes the user of a token to its bearer (OpenID Connect Core section
// 5.3). Its errors have no body.
func (a *api) userInfo(w http.ResponseWriter, r *http.Request) error {
	token, err := bearerOf(r)
	if err != nil {
		return answerChallenge(w, http.StatusBadRequest, `, error="invalid_request"`)
	}
	if token.Empty() {
		return answerChallenge(w, http.StatusUnauthorized, "")
	}
	var profile oidc.Profile
	caller, err := a.Auth.Recognise(r.Context(), token, func(ctx context.Context, userID int64, scopes scope.Set) (err error) {
		if scopes.Has(scope.OpenID) {
			profile, err = a.openID.Profile(ctx, userID)
		}
		return err
	})
	switch {
	case errors.Is(err, fault.Unauthorized), errors.Is(err, fault.Forbidden):
		return answerChallenge(w, http.StatusUnauthorized, `, error="invalid_token", error_description="The access token is invalid."`)
	case err != nil:
		return err
	case !caller.Scopes.Has(scope.OpenID):
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusForbidden)
		return nil
	}
	return answer(w, http.StatusOK, profile.Claims(caller.User, caller.Scopes))
}

// bearerOf returns the token in the Authorization header or the body; both at once
// are an error (RFC 6750 section 2). A token in the query does not count, as
// addresses end up in logs.
func bearerOf(r *http.Request) (secret.Text, error) {
	inHeader := secret.NewText(auth.BearerToken(r))
	if r.Method != http.MethodPost {
		return inHeader, nil
	}
	f, err := readForm(r)
	inBody := f.secret("access_token")
	switch {
	case err != nil:
		return secret.Text{}, err
	case inBody.Empty():
		return inHeader, nil
	case !inHeader.Empty():
		return secret.Text{}, invalidRequest("The request holds more than one access token.")
	}
	return inBody, nil
}

// answerChallenge answers with a challenge and no body (RFC 6750 section 3).
func answerChallenge(w http.ResponseWriter, status int, why string) error {
	w.Header().Set("WWW-Authenticate", `Bearer realm="Gatehouse"`+why)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	return nil
}
