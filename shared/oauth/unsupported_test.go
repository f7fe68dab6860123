package oauth_test

import (
	"testing"

	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
)

// Neither the device authorization grant (RFC 8628) nor the client credentials
// grant nor any grant made up is offered, to a client that proves itself either.
func TestOtherGrantTypesAreUnsupported(t *testing.T) {
	tests := map[string]string{
		"device":             "urn:ietf:params:oauth:grant-type:device_code",
		"device, short":      "device_code",
		"client credentials": "client_credentials",
		"implicit":           "implicit",
		"JWT bearer":         "urn:ietf:params:oauth:grant-type:jwt-bearer",
		"token exchange":     "urn:ietf:params:oauth:grant-type:token-exchange",
		"letter case":        "Authorization_Code",
		"two":                "password authorization_code",
	}
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	for name, grantType := range tests {
		t.Run(name, func(t *testing.T) {
			req := f.exchangeRequest(t)
			req.GrantType, req.Username, req.Password = grantType, "ada", secret.NewText(password)
			f.wantRefused(t, req, oauth.UnsupportedGrantType)
		})
	}
}

// The implicit grant (RFC 6749 section 4.2) is not offered, and no hybrid of it
// and the code flow is: no token ever comes in a redirect.
func TestImplicitGrantIsUnsupported(t *testing.T) {
	for _, responseType := range []string{"token", "id_token", "id_token token", "code token", "code id_token", "none", "CODE"} {
		f := newFixture(t, oauth.Settings{})
		req := f.authorizeRequest()
		req.ResponseType = responseType
		_, err := f.Check(f.client, req)
		if err == nil {
			t.Errorf("response_type %q was accepted", responseType)
			continue
		}
		params := paramsOf(t, err)
		if params.Get("error") != string(oauth.UnsupportedResponseType) || params.Get("state") != req.State {
			t.Errorf("response_type %q is answered with %v, want unsupported_response_type and the state", responseType, params)
		}
	}
}
