package alert_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/mapping"
)

// mapped is how the tests read with a mapping.
func mapped(t testing.TB, text string) alert.Reading {
	t.Helper()
	m, err := mapping.Parse([]byte(text), "mapping")
	if err != nil {
		t.Fatal(err)
	}
	r := reading(alert.Plain)
	r.Mapping = m
	return r
}

const states = `{"fingerprint":{"sources":[{"template":"{host}/{check}"}]},"title":{"sources":[{"path":["check"]}]},
	"severity":{"sources":[{"path":["priority"]}],"values":{"P1":"critical","Sev2":"medium"},"default":"low"},
	"start_time":{"sources":[{"template":"{date} {time}"}]},"end_time":{"sources":[{"path":["over"]}]},
	"resolved_when":{"source":{"path":["state"]},"equals":["OK"]},"acknowledged_when":{"source":{"path":["state"]},"equals":["ACK"]},
	"ignore_when":{"source":{"path":["state"]},"equals":["TEST"]}}`

func TestWhatAMappingSaysOfAPayload(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
	tests := map[string]struct {
		members string
		want    alert.Occurrence // State, times and severity
	}{
		"firing":                       {`"state":"down","priority":"p1"`, alert.Occurrence{Severity: alert.SeverityCritical, StartedAt: now}},
		"of another priority":          {`"state":"down","priority":"sev2"`, alert.Occurrence{Severity: alert.SeverityMedium, StartedAt: now}},
		"of one that is in no table":   {`"priority":"P9"`, alert.Occurrence{Severity: alert.SeverityLow, StartedAt: now}},
		"of none":                      {``, alert.Occurrence{Severity: alert.SeverityLow, StartedAt: now}},
		"with date and time":           {`"date":"2026.11.20","time":"10:30:00"`, alert.Occurrence{Severity: alert.SeverityLow, StartedAt: at}},
		"resolved":                     {`"state":"ok"`, alert.Occurrence{Recovery: true, IgnoreStart: true, Severity: alert.SeverityLow, StartedAt: now, EndedAt: now}},
		"resolved at a time":           {`"state":"OK","over":"1795170600"`, alert.Occurrence{Recovery: true, IgnoreStart: true, Severity: alert.SeverityLow, StartedAt: now, EndedAt: at}},
		"resolved at none":             {`"state":"OK","over":"soon"`, alert.Occurrence{Recovery: true, IgnoreStart: true, Severity: alert.SeverityLow, StartedAt: now, EndedAt: now}},
		"firing with an end":           {`"state":"down","over":"1795170600"`, alert.Occurrence{Severity: alert.SeverityLow, StartedAt: now}},
		"with an end and nothing else": {`"over":1795170600000`, alert.Occurrence{Recovery: true, IgnoreStart: true, Severity: alert.SeverityLow, StartedAt: now, EndedAt: at}},
		"acknowledged":                 {`"state":"ack","over":"1795170600"`, alert.Occurrence{Acknowledged: true, Severity: alert.SeverityLow, StartedAt: now}},
	}
	fingerprint := only(t, `{"fingerprint":"web-1/Disk"}`, reading(alert.Plain)).Fingerprint
	for name, test := range tests {
		got := only(t, strings.TrimSuffix(`{"host":"web-1","check":"Disk",`+test.members, ",")+"}", mapped(t, states))
		if got.Title != "Disk" || got.Fingerprint != fingerprint {
			t.Errorf("%s: the title is %q, the fingerprint %s, want Disk and %s", name, got.Title, got.Fingerprint, fingerprint)
		}
		said := alert.Occurrence{
			Recovery: got.Recovery, IgnoreStart: got.IgnoreStart, Acknowledged: got.Acknowledged, Severity: got.Severity, StartedAt: got.StartedAt, EndedAt: got.EndedAt,
		}
		if diff := cmp.Diff(test.want, said); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	parsed := parse(t, `{"state":"test"}`, mapped(t, states))
	if _, lone := parsed.Lone(); lone || len(parsed.Occurrences) != 0 || parsed.Items != 1 || parsed.IgnoredItems != 1 || len(parsed.Notes) > 0 {
		t.Errorf("a payload that is ignored is %+v", parsed)
	}
}

func TestFingerprintsOfAnIntegration(t *testing.T) {
	const scoped = `{"fingerprint":{"scope":"integration"}}`
	one, other := mapped(t, scoped), mapped(t, scoped)
	other.IntegrationID++
	for _, body := range []string{`{"fingerprint":"1"}`, `{"title":"x"}`} {
		first, second, project := only(t, body, one).Fingerprint, only(t, body, other).Fingerprint, only(t, body, reading(alert.Plain)).Fingerprint
		if first == "" || first == second || first == project || first != only(t, body, one).Fingerprint {
			t.Errorf("the fingerprints of %s are %s, %s and %s, want three, always the same", body, first, second, project)
		}
	}
	if got := only(t, `{}`, one).Fingerprint; got != "" {
		t.Errorf("an empty payload has the fingerprint %s", got)
	}
}

func TestAPayloadIsSplitIntoAlerts(t *testing.T) {
	const split = `{"split":{"path":["list"]},"service":{"sources":[{"path":["app"],"of":"whole"}]},
		"resolved_when":{"source":{"path":["state"]},"equals":["ok"]},"ignore_when":{"source":{"path":["state"]},"equals":["test"]}}`
	parsed := parse(t, `{"app":"shop","list":[{"fingerprint":"1","title":"A"},5,{"fingerprint":2,"title":"B","state":"ok"},
		{"state":"test"},{"fingerprint":"1","title":"C","state":"down","n":1.0}]}`, mapped(t, split))
	var got []string
	for _, group := range parsed.Occurrences {
		for _, o := range group {
			got = append(got, fmt.Sprintf("%s %s %v %d %s", o.Title, o.Service, o.Recovery, o.Count, o.Payload))
		}
	}
	want := []string{
		`A shop false 2 {"fingerprint":"1","title":"A"}`, `B shop true 1 {"fingerprint":2,"title":"B","state":"ok"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" || !parsed.Split || parsed.Items != 5 || parsed.IgnoredItems != 1 || parsed.Skipped.String() != "1 not an object" {
		t.Errorf("the payload became %+v (-want +got):\n%s", parsed, diff)
	}
	if _, lone := parsed.Lone(); lone {
		t.Error("a payload that is split is alone")
	}

	// Nothing is lost where there is nothing to split.
	for list, note := range map[string]string{
		`{"a":1}`: "there is no list where the payload is to be split, so it is one alert",
		`[1,"x"]`: "no element of the list by which the payload is split is an object, so it is one alert",
		`null`:    "there is no list where the payload is to be split, so it is one alert",
	} {
		parsed := parse(t, `{"title":"Whole","list":`+list+`}`, mapped(t, split))
		if o, lone := parsed.Lone(); !lone || o.Title != "Whole" || !slices.Contains(parsed.Notes, note) {
			t.Errorf("a payload with the list %s became %+v", list, parsed)
		}
	}
	if parsed := parse(t, `{"list":[]}`, mapped(t, split)); len(parsed.Occurrences) != 0 || !parsed.Split || len(parsed.Notes) > 0 {
		t.Errorf("a payload with an empty list became %+v", parsed)
	}

	deep := parse(t, `{"text":"[{\"title\":\"A\",\"n\":1.50}]"}`, mapped(t, `{"split":{"path":["text",{"json":true}]}}`))
	if o := deep.Occurrences[0][0]; o.Title != "A" || string(o.Payload) != `{"n":1.50,"title":"A"}` {
		t.Errorf("what is inside a text became %+v", o)
	}
	many := parse(t, `{"list":[`+strings.TrimSuffix(strings.Repeat(`{},`, 5002), ",")+`]}`, mapped(t, split))
	if len(many.Occurrences) != 5000 || many.Skipped.String() != "2 beyond the first 5000" || len(many.Notes) != 1 {
		t.Errorf("a payload of 5002 alerts became %d, skipped %s, notes %q", len(many.Occurrences), many.Skipped, many.Notes)
	}
}

func TestAcknowledgementsInASplitPayload(t *testing.T) {
	parsed := parse(t, `{"list":[{"fingerprint":"1"},{"fingerprint":"1","ack":1},{"fingerprint":"1","ack":1}]}`,
		mapped(t, `{"split":{"path":["list"]},"acknowledged_when":{"source":{"path":["ack"]},"equals":["1"]}}`))
	var got []string
	for _, o := range parsed.Occurrences[0] {
		got = append(got, fmt.Sprint(o.Acknowledged, o.Count))
	}
	if diff := cmp.Diff([]string{"false 1", "true 2"}, got); diff != "" {
		t.Errorf("the occurrences (-want +got):\n%s", diff)
	}
	one, two := alert.Recorded{Outcome: alert.Acked, IID: 1}, alert.Recorded{Outcome: alert.Acked, IID: 2}
	opened := alert.Recorded{Outcome: alert.Opened, IID: 3}
	if diff := cmp.Diff([]alert.Recorded{opened, one, two}, parsed.Touched([][]alert.Recorded{{opened, one, two}})); diff != "" {
		t.Errorf("the touched alerts (-want +got):\n%s", diff)
	}
}

func TestTheMappingOfTheMetricsFormat(t *testing.T) {
	const rules = `{"title":{"sources":[{"template":"{labels.alertname} on {labels.instance}"}]},"severity":{"values":{"warning":"medium","page":"unknown"}}}`
	body := webhook(`{"labels":{"alertname":"Down","instance":"web-1","severity":"Warning"},"startsAt":0}`,
		`{"labels":{"alertname":"Up","severity":"page"},"startsAt":0}`, `{"labels":{"severity":"p2"},"annotations":{"title":"Usual"},"startsAt":0}`,
		`{"labels":{"alertname":"X","severity":"unknown"},"startsAt":0}`, `{"labels":{"severity":"low"},"startsAt":0}`)
	r := mapped(t, rules)
	tests := map[alert.Format][]string{
		alert.Metrics: {"Down on web-1 medium", "Up on  unknown", "Usual high", "X on  critical"},
		alert.Plain:   {"Down low", "Up high", "Usual high", "X critical"}, // of another tool than was mapped
	}
	for format, want := range tests {
		r.Format = format
		parsed := parse(t, body, r)
		var got []string
		for _, group := range parsed.Occurrences {
			got = append(got, group[0].Title+" "+string(group[0].Severity))
		}
		if diff := cmp.Diff(want, got); diff != "" || parsed.Skipped.NoTitle != 1 {
			t.Errorf("at a %s address, with %d skipped (-want +got):\n%s", format, parsed.Skipped.NoTitle, diff)
		}
	}
}

func TestAPreviewTellsWhatTheMappingSays(t *testing.T) {
	preview, err := alert.ReadPreview([]byte(`{"app":"shop","list":[{"name":"A","tags":[["sev","high"]],"more":1},{"name":"B","id":5}]}`), mapped(t,
		`{"split":{"path":["list"]},"title":{"sources":[{"template":"{name} of {whole:app}"}]},"severity":{"sources":[{"path":["tags",{"where":0,"is":"sev","take":1}]}]},
		"service":{"sources":[{"constant":"x"}]},"fingerprint":{"sources":[{"path":["id"]}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	got := []string{preview.Sources[mapping.Title].String(), preview.Sources[mapping.Severity].String(), preview.Sources[mapping.Service].String(),
		preview.Origins[mapping.Title], preview.Origins[mapping.Severity], preview.Origins[mapping.Service]}
	want := []string{"list[0].name", "list[0].tags[0][1]", "", "{name} of {whole:app}", "tags[0=sev][1]", `"x"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sources and origins (-want +got):\n%s", diff)
	}
	var ignored []string
	for _, field := range preview.Ignored {
		ignored = append(ignored, field.Label)
	}
	if diff := cmp.Diff([]string{"list[0].more", "list[0].tags[0][0]"}, ignored); diff != "" {
		t.Errorf("ignored (-want +got):\n%s", diff)
	}
}

func TestNotesAboutAMapping(t *testing.T) {
	const noFingerprint = "no fingerprint was found, so a recovery may find no alert; map fingerprint too"
	for members, want := range map[string][]string{
		`"state":"ok"`:                         {noFingerprint},
		`"state":"down"`:                       {noFingerprint},
		`"state":"down","fingerprint":"x"`:     nil,
		`"x":1`:                                nil,
		`"state":"ok","x":1,"end_time":"soon"`: {`end_time "soon" is no time, so it is now`, noFingerprint},
	} {
		parsed := parse(t, "{"+members+"}", mapped(t, `{"resolved_when":{"source":{"path":["state"]},"equals":["ok"]}}`))
		if diff := cmp.Diff(want, parsed.Notes); diff != "" {
			t.Errorf("notes about %s (-want +got):\n%s", members, diff)
		}
	}
}

// hostile is a mapping of the largest size for a payload that makes it work as much as it can.
func hostile() (text, body string) {
	rule := func(source string) string {
		return `{"sources":[` + strings.TrimSuffix(strings.Repeat(source+",", 20), ",") + `],"values":{"x":"y"}}`
	}
	every, _ := json.Marshal(strings.Repeat("{whole:n[*]}", 8) + strings.Repeat("{whole:o}", 8))
	var rules []string
	for _, target := range mapping.Targets {
		rules = append(rules, fmt.Sprintf(`%q:%s`, target, rule(`{"template":`+string(every)+`}`)))
	}
	text = `{"split":{"path":["l"]},"resolved_when":{"source":{"path":["t",{"json":true},{"all":true},"x"],"of":"whole"},"equals":["y"]},` + strings.Join(rules[:8], ",") + `}`
	inside, _ := json.Marshal("[" + strings.Repeat("{},", 50_000) + "{}]")
	return text, `{"t":` + string(inside) + `,"n":[` + strings.Repeat(`"",`, 100_000) + `""],"o":{"a":"` + strings.Repeat("<", 200_000) + `"},"l":[` +
		strings.Repeat("{},", 9_999) + `{}]}`
}

// Nothing is lost by a mapping that takes too much work.
func TestAHostileMappingIsBounded(t *testing.T) {
	text, body := hostile()
	parsed := parse(t, body, mapped(t, text))
	if len(parsed.Occurrences) != 5000 || !slices.Contains(parsed.Notes, "the mapping takes too much work for this payload, so some fields come from the usual places") {
		t.Errorf("%d alerts, notes %q, want all that there may be, and a note", len(parsed.Occurrences), parsed.Notes)
	}
}

func BenchmarkHostileMapping(b *testing.B) {
	text, body := hostile()
	for name, r := range map[string]alert.Reading{"with it": mapped(b, text), "split alone": mapped(b, `{"split":{"path":["l"]}}`), "without it": mapped(b, `{}`)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := alert.Parse([]byte(body), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("parsing it", func(b *testing.B) {
		for b.Loop() {
			if _, err := mapping.Parse([]byte(text), "mapping"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
