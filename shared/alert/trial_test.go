package alert_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/mapping"
)

// A trial tells what the stores promise of the same occurrences.
func TestATrialTellsWhatWouldHappen(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	fire := func(f alert.Fingerprint) alert.Occurrence {
		return alert.Occurrence{Fingerprint: f, Title: "T", StartedAt: at}
	}
	alone, ack, end, early := fire("a"), fire("a"), fire("a"), fire("a")
	alone.Ungrouped, ack.Acknowledged, end.Recovery, early.Recovery = true, true, true, true
	end.EndedAt, early.EndedAt = at, at.Add(-time.Second)
	var trial alert.Trial
	trial.Open(alert.Alert{IID: 7, Title: "Old", Fingerprint: "b", Grouped: true, StartedAt: at})
	for n, step := range []struct {
		o    alert.Occurrence
		want []alert.Recorded
	}{
		{end, []alert.Recorded{{Outcome: alert.Unmatched}}},
		{fire("a"), []alert.Recorded{{Outcome: alert.Opened, Title: "T"}}},
		{fire("a"), []alert.Recorded{{Outcome: alert.Repeated, Title: "T"}}},
		{ack, []alert.Recorded{{Outcome: alert.Acked, Title: "T"}}},
		{alone, []alert.Recorded{{Outcome: alert.Opened, Title: "T"}}},
		{early, []alert.Recorded{{Outcome: alert.Unmatched}}},
		{end, []alert.Recorded{{Outcome: alert.Recovered, Title: "T"}, {Outcome: alert.Recovered, Title: "T"}}},
		{ack, []alert.Recorded{{Outcome: alert.Opened, Title: "T"}}},
		{fire("b"), []alert.Recorded{{Outcome: alert.Repeated, IID: 7, Title: "Old"}}},
		{fire(""), []alert.Recorded{{Outcome: alert.Opened, Title: "T"}}},
		{fire(""), []alert.Recorded{{Outcome: alert.Opened, Title: "T"}}},
	} {
		got := trial.Take(alert.Parsed{Occurrences: [][]alert.Occurrence{{step.o}}})
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", n, diff)
		}
	}
}

// What an alert keeps of a payload becomes the same alert again.
func TestAKeptPayloadIsReadAgain(t *testing.T) {
	split, err := mapping.Parse([]byte(`{"split":{"path":["data","list"]},"title":{"path":["n"],"type":"STRING"}}`), "mapping")
	if err != nil {
		t.Fatal(err)
	}
	const group = `{"version":"4","groupKey":"","status":"firing","receiver":"","groupLabels":{},"commonLabels":{},"commonAnnotations":{},"externalURL":"",
		"alerts":[{"labels":{"alertname":"Down","severity":"low"},"startsAt":"2026-01-02T03:04:05Z"},{"annotations":{"title":"Up"},"startsAt":"2026-01-02T03:04:05Z"}]}`
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	plain, metrics := alert.Reading{Format: alert.Plain, AutoFingerprint: true, Now: now}, alert.Reading{Format: alert.Metrics, Now: now}
	bySplit := plain
	bySplit.Mapping = split
	for _, test := range []struct {
		name, sent string
		in         alert.Reading
	}{
		{"a plain payload", `{"title":"A","id":1}`, plain},
		{"a group", group, metrics},
		{"a group at another address", group, plain},
		{"a list", `{"data":{"list":[{"n":"one"},{"n":"two","id":2}]},"x":1}`, bySplit},
		{"a payload without its list", `{"n":"one"}`, bySplit},
	} {
		parsed, err := alert.Parse([]byte(test.sent), test.in)
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range parsed.Occurrences {
			o := list[0]
			kept := alert.AsSent(alert.Alert{Title: o.Title, Fingerprint: o.Fingerprint}, o.Payload, test.in)
			again, err := alert.Parse(kept, test.in)
			if err != nil || len(again.Occurrences) != 1 {
				t.Errorf("%s: %s becomes %+v, %v", test.name, kept, again.Occurrences, err)
				continue
			}
			if diff := cmp.Diff(o, again.Occurrences[0][0]); diff != "" {
				t.Errorf("%s: %s becomes another alert (-want +got):\n%s", test.name, kept, diff)
			}
		}
	}
	for _, text := range []string{"[1]", group, `{"data":{"list":[{"n":1}]}}`} {
		if got := alert.AsSent(alert.Alert{}, []byte(text), bySplit); string(got) != text {
			t.Errorf("%s is sent as %s", text, got)
		}
	}
}
