package alert_test

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

// webhook returns a metrics payload with the items.
func webhook(items ...string) string {
	return `{"version":"4","groupKey":"k","status":"firing","receiver":"r","groupLabels":{},"commonLabels":{},` +
		`"commonAnnotations":{},"externalURL":"","alerts":[` + strings.Join(items, ",") + `]}`
}

// recorded returns a payload as the named tool sent it.
func recorded(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAnAlertmanagersAlertsAreRead(t *testing.T) {
	start := time.Date(2026, 11, 21, 10, 58, 7, 313e6, time.UTC)
	web := func(instance, word string, severity alert.Severity) alert.Occurrence {
		return alert.Occurrence{
			Title:          "Error rate of checkout on " + instance + " is high",
			Description:    "More than 5 % of the requests to " + instance + " fail <since 5 minutes> & counting.",
			Severity:       severity,
			MonitoringTool: "Prometheus",
			Environment:    "production",
			Runbook:        "https://runbooks.acme.example/high-error-rate",
			Labels: alert.Labels{
				"alertname": "HighErrorRate", "instance": instance, "job": "checkout", "platform_environment_name": "production", "severity": word,
			},
			ExternalURL:   "https://alertmanager.acme.example",
			StartedAt:     start,
			IntegrationID: 7,
			Count:         1,
		}
	}
	fired, warned, recovered := web("web-1:9090", "page", alert.SeverityHigh), web("web-2:9090", "warning", alert.SeverityLow), web("web-1:9090", "page", alert.SeverityHigh)
	recovered.Recovery, recovered.EndedAt = true, time.Date(2026, 11, 21, 11, 4, 0, 0, time.UTC)
	tests := map[string]struct {
		want      []alert.Occurrence
		truncated int64
	}{
		"alertmanager-0.25-firing.json":    {[]alert.Occurrence{fired, warned}, 0},
		"alertmanager-0.25-mixed.json":     {[]alert.Occurrence{recovered, warned}, 0},
		"alertmanager-0.25-truncated.json": {[]alert.Occurrence{warned, web("web-3:9090", "minor", alert.SeverityCritical)}, 1},
		"alertmanager-0.34-mixed.json":     {[]alert.Occurrence{recovered, warned}, 0},
	}
	for name, test := range tests {
		for _, format := range []alert.Format{alert.Plain, alert.Metrics} {
			parsed := parse(t, recorded(t, name), reading(format))
			if parsed.Format != alert.Metrics || parsed.Items != 2 || parsed.TruncatedAlerts != test.truncated || parsed.Skipped.Total() != 0 || parsed.Notes != nil {
				t.Errorf("%s is %+v", name, parsed)
			}
			for i, group := range parsed.Occurrences {
				want := test.want[i]
				want.Fingerprint, want.Payload = group[0].Fingerprint, group[0].Payload
				if diff := cmp.Diff([]alert.Occurrence{want}, group); diff != "" {
					t.Errorf("%s, alert %d (-want +got):\n%s", name, i, diff)
				}
			}
		}
	}
}

func TestARecoveryHasTheFingerprintOfItsAlert(t *testing.T) {
	firing := parse(t, recorded(t, "alertmanager-0.25-firing.json"), reading(alert.Metrics)).Occurrences
	for _, name := range []string{"alertmanager-0.25-mixed.json", "alertmanager-0.34-mixed.json"} {
		mixed := parse(t, recorded(t, name), reading(alert.Metrics)).Occurrences
		for i := range firing {
			if got, want := mixed[i][0].Fingerprint, firing[i][0].Fingerprint; got != want || got == "" {
				t.Errorf("%s, alert %d has the fingerprint %s, want %s", name, i, got, want)
			}
		}
	}
}

func TestTheItemIsTheAlertsPayload(t *testing.T) {
	item := `{ "startsAt":"2026-11-21T10:00:00Z", "labels" : {"alertname":"\u003cx>"}, "extra": [1.0, {"a": null}] }`
	got := only(t, webhook(item), reading(alert.Metrics))
	if string(got.Payload) != item {
		t.Errorf("the payload is %s, want the item as it was sent, %s", got.Payload, item)
	}
}

// The payload of an alert has a limit, also where the group has a higher one.
func TestANotificationThatIsTooLongForAPayloadIsNotKept(t *testing.T) {
	const head = `{"startsAt":"2026-11-21T10:00:00Z","labels":{"alertname":"A"},"x":"`
	fits := head + strings.Repeat("x", payload.MaxBytes-len(head)-2) + `"}`
	for item, want := range map[string]string{fits: fits, strings.Replace(fits, "x", "xx", 1): "{}"} {
		parsed, err := alert.Parse([]byte(webhook(item)), reading(alert.Metrics))
		if err != nil || len(parsed.Occurrences) != 1 || (len(parsed.Notes) > 0) != (want == "{}") {
			t.Fatalf("Parse gave %d alerts with the notes %q, %v", len(parsed.Occurrences), parsed.Notes, err)
		}
		if got := parsed.Occurrences[0][0]; string(got.Payload) != want || got.Title != "A" {
			t.Errorf("of %d bytes %d are kept for %q, want %d", len(item), len(got.Payload), got.Title, len(want))
		}
	}
}

func TestGrafanasAlertsAreRead(t *testing.T) {
	parsed := parse(t, recorded(t, "grafana.json"), reading(alert.Metrics))
	firing, resolved := parsed.Occurrences[0][0], parsed.Occurrences[1][0]
	if firing.Title != "Mails wait" || firing.Recovery || firing.Severity != alert.SeverityMedium || firing.Environment != "staging" ||
		!firing.StartedAt.Equal(time.Date(2026, 11, 21, 10, 58, 0, 0, time.UTC)) {
		t.Errorf("the firing alert is %+v", firing)
	}
	if !resolved.Recovery || !resolved.EndedAt.Equal(time.Date(2026, 11, 21, 10, 57, 30, 0, time.UTC)) {
		t.Errorf("the resolved alert is %+v", resolved)
	}
	if firing.MonitoringTool != "Grafana" || firing.GroupTitle != "[FIRING:1, RESOLVED:1] Queue is too long Shop (p3)" ||
		firing.ExternalURL != "https://grafana.acme.example/" || firing.Labels["queue"] != "mails" || len(firing.Labels) != 5 {
		t.Errorf("the firing alert is of %q, %q at %q with the labels %v", firing.MonitoringTool, firing.GroupTitle, firing.ExternalURL, firing.Labels)
	}
}

func TestItemsOfTheMetricsFormat(t *testing.T) {
	named := alert.Labels{"alertname": "A"}
	tests := []struct {
		name, item string
		want       alert.Occurrence
	}{
		{"the annotation title is the title", `{"annotations":{"title":"T","summary":"S"},"labels":{"alertname":"A"},"startsAt":""}`, alert.Occurrence{Title: "T", Labels: named, StartedAt: now}},
		{"a summary is the next", `{"annotations":{"title":" ","summary":"S"},"labels":{"alertname":"A"},"startsAt":null}`, alert.Occurrence{Title: "S", Labels: named, StartedAt: now}},
		{"the name of the alert is the last", `{"annotations":"none","labels":{"alertname":"A"},"startsAt":1}`, alert.Occurrence{Title: "A", Labels: named, StartedAt: now}},
		{"a title may be a number", `{"annotations":{"title":5},"startsAt":"2026-11-20"}`, alert.Occurrence{Title: "5", StartedAt: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)}},
		{"what is firing ends never", `{"annotations":{"title":"T"},"startsAt":"","endsAt":"2026-11-21T00:00:00Z","status":"firing"}`, alert.Occurrence{Title: "T", StartedAt: now}},
		{"a recovery without an end ends now", `{"annotations":{"title":"T"},"startsAt":"","status":"resolved"}`, alert.Occurrence{Title: "T", StartedAt: now, Recovery: true, EndedAt: now}},
		{"a recovery that ended in year 1 ends now", `{"annotations":{"title":"T"},"startsAt":"","status":"resolved","endsAt":"0001-01-01T00:00:00Z"}`, alert.Occurrence{Title: "T", StartedAt: now, Recovery: true, EndedAt: now}},
		{"hosts and service are never set", `{"annotations":{"title":"T"},"startsAt":"","hosts":["a"],"service":"s"}`, alert.Occurrence{Title: "T", StartedAt: now}},
		{"texts are cut", `{"annotations":{"title":"` + strings.Repeat("ü", 201) + `","description":"` + strings.Repeat("ü", 1001) + `"},"startsAt":""}`,
			alert.Occurrence{Title: strings.Repeat("ü", 197) + "...", Description: strings.Repeat("ü", 997) + "...", StartedAt: now}},
	}
	for _, test := range tests {
		got := only(t, webhook(test.item), reading(alert.Metrics))
		want := test.want
		want.Severity, want.MonitoringTool, want.IntegrationID, want.Count = alert.SeverityCritical, "Prometheus", 7, 1
		want.Fingerprint, want.Payload = got.Fingerprint, []byte(test.item)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestSeverityOfTheMetricsFormat(t *testing.T) {
	tests := map[alert.Severity][]string{
		alert.SeverityCritical: {"critical", "s1", "p1", "emergency", "fatal", "minor", "unknown", "bogus", "", " low"},
		alert.SeverityHigh:     {"high", "s2", "P2", "Major", "page"},
		alert.SeverityMedium:   {"medium", "s3", "p3", "ERROR", "alert"},
		alert.SeverityLow:      {"low", "s4", "p4", "warn", "Warning"},
		alert.SeverityInfo:     {"info", "s5", "p5", "debug", "information", "notice"},
	}
	for want, words := range tests {
		for _, word := range words {
			item := fmt.Sprintf(`{"labels":{"alertname":"A","severity":%q},"startsAt":""}`, word)
			if got := only(t, webhook(item), reading(alert.Metrics)).Severity; got != want {
				t.Errorf("severity %q is %q, want %q", word, got, want)
			}
		}
	}
}

func TestItemsThatSayTooLittleAreSkipped(t *testing.T) {
	parsed := parse(t, webhook(`1`, `null`, `[]`, `{}`, `{"startsAt":""}`, `{"labels":{"alertname":"A"}}`,
		`{"labels":{"alertname":""},"startsAt":""}`, `{"labels":{"alertname":"A"},"startsAt":""}`), reading(alert.Metrics))
	if want := (alert.Skipped{NotObject: 3, NoTitle: 3, NoStart: 1}); parsed.Skipped != want || parsed.Items != 8 || len(parsed.Occurrences) != 1 {
		t.Errorf("%d items, skipped %+v, %d occurrences; want 8, %+v, 1", parsed.Items, parsed.Skipped, len(parsed.Occurrences), want)
	}
	if got, want := parsed.Skipped.String(), "3 not an object, 3 without a title, 1 without startsAt"; got != want {
		t.Errorf("skipped %q, want %q", got, want)
	}
}

func TestSkippedItemsAreCountedByReason(t *testing.T) {
	tests := []struct {
		skipped alert.Skipped
		total   int
		text    string
	}{
		{alert.Skipped{}, 0, ""},
		{alert.Skipped{NotObject: 1}, 1, "1 not an object"},
		{alert.Skipped{NoTitle: 2, NoStart: 4}, 6, "2 without a title, 4 without startsAt"},
		{alert.Skipped{NotObject: 1, NoTitle: 2, NoStart: 4}, 7, "1 not an object, 2 without a title, 4 without startsAt"},
	}
	for _, test := range tests {
		if total, text := test.skipped.Total(), test.skipped.String(); total != test.total || text != test.text {
			t.Errorf("%+v is %d: %q, want %d: %q", test.skipped, total, text, test.total, test.text)
		}
	}
}

func TestNotesAreBounded(t *testing.T) {
	var items, want []string
	for i := range 12 {
		items = append(items, fmt.Sprintf(`{"labels":{"alertname":"A","platform_environment_name":"e%d"},"startsAt":""}`, i))
		want = append(want, fmt.Sprintf(`the project has no environment "e%d"`, i))
	}
	if diff := cmp.Diff(want[:10], parse(t, webhook(items...), reading(alert.Metrics)).Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestEveryItemIsRead(t *testing.T) {
	var items []string
	for i := range 250 {
		items = append(items, fmt.Sprintf(`{"labels":{"alertname":"A","pod":"%d"},"startsAt":""}`, i))
	}
	if got := len(parse(t, webhook(items...), reading(alert.Metrics)).Occurrences); got != 250 {
		t.Errorf("250 items gave %d occurrences", got)
	}
}

func TestThePayloadTellsTheFormat(t *testing.T) {
	full := map[string]string{
		"version": `"1"`, "groupKey": `null`, "status": `null`, "receiver": `""`, "groupLabels": `0`,
		"commonLabels": `null`, "commonAnnotations": `[]`, "externalURL": `{}`, "alerts": `null`,
	}
	object := func(members map[string]string) string {
		var parts []string
		for name, value := range members {
			parts = append(parts, fmt.Sprintf("%q:%s", name, value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	for _, format := range []alert.Format{alert.Plain, alert.Metrics} {
		if got := parse(t, object(full), reading(format)); got.Format != alert.Metrics || len(got.Occurrences) != 0 {
			t.Errorf("all nine attributes on a %s URL gave %+v", format, got)
		}
	}
	for name := range full {
		without := maps.Clone(full)
		delete(without, name)
		if got := parse(t, object(without), reading(alert.Plain)).Format; got != alert.Plain {
			t.Errorf("without %s a payload on a plain URL is of the format %q", name, got)
		}
		_, err := alert.Parse([]byte(object(without)), reading(alert.Metrics))
		if !fault.Is(err, fault.Unprocessable) || !strings.Contains(fault.Message(err), name) {
			t.Errorf("without %s on a metrics URL: %v, want Unprocessable that names it", name, err)
		}
	}
	full["alerts"] = `{"a":1}`
	if got := parse(t, object(full), reading(alert.Plain)).Format; got != alert.Plain {
		t.Errorf("with alerts that are no array a payload on a plain URL is of the format %q", got)
	}
	if _, err := alert.Parse([]byte(object(full)), reading(alert.Metrics)); !fault.Is(err, fault.Unprocessable) {
		t.Errorf("with alerts that are no array on a metrics URL: %v, want Unprocessable", err)
	}
}

func TestTruncatedAlertsAreCounted(t *testing.T) {
	tests := map[string]int64{"3": 3, "0": 0, "-1": 0, `"3"`: 0, "null": 0, "1e300": 1<<31 - 1, "1e999": 0, "18446744073709551615": 1<<31 - 1}
	for value, want := range tests {
		body := strings.Replace(webhook(), "{", `{"truncatedAlerts":`+value+",", 1)
		if got := parse(t, body, reading(alert.Metrics)).TruncatedAlerts; got != want {
			t.Errorf("truncatedAlerts %s is %d, want %d", value, got, want)
		}
	}
}

func TestDetailsOfAPayload(t *testing.T) {
	got := alert.Alert{}.ReadDetails(only(t, webhook(recordedItem(t)), reading(alert.Metrics)).Payload)
	want := alert.Details{
		Query:            "rate(http_errors_total[5m]) > 0.05",
		GeneratorURL:     "http://prometheus.acme.example:9090/graph?g0.expr=rate%28http_errors_total%5B5m%5D%29+%3E+0.05&g0.tab=1",
		YLabel:           "Error rate of checkout on web-1:9090 is high",
		IncidentMarkdown: "## First steps\n- look at the logs",
		Annotations:      []alert.Annotation{{Name: "dashboard", Value: "https://grafana.acme.example/d/abc"}},
		Links:            alert.Links{Source: "http://prometheus.acme.example:9090/graph?g0.expr=rate%28http_errors_total%5B5m%5D%29+%3E+0.05&g0.tab=1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
}

func recordedItem(t *testing.T) string {
	t.Helper()
	return string(parse(t, recorded(t, "alertmanager-0.25-firing.json"), reading(alert.Metrics)).Occurrences[0][0].Payload)
}

func TestDetailsOfOddPayloads(t *testing.T) {
	tests := map[string]alert.Details{
		`{}`:                                    {},
		`no JSON`:                               {},
		`{"title":"plain","annotations":"x"}`:   {},
		`{"annotations":{"":"x"}}`:              {Annotations: []alert.Annotation{{Value: "x"}}},
		`{"generatorURL":"http://[::1"}`:        {GeneratorURL: "http://[::1"},
		`{"generatorURL":"/graph?g0.expr=%zz"}`: {GeneratorURL: "/graph?g0.expr=%zz"},
		`{"annotations":{"summary":"S","title":"T","acme_y_label":"Y","acme_incident_markdown":"M","list":[1,2],"empty":""}}`: {
			YLabel: "Y", IncidentMarkdown: "M",
			Annotations: []alert.Annotation{{Name: "list", Value: "[1,2]"}, {Name: "summary", Value: "S"}},
		},
	}
	for payload, want := range tests {
		if diff := cmp.Diff(want, alert.Alert{}.ReadDetails([]byte(payload))); diff != "" {
			t.Errorf("details of %s (-want +got):\n%s", payload, diff)
		}
	}
}

func TestMappingIgnoresNotifications(t *testing.T) {
	const body = `{"alerts":[
		{"labels":{"alertname":"Test"},"startsAt":"2026-11-22T10:00:00Z","status":"firing"},
		{"labels":{"alertname":"Down"},"startsAt":"2026-11-22T10:00:00Z","status":"firing"}],
		"commonAnnotations":{},"commonLabels":{},"externalURL":"","groupKey":"","groupLabels":{},"receiver":"","status":"firing","version":"4"}`
	m, err := mapping.Parse([]byte(`{"ignore_when":{"source":{"path":["labels","alertname"]},"equals":["test"]}}`), "mapping")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := alert.Parse([]byte(body), alert.Reading{Format: alert.Metrics, Mapping: m})
	if err != nil || parsed.IgnoredItems != 1 || len(parsed.Occurrences) != 1 || parsed.Occurrences[0][0].Title != "Down" {
		t.Errorf("Parse = %+v, %v, want the second notification alone", parsed, err)
	}
}
