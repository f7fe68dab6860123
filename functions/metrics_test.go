package functions_test

import (
	"bytes"
	"net/http"
	"regexp"
	"testing"
	"time"

	"gatehouse/shared/telemetry"
)

// What happens is counted where it happens.
func TestWhatIsMeasured(t *testing.T) {
	s := startServer(t)
	tests := map[string]struct {
		do   func()
		want []string
	}{
		"a request":         {func() { s.get(t, "/-/health", "") }, []string{`"Latency":\d`}},
		"a wrong address":   {func() { s.visit(t, http.DefaultClient, "/api/v4/nowhere") }, []string{`"ClientErrors":1`}},
		"a password":        {func() { s.passwordGrant(t) }, []string{`"PasswordTime":\d`, `"PasswordWait":\d`}},
		"a refused payload": {func() { s.refusedAlert(t) }, []string{`"AlertsRefused":1`, `"AlertsTaken":0`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			m := telemetry.NewMetrics(&out, "Gatehouse/test", "all")
			telemetry.Use(m)
			t.Cleanup(func() { telemetry.Use(nil) })
			test.do()
			m.Tell(time.Now())
			for _, want := range test.want {
				if !regexp.MustCompile(want).MatchString(out.String()) {
					t.Errorf("the metrics lack %s: %s", want, &out)
				}
			}
		})
	}
}

// refusedAlert sends an alert to a project that does not exist.
func (s *server) refusedAlert(t *testing.T) {
	s.send(t, http.DefaultClient, s.request(t, "POST", "/acme/none/alerts/notify.json", "application/json", "{}"), http.StatusNotFound)
}
