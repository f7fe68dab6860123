package oauthapi_test

import (
	"strings"
	"testing"
)

// The former names are in every answer beside the present ones, so no header tells
// of them. The preview leaves them out, and all else stays as it is.
func TestFormerNamesOfTokenInformation(t *testing.T) {
	f := newFixture(t)
	text := f.Token(f.user)
	info := func(preview string) (int, string) {
		w := f.send("GET", "/oauth/token/info", "", "Authorization", "Bearer "+text, "Gatehouse-Api-Preview", preview)
		if w.Header().Get("Deprecation") != "" || w.Header().Get("Link") != "" {
			t.Errorf("the headers are %v, want no word of deprecation", w.Header())
		}
		return w.Code, w.Body.String()
	}
	w := f.send("GET", "/oauth/token/info", "", "Authorization", "Bearer "+text)
	before, after, found := strings.Cut(w.Body.String(), `,"scopes":["api"],"expires_in_seconds":`)
	if !found || w.Header().Get("Deprecation") != "" || !strings.HasSuffix(after, "}") {
		t.Fatalf("answered %s with %v, want the former names at the end and no header", w.Body, w.Header())
	}
	if status, body := info("v5"); status != 200 || body != before+"}" {
		t.Errorf("the preview answered %d %s, want 200 %s}", status, body, before)
	}
	want := `{"error":"invalid_request","error_description":"Gatehouse-Api-Preview does not have a valid value"}`
	if status, body := info("v6"); status != 400 || body != want {
		t.Errorf("another preview answered %d %s, want 400 %s", status, body, want)
	}
}
