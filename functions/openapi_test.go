package functions_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/openapi/openapitest"
	"gatehouse/shared/route"
	"gatehouse/shared/web"
)

func TestDocumentHasEveryRoute(t *testing.T) {
	documented, err := openapitest.Patterns()
	if err != nil {
		t.Fatal(err)
	}
	handlers := functions.Handlers(apptest.New(t).App)
	var served []string
	for _, r := range route.Table {
		if !strings.HasPrefix(r.Pattern, "/api/") {
			continue
		}
		rest, ok := handlers[r.Function].(web.REST)
		if !ok {
			t.Fatalf("the handler of %s is no web.REST, which tells its routes", r.Function)
		}
		served = append(served, rest.Patterns...)
	}
	served = slices.DeleteFunc(served, func(pattern string) bool { return strings.Contains(pattern, " /-/calendar/") })
	slices.Sort(served)
	if diff := cmp.Diff(slices.Compact(served), documented); diff != "" {
		t.Errorf("openapi.json differs from the routes (-served +documented):\n%s", diff)
	}
}

// A client reads it before it has a token, and from any page.
func TestDocumentIsServedToEverybody(t *testing.T) {
	s := startServer(t)
	resp, body := s.fromPage(t, "GET", "/api/v4/openapi.json")
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(body, "{\n\t\"openapi\": \"3.1.") {
		t.Errorf("answered %d %.40q, want 200 and OpenAPI 3.1", resp.StatusCode, body)
	}
	wantAccess(t, resp, anything, "")

	req, err := http.NewRequest("GET", s.URL+"/api/v4/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("If-None-Match", resp.Header.Get("ETag"))
	again, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	again.Body.Close()
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("for the same ETag answered %d, want 304", again.StatusCode)
	}
}

// described holds every answer of the REST API to its description. Benchmarks
// do without.
func described(t testing.TB, next http.Handler) http.Handler {
	if _, ok := t.(*testing.B); ok {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := openapitest.Serve(t, next, r)
		maps.Copy(w.Header(), recorder.Result().Header)
		w.WriteHeader(recorder.Code)
		w.Write(recorder.Body.Bytes())
	})
}
