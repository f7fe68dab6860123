package auth

import (
	"net/http"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/scope"
	"gatehouse/shared/web"
)

const realm = `Bearer realm="Gatehouse"`

// refusal is an error with a response of its own.
type refusal struct {
	kind      fault.Kind
	text      string // for people who use Git
	challenge string // the header WWW-Authenticate, unless it is empty
	body      map[string]string
}

func (r *refusal) Error() string        { return r.text }
func (r *refusal) Is(target error) bool { return target == r.kind }

// Answer writes the response.
func (r *refusal) Answer(w http.ResponseWriter) {
	if r.challenge != "" {
		w.Header().Set("WWW-Authenticate", r.challenge)
	}
	web.JSON(w, web.Status(r), r.body)
}

var (
	errBlocked = fault.New(fault.Forbidden, "Your account has been blocked")

	// errUnauthorized is for no token and for an unknown one.
	errUnauthorized = &refusal{fault.Unauthorized, "401 Unauthorized", realm, map[string]string{"message": "401 Unauthorized"}}
	errExpired      = noLongerValid("Token is expired. You can either do re-authorization or token refresh.")
	errRevoked      = noLongerValid("Token was revoked. You have to re-authorize from the user.")
	errTwoTokens    = oauthError(fault.Invalid, "invalid_request", "the request holds more than one access token")
)

// oauthError returns a refusal with the body of RFC 6750 section 3.1.
func oauthError(kind fault.Kind, code, description string) *refusal {
	return &refusal{kind, description, "", map[string]string{"error": code, "error_description": description}}
}

func noLongerValid(description string) *refusal {
	r := oauthError(fault.Unauthorized, "invalid_token", description)
	r.challenge = realm + `, error="invalid_token", error_description="` + description + `"`
	return r
}

// insufficientScope returns a 403 that lists the scopes of which one is needed.
func insufficientScope(needed ...scope.Scope) error {
	r := oauthError(fault.Forbidden, "insufficient_scope", "The request requires higher privileges than provided by the access token.")
	r.body["scope"] = strings.Join(needed, " ")
	r.text = "the token needs one of the scopes " + r.body["scope"]
	return r
}

// noSuchSudoUser returns a 404 with the name of the user to act as.
func noSuchSudoUser(name string) error {
	text := "404 User with ID or username '" + name + "' Not Found"
	return &refusal{kind: fault.NotFound, text: text, body: map[string]string{"message": text}}
}
