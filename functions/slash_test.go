package functions_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse/functions"
	"gatehouse/shared/route"
)

// TestASlashTooManyChangesNothing asks for every route without variables with
// a slash at its end, through the gateway.
func TestASlashTooManyChangesNothing(t *testing.T) {
	s := startServer(t)
	undescribed := httptest.NewServer(functions.Gateway(s.app)) // openapi.json does not list redirects
	defer undescribed.Close()
	browser := s.signIn(t)
	browser.CheckRedirect = nil
	answer := func(path string) (int, string) {
		r, err := http.NewRequest(http.MethodGet, undescribed.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(path, "/api/") {
			r.Header.Set("PRIVATE-TOKEN", s.root.Token.Reveal())
		}
		resp, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	for _, r := range route.Table {
		if r.Pattern == "/" || r.Pattern == route.Default || strings.Contains(r.Pattern, "{") {
			continue
		}
		status, body := answer(r.Pattern + "?per_page=1")
		if gotStatus, got := answer(r.Pattern + "/?per_page=1"); gotStatus != status || got != body {
			t.Errorf("GET %s/ = %d %.300s\nwithout the slash = %d %.300s", r.Pattern, gotStatus, got, status, body)
		}
	}
}

func TestAnUnknownAddressAnswersABrowserWithAPage(t *testing.T) {
	s := startServer(t)
	for accept, want := range map[string]string{
		"text/html,application/xhtml+xml;q=0.9,*/*;q=0.8": "There is nothing here",
		"*/*": `{"error":"404 Not Found"}`,
	} {
		r, err := http.NewRequest(http.MethodGet, s.URL+"/nothing/here", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusNotFound || !strings.Contains(string(body), want) {
			t.Errorf("GET /nothing/here with Accept %q = %d %.200s, %v", accept, resp.StatusCode, body, err)
		}
	}
}
