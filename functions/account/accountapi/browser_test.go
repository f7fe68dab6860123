package accountapi_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"gatehouse/functions/account/accountapi"
	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
)

const sessionCookie = "__Host-gatehouse_session"

// browser keeps cookies and sends forms the way a browser does.
type browser struct {
	t         *testing.T
	handler   http.Handler
	cookies   map[string]string
	userAgent string
}

func newBrowser(t *testing.T, a *app.App) *browser {
	t.Helper()
	return &browser{t: t, handler: accountapi.New(a), cookies: map[string]string{}}
}

// signedIn returns a browser in which the user signed in.
func signedIn(t *testing.T, a *apptest.App, u user.User) *browser {
	t.Helper()
	b := newBrowser(t, a.App)
	b.post("/users/sign_in", form("login", u.Username, "password", apptest.Password)).wantRedirect("/")
	return b
}

func form(pairs ...string) url.Values {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	return values
}

func (b *browser) get(target string) answer { b.t.Helper(); return b.do("GET", target, nil) }

func (b *browser) post(target string, form url.Values) answer {
	b.t.Helper()
	return b.do("POST", target, form)
}

func (b *browser) do(method, target string, form url.Values) answer {
	b.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(form.Encode()))
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	r.Header.Set("User-Agent", b.userAgent)
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if b.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return answer{b.t, method + " " + target, w}
}

// answer is what came back.
type answer struct {
	t    *testing.T
	call string
	*httptest.ResponseRecorder
}

func (a answer) location() string { return a.Header().Get("Location") }

func (a answer) page() string { return html.UnescapeString(a.Body.String()) }

func (a answer) want(status int, says ...string) answer {
	a.t.Helper()
	if a.Code != status {
		a.t.Fatalf("%s answered %d to %q, want %d: %s", a.call, a.Code, a.location(), status, a.page())
	}
	for _, text := range says {
		if !strings.Contains(a.page(), text) {
			a.t.Errorf("%s does not say %q: %s", a.call, text, a.page())
		}
	}
	return a
}

func (a answer) wantRedirect(location string) {
	a.t.Helper()
	status := http.StatusSeeOther
	if strings.HasPrefix(a.call, "GET") {
		status = http.StatusFound
	}
	if a.Code != status || a.location() != location {
		a.t.Fatalf("%s answered %d to %q, want %d to %q", a.call, a.Code, a.location(), status, location)
	}
}

// toClient returns the parameters that the redirect carries to the client.
func (a answer) toClient(redirectURI string) url.Values {
	a.t.Helper()
	query, ok := strings.CutPrefix(a.location(), redirectURI+"?")
	if !ok {
		a.t.Fatalf("%s answered %d to %q, want a redirect to %s: %s", a.call, a.Code, a.location(), redirectURI, a.page())
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		a.t.Fatal(err)
	}
	return values
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// fields returns the hidden fields of the page's form that leads to action.
func (a answer) fields(action string) url.Values {
	a.t.Helper()
	_, rest, found := strings.Cut(a.Body.String(), `action="`+html.EscapeString(action)+`"`)
	if !found {
		a.t.Fatalf("%s has no form that leads to %s: %s", a.call, action, a.Body)
	}
	rest, _, _ = strings.Cut(rest, "</form>")
	values := url.Values{}
	for _, m := range hiddenField.FindAllStringSubmatch(rest, -1) {
		values.Add(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
	}
	return values
}

const redirectURI = "https://client.example/callback"

// register adds a confidential client of the owner.
func register(t *testing.T, a *apptest.App, owner user.User, change ...func(*oauth.Registration)) oauth.Client {
	t.Helper()
	r := oauth.Registration{
		Name: "Weather station", RedirectURIs: redirectURI, Confidential: true,
		Scopes: scope.Of(scope.API, scope.ReadUser),
	}
	for _, c := range change {
		c(&r)
	}
	client, _, err := a.OAuth.Register(t.Context(), owner.ID, r)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func public(r *oauth.Registration)  { r.Confidential = false }
func trusted(r *oauth.Registration) { r.Trusted = true }

const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

// request returns a good authorization request of the client, with the pairs
// in place of or besides its own parameters; an empty value leaves one out.
func request(c oauth.Client, pairs ...string) url.Values {
	values := form("client_id", c.ClientID, "redirect_uri", redirectURI, "response_type", "code",
		"scope", "read_user", "state", "a state & more=1",
		"code_challenge", string(oauth.ChallengeOf(verifier)), "code_challenge_method", "S256")
	for name, all := range form(pairs...) {
		if values[name] = all; all[0] == "" {
			delete(values, name)
		}
	}
	return values
}

func authorize(values url.Values) string { return "/oauth/authorize?" + values.Encode() }
