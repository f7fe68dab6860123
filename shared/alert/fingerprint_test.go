package alert_test

import (
	"regexp"
	"slices"
	"testing"

	"gatehouse/shared/alert"
)

func plainFingerprint(t *testing.T, body string) alert.Fingerprint {
	t.Helper()
	return only(t, body, reading(alert.Plain)).Fingerprint
}

func itemFingerprint(t *testing.T, item string) alert.Fingerprint {
	t.Helper()
	return only(t, webhook(item), reading(alert.Metrics)).Fingerprint
}

func TestFingerprintsAreOpaque(t *testing.T) {
	digits := regexp.MustCompile(`^[0-9a-f]{64}$`)
	for _, body := range []string{`{"fingerprint":"x"}`, `{"fingerprint":["x","y"]}`, `{"title":"x"}`} {
		if got := plainFingerprint(t, body); !digits.MatchString(string(got)) {
			t.Errorf("fingerprint of %s is %q", body, got)
		}
	}
}

// Within a line all are about the same, and no two lines are.
func TestGivenFingerprints(t *testing.T) {
	lines := [][]string{
		{`"a"`, `["a"]`, `[["a"]]`},
		{`"1"`, `1`, `[1]`, `["1"]`},
		{`["a","bc"]`, `["a",["bc"]]`, `[["a"],"bc"]`},
		{`["ab","c"]`},
		{`"abc"`},
		{`["a","b","c"]`},
		{`"[\"a\",\"bc\"]"`},
		{`["a",""]`, `["a",[""]]`},
		{`["","a"]`},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`},
		{`true`, `"true"`},
	}
	seen := map[alert.Fingerprint]string{}
	for _, line := range lines {
		want := plainFingerprint(t, `{"fingerprint":`+line[0]+`}`)
		if other, ok := seen[want]; ok {
			t.Errorf("%s and %s have one fingerprint", line[0], other)
		}
		seen[want] = line[0]
		for _, value := range line {
			if got := plainFingerprint(t, `{"title":"of any title","fingerprint":`+value+`}`); got != want {
				t.Errorf("fingerprint %s is %s, want %s as of %s", value, got, want, line[0])
			}
		}
	}
}

func TestABlankFingerprintIsNone(t *testing.T) {
	r := reading(alert.Plain)
	r.AutoFingerprint = false
	for _, value := range []string{`null`, `false`, `""`, `" "`, `[]`, `{}`, `[[]]`, `["",null]`} {
		if got := only(t, `{"title":"x","fingerprint":`+value+`}`, r).Fingerprint; got != "" {
			t.Errorf("fingerprint %s is %s, want none", value, got)
		}
	}
}

func TestThePayloadIsTheFingerprintOfOneThatGivesNone(t *testing.T) {
	want := plainFingerprint(t, `{"title":"x","service":"s","n":{"a":1,"b":[2,30]}}`)
	equal := []string{
		`{"n":{"b":[2,30],"a":1},"service":"s","title":"x"}`,
		`{ "title" : "\u0078", "service":"s","n":{"a":1.0,"b":[2e0,3E+1]} }`,
		`{"title":"x","service":"s","n":{"a":1,"b":[2,30]},"start_time":"2026-11-21","hosts":["a"]}`,
		`{"title":"x","service":"s","n":{"a":1,"b":[2,30]},"end_time":"2026-11-21","start_time":5}`,
	}
	other := []string{
		`{"title":"y","service":"s","n":{"a":1,"b":[2,30]}}`,
		`{"title":"x","service":"s","n":{"a":1,"b":[30,2]}}`,
		`{"title":"x","service":"s","n":{"a":"1","b":[2,30]}}`,
		`{"title":"x","service":"s","n":{"a":1,"b":[2,30],"start_time":"2026-11-21"}}`,
		`{"title":"x","service":"s","n":{"a":1,"b":[2,30]},"more":1}`,
	}
	for _, body := range append(equal, other...) {
		if got := plainFingerprint(t, body); (got == want) != slices.Contains(equal, body) {
			t.Errorf("fingerprint of %s is %s, the first one is %s", body, got, want)
		}
	}
	for _, body := range []string{`{}`, `{"hosts":["a"],"start_time":"2026-11-21"}`, `{"title":"","x":[]}`} {
		if got := plainFingerprint(t, body); got != "" {
			t.Errorf("fingerprint of %s is %s, want none", body, got)
		}
	}
}

func TestFingerprintsOfItems(t *testing.T) {
	lines := [][]string{
		{ // the sender's own, whatever else there is
			`{"fingerprint":"f","labels":{"alertname":"A"},"startsAt":"2026-11-21"}`,
			`{"fingerprint":"f","labels":{"alertname":"B"},"startsAt":"2026-11-20"}`,
		},
		{ // else the labels
			`{"labels":{"alertname":"A","pod":"1"},"startsAt":"2026-11-21"}`,
			`{"labels":{"pod":"1","alertname":"A"},"startsAt":"2026-11-20","annotations":{"summary":"S"}}`,
			`{"fingerprint":" ","labels":{"pod":"1","alertname":"A"},"startsAt":"","generatorURL":"/?g0.expr=up"}`,
			`{"fingerprint":5,"labels":{"pod":"1","alertname":"A"},"startsAt":""}`,
		},
		{`{"labels":{"alertname":"A","pod":"2"},"startsAt":"2026-11-21"}`},
		{ // else title and query
			`{"annotations":{"title":"T"},"startsAt":"2026-11-21","generatorURL":"/graph?g0.expr=up&x=1"}`,
			`{"annotations":{"summary":"T"},"startsAt":"","labels":{},"generatorURL":"/other?g0.expr=up"}`,
		},
		{`{"annotations":{"title":"T"},"startsAt":"2026-11-21","generatorURL":"/graph?g0.expr=down"}`},
		{`{"annotations":{"title":"T"},"startsAt":"2026-11-21"}`},
	}
	seen := map[alert.Fingerprint]bool{}
	for _, line := range lines {
		want := itemFingerprint(t, line[0])
		if want == "" || seen[want] {
			t.Errorf("fingerprint of %s is %q, want one of its own", line[0], want)
		}
		seen[want] = true
		for _, item := range line {
			if got := itemFingerprint(t, item); got != want {
				t.Errorf("fingerprint of %s is %s, want %s", item, got, want)
			}
		}
	}
	if plain := plainFingerprint(t, `{"fingerprint":"f"}`); !seen[plain] {
		t.Error("a plain payload cannot name an alert of the metrics format")
	}
}
