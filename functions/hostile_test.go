package functions_test

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
)

// What other sites, and programs that hope for a second meaning of an address, send to
// every line of the table. None of it changes anything.
func TestHostileRequests(t *testing.T) {
	unlogged(t)
	s := newScene(t)
	t.Run("forms on other sites", func(t *testing.T) { s.checkForeignForms(t) })
	t.Run("spellings of addresses", func(t *testing.T) { s.checkSpellings(t) })
	t.Run("applications of administrators", func(t *testing.T) { s.checkApplications(t) })
	t.Run("other methods in a header", func(t *testing.T) { s.checkOverrides(t) })
}

// fromOtherSites are the headers of a form that a browser sends from another site.
var fromOtherSites = []http.Header{
	{"Sec-Fetch-Site": {"cross-site"}},
	{"Sec-Fetch-Site": {"same-site"}},
	{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}, "Referer": {"https://evil.example/"}},
	{"Sec-Fetch-Site": {"same-site"}, "Origin": {"https://evil.gatehouse.example"}},
	{"Origin": {"https://evil.example"}, "Referer": {apptest.BaseURL + "/"}},
	{"Origin": {"null"}},
	{"Origin": {"http://gatehouse.example"}}, // not https
	{"Origin": {"https://gatehouse.example:444"}},
	{"Origin": {"https://gatehouse.example.evil.example"}},
}

// fromAnywhere are the forms for which the browser's cookies open nothing when they come
// from another site. They answer, but as to somebody who is not signed in.
var fromAnywhere = []string{"POST /oauth/authorize", "POST /console/-/acknowledge"}

func (s *scene) checkForeignForms(t *testing.T) {
	forms := 0
	for _, r := range permissions {
		if !r.isPage() || r.reads() {
			continue
		}
		forms++
		method, _, _ := strings.Cut(r.call, " ")
		address := s.address(r, s.places[project.Private])
		for _, header := range fromOtherSites {
			request := s.request(s.named("administrator"), method, address, "decision=approve&confirm=1", true)
			request.Header.Del("Authorization")
			request.Header.Del("Sec-Fetch-Site")
			for name, values := range header {
				request.Header[name] = values
			}
			got := s.send(request, true)
			if got.written || got.reply != refusedUser && !slices.Contains(fromAnywhere, r.call) {
				t.Errorf("%s with %v is %d, and something was written: %t; want 403 and nothing", r.call, header, got.status, got.written)
			}
		}
	}
	if forms < 70 {
		t.Errorf("%d forms were tried, want those of all pages", forms)
	}
}

// spellings returns other spellings of an address, some of which a program on the way
// could take for the address itself.
func spellings(address string) []string {
	last := strings.LastIndex(address, "/")
	before, segment := address[:last], address[last+1:]
	first, rest, _ := strings.Cut(address[1:], "/")
	return []string{
		"/" + address, "/" + first + "//" + rest, before + "//" + segment, address + "/", address + "//",
		before + "/./" + segment, before + "/x/../" + segment, before + "/%2e/" + segment, before + "/x/%2e%2e/" + segment,
		before + "/x/%2E%2E%2F" + segment, before + "%2f" + segment, before + "%252f" + segment, before + "%5c" + segment,
		before + "%c0%af" + segment, address + "/.", address + "/..", address + "%2f", address + "%2f..", address + "%00", address + "%00.json",
		address + ";", address + ";a=b", before + ";a/" + segment, address + "%3b", address + "%20", address + "%09", address + "%0a", address + "%ff", address + "%ed%a0%80",
		address + "%3fx=1", address + "%23", address + ".json", address + "." + strings.Repeat("a", 8000), before + "/%" + hexOf(segment),
		"/%" + hexOf(first) + "/" + rest, strings.ToUpper(address), "/" + strings.ToUpper(first) + "/" + rest, "/x/../" + first + "/" + rest,
	}
}

// hexOf returns the text with its first byte in hexadecimal digits, for after a "%".
func hexOf(text string) string {
	if text == "" {
		return "2e"
	}
	return hex.EncodeToString([]byte(text[:1])) + text[1:]
}

// checkSpellings has those who are refused spell the address in other ways, and an
// administrator read it. Nobody gets more than by the plain spelling.
func (s *scene) checkSpellings(t *testing.T) {
	for _, r := range permissions {
		if r.who.kind == anybody || r.who.kind == bearers {
			continue
		}
		for _, name := range []string{nobody, "stranger", "guest", "administrator"} {
			c := s.named(name)
			want := r.want(c, project.Private)
			if want == served && !(r.reads() && c.admin) || r.who.kind == members && name == nobody {
				continue
			}
			for _, address := range spellings(s.address(r, s.places[project.Private])) {
				if strings.HasPrefix(address, "/") {
					s.checkSpelling(t, r, c, address, want)
				}
			}
		}
	}
}

func (s *scene) checkSpelling(t *testing.T, r permission, c *caller, address string, want reply) {
	method, _, _ := strings.Cut(r.call, " ")
	u, err := url.ParseRequestURI(address)
	if err != nil {
		t.Fatal(err)
	}
	request := s.request(c, method, "/", "", r.isPage())
	request.URL, request.RequestURI = u, address
	got := s.send(request, r.isPage())
	leads := got.status == http.StatusPermanentRedirect
	if got.written && !r.deprecated() || got.reply == refusedByError || want != served && got.reply == served && got.status < 400 && !leads {
		t.Errorf("%s: %s spelled %.120s is %d %.120s, and something was written: %t", c.name, r.call, address, got.status, got.body, got.written)
	}
}

// checkApplications asks for all that is refused to a stranger, with an administrator's token
// of an application on an instance that asks these for the scope sudo.
func (s *scene) checkApplications(t *testing.T) {
	asking := *s
	asking.App = s.WithSudo()
	asking.gateway = functions.Gateway(asking.App.App)
	plain := &caller{name: "administrator by OAuth", token: asking.OAuthToken(s.boss, scope.API), scopes: scope.Of(scope.API), oauth: true}
	full := &caller{name: "administrator by OAuth with sudo", token: asking.OAuthToken(s.boss, scope.API, scope.Sudo), scopes: scope.Of(scope.API), oauth: true, admin: true, role: noMember}
	refused := 0
	for _, r := range permissions {
		if !r.isREST() || r.who.kind == bearers {
			continue
		}
		address := s.address(r, s.places[project.Private])
		want := r.want(plain, project.Private)
		if want != served {
			if r.who.kind == ruling {
				want, refused = refusedScope, refused+1
			}
			if got := asking.ask(plain, r, address, s.bodyOf(r, s.places[project.Private])); got.reply != want || got.written && !r.deprecated() {
				t.Errorf("%s: %s is %d %.120s, and something was written: %t; want %s", plain.name, r.call, got.status, got.body, got.written, want)
			}
		}
		if !r.reads() || r.want(full, project.Private) != served {
			continue
		}
		if got := asking.ask(full, r, address, ""); !got.isServed(r) {
			t.Errorf("%s: %s is %d %.120s, want it served", full.name, r.call, got.status, got.body)
		}
	}
	if refused < 35 {
		t.Errorf("%d calls are for administrators alone, want those of the table", refused)
	}
}

// overrides are what some frameworks take the method from.
var overrides = []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"}

// checkOverrides reads everything with headers and a parameter that ask to delete it.
func (s *scene) checkOverrides(t *testing.T) {
	for _, r := range permissions {
		if !r.reads() || r.who.kind == bearers {
			continue
		}
		address := s.address(r, s.places[project.Private])
		plain := s.ask(s.callers[0], r, address, "")
		request := s.request(s.callers[0], http.MethodGet, address+"?_method=DELETE", "", r.isPage())
		for _, name := range overrides {
			request.Header.Set(name, http.MethodDelete)
		}
		if got := s.send(request, r.isPage()); got.status != plain.status || got.written && !r.deprecated() {
			t.Errorf("%s that asks to delete is %d, and something was written: %t; want %d and nothing", r.call, got.status, got.written, plain.status)
		}
	}
}
