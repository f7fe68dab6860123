package alert_test

import (
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

func FuzzPlain(f *testing.F) {
	for _, body := range []string{
		``, `{}`, `[]`, `{"title":"x","hosts":["a",["b",1]],"end_time":"Tue, 3 Feb 2026 04:05:06 EST"}`,
		`{"fingerprint":["a",1.50],"severity":"LOW","acme_environment_name":"staging","start_time":"2026/2/3 1:00"}`,
		"{\"title\":\"\xff\",\"description\":{\"a\":1e99},\"end_time\":1795170600000,\"runbook\":\"r\"}",
		`{"event":{"name":"x","hosts":["\u0000"]},"service":" ","monitoring_tool":true}`,
		`{"labels":[{"name":"a","value":1},["b",{"c":2}],"d=e","f:","g",null],"runbook_url":"https://r.example"}`, `{"labels":{"a\u0000":"b","a":" c"}}`,
	} {
		f.Add([]byte(body), true)
	}
	f.Fuzz(func(t *testing.T, body []byte, mapped bool) {
		r := reading(alert.Plain)
		if mapped {
			r.Mapping = mapping.Mapping{Rules: map[mapping.Target]mapping.Rule{
				mapping.Title:       {Path: mapping.Path{mapping.Name("event"), mapping.Name("name")}},
				mapping.Hosts:       {Path: mapping.Path{mapping.Name("event"), mapping.Name("hosts"), mapping.Index(-1)}},
				mapping.Description: {Path: mapping.Path{mapping.Name("event")}},
			}}
		}
		check(t, body, r)
	})
}

func FuzzMetrics(f *testing.F) {
	for _, name := range []string{"alertmanager-0.25-mixed.json", "alertmanager-0.25-truncated.json", "alertmanager-0.34-mixed.json", "grafana.json"} {
		f.Add([]byte(recorded(f, name)))
	}
	for _, story := range []string{"", "A+10:00 B-10:05 A-10:05 A+10:06", "A-10:05 A-10:05 A-10:06 A+10:06 A+10:06"} {
		f.Add([]byte(items(story)))
	}
	f.Fuzz(func(t *testing.T, body []byte) { check(t, body, reading(alert.Metrics)) })
}

// check holds what a payload is read as to everything that is promised of it.
func check(t *testing.T, body []byte, r alert.Reading) {
	t.Helper()
	began := time.Now()
	parsed, err := alert.Parse(body, r)
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("reading %d bytes took %v", len(body), took)
	}
	preview, previewErr := alert.ReadPreview(body, r)
	if diff := cmp.Diff(parsed.Occurrences, preview.Occurrences); diff != "" || (err == nil) != (previewErr == nil) {
		t.Errorf("read again the occurrences differ: %v, %v\n%s", err, previewErr, diff)
	}
	if err != nil {
		if !fault.Is(err, fault.Invalid) && !(r.Format == alert.Metrics && fault.Is(err, fault.Unprocessable)) {
			t.Errorf("an error of no kind: %v", err)
		}
		return
	}
	checkParsed(t, parsed)
	checkReordered(t, body, parsed, r)
}

func checkParsed(t *testing.T, parsed alert.Parsed) {
	t.Helper()
	var counted int64
	groups := map[alert.Fingerprint]bool{}
	for _, group := range parsed.Occurrences {
		fingerprint := group[0].Fingerprint
		if fingerprint != "" && groups[fingerprint] || fingerprint == "" && len(group) > 1 {
			t.Errorf("the fingerprint %q has two groups, or a group has none", fingerprint)
		}
		groups[fingerprint] = true
		for _, occurrence := range group {
			counted += occurrence.Count
			checkOccurrence(t, occurrence)
			if occurrence.Fingerprint != fingerprint {
				t.Errorf("a group has the fingerprints %q and %q", fingerprint, occurrence.Fingerprint)
			}
		}
	}
	if counted+int64(parsed.Skipped.Total()) != int64(parsed.Items) || len(parsed.Notes) > alert.MaxNotes || parsed.TruncatedAlerts < 0 {
		t.Errorf("%d occurrences and %d skipped of %d items; %d notes", counted, parsed.Skipped.Total(), parsed.Items, len(parsed.Notes))
	}
	if parsed.Format == alert.Plain && counted != 1 {
		t.Errorf("a plain payload has %d occurrences", counted)
	}
}

func checkOccurrence(t *testing.T, o alert.Occurrence) {
	t.Helper()
	texts := []struct {
		name, text string
		min, max   int
	}{
		{"title", o.Title, 1, 200}, {"description", o.Description, 0, 1000}, {"service", o.Service, 0, 100},
		{"monitoring tool", o.MonitoringTool, 0, 100}, {"runbook", o.Runbook, 0, 2048},
		{"severity", string(o.Severity), 1, 10}, {"payload", string(o.Payload), 2, payload.MaxBytes},
	}
	for _, text := range texts {
		if length := utf8.RuneCountInString(text.text); length < text.min || length > text.max || !utf8.ValidString(text.text) {
			t.Errorf("the %s has %d characters: %q", text.name, length, text.text)
		}
	}
	hosts := 0
	for _, host := range o.Hosts {
		hosts += utf8.RuneCountInString(host)
		if host == "" || !utf8.ValidString(host) {
			t.Errorf("the host %q", host)
		}
	}
	if hosts > 255 || len(o.Payload) > payload.MaxBytes || !json.Valid(o.Payload) {
		t.Errorf("hosts of %d characters, payload %.100q", hosts, o.Payload)
	}
	labels := 0
	for name, value := range o.Labels {
		labels += len(name) + len(value)
		if name == "" || utf8.RuneCountInString(name) > 128 || utf8.RuneCountInString(value) > 512 || !utf8.ValidString(name+value) {
			t.Errorf("the label %q is %q", name, value)
		}
	}
	if len(o.Labels) > 64 || labels > 8<<10 || o.ExternalURL != alert.WebLink(o.ExternalURL) {
		t.Errorf("%d labels of %d bytes, external URL %q", len(o.Labels), labels, o.ExternalURL)
	}
	if o.Environment != "" && o.Environment != "production" && o.Environment != "staging" {
		t.Errorf("the environment %q does not exist", o.Environment)
	}
	if o.StartedAt.IsZero() || o.EndedAt.IsZero() == o.Recovery || o.Count < 1 {
		t.Errorf("started %v, ended %v, recovery %v, count %d", o.StartedAt, o.EndedAt, o.Recovery, o.Count)
	}
}

// checkReordered reads the same payload with its members in another order and
// without what is not in a fingerprint.
func checkReordered(t *testing.T, body []byte, parsed alert.Parsed, r alert.Reading) {
	t.Helper()
	document, err := payload.Read(body)
	if err != nil {
		t.Fatal(err)
	}
	if r.Mapping.Empty() {
		for _, name := range []string{"start_time", "end_time", "hosts"} {
			delete(document.Object, name)
		}
	}
	sorted, err := json.Marshal(document.Object)
	if err != nil {
		t.Fatal(err)
	}
	again, err := alert.Parse(sorted, r)
	if err != nil {
		return // what is escaped may be too long now
	}
	if diff := cmp.Diff(fingerprints(parsed), fingerprints(again)); diff != "" {
		t.Errorf("%s has other fingerprints than %s:\n%s", sorted, body, diff)
	}
}

func fingerprints(parsed alert.Parsed) []alert.Fingerprint {
	var all []alert.Fingerprint
	for _, group := range parsed.Occurrences {
		all = append(all, group[0].Fingerprint)
	}
	return all
}
