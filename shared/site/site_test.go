package site_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gatehouse/shared/apptest"
	"gatehouse/shared/fault"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

var templates = fstest.MapFS{"templates/hello.html": {Data: []byte(`{{define "content"}}<h1>Hello {{.Body}}</h1>{{end}}`)}}

// newSite returns a site with a few pages.
func newSite(t *testing.T) http.Handler {
	t.Helper()
	s := site.New(apptest.New(t).App, templates, site.Notices{"done": "It is done."})
	fail := func(err error) http.Handler {
		return s.Page(func(http.ResponseWriter, *http.Request) error { return err })
	}
	mux := web.NewMux()
	mux.HandleFunc("GET /assets/{name}", s.Asset)
	mux.Handle("GET /hello", s.Page(func(w http.ResponseWriter, r *http.Request) error {
		return s.Render(w, r, site.Page{Template: "hello", Title: "Hello", Body: "<you>"})
	}))
	mux.Handle("POST /hello", s.Page(func(w http.ResponseWriter, r *http.Request) error {
		if _, err := site.ReadForm(r); err != nil {
			return err
		}
		s.Notify(w, "done")
		return site.Redirect(w, r, "/hello")
	}))
	mine := s.SignedIn(func(w http.ResponseWriter, r *http.Request, u user.User) error { return nil })
	mux.Handle("GET /mine", mine)
	mux.Handle("POST /mine", mine)
	mux.Handle("GET /forbidden", fail(fault.New(fault.Forbidden, "Not for you.")))
	mux.Handle("GET /missing", fail(fault.New(fault.NotFound, "row 17 of table things")))
	mux.Handle("GET /broken", fail(errors.New("disk on fire")))
	mux.Handle("GET /panic", s.Page(func(http.ResponseWriter, *http.Request) error { panic("boom") }))
	return web.Wrap(apptest.BaseURL, s.Serve(mux))
}

func call(h http.Handler, method, target, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestEveryAnswerHasSecurityHeaders(t *testing.T) {
	h := newSite(t)
	for _, target := range []string{"/hello", "/mine", "/nowhere", "/forbidden", "/broken", "/panic"} {
		got := call(h, "GET", target, "").Header()
		for name, want := range map[string]string{
			"Content-Security-Policy":   "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
			"Permissions-Policy":        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
			"Referrer-Policy":           "same-origin",
			"Strict-Transport-Security": "max-age=31536000",
			"X-Content-Type-Options":    "nosniff",
			"Cache-Control":             "no-store",
		} {
			if got.Get(name) != want {
				t.Errorf("GET %s: %s is %q, want %q", target, name, got.Get(name), want)
			}
		}
	}
}

func TestErrorsArePages(t *testing.T) {
	h := newSite(t)
	tests := []struct {
		method, target, body string
		status               int
		says                 string
	}{
		{"GET", "/nowhere", "", 404, "There is nothing here"},
		{"PUT", "/hello", "", 405, "That does not work this way"},
		{"GET", "/forbidden", "", 403, "Not for you."},
		{"GET", "/missing", "", 404, "There is nothing here"},
		{"GET", "/broken", "", 500, "Something went wrong"},
		{"GET", "/panic", "", 500, "Something went wrong"},
		{"POST", "/hello", "a=1&a=2", 400, "more than once"},
		{"POST", "/hello", "a=%zz", 400, "malformed"},
		{"POST", "/hello", "a=%00", 400, "malformed"},
		{"POST", "/hello", "a=%ff", 400, "malformed"},
		{"POST", "/hello", "a=" + strings.Repeat("x", web.MaxBody), 413, "too large"},
	}
	for _, test := range tests {
		w := call(h, test.method, test.target, test.body)
		page := w.Body.String()
		if w.Code != test.status || !strings.Contains(page, test.says) || !strings.Contains(page, "<!doctype html>") {
			t.Errorf("%s %s answered %d %s, want a page with %d and %q", test.method, test.target, w.Code, page, test.status, test.says)
		}
		if strings.Contains(page, "table things") || strings.Contains(page, "on fire") || strings.Contains(page, "boom") {
			t.Errorf("%s %s tells what is inside: %s", test.method, test.target, page)
		}
	}
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	h := newSite(t)
	tests := []struct {
		header []string
		status int
	}{
		{nil, 303}, // no browser
		{[]string{"Sec-Fetch-Site", "same-origin"}, 303},
		{[]string{"Sec-Fetch-Site", "none"}, 303},
		{[]string{"Origin", apptest.BaseURL}, 303}, // the Host header is another one
		{[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		{[]string{"Sec-Fetch-Site", "same-site"}, 403},
		{[]string{"Origin", "https://evil.example"}, 403},
		{[]string{"Origin", "null"}, 403},
	}
	for _, test := range tests {
		if w := call(h, "POST", "/hello", "a=1", test.header...); w.Code != test.status {
			t.Errorf("POST with %q answered %d, want %d", test.header, w.Code, test.status)
		}
	}
}

func TestNoticeIsShownOnce(t *testing.T) {
	h := newSite(t)
	cookie := call(h, "POST", "/hello", "").Result().Cookies()[0]
	if cookie.Name != "__Host-gatehouse_notice" || cookie.Value != "done" {
		t.Fatalf("the notice's cookie is %v", cookie)
	}
	shown := call(h, "GET", "/hello", "", "Cookie", cookie.Name+"=done")
	if !strings.Contains(shown.Body.String(), "It is done.") || shown.Result().Cookies()[0].MaxAge != -1 {
		t.Errorf("the notice is not shown, or not taken away: %v %s", shown.Header(), shown.Body)
	}
	planted := call(h, "GET", "/hello", "", "Cookie", cookie.Name+"=Call 0900 1234")
	if strings.Contains(planted.Body.String(), "0900") {
		t.Error("a planted notice is shown")
	}
}

func TestRenderEscapes(t *testing.T) {
	if page := call(newSite(t), "GET", "/hello", "").Body.String(); !strings.Contains(page, "Hello &lt;you&gt;") {
		t.Errorf("the page is not escaped: %s", page)
	}
}

func TestAssets(t *testing.T) {
	h := newSite(t)
	for name, contentType := range map[string]string{
		"style.css": "text/css; charset=utf-8", "site.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
	} {
		w := call(h, "GET", "/assets/"+name, "")
		if w.Code != 200 || w.Header().Get("Content-Type") != contentType || w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("GET /assets/%s answered %d %v", name, w.Code, w.Header())
		}
		version := strings.Trim(w.Header().Get("ETag"), `"`)
		if !strings.Contains(call(h, "GET", "/hello", "").Body.String(), "/assets/"+name+"?v="+version) {
			t.Errorf("the page does not refer to version %s of %s", version, name)
		}
		w = call(h, "GET", "/assets/"+name+"?v="+version, "")
		if !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("the version of %s in pages is not kept: %v", name, w.Header())
		}
		if w = call(h, "GET", "/assets/"+name, "", "If-None-Match", `"`+version+`"`); w.Code != 304 || w.Body.Len() != 0 {
			t.Errorf("GET /assets/%s with its ETag answered %d", name, w.Code)
		}
	}
	for name, zipped := range map[string]bool{"style.css": true, "site.js": true, "icon.svg": false} { // which is too short
		plain := call(h, "GET", "/assets/"+name, "")
		w := call(h, "GET", "/assets/"+name, "", "Accept-Encoding", "gzip")
		encoding, tag := w.Header().Get("Content-Encoding"), w.Header().Get("ETag")
		if (encoding == "gzip") != zipped || strings.HasPrefix(tag, "W/") != zipped || !strings.HasSuffix(tag, plain.Header().Get("ETag")) {
			t.Errorf("GET /assets/%s in gzip answered %v", name, w.Header())
		}
		if (w.Body.Len() < plain.Body.Len()/2) != zipped || !slices.Contains(w.Header().Values("Vary"), "Accept-Encoding") {
			t.Errorf("GET /assets/%s in gzip answered %d bytes instead of %d, %v", name, w.Body.Len(), plain.Body.Len(), w.Header())
		}
		if w = call(h, "GET", "/assets/"+name, "", "Accept-Encoding", "gzip", "If-None-Match", `"x", `+tag); w.Code != 304 || w.Header().Get("Content-Encoding") != "" {
			t.Errorf("GET /assets/%s with %s answered %d %v", name, tag, w.Code, w.Header())
		}
	}
	if w := call(h, "GET", "/assets/none.css", ""); w.Code != 404 {
		t.Errorf("an unknown asset answered %d, want 404", w.Code)
	}
}

func TestWhoIsNotSignedInIsSentToSignIn(t *testing.T) {
	w := call(newSite(t), "GET", "/mine?a=b", "")
	if got := w.Header().Get("Location"); w.Code != 302 || got != "/users/sign_in?return_to=%2Fmine%3Fa%3Db" {
		t.Errorf("GET /mine answered %d to %q", w.Code, got)
	}
	// A form cannot be sent again by itself, but whoever filled it in gets
	// back to it.
	for referer, back := range map[string]string{
		"":                                 "%2F",
		apptest.BaseURL + "/mine?a=b":      "%2Fmine%3Fa%3Db",
		apptest.BaseURL + "//evil.example": "%2F",
		"https://evil.example/mine":        "%2Fmine",
		"%zz":                              "%2F",
	} {
		w := call(newSite(t), "POST", "/mine", "", "Sec-Fetch-Site", "same-origin", "Referer", referer)
		if got := w.Header().Get("Location"); w.Code != 303 || got != "/users/sign_in?return_to="+back {
			t.Errorf("POST /mine from %q answered %d to %q, want the way back to be %s", referer, w.Code, got, back)
		}
	}
}
