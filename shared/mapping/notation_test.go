package mapping_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

func TestSourcesAreWrittenAsTheyAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"event.name":                `{"path":["event","name"]}`,
		" hosts[0] ":                `{"path":["hosts",0]}`,
		"hosts[-1]":                 `{"path":["hosts",-1]}`,
		`["odd.name"]["a b"]`:       `{"path":["odd.name","a b"]}`,
		`tags[name=team].value`:     `{"path":["tags",{"where":"name","is":"team"},"value"]}`,
		`tags[0=team][1]`:           `{"path":["tags",{"where":0,"is":"team"},1]}`,
		`tags["0"="a]b"].value`:     `{"path":["tags",{"where":"0","is":"a]b"},"value"]}`,
		`Message|json.AlarmName`:    `{"path":["Message",{"json":true},"AlarmName"]}`,
		`hosts[*].name`:             `{"path":["hosts",{"all":true},"name"]}`,
		`whole:state`:               `{"path":["state"],"of":"whole"}`,
		`["whole:state"]`:           `{"path":["whole:state"]}`,
		`{host.name}/{service}`:     `{"template":"{host.name}/{service}"}`,
		`whole:{a}!`:                `{"template":"{a}!","of":"whole"}`,
		`"a \"constant\""`:          `{"constant":"a \"constant\""}`,
		`{{{a}}}`:                   `{"template":"{{{a}}}"}`,
		` ["a", 0, {"all":true}]`:   `{"path":["a",0,{"all":true}]}`,
		`a[" b"]`:                   `{"path":["a"," b"]}`,
		`["line\nfeed"]`:            `{"path":["line\nfeed"]}`,
		`annotations[key=x=y].text`: `{"path":["annotations",{"where":"key","is":"x=y"},"text"]}`,
	} {
		s, err := mapping.ReadSource(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		written, err := json.Marshal(s)
		if err != nil || string(written) != want {
			t.Errorf("%s is read as %s, want %s", text, written, want)
		}
		again, err := mapping.ReadSource(s.Text())
		if diff := cmp.Diff(marshal(t, s), marshal(t, again)); err != nil || diff != "" {
			t.Errorf("%s is written %s, and then read otherwise: %v %s", text, s.Text(), err, diff)
		}
	}
	for _, text := range []string{"", "a.", "a[", "a[b]", `"`, `""`, `"x`, "{a", "a}", "{}", "whole:", ".a", "a b}c"} {
		if s, err := mapping.ReadSource(text); err == nil {
			t.Errorf("%q is read as %s, want an error", text, marshal(t, s))
		}
	}
}

func marshal(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What is chosen takes the place of the first source alone.
func TestChoosingKeepsTheRestOfARule(t *testing.T) {
	document, err := payload.Read([]byte(`{"prio":"P1","hosts":["a"],"at":"2026.11.22 10:00","on":"2026-11-22T10:00:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	const table = `,"values":{"P1":"critical"},"default":"low"}`
	for _, test := range []struct{ target, rule, source, want string }{
		{"severity", "", "prio", `{"path":["prio"],"type":"STRING","label":"prio"}`},
		{"hosts", "", "hosts", `{"path":["hosts"],"type":"ARRAY","label":"hosts"}`},
		{"start_time", "", "on", `{"path":["on"],"type":"DATETIME","label":"on"}`},
		{"start_time", "", "at", `{"sources":[{"path":["at"]}]}`},
		{"severity", `{"path":["x"],"type":"T"}`, "prio", `{"path":["prio"],"type":"STRING","label":"prio"}`},
		{"severity", `{"path":["x"],"type":"T"}`, "{prio}!", `{"sources":[{"template":"{prio}!"}],"type":"T"}`},
		{"severity", `{"path":["x"],"type":"T"}`, "", ``},
		{"severity", `{"sources":[{"path":["x"]}]` + table, "prio", `{"sources":[{"path":["prio"]}]` + table},
		{"severity", `{"sources":[{"path":["x"]},{"constant":"low"}]}`, "prio", `{"sources":[{"path":["prio"]},{"constant":"low"}]}`},
		{"severity", `{"sources":[{"path":["x"]}]` + table, "", `{"values":{"P1":"critical"},"default":"low"}`},
		{"fingerprint", `{"sources":[{"path":["x"]}],"scope":"integration"}`, "prio", `{"sources":[{"path":["prio"]}],"scope":"integration"}`},
	} {
		target := mapping.Target(test.target)
		var rule mapping.Rule
		if test.rule != "" {
			m, err := mapping.Parse([]byte(`{"`+test.target+`":`+test.rule+`}`), "mapping")
			if err != nil {
				t.Fatal(err)
			}
			rule = m.Rules[target]
		}
		var source *mapping.Source
		if test.source != "" {
			read, err := mapping.ReadSource(test.source)
			if err != nil {
				t.Fatal(err)
			}
			source = &read
		}
		got := rule.With(target, source, document.Object)
		if got.Says() != (test.want != "") || got.Says() && marshal(t, got) != test.want {
			t.Errorf("%s from %q in %s is %s, want %s", test.target, test.source, test.rule, marshal(t, got), test.want)
		}
	}
}

func TestWhatARuleHasBesides(t *testing.T) {
	m, err := mapping.Parse([]byte(`{"severity":{"sources":[{"path":["a"]},{"template":"{b}"},{"constant":"x"}],"values":{"P2":"high","P1":"critical"},"default":"low"},`+
		`"start_time":{"sources":[{"path":["at"]}],"time":{"format":"epoch_ms","zone":"Europe/Berlin","order":"us"}},"fingerprint":{"sources":[{"path":["id"]}],"scope":"integration"}}`), "mapping")
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[mapping.Target]string{
		mapping.Severity:    `else {b}; else "x"; P1 → critical, P2 → high; else "low"`,
		mapping.StartTime:   "times as epoch_ms in Europe/Berlin in the order of US",
		mapping.Fingerprint: "of this integration alone",
		mapping.Title:       "",
	} {
		if got := m.Rules[target].Further(); got != want {
			t.Errorf("%s has besides %q, want %q", target, got, want)
		}
	}
}

// An element of a payload comes back into one of which the mapping makes it again.
func TestAnElementIsPutIntoAPayload(t *testing.T) {
	for path, want := range map[string]string{
		"alerts":              `{"alerts":[{"a":1}]}`,
		`data["x y"].list`:    `{"data":{"x y":{"list":[{"a":1}]}}}`,
		"groups[*].alerts":    `{"groups":[{"alerts":[{"a":1}]}]}`,
		"groups[0].alerts":    `{"groups":[{"alerts":[{"a":1}]}]}`,
		"groups[3].alerts":    "",
		"text|json.alerts":    "",
		"tags[name=x].alerts": "",
	} {
		p, err := mapping.ReadPath(path)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := p.Around([]byte(`{"a":1}`))
		if ok != (want != "") || ok && string(got) != want {
			t.Errorf("around an element of %s is %s, want %s", path, got, want)
		}
	}
}

// Whatever is read as a source is written so that it is read again, and no path of a mapping
// gets lost by being shown.
func FuzzSource(f *testing.F) {
	for _, text := range []string{"a.b[0]", `["x"].y[*]|json`, "{a}/{b}", `"c"`, "whole:a", "t[n=v].w", `t["0"="]"]`, "{{}}{a}"} {
		f.Add(text, `["a",0,{"where":"b","is":"c","take":-1},{"all":true}]`)
	}
	f.Fuzz(func(t *testing.T, text, steps string) {
		if s, err := mapping.ReadSource(text); err == nil {
			again, err := mapping.ReadSource(s.Text())
			if err != nil || again.Text() != s.Text() {
				t.Errorf("%q is written %q, which is read as %q, %v", text, s.Text(), again.Text(), err)
			}
		}
		m, err := mapping.Parse([]byte(`{"split":{"path":`+steps+`}}`), "mapping")
		if err != nil || m.Split == nil {
			return
		}
		read, err := mapping.ReadPath(m.Split.Text())
		if err != nil || read.Text() != m.Split.Text() {
			t.Errorf("the path %s is written %q, which is read as %q, %v", steps, m.Split.Text(), read.Text(), err)
		}
	})
}
