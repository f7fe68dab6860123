package accountapi

import (
	"net/url"

	"gatehouse/shared/oauth"
)

const authorizePath = "/oauth/authorize"

// newAuthorizeRequest reads the parameters of an authorization request. A repeated
// parameter has no value, as none of them is known to be the right one. Unknown
// parameters are ignored (RFC 6749 section 3.1).
func newAuthorizeRequest(values url.Values) oauth.AuthorizeRequest {
	req := oauth.AuthorizeRequest{Repeated: map[string]bool{}}
	for name, field := range authorizeFields(&req) {
		switch all := values[name]; len(all) {
		case 0:
		case 1:
			*field = all[0]
		default:
			req.Repeated[name] = true
		}
	}
	return req
}

// authorizeFields are the fields of a request by their parameters' names.
func authorizeFields(req *oauth.AuthorizeRequest) map[string]*string {
	return map[string]*string{
		"client_id":             &req.ClientID,
		"redirect_uri":          &req.RedirectURI,
		"response_type":         &req.ResponseType,
		"response_mode":         &req.ResponseMode,
		"scope":                 &req.Scope,
		"state":                 &req.State,
		"code_challenge":        &req.CodeChallenge,
		"code_challenge_method": &req.CodeChallengeMethod,
		"nonce":                 &req.Nonce,
		"prompt":                &req.Prompt,
		"max_age":               &req.MaxAge,
		"id_token_hint":         &req.IDTokenHint,
		"request":               &req.Request,
		"request_uri":           &req.RequestURI,
		"signed_in_since":       &req.SignedInSince,
	}
}

// authorizeValues writes the parameters that newAuthorizeRequest reads.
func authorizeValues(req oauth.AuthorizeRequest) url.Values {
	values := url.Values{}
	for name, field := range authorizeFields(&req) {
		if *field != "" {
			values.Set(name, *field)
		}
	}
	return values
}

// knownValues returns those of the values that newAuthorizeRequest reads, repeated ones too.
func knownValues(values url.Values) url.Values {
	known := url.Values{}
	for name := range authorizeFields(&oauth.AuthorizeRequest{}) {
		if all := values[name]; len(all) > 0 {
			known[name] = all
		}
	}
	return known
}
