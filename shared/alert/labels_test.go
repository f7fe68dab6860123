package alert_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
)

func TestLabelsAreRead(t *testing.T) {
	tests := map[string]alert.Labels{
		`{"team":"web","shard":3,"canary":true,"zones":["a","b"]}`: {"team": "web", "shard": "3", "canary": "true", "zones": `["a","b"]`},
		`[{"name":"team","value":"web"},{"key":"shard","value":3},{"tag":"zone","value":"a"},{"value":"x"},{"name":"y"}]`: {
			"team": "web", "shard": "3", "zone": "a",
		},
		`[["team","web"],["shard",3],["one"],["a","b","c"],[]]`:                                    {"team": "web", "shard": "3"},
		`["team:web","url=http://x.example","job: a:b","tag",":x","k:"]`:                           {"team": "web", "url": "http://x.example", "job": "a:b"},
		`{"te\u202eam\u0000":"w\u202ee\u0007b\n2"," ":"x"," zone ":" a ","blank":" ","none":null}`: {"team": "web\n2", "zone": "a"},
		`{"te\u0007am":"b","team":"c","\u202eteam":"a"}`:                                           {"team": "a"},
		`["team:b","team:a"]`: {"team": "a"},
		`"team:web"`:          nil,
		`7`:                   nil,
		`{}`:                  nil,
		`[null]`:              nil,
	}
	for sent, want := range tests {
		got := only(t, `{"labels":`+sent+`}`, reading(alert.Plain)).Labels
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("labels of %s (-want +got):\n%s", sent, diff)
		}
	}
}

func TestLabelsHaveLimits(t *testing.T) {
	many := func(n int, name, value string) string {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"%02d%s":%q`, i, name, value))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	tests := map[string]struct {
		sent        string
		labels, cut int
	}{
		"as many as there may be":  {many(64, "", "x"), 64, 0},
		"one more":                 {many(65, "", "x"), 64, 1},
		"names of full length":     {many(1, strings.Repeat("ü", 126), "x"), 1, 0},
		"a longer name":            {many(1, strings.Repeat("ü", 127), "x"), 1, 1},
		"a value of full length":   {many(1, "", strings.Repeat("ü", 512)), 1, 0},
		"a longer value":           {many(1, "", strings.Repeat("ü", 513)), 1, 1},
		"all of the length":        {many(16, "", strings.Repeat("x", 510)), 16, 0},
		"more than all may have":   {many(17, "", strings.Repeat("x", 510)), 16, 1},
		"shorter ones fit besides": {strings.Replace(many(17, "", strings.Repeat("x", 509)), "{", `{"z":"y",`, 1), 17, 1},
	}
	for name, test := range tests {
		parsed := parse(t, webhook(`{"startsAt":"","annotations":{"title":"T"},"labels":`+test.sent+`}`), reading(alert.Metrics))
		if got := len(parsed.Occurrences[0][0].Labels); got != test.labels || len(parsed.Notes) != test.cut {
			t.Errorf("%s: %d labels, notes %q, want %d and %d notes", name, got, parsed.Notes, test.labels, test.cut)
		}
	}
}

func TestLabelsAreWrittenAndRead(t *testing.T) {
	for _, l := range []alert.Label{{Name: "team", Value: "web"}, {Name: "a.b", Value: "=x= ü"}, {Name: "empty"}} {
		if got, ok := alert.ParseLabel(l.String()); got != l || !ok {
			t.Errorf("ParseLabel(%q) = %v, %v", l, got, ok)
		}
	}
	for _, none := range []string{"", "team", "=web", " =web"} {
		if got, ok := alert.ParseLabel(none); ok {
			t.Errorf("ParseLabel(%q) = %v, want none", none, got)
		}
	}
}

func TestLabelsAreSorted(t *testing.T) {
	got := alert.Labels{"b": "1", "a": "2"}.Sorted()
	if diff := cmp.Diff([]alert.Label{{Name: "a", Value: "2"}, {Name: "b", Value: "1"}}, got); diff != "" {
		t.Error(diff)
	}
}
