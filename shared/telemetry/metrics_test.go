package telemetry_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/telemetry"
)

var start = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)

// told is a line in CloudWatch's embedded metric format.
type told struct {
	Timestamp, Level, Function string
	AWS                        struct {
		Timestamp         int64
		CloudWatchMetrics []struct {
			Namespace  string
			Dimensions [][]string
			Metrics    []struct{ Name, Unit string }
		}
	} `json:"_aws"`
}

func use(t *testing.T) (*telemetry.Metrics, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	m := telemetry.NewMetrics(&out, "Gatehouse/acme", "oauth")
	telemetry.Use(m)
	t.Cleanup(func() { telemetry.Use(nil) })
	return m, &out
}

func TestALineOfMetrics(t *testing.T) {
	m, out := use(t)
	for _, ms := range []time.Duration{1234567, 2 * time.Millisecond} {
		telemetry.AddTime(telemetry.Latency, ms)
		telemetry.Add(telemetry.ClientErrors, 1)
		telemetry.AddTime(telemetry.OldestDue, 1500*ms)
	}
	m.Tell(start)

	var line told
	if err := json.Unmarshal(out.Bytes(), &line); err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Fatalf("%q is not one line of JSON: %v", out, err)
	}
	if line.Timestamp != "2026-03-01T03:00:00.000Z" || line.Level != "INFO" || line.Function != "oauth" || line.AWS.Timestamp != start.UnixMilli() {
		t.Errorf("the line is %s", out)
	}
	got := map[string][]string{}
	for _, d := range line.AWS.CloudWatchMetrics {
		if d.Namespace != "Gatehouse/acme" || len(d.Dimensions) != 1 {
			t.Errorf("declared %+v", d)
		}
		for _, one := range d.Metrics {
			got[one.Name] = append([]string{one.Unit}, d.Dimensions[0]...)
		}
	}
	want := map[string][]string{"Latency": {"Milliseconds", "function"}, "ClientErrors": {"Count", "function"}, "OldestDue": {"Seconds"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metrics, each with its unit and dimensions (-want +got):\n%s", diff)
	}
	for _, value := range []string{`"Latency":[1.23,2]`, `"ClientErrors":2,`, `"OldestDue":3,`} {
		if !strings.Contains(out.String(), value) {
			t.Errorf("%s is not in %s", value, out)
		}
	}
}

func TestWhenMetricsAreTold(t *testing.T) {
	type event struct {
		after time.Duration
		name  telemetry.Metric
		times int
	}
	tests := map[string]struct {
		events []event
		want   []int // lines after each event
	}{
		"the first at once":           {[]event{{0, telemetry.Latency, 1}}, []int{1}},
		"others after a minute":       {[]event{{0, telemetry.Latency, 1}, {time.Second, telemetry.Latency, 1}, {time.Minute, telemetry.Latency, 1}}, []int{1, 1, 2}},
		"faults at once":              {[]event{{0, telemetry.Latency, 1}, {1, telemetry.ServerErrors, 1}, {2, telemetry.DeadLetters, 1}, {3, telemetry.StoreThrottled, 1}}, []int{1, 2, 3, 4}},
		"not what clients did":        {[]event{{0, telemetry.Latency, 1}, {1, telemetry.ClientErrors, 1}, {2, telemetry.AlertsRefused, 1}}, []int{1, 1, 1}},
		"before there are too many":   {[]event{{0, telemetry.Latency, 1}, {1, telemetry.Latency, 99}, {2, telemetry.Latency, 1}}, []int{1, 1, 2}},
		"what is added up never is":   {[]event{{0, telemetry.Latency, 1}, {1, telemetry.AlertsTaken, 500}}, []int{1, 1}},
		"nothing is not told":         {[]event{{0, telemetry.Latency, 0}}, []int{0}},
		"nor what was told is, again": {[]event{{0, telemetry.Latency, 1}, {time.Hour, telemetry.Latency, 0}}, []int{1, 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m, out := use(t)
			var lines []int
			for _, e := range test.events {
				for range e.times {
					telemetry.Add(e.name, 1)
				}
				m.Tell(start.Add(e.after))
				lines = append(lines, strings.Count(out.String(), "\n"))
			}
			if !slices.Equal(lines, test.want) {
				t.Errorf("%v lines, want %v:\n%s", lines, test.want, out)
			}
		})
	}
}

// CloudWatch refuses a line with more values, and what waited is told of its time.
func TestALineFitsAndHasItsTime(t *testing.T) {
	m, out := use(t)
	telemetry.Add(telemetry.Latency, 1)
	m.Tell(start)
	out.Reset()
	telemetry.Add(telemetry.AlertsTaken, 1)
	m.Tell(start.Add(time.Second))
	for range 300 {
		telemetry.Add(telemetry.PasswordTime, 1)
	}
	m.Tell(start.Add(time.Hour))
	if got := strings.Count(out.String(), ",1") + 1; got > 105 || !strings.Contains(out.String(), `"timestamp":"2026-03-01T03:00:01.000Z"`) {
		t.Errorf("%d values in %s, want 100 and the time of the first", got, out)
	}
}

func TestNobodyHasToWantMetrics(t *testing.T) {
	telemetry.Use(nil)
	telemetry.Add(telemetry.Latency, 1)
	telemetry.AddTime(telemetry.PasswordTime, time.Second)
}
