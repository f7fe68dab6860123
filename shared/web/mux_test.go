package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"gatehouse/shared/web"
)

func testMux() *web.Mux {
	mux := web.NewMux()
	mux.HandleFunc("GET /things", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "list") })
	mux.HandleFunc("GET /things/{id}", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.PathValue("id")) })
	mux.HandleFunc("DELETE /things/{id}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /things/all", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "all") })
	mux.HandleFunc("POST /things/check", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "checked") })
	mux.HandleFunc("/any", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Method) })
	return mux
}

func TestMuxRefusesInTheShapesOfREST(t *testing.T) {
	const notFound = `{"error":"404 Not Found"}`
	tests := []struct {
		method, target string
		status         int
		body, allow    string
	}{
		{"GET", "/things", 200, "list", ""},
		{"GET", "/things/5", 200, "5", ""},
		{"GET", "/things/a%2Fb", 200, "a/b", ""},
		{"HEAD", "/things/5", 200, "5", ""}, // the server drops the body
		{"GET", "/", 404, notFound, ""},
		{"GET", "/nothing", 404, notFound, ""},
		{"GET", "/things/5/more", 404, notFound, ""},
		{"GET", "//things", 404, notFound, ""},
		{"GET", "/things//5", 404, notFound, ""},
		{"GET", "/things/../things", 404, notFound, ""},
		{"GET", "/things/.", 404, notFound, ""},
		{"POST", "/things", 405, `{"message":"405 Method Not Allowed"}`, "GET, HEAD, OPTIONS"},
		{"PATCH", "/things/5", 405, `{"message":"405 Method Not Allowed"}`, "DELETE, GET, HEAD, OPTIONS"},
		{"OPTIONS", "/things/5", 200, "", "DELETE, GET, HEAD, OPTIONS"},
		{"GET", "/things/all", 200, "all", ""},
		{"DELETE", "/things/all", 405, `{"message":"405 Method Not Allowed"}`, "GET, HEAD, OPTIONS"},
		{"OPTIONS", "/things/all", 200, "", "GET, HEAD, OPTIONS"},
		{"POST", "/things/check", 200, "checked", ""},
		{"GET", "/things/check", 405, `{"message":"405 Method Not Allowed"}`, "POST, OPTIONS"},
		{"BREW", "/any", 200, "BREW", ""},
		{"OPTIONS", "/any", 200, "OPTIONS", ""},
		{"OPTIONS", "/nothing", 404, notFound, ""},
		{"OPTIONS", "//things", 404, notFound, ""},
	}
	for _, test := range tests {
		w := httptest.NewRecorder()
		testMux().ServeHTTP(w, httptest.NewRequest(test.method, test.target, nil))
		if w.Code != test.status || w.Body.String() != test.body || w.Header().Get("Allow") != test.allow {
			t.Errorf("%s %s answered %d %s Allow %q, want %d %s Allow %q", test.method, test.target,
				w.Code, w.Body, w.Header().Get("Allow"), test.status, test.body, test.allow)
		}
	}
}

func TestWithoutTrailingSlash(t *testing.T) {
	tests := map[string]string{
		"/":               "/",
		"/things":         "/things",
		"/things/":        "/things",
		"/things//":       "/things/",
		"/things/a%2Fb":   "/things/a%2Fb",
		"/things/a%2Fb/":  "/things/a%2Fb",
		"/things/a%2F":    "/things/a%2F",
		"/things/a%2F/":   "/things/a%2F",
		"/things/a%20b/?": "/things/a%20b",
	}
	for target, want := range tests {
		var got string
		next := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.URL.EscapedPath() })
		web.WithoutTrailingSlash(next).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", target, nil))
		if got != want {
			t.Errorf("WithoutTrailingSlash passed %q as %q, want %q", target, got, want)
		}
	}
}

func TestReferences(t *testing.T) {
	mux := web.NewMux()
	show := func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.PathValue("id")+" "+r.PathValue("user_id"))
	}
	mux.HandleFunc("GET /projects", show)
	mux.HandleFunc("GET /projects/{id}", show)
	mux.HandleFunc("GET /projects/{id}/members/{user_id}", show)
	mux.HandleFunc("GET /other/{id}", show)
	mux.HandleFunc("GET /projects/-/acknowledge", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "no id ") })
	tests := map[string]string{
		"/projects":                             " ",
		"/projects/5":                           "5 ",
		"/projects/acme/web":                    "acme/web ",
		"/projects/acme%2Fweb":                  "acme/web ",
		"/projects/acme%2fweb":                  "acme/web ",
		"/projects/acme/team%2Fweb":             "acme/team/web ",
		"/projects/acme/team/web/members/7":     "acme/team/web 7",
		"/projects/acme%2Fteam%2Fweb/members/7": "acme/team/web 7",
		"/projects/Acme%2FWeb/members/7":        "Acme/Web 7",
		"/projects/5/members/7":                 "5 7",
		"/projects/a%20b/members/a%2Fb":         "a b a/b",
		"/projects/100%25":                      "100% ",
		"/projects/-/acknowledge":               "no id ",
		"/other/5":                              "5 ",
	}
	for target, want := range tests {
		w := httptest.NewRecorder()
		web.References(mux, "/projects/").ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		if w.Body.String() != want {
			t.Errorf("GET %s reached %q, want %q", target, w.Body, want)
		}
	}
}

func TestPrefersPage(t *testing.T) {
	tests := []struct {
		method, accept string
		want           bool
	}{
		{"GET", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true},
		{"HEAD", "text/html", true},
		{"GET", "application/json;q=0.9, TEXT/HTML", true},
		{"GET", "application/json, text/html;q=0.9", false},
		{"GET", "application/json, text/html", false},
		{"GET", "text/html;q=0", false},
		{"GET", "text/*", false},
		{"GET", "*/*", false},
		{"GET", "", false},
		{"GET", "text/html;q", false},
		{"GET", "text/html;;,,application/json;q=x", false},
		{"POST", "text/html", false},
	}
	for _, test := range tests {
		r := httptest.NewRequest(test.method, "/", nil)
		r.Header.Set("Accept", test.accept)
		if got := web.PrefersPage(r); got != test.want {
			t.Errorf("PrefersPage(%s, Accept %q) = %v, want %v", test.method, test.accept, got, test.want)
		}
	}
}

func TestMuxRedirectsToTheRouteWithoutTheSlash(t *testing.T) {
	tests := map[string]string{
		"/console/":               "/console",
		"/console/?a=b%20c":       "/console?a=b%20c",
		"/api/v4/projects/":       "/api/v4/projects",
		"/oauth/authorize/?x":     "/oauth/authorize?x",
		"/console":                "",
		"/console//":              "",
		"//console/":              "",
		"/%63onsole/":             "",
		"/console/x/":             "",
		"/api/v4/projects/{id}//": "",
		"/":                       "",
	}
	for target, want := range tests {
		for _, method := range []string{"GET", "POST"} {
			w := httptest.NewRecorder()
			web.WithoutTrailingSlash(testMux()).ServeHTTP(w, httptest.NewRequest(method, target, nil))
			status := http.StatusPermanentRedirect
			if want == "" {
				status = http.StatusNotFound
			}
			if got := w.Header().Get("Location"); w.Code != status || got != want {
				t.Errorf("%s %s = %d to %q, want %d to %q", method, target, w.Code, got, status, want)
			}
		}
	}
}
