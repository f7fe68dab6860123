package functions_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/shared/audit"
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
	link := s.resetLink(t)
	s.visit(t, browser, "/users/password?token="+link)
	s.visit(t, browser, "/users/password%3Ftoken="+link)
	s.visit(t, browser, "/users/confirmation?token="+link)
	s.visit(t, browser, "/users/password/?token="+link)
	s.fail(t, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {first.Refresh}})
	s.fail(t, url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}})
	s.fail(t, url.Values{"grant_type": {"password"}, "username": {boot.RootName}, "password": {"a wrong password"}})
	s.post(t, "/oauth/introspect", url.Values{"token": {second.Refresh}})
	s.revoke(t, second.Access)

	text := lines.text()
	if !strings.Contains(text, `"route":"/oauth/token"`) {
		t.Fatalf("the log does not show the flow:\n%s", text)
	}
	cookies, _ := url.Parse(s.URL)
	secrets := []string{
		s.root.Password.Reveal(), s.root.Token.Reveal(), s.clientSecret.Reveal(), code,
		first.Access, first.Refresh, second.Access, second.Refresh, "a wrong password", "the-state", link,
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

// resetLink returns the token of a link that sets root's password.
func (s *server) resetLink(t *testing.T) string {
	t.Helper()
	root, err := s.app.Users.UserByUsername(t.Context(), boot.RootName)
	if err != nil {
		t.Fatal(err)
	}
	link, err := s.app.Recovery.Link(t.Context(), audit.Setup, root)
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(link.Address.Reveal(), "?token=")
	return token
}

// The line of a request says who made it, by what, and by which route.
func TestTheLogNamesCallers(t *testing.T) {
	s := startServer(t)
	browser := s.signIn(t)
	access := s.exchange(t, s.code(t, browser)).Access
	application := fmt.Sprintf(`"application_id":%d`, s.client.ID)
	tests := map[string]struct {
		do   func()
		want []string
	}{
		"a token of an application": {
			func() { s.info(t, access) },
			[]string{`"route":"/oauth/token/info"`, `"status":200`, `"user_id":1`, `"proof":"oauth"`, application},
		},
		"a personal access token": {
			func() { s.visit(t, browser, "/api/v4/user?private_token="+s.root.Token.Reveal()) },
			[]string{`"route":"/api/v4/user"`, `"user_id":1`, `"proof":"personal","token_id":1`},
		},
		"a browser": {
			func() { s.visit(t, browser, "/user_settings/applications") },
			[]string{`"route":"/user_settings/applications"`, `"user_id":1`, `"proof":"session"`},
		},
		"an application that gets tokens": {
			func() { s.exchange(t, s.code(t, browser)) },
			[]string{`"route":"/oauth/token"`, `"user_id":1,` + application},
		},
		"an application that is refused": {
			func() { s.fail(t, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"none"}}) },
			[]string{`"route":"/oauth/token"`, `"status":400,"ms":`, `,` + application + `,"request_id"`},
		},
		"a monitoring tool": {
			func() {
				s.send(t, http.DefaultClient, s.request(t, "POST", "/acme/shop%3Ftoken=opensesame/alerts/notify/tool/0123abcd.json", "", ""), 404)
			},
			[]string{`"method":"POST","route":"/{project}/alerts/notify"`, `"status":404`, `"project":"acme/shop","endpoint":"0123abcd"`},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			lines := &log{}
			lines.capture(t)
			test.do()
			for _, want := range test.want {
				if !strings.Contains(lines.text(), want) {
					t.Errorf("the log lacks %s:\n%s", want, lines.text())
				}
			}
		})
	}
}
