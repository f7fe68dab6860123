//go:build !race

package functions_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
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
