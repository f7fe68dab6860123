package oauth

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"gatehouse/shared/scope"
)

// hinted returns the claim sub of the user whom the client expects, as the parameter
// id_token_hint says, with the scope openid (OpenID Connect Core section
// 3.1.2.1). It may be an id_token that has expired. Its signature is not checked: a hint
// can only have a request refused, and the keys of old id_tokens are gone.
func (s *Server) hinted(req AuthorizeRequest, scopes scope.Set) (subject string, err *Error) {
	if req.IDTokenHint == "" || !scopes.Has(scope.OpenID) {
		return "", nil
	}
	claims, ok := parseHint(req.IDTokenHint)
	switch {
	case !ok:
		return "", newError(InvalidRequest, "The id_token_hint is no id_token.")
	case claims.Issuer != s.settings.Issuer:
		return "", newError(InvalidRequest, "The id_token_hint is of another issuer.")
	}
	return claims.Subject, nil
}

// hintClaims are what counts of an id_token_hint.
type hintClaims struct {
	Issuer  string `json:"iss"`
	Subject string `json:"sub"`
}

func parseHint(hint string) (claims hintClaims, ok bool) {
	parts := strings.Split(hint, ".")
	ok = len(parts) == 3 && unmarshalPart(parts[0], &struct{}{}) && unmarshalPart(parts[1], &claims) && claims.Subject != ""
	return claims, ok
}

// ShortHint returns the id_token_hint without what does not count of it, so that it fits into
// an address and tells nothing there of the person but the number.
func ShortHint(hint string) string {
	claims, ok := parseHint(hint)
	if !ok {
		return hint
	}
	text, err := json.Marshal(claims)
	if err != nil {
		return hint // not reached: the claims are texts
	}
	return "e30." + base64.RawURLEncoding.EncodeToString(text) + "."
}

func unmarshalPart(part string, into any) bool {
	text, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(text, into) == nil
}
