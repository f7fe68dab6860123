package functions_test

import (
	"net/url"
	"strings"
	"testing"

	"gatehouse/shared/boot"
)

// Nothing that opens an account is in the log of a whole flow, be it right or
// wrong, in a header, a body or an address.
func TestNoSecretIsLogged(t *testing.T) {
	lines := &log{}
	lines.capture(t)

	s := startServer(t)
	browser := s.signIn(t)
	code := s.code(t, browser)
	first := s.exchange(t, code)
	second := s.refresh(t, first.Refresh)
	s.info(t, second.Access)
	s.visit(t, browser, "/oauth/token/info?access_token="+second.Access)
	s.visit(t, browser, "/api/v4/user?access_token="+second.Access)
	s.visit(t, browser, "/api/v4/user?private_token="+s.root.Token.Reveal())
	s.visit(t, browser, "/api/v4/user?access_token=%zz"+second.Access)
	s.visit(t, browser, "/api/v4/user%3Faccess_token="+second.Access)
	s.visit(t, browser, "/oauth/token/info?x=1;bearer_token="+second.Access)
	s.visit(t, browser, "/oauth/authorize?access_token="+second.Access)
	s.visit(t, browser, "/nowhere?access_token="+second.Access)
	s.visit(t, browser, "/users/sign_in%0A?access_token="+second.Access)
	s.visit(t, browser, "/users/sign_in?return_to=/oauth/authorize%3Fstate%3Dthe-state")
	s.fail(t, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {first.Refresh}})
	s.fail(t, url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}})
	s.fail(t, url.Values{"grant_type": {"password"}, "username": {boot.RootName}, "password": {"a wrong password"}})
	s.post(t, "/oauth/introspect", url.Values{"token": {second.Refresh}})
	s.revoke(t, second.Access)

	text := lines.text()
	if !strings.Contains(text, `"path":"/oauth/token"`) {
		t.Fatalf("the log does not show the flow:\n%s", text)
	}
	cookies, _ := url.Parse(s.URL)
	secrets := []string{
		s.root.Password.Reveal(), s.root.Token.Reveal(), s.clientSecret.Reveal(), code,
		first.Access, first.Refresh, second.Access, second.Refresh, "a wrong password", "the-state",
	}
	for _, cookie := range browser.Jar.Cookies(cookies) {
		secrets = append(secrets, cookie.Value)
	}
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("the log holds %q:\n%s", secret, text)
		}
	}
}
