package auth

import (
	"net/http"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/scope"
	"gatehouse/shared/web"
)

const realm = `Bearer realm="Gatehouse"`

// unauthorized is a 401 without a reason: no token, or an unknown one.
type unauthorized struct{}

var errUnauthorized = unauthorized{}

func (unauthorized) Error() string        { return "401 Unauthorized" }
func (unauthorized) Is(target error) bool { return target == fault.Unauthorized }

// Answer writes the 401.
func (u unauthorized) Answer(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", realm)
	web.JSON(w, http.StatusUnauthorized, map[string]string{"message": u.Error()})
}

// unusable is a 401 for a token that is no longer valid (RFC 6750 section 3.1).
type unusable struct{ description string }

var (
	errExpired = unusable{"Token is expired. You can either do re-authorization or token refresh."}
	errRevoked = unusable{"Token was revoked. You have to re-authorize from the user."}
)

func (u unusable) Error() string      { return u.description }
func (unusable) Is(target error) bool { return target == fault.Unauthorized }

// Answer writes the 401.
func (u unusable) Answer(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", realm+`, error="invalid_token", error_description="`+u.description+`"`)
	web.JSON(w, http.StatusUnauthorized, map[string]string{"error": "invalid_token", "error_description": u.description})
}

var errBlocked = fault.New(fault.Forbidden, "Your account has been blocked")

// insufficientScope is a 403 that lists the scopes of which one is needed.
type insufficientScope scope.Set

func (s insufficientScope) Error() string        { return "the token needs one of the scopes " + s.needed() }
func (s insufficientScope) Is(target error) bool { return target == fault.Forbidden }
func (s insufficientScope) needed() string       { return strings.Join(s, " ") }

// Answer writes the 403.
func (s insufficientScope) Answer(w http.ResponseWriter) {
	web.JSON(w, http.StatusForbidden, map[string]string{
		"error":             "insufficient_scope",
		"error_description": "The request requires higher privileges than provided by the access token.",
		"scope":             s.needed(),
	})
}

// twoTokens is a 400 for a request with two tokens (RFC 6750 section 2).
type twoTokens struct{}

func (twoTokens) Error() string        { return "the request holds more than one access token" }
func (twoTokens) Is(target error) bool { return target == fault.Invalid }

// Answer writes the 400.
func (t twoTokens) Answer(w http.ResponseWriter) {
	web.JSON(w, http.StatusBadRequest, map[string]string{"error": "invalid_request", "error_description": t.Error()})
}

// noSuchSudoUser is a 404 with the name of the user to act as.
type noSuchSudoUser string

func (n noSuchSudoUser) Error() string {
	return "404 User with ID or username '" + string(n) + "' Not Found"
}
func (noSuchSudoUser) Is(target error) bool { return target == fault.NotFound }

// Answer writes the 404.
func (n noSuchSudoUser) Answer(w http.ResponseWriter) {
	web.JSON(w, http.StatusNotFound, map[string]string{"message": n.Error()})
}
