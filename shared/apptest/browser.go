package apptest

import (
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// SessionCookie is the name of the session cookie.
const SessionCookie = "__Host-gatehouse_session"

// Browser keeps cookies and sends forms the way a browser does.
type Browser struct {
	T       *testing.T
	Cookies map[string]string
	Header  http.Header // additional headers of every request
	Address string      // with a port; empty: that of httptest
	http.Handler
}

// NewBrowser returns a browser without cookies, for the pages of the handler.
func NewBrowser(t *testing.T, h http.Handler) *Browser {
	return &Browser{T: t, Cookies: map[string]string{}, Header: http.Header{}, Handler: h}
}

// Form returns the fields of a form from alternating names and values.
func Form(pairs ...string) url.Values {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	return values
}

// Get opens a page.
func (b *Browser) Get(target string) Page { b.T.Helper(); return b.Do("GET", target, nil) }

// Post sends a form from a page of the same origin.
func (b *Browser) Post(target string, form url.Values) Page {
	b.T.Helper()
	return b.Do("POST", target, form)
}

// Do sends a request with any method.
func (b *Browser) Do(method, target string, form url.Values) Page {
	b.T.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(form.Encode()))
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	maps.Copy(r.Header, b.Header)
	if b.Address != "" {
		r.RemoteAddr = b.Address
	}
	for name, value := range b.Cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	b.Handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if b.Cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.Cookies, c.Name)
		}
	}
	return Page{b.T, method + " " + target, w}
}

// Page is the answer to a Browser.
type Page struct {
	T    *testing.T
	Call string // method and target
	*httptest.ResponseRecorder
}

// Location returns where the answer leads, if it is a redirect.
func (p Page) Location() string { return p.Header().Get("Location") }

// Text returns the page with its tags and without HTML escapes.
func (p Page) Text() string { return html.UnescapeString(p.Body.String()) }

// Want checks the status, and that the page contains these texts.
func (p Page) Want(status int, says ...string) Page {
	p.T.Helper()
	if p.Code != status {
		p.T.Fatalf("%s answered %d to %q, want %d: %s", p.Call, p.Code, p.Location(), status, p.Text())
	}
	for _, text := range says {
		if !strings.Contains(p.Text(), text) {
			p.T.Errorf("%s does not say %q: %s", p.Call, text, p.Text())
		}
	}
	return p
}

// WantNot checks that the page contains none of these texts.
func (p Page) WantNot(says ...string) {
	p.T.Helper()
	for _, text := range says {
		if strings.Contains(p.Text(), text) {
			p.T.Errorf("%s says %q: %s", p.Call, text, p.Text())
		}
	}
}

// WantRedirect checks for the redirect that a page or a form makes.
func (p Page) WantRedirect(location string) {
	p.T.Helper()
	status := http.StatusSeeOther
	if strings.HasPrefix(p.Call, "GET") {
		status = http.StatusFound
	}
	if p.Code != status || p.Location() != location {
		p.T.Fatalf("%s answered %d to %q, want %d to %q", p.Call, p.Code, p.Location(), status, location)
	}
}

// ToClient returns the parameters that the redirect carries to the client.
func (p Page) ToClient(redirectURI string) url.Values {
	p.T.Helper()
	query, ok := strings.CutPrefix(p.Location(), redirectURI+"?")
	if !ok {
		p.T.Fatalf("%s answered %d to %q, want a redirect to %s: %s", p.Call, p.Code, p.Location(), redirectURI, p.Text())
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		p.T.Fatal(err)
	}
	return values
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// Fields returns the hidden fields of the page's form that leads to action.
func (p Page) Fields(action string) url.Values {
	p.T.Helper()
	_, rest, found := strings.Cut(p.Body.String(), `action="`+html.EscapeString(action)+`"`)
	if !found {
		p.T.Fatalf("%s has no form that leads to %s: %s", p.Call, action, p.Body)
	}
	rest, _, _ = strings.Cut(rest, "</form>")
	values := url.Values{}
	for _, m := range hiddenField.FindAllStringSubmatch(rest, -1) {
		values.Add(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
	}
	return values
}
