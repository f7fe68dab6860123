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
	parts := strings.Split(req.IDTokenHint, ".")
	var claims struct{ Iss, Sub string }
	if len(parts) != 3 || !unmarshalPart(parts[0], &struct{}{}) || !unmarshalPart(parts[1], &claims) || claims.Sub == "" {
		return "", newError(InvalidRequest, "The id_token_hint is no id_token.")
	}
	if claims.Iss != s.settings.Issuer {
		return "", newError(InvalidRequest, "The id_token_hint is of another issuer.")
	}
	return claims.Sub, nil
}

func unmarshalPart(part string, into any) bool {
	text, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(text, into) == nil
}
