package alertsapi_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions/alerts/alertsapi"
	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	pages "gatehouse/shared/site"
	"gatehouse/shared/web"
)

const browserAccepts = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

// ask sends a request without a body.
func ask(h http.Handler, method, target, accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestUnknownAddressesAnswerPeopleWithAPage(t *testing.T) {
	h := alertsapi.New(apptest.New(t).App)
	const page, api = "text/html; charset=utf-8", "application/json"
	tests := []struct{ method, target, accept, contentType string }{
		{"GET", "/nothing", browserAccepts, page},
		{"GET", "/acme/web/", browserAccepts, page},
		{"HEAD", "/nothing", browserAccepts, page},
		{"GET", "/nothing", "text/html", page},
		{"GET", "/nothing", "", api},
		{"GET", "/nothing", "*/*", api},
		{"GET", "/nothing", "application/json, text/plain, */*", api},
		{"GET", "/nothing", "application/json, text/html;q=0.5", api},
		{"GET", "/nothing", "text/html;q=0", api},
		{"GET", "/favicon.ico", "image/avif,image/webp,*/*;q=0.8", api},
		{"POST", "/nothing", browserAccepts, api},
		{"POST", "/acme/none/alerts/notify.json", browserAccepts, api},
	}
	for _, test := range tests {
		w := ask(h, test.method, test.target, test.accept)
		if got := w.Header().Get("Content-Type"); w.Code != http.StatusNotFound || got != test.contentType {
			t.Errorf("%s %s with Accept %q = %d %s, want 404 %s", test.method, test.target, test.accept, w.Code, got, test.contentType)
		}
	}
}

// TestTheNotFoundPageIsThatOfTheSite compares the page that is written out with
// the one that the site renders.
func TestTheNotFoundPageIsThatOfTheSite(t *testing.T) {
	for _, base := range []string{"http://gatehouse.example", "https://gatehouse.example"} {
		a := apptest.New(t).App
		a.BaseURL, a.HTTPS = base, strings.HasPrefix(base, "https:")
		got := ask(alertsapi.New(a), "GET", "/nothing", browserAccepts)
		want := ask(siteWithoutPages(a), "GET", "/nothing", browserAccepts)
		version := regexp.MustCompile(`\?v=[0-9a-f]+`)
		if diff := cmp.Diff(version.ReplaceAllString(want.Body.String(), ""), got.Body.String()); diff != "" {
			t.Errorf("page (-of the site +not_found.html):\n%s", diff)
		}
		got.Header().Del("X-Request-Id")
		want.Header().Del("X-Request-Id")
		if diff := cmp.Diff(want.Header(), got.Header()); diff != "" {
			t.Errorf("headers (-of the site +here):\n%s", diff)
		}
	}
}

func siteWithoutPages(a *app.App) http.Handler {
	s := pages.New(a, fs.FS(fstest.MapFS{"templates": {Mode: fs.ModeDir}}), nil)
	return web.Wrap(a.BaseURL, s.Serve(web.NewMux()))
}

func TestASlashTooManyLeadsToTheRoute(t *testing.T) {
	h := alertsapi.New(apptest.New(t).App)
	for _, method := range []string{"GET", "POST"} {
		w := ask(h, method, "/console/?a=b%20c", browserAccepts)
		if got, want := w.Header().Get("Location"), "/console?a=b%20c"; w.Code != http.StatusPermanentRedirect || got != want {
			t.Errorf("%s /console/ = %d to %q, want 308 to %s", method, w.Code, got, want)
		}
	}
}

func TestARedirectedCallIsOpenToOtherOrigins(t *testing.T) {
	h := alertsapi.New(apptest.New(t).App)
	r := httptest.NewRequest("GET", "/api/v4/projects/", nil)
	r.Header.Set("Origin", "https://spa.example")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if got := w.Header().Get("Access-Control-Allow-Origin"); w.Code != http.StatusPermanentRedirect || got != "*" {
		t.Errorf("GET /api/v4/projects/ from another origin = %d for %q, want 308 for *", w.Code, got)
	}
	r.Method = http.MethodOptions
	r.Header.Set("Access-Control-Request-Method", "GET")
	w = httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if got := w.Header().Get("Access-Control-Allow-Origin"); w.Code != http.StatusOK || got != "*" {
		t.Errorf("the preflight request = %d for %q, want 200 for *", w.Code, got)
	}
}
