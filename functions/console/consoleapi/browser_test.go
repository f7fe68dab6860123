package consoleapi_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"gatehouse/functions/console/consoleapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/session"
	"gatehouse/shared/user"
)

// browser keeps cookies and sends forms the way a browser does.
type browser struct {
	t       *testing.T
	handler http.Handler
	cookies map[string]string
}

// stranger returns a browser in which nobody is signed in.
func stranger(t *testing.T, a *apptest.App) *browser {
	t.Helper()
	return &browser{t: t, handler: consoleapi.New(a.App), cookies: map[string]string{}}
}

// signedIn returns a browser in which the user is signed in.
func signedIn(t *testing.T, a *apptest.App, u user.User) *browser {
	t.Helper()
	b := stranger(t, a)
	value, err := a.Sessions.Start(t.Context(), u, session.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	b.cookies["__Host-gatehouse_session"] = value.Reveal()
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

func (a answer) page() string { return html.UnescapeString(a.Body.String()) }

func (a answer) want(status int, says ...string) answer {
	a.t.Helper()
	if a.Code != status {
		a.t.Fatalf("%s answered %d to %q, want %d: %s", a.call, a.Code, a.Header().Get("Location"), status, a.page())
	}
	for _, text := range says {
		if !strings.Contains(a.page(), text) {
			a.t.Errorf("%s does not say %q: %s", a.call, text, a.page())
		}
	}
	return a
}

func (a answer) wantNot(says ...string) {
	a.t.Helper()
	for _, text := range says {
		if strings.Contains(a.page(), text) {
			a.t.Errorf("%s says %q: %s", a.call, text, a.page())
		}
	}
}

func (a answer) wantRedirect(location string) {
	a.t.Helper()
	status := http.StatusSeeOther
	if strings.HasPrefix(a.call, "GET") {
		status = http.StatusFound
	}
	if got := a.Header().Get("Location"); a.Code != status || got != location {
		a.t.Fatalf("%s answered %d to %q, want %d to %q", a.call, a.Code, got, status, location)
	}
}
