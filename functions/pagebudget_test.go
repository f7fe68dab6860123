package functions_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"gatehouse/shared/boot"
)

// The pages about alerts stay within their round trips as well. The session, then
// its user, and then the project by its path are four of the steps.
func TestRoundTripsOfPagesAboutAlerts(t *testing.T) {
	t.Parallel()
	s, counter := overDynamoDB(t)
	root, err := s.app.Users.UserByLogin(t.Context(), boot.RootName)
	if err != nil {
		t.Fatal(err)
	}
	p := s.project(t, root)
	i, key := s.integration(t, p)
	for n := range 3 {
		s.notify(t, i.Path(p), key, fmt.Sprintf(`{"title":"alert %d"}`, n))
	}
	browser := s.signIn(t)
	console := "/console/" + p.FullPath
	see := func(path string) func() { return func() { s.see(t, browser, console+path) } }
	send := func(path string, form url.Values) func() {
		return func() { s.form(t, browser, console+path, form, http.StatusSeeOther) }
	}
	see("/alerts")() // notes that the session is in use

	tests := []struct {
		name          string
		call          func()
		steps, writes int
	}{
		{"list of alerts", see("/alerts"), 6, 0},
		{"alert", see("/alerts/1"), 6, 0},
		{"alert acknowledged", send("/alerts/1/status", url.Values{"status": {"acknowledged"}}), 7, 1},
		{"integrations", see("/settings/integrations"), 5, 0},
		{"integration", see(fmt.Sprintf("/settings/integrations/%d", i.ID)), 5, 0},
	}
	for _, test := range tests {
		taken, writes, _ := counter.during(test.call)
		if taken != test.steps || writes != test.writes {
			t.Errorf("the page %s takes %d steps with %d writes, want %d with %d", test.name, taken, writes, test.steps, test.writes)
		}
	}
}

// see opens a page.
func (s *server) see(t *testing.T, browser *http.Client, path string) {
	t.Helper()
	resp, err := browser.Get(s.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("GET %s: status %d, want 200", path, resp.StatusCode)
	}
}
