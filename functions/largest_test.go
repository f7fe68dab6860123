//go:build !race

package functions_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/integration"
	"gatehouse/shared/payload"
	"gatehouse/shared/project"
)

// full returns a JSON text of nearly a mebibyte: the text between the two others as
// often as it fits.
func full(before, text, after string) string {
	room := payload.MaxBytes - len(before) - len(after)
	return before + strings.Repeat(text, room/len(text)) + after
}

// What intake takes can be read and changed over REST, however much longer its
// characters get on the way through the gateway. The race detector takes ten times
// as long over every byte, so scripts/test runs this without.
func TestLargestAlertsAreAnswered(t *testing.T) {
	tests := []struct {
		name, payload string
		truncated     bool
		annotations   int
	}{
		{"ampersands", full(`{"what":"`, "&", `"}`), false, 0},
		{"angle brackets", full(`{"what":"`, "<>", `"}`), false, 0},
		{"control characters", full(`{"what":"`, `\u0001`, `"}`), false, 0},
		{"line separators", full(`{"what":"`, "\u2028", `"}`), false, 0},
		{"quotes", full(`{"what":"`, `\"`, `"}`), false, 0},
		{"line breaks between members", full(`{"what":[`, "\n0,\n", `0]}`), false, 0},
		{"an annotation of line separators", full(`{"annotations":{"a":"x`, "\u2028", `"}}`), false, 1},
		{"an annotation of quotes in quotes", full(`{"annotations":{"a":["`, `\"`, `"]}}`), true, 1},
		{"a link of quotes in quotes", full(`{"annotations":{"a":"b"},"generatorURL":["?g0.expr=`, `\"`, `"]}`), true, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := apptest.New(t)
			gateway, ada := functions.Gateway(a.App), a.User("ada")
			p, token := a.Project("web", a.Namespace(ada), project.Private), a.Token(ada)
			monitor := fmt.Sprintf("/api/v4/projects/%d/monitor", p.ID)
			made := apptest.Call(t, gateway, "POST", monitor+"/integrations", token,
				map[string]any{"name": "Uptime", "type": "http", "active": true}).Object(t)
			ask := func(method, target, token, body string) *httptest.ResponseRecorder {
				t.Helper()
				r := httptest.NewRequest(method, target, strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", "Bearer "+token)
				w := httptest.NewRecorder()
				gateway.ServeHTTP(w, r)
				if w.Code != 200 {
					t.Fatalf("%s %s = %d %.200s, want 200", method, target, w.Code, w.Body)
				}
				return w
			}
			ask("POST", strings.TrimPrefix(made["url"].(string), a.BaseURL), made["authorization_key"].(string), test.payload)
			for method, body := range map[string]string{"GET": "", "PUT": `{"status":"acknowledged"}`} {
				var got struct {
					Payload     map[string]any    `json:"payload"`
					Truncated   *bool             `json:"payload_truncated"`
					Annotations map[string]string `json:"annotations"`
				}
				if err := json.Unmarshal(ask(method, monitor+"/alerts/1", token, body).Body.Bytes(), &got); err != nil {
					t.Fatal(err)
				}
				if got.Truncated == nil || *got.Truncated != test.truncated || (got.Payload == nil) != test.truncated || len(got.Annotations) != test.annotations {
					t.Errorf("%s has a payload: %t, payload_truncated %v and %d annotations", method, got.Payload != nil, *got.Truncated, len(got.Annotations))
				}
			}
			ask("GET", fmt.Sprintf("%s/integrations/%v/last_payload", monitor, made["id"]), token, "")
			alone := ask("GET", monitor+"/alerts/1/payload", token, "")
			if alone.Body.String() != test.payload {
				t.Errorf("the payload alone is %d bytes, want the %d that were sent", alone.Body.Len(), len(test.payload))
			}
			for name, want := range map[string]string{"Content-Type": "application/json", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"} {
				if got := alone.Header().Get(name); got != want {
					t.Errorf("%s of the payload alone is %q, want %q", name, got, want)
				}
			}
		})
	}
}

// notification is an alert as an Alertmanager sends it, with a number in place of its pod.
const notification = `{"status":"%s","labels":{"alertname":"HighErrorRate","instance":"web-%[2]d:9090","job":"checkout",` +
	`"namespace":"shop","pod":"checkout-%[2]d","severity":"warning"},"annotations":{"description":"More than 5 %% of the requests to ` +
	`web-%[2]d:9090 fail \u003csince 5 minutes\u003e \u0026 counting.","runbook":"https://runbooks.acme.example/high-error-rate",` +
	`"summary":"Error rate of checkout on web-%[2]d:9090 is high"},"startsAt":"2026-11-21T10:58:07.313Z","endsAt":"0001-01-01T00:00:00Z",` +
	`"generatorURL":"http://prometheus.acme.example:9090/graph?g0.expr=rate%%28http_requests_total%%5B5m%%5D%%29+%%3E+0.05\u0026g0.tab=1",` +
	`"fingerprint":"%016[2]x"}`

// alertGroup returns a webhook of nearly so many bytes, and how many notifications are in it.
func alertGroup(status string, size int) (string, int) {
	items := []string{}
	for left := size - 300; ; {
		next := fmt.Sprintf(notification, status, len(items))
		if left -= len(next) + 1; left < 0 {
			break
		}
		items = append(items, next)
	}
	const head = `{"version":"4","groupKey":"{}","status":"firing","receiver":"gatehouse","groupLabels":{},"commonLabels":{},` +
		`"commonAnnotations":{},"externalURL":"http://alertmanager.acme.example:9093","truncatedAlerts":0,"alerts":[`
	return head + strings.Join(items, ",") + `]}`, len(items)
}

// The largest group of alerts passes the gateway, whose event has less than 6 MiB, and every
// alert in it is recorded. Compressed it would pass too, and is no larger for that.
func TestTheLargestGroupIsTaken(t *testing.T) {
	unlogged(t)
	a := apptest.New(t)
	gateway, ada := functions.Gateway(a.App), a.User("ada")
	p := a.Project("web", a.Namespace(ada), project.Private)
	i, err := a.Integrations.Create(t.Context(), audit.Setup, p, integration.Draft{Name: "Metrics", Type: integration.Metrics, Active: true, NoAPIURL: true})
	if err != nil {
		t.Fatal(err)
	}
	key, err := a.Integrations.Key(i)
	if err != nil {
		t.Fatal(err)
	}
	send := func(body, coding string, status int) (touched []map[string]any) {
		t.Helper()
		r := httptest.NewRequest("POST", i.Path(p), strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Content-Encoding", coding)
		r.Header.Set("Authorization", "Bearer "+key.Reveal())
		w := httptest.NewRecorder()
		gateway.ServeHTTP(w, r)
		if w.Code != status {
			t.Fatalf("%d bytes: %d %.200s, want %d", len(body), w.Code, w.Body, status)
		}
		if status == 200 {
			if err := json.Unmarshal(w.Body.Bytes(), &touched); err != nil {
				t.Fatal(err)
			}
		}
		return touched
	}
	zip := func(text string) string {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		fmt.Fprint(w, text)
		w.Close()
		return out.String()
	}
	firing, n := alertGroup("firing", payload.MaxGroupBytes)
	if quotes := strings.Count(firing, `"`) + strings.Count(firing, `\`); len(firing) < payload.MaxGroupBytes-2000 || len(firing)+quotes > 6<<20-maxEventHead {
		t.Fatalf("the group has %d bytes, and %d more once it is escaped", len(firing), quotes)
	}
	if got := send(firing, "", 200); len(got) != n {
		t.Errorf("%d alerts were recorded, want %d", len(got), n)
	}
	resolved, n := alertGroup("resolved", 1<<20)
	if got := send(zip(resolved), "gzip", 200); len(got) != n {
		t.Errorf("%d alerts were resolved, want %d", len(got), n)
	}
	send(firing+strings.Repeat(" ", 1<<18), "", 400)
	send(zip(firing+strings.Repeat(" ", 1<<24)), "gzip", 400)
}

// maxEventHead is room for everything in an event but the body: the request line and the
// headers, which have 10 KiB, and what the gateway adds.
const maxEventHead = 32 << 10
