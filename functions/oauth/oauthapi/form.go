package oauthapi

import (
	"mime"
	"net/http"
	"net/url"

	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
	"gatehouse/shared/web"
)

// form is the parameters in the body of a request. Those in the query do not
// count, as addresses end up in logs (RFC 6749 section 2.3.1).
type form url.Values

// parameters are the parameters that OAuth defines for these endpoints. None may
// be repeated (RFC 6749 section 3.2).
var parameters = []string{
	"grant_type", "client_id", "client_secret", "code", "redirect_uri", "code_verifier", "refresh_token",
	"scope", "username", "password", "token", "token_type_hint", "access_token",
}

// readRequest reads a client's parameters and credentials.
func readRequest(r *http.Request) (form, oauth.Credentials, error) {
	f, err := readForm(r)
	if err != nil {
		return nil, oauth.Credentials{}, err
	}
	credentials, err := f.credentials(r)
	return f, credentials, err
}

// readForm reads the body as a flat JSON object if that is its content type, and
// as a form otherwise.
func readForm(r *http.Request) (form, error) {
	body, err := web.ReadBody(r)
	if err != nil {
		return nil, invalidRequest("The body is too large or could not be read.")
	}
	values, err := url.ParseQuery(string(body))
	if mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); mediaType == "application/json" {
		values, err = parseJSON(body)
	}
	if err != nil {
		return nil, invalidRequest("The body is malformed.")
	}
	for _, name := range parameters {
		if len(values[name]) > 1 {
			return nil, invalidRequest("The parameter " + name + " came more than once.")
		}
	}
	return form(values), nil
}

func parseJSON(body []byte) (url.Values, error) {
	object, err := web.Object(body)
	if err != nil {
		return nil, err
	}
	form := url.Values{}
	for name, values := range object {
		for _, value := range values {
			text, ok := value.(string)
			if !ok && value != nil {
				return nil, fault.New(fault.Invalid, "a parameter is not a text")
			}
			form.Add(name, text)
		}
	}
	return form, nil
}

func (f form) get(name string) string { return url.Values(f).Get(name) }

func (f form) secret(name string) secret.Text { return secret.NewText(f.get(name)) }

// credentials returns the client's credentials by HTTP Basic or in the body. Two
// ways at once, or two names, are an error (RFC 6749 section 2.3). Some libraries
// send Basic without a user name if there is no client.
func (f form) credentials(r *http.Request) (oauth.Credentials, error) {
	inBody := oauth.Credentials{ClientID: f.get("client_id"), Secret: f.secret("client_secret")}
	id, password, ok := r.BasicAuth()
	if !ok || id == "" {
		return inBody, nil
	}
	inHeader := oauth.Credentials{ClientID: unescape(id), Secret: secret.NewText(unescape(password))}
	switch {
	case !inBody.Secret.Empty():
		return oauth.Credentials{}, invalidRequest("The client authenticates in two ways at once.")
	case inBody.ClientID != "" && inBody.ClientID != inHeader.ClientID:
		return oauth.Credentials{}, invalidRequest("The request names two clients.")
	}
	return inHeader, nil
}

// refuseForeign refuses a request that names no client in a way that is read here, but
// whose header Authorization names somebody in another way (RFC 6749 section 5.2). Such a
// request must not pass for one without a client.
func refuseForeign(r *http.Request, found oauth.Credentials) error {
	_, _, basic := r.BasicAuth()
	if found.ClientID != "" || !found.Secret.Empty() || basic || r.Header.Get("Authorization") == "" {
		return nil
	}
	return &oauth.Error{Code: oauth.InvalidClient, Description: "A client authenticates by HTTP Basic or in the body. The header Authorization is something else."}
}

// unescape decodes Basic credentials (RFC 6749 section 2.3.1). Many clients do not
// encode them.
func unescape(s string) string {
	if unescaped, err := url.QueryUnescape(s); err == nil {
		return unescaped
	}
	return s
}

func invalidRequest(description string) error {
	return &oauth.Error{Code: oauth.InvalidRequest, Description: description}
}
