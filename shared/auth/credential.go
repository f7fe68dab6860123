package auth

import (
	"net/http"
	"strings"

	"gatehouse/shared/secret"
	"gatehouse/shared/web"
)

// credential returns the request's token: the header PRIVATE-TOKEN, a Bearer
// token, the password of Basic authentication, or access_token or private_token
// in the query. No token and more than one are errors.
func credential(r *http.Request) (secret.Text, error) {
	query := r.URL.Query()
	found := r.Header.Values("PRIVATE-TOKEN")
	if _, password, ok := r.BasicAuth(); ok {
		found = append(found, password)
	}
	found = append(found, BearerToken(r))
	found = append(found, query["access_token"]...)
	found = append(found, query["private_token"]...)

	token := ""
	for _, t := range found {
		switch {
		case t == "":
		case token != "":
			return secret.Text{}, errTwoTokens
		default:
			token = t
		}
	}
	if token == "" {
		return secret.Text{}, errUnauthorized
	}
	return secret.NewText(token), nil
}

// BearerToken returns the token in the Authorization header (RFC 6750 section
// 2.1), or "".
func BearerToken(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// errSudoInGet refuses a name where others than Gatehouse may not look for one, instead
// of answering as another user than the client meant.
var errSudoInGet = web.BadParameters("sudo is invalid: it is not taken from the body of a GET, send the header Sudo")

// sudoName returns the user to act as, from the header Sudo or the parameter
// sudo, or "". Two different names are an error, as are unreadable parameters.
func sudoName(r *http.Request) (string, error) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if web.BodyHas(r, "sudo") {
			return "", errSudoInGet
		}
		r = r.WithContext(r.Context())
		r.Body = nil // some clients send a body with a GET, which means nothing
	}
	params, name := web.Params(r), r.Header.Get("Sudo")
	parameter := params.OptionalString("sudo")
	if err := params.Err(); err != nil {
		return "", err
	}
	if parameter != nil && *parameter != name {
		if name != "" {
			return "", web.BadParameters("sudo is invalid")
		}
		name = *parameter
	}
	return name, nil
}
