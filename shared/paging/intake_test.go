package paging_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bytes"
	"gatehouse/shared/alert"
	"gatehouse/shared/integration"
	"gatehouse/shared/oncall"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"io"
	"os"
)

// switchOn has everything follow from the alerts of the project that can.
func (x *scene) switchOn() {
	x.t.Helper()
	x.webhook()
	x.settings(integration.SettingsChange{CreateIncident: ptr(true), SendEmail: ptr(true)})
	x.policy(0, after(0, oncall.Acknowledged, x.ben), after(10, oncall.Acknowledged, x.ada))
}

// arrangements are projects that ask for nothing to follow from alerts, and for everything.
var arrangements = map[string]func(*scene){"off": func(*scene) {}, "on": (*scene).switchOn}

// BenchmarkIntake compares the intake of a project where everything follows from alerts
// with that of one where nothing does. The two take turns, so that a busy machine slows
// both, and the medians count.
func BenchmarkIntake(b *testing.B) {
	for kind, form := range map[string]string{"new": "b%d", "repeat": "a"} {
		b.Run(kind, func(b *testing.B) {
			scenes, took := map[string]*scene{}, map[string][]time.Duration{}
			for name, arrange := range arrangements {
				scenes[name] = over(b, sqlitetest.Open(b))
				arrange(scenes[name])
				scenes[name].fire("a", alert.SeverityHigh)
			}
			for n := 0; b.Loop(); n++ {
				problem := strings.ReplaceAll(form, "%d", fmt.Sprint(n))
				for _, name := range [][]string{{"off", "on"}, {"on", "off"}}[n%2] {
					begin := time.Now()
					scenes[name].fire(problem, alert.SeverityHigh)
					took[name] = append(took[name], time.Since(begin))
				}
			}
			on, off := median(took["on"]), median(took["off"])
			b.ReportMetric(float64(on)/float64(off), "on/off")
			b.ReportMetric(float64(off.Microseconds()), "us-off")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// written is an HTTP client that counts requests to DynamoDB and the items that they write.
type written struct {
	mu              sync.Mutex
	requests, items int
}

func (w *written) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var request struct{ TransactItems []json.RawMessage }
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.requests++
	if writing.MatchString(r.Header.Get("X-Amz-Target")) {
		w.items += max(len(request.TransactItems), 1)
	}
	w.mu.Unlock()
	return http.DefaultClient.Do(r)
}

// What follows from an alert costs intake one more item in a write that it makes anyway,
// and a repeat nothing.
func TestIntakeOfWatchedProjectsOnDynamoDB(t *testing.T) {
	got := map[string][2]int{}
	for name, arrange := range arrangements {
		var w written
		o := dynamodbtest.Options(t, os.Getenv)
		o.HTTPClient = &w
		x := over(t, dynamodbtest.Open(t, o, "../../template.yaml"))
		arrange(x)
		x.fire("warm", alert.SeverityHigh)
		for _, kind := range []string{"new", "repeat"} {
			w.requests, w.items = 0, 0
			x.fire("a", alert.SeverityHigh)
			got[kind+" "+name] = [2]int{w.requests, w.items}
		}
	}
	t.Logf("requests and written items: %v", got)
	on, off := got["new on"], got["new off"]
	if on[0] != off[0] || on[1] != off[1]+1 {
		t.Errorf("a new alert takes %v requests and items with everything on, %v without", on, off)
	}
	if got["repeat on"] != got["repeat off"] {
		t.Errorf("a repeat takes %v requests and items with everything on, %v without", got["repeat on"], got["repeat off"])
	}
}
