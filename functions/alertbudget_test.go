package functions_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gatehouse/shared/boot"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
)

// Alerts on their way in, and what is asked of them, stay within their round
// trips from end to end: sequential steps, and requests that write. The first
// request to an integration in a minute also notes how that does, beside the
// alert.
func TestRoundTripsOfAlerts(t *testing.T) {
	t.Parallel()
	s, counter := overDynamoDB(t)
	root, err := s.app.Users.UserByLogin(t.Context(), boot.RootName)
	if err != nil {
		t.Fatal(err)
	}
	p := s.project(t, root)
	i, key := s.integration(t, p)
	notify := func(body string) func() { return func() { s.notify(t, i.Path(p), key, body) } }
	notify(`{"title":"first","fingerprint":"first"}`)()
	notify(hundred())()
	token := s.exchange(t, s.code(t, s.signIn(t))).Access
	monitor := fmt.Sprintf("/api/v4/projects/%d/monitor", p.ID)
	one := fmt.Sprintf("%s/integrations/%d", monitor, i.ID)
	s.get(t, monitor+"/settings", token) // notes the token's use, which is done once a minute

	tests := []struct {
		name          string
		call          func()
		steps, writes int
	}{
		{"an alert repeated", notify(`{"title":"first","fingerprint":"first"}`), 2, 1},
		{"a new alert", notify(`{"title":"second","fingerprint":"second"}`), 6, 6}, // its payload beside another write
		{"a hundred alerts repeated in one webhook", notify(hundred()), 8, 100},
		{"integrations", func() { s.get(t, monitor+"/integrations", token) }, 3, 0},
		{"an integration", func() { s.get(t, one, token) }, 4, 0},
		{"an integration switched off", func() { s.send(t, "PATCH", one, "active=0", token, 200) }, 7, 1},
		{"alerts", func() { s.get(t, monitor+"/alerts", token) }, 5, 0},
		{"an alert", func() { s.get(t, monitor+"/alerts/1", token) }, 4, 0},
		{"an alert acknowledged", func() { s.send(t, "PUT", monitor+"/alerts/1", "status=acknowledged", token, 200) }, 6, 1},
		{"an alert assigned", func() { s.send(t, "PUT", monitor+"/alerts/1", fmt.Sprintf("assignee_id=%d", root.ID), token, 200) }, 7, 1},
		{"alert settings", func() { s.get(t, monitor+"/settings", token) }, 3, 0},
	}
	for _, test := range tests {
		taken, writes, _ := counter.during(test.call)
		if taken != test.steps || writes != test.writes {
			t.Errorf("%s takes %d steps with %d writes, want %d with %d", test.name, taken, writes, test.steps, test.writes)
		}
	}
}

// integration adds an HTTP endpoint to the project and returns it with its key.
func (s *server) integration(t testing.TB, p project.Project) (integration.Integration, string) {
	t.Helper()
	i, err := s.app.Integrations.Create(t.Context(), p, integration.Draft{Name: "Uptime", Type: integration.HTTP, Active: true})
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.app.Integrations.Key(i)
	if err != nil {
		t.Fatal(err)
	}
	return i, key.Reveal()
}

// notify sends a payload and expects 200.
func (s *server) notify(t testing.TB, path, key, body string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	s.do(t, req)
}

// hundred is a webhook with a hundred alerts.
func hundred() string {
	items := make([]string, 100)
	for n := range items {
		items[n] = fmt.Sprintf(`{"status":"firing","startsAt":"2026-01-01T00:00:00Z","labels":{"alertname":"Down","pod":"%d"}}`, n)
	}
	return `{"version":"4","groupKey":"","status":"firing","receiver":"","groupLabels":{},"commonLabels":{},` +
		`"commonAnnotations":{},"externalURL":"","alerts":[` + strings.Join(items, ",") + `]}`
}
