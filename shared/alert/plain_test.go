package alert_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/mapping"
)

var now = time.Date(2026, 11, 21, 11, 4, 0, 0, time.UTC)

// reading is how the tests read unless they say otherwise.
func reading(format alert.Format) alert.Reading {
	return alert.Reading{
		Format: format, AutoFingerprint: true, Grouping: true,
		Environments: []string{"production", "staging"}, IntegrationID: 7, Now: now,
	}
}

func parse(t *testing.T, body string, r alert.Reading) alert.Parsed {
	t.Helper()
	parsed, err := alert.Parse([]byte(body), r)
	if err != nil {
		t.Fatalf("Parse(%.200s): %v", body, err)
	}
	return parsed
}

// only returns the one occurrence of a payload.
func only(t *testing.T, body string, r alert.Reading) alert.Occurrence {
	t.Helper()
	parsed := parse(t, body, r)
	if len(parsed.Occurrences) != 1 || len(parsed.Occurrences[0]) != 1 {
		t.Fatalf("Parse(%.200s) gave %d groups, want one occurrence", body, len(parsed.Occurrences))
	}
	return parsed.Occurrences[0][0]
}

func TestAPlainPayloadFillsEveryField(t *testing.T) {
	body := `{
		"title": "Disk full", "description": "No space on /var", "start_time": "2026-11-21T09:30:00+01:00",
		"service": "mail", "monitoring_tool": "diskwatch", "hosts": ["mail-1", "mail-2"], "severity": "High",
		"fingerprint": "disk-var", "platform_environment_name": "production", "runbook": "https://runbooks.acme.example/disk",
		"custom": {"nested": [1, {"deep": true}]}
	}`
	want := alert.Occurrence{
		Fingerprint: only(t, `{"fingerprint":"disk-var"}`, reading(alert.Plain)).Fingerprint,
		Title:       "Disk full", Description: "No space on /var", Severity: alert.SeverityHigh,
		Service: "mail", MonitoringTool: "diskwatch", Hosts: []string{"mail-1", "mail-2"},
		Environment: "production", Runbook: "https://runbooks.acme.example/disk",
		StartedAt: time.Date(2026, 11, 21, 8, 30, 0, 0, time.UTC), IntegrationID: 7, Payload: []byte(body), Count: 1,
	}
	if diff := cmp.Diff(want, only(t, body, reading(alert.Plain))); diff != "" {
		t.Errorf("occurrence (-want +got):\n%s", diff)
	}
}

func TestAnEmptyPayloadIsAnAlertWithTheDefaults(t *testing.T) {
	want := alert.Occurrence{
		Title: "New: Alert", Severity: alert.SeverityCritical, StartedAt: now, IntegrationID: 7, Payload: []byte("{}"), Count: 1,
	}
	for _, body := range []string{"", " \n", "{}", "\ufeff{}\r\n"} {
		if diff := cmp.Diff(want, only(t, body, reading(alert.Plain))); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", body, diff)
		}
	}
}

func TestBlankValuesAreAbsent(t *testing.T) {
	for _, blank := range []string{`null`, `false`, `""`, `" \t\n\u00a0"`, `[]`, `{}`} {
		var members []string
		for _, target := range append(mapping.Targets, "runbook", "runbook_url", "labels") {
			members = append(members, fmt.Sprintf("%q:%s", target, blank))
		}
		body := "{" + strings.Join(members, ",") + "}"
		want := alert.Occurrence{
			Title: "New: Alert", Severity: alert.SeverityCritical, StartedAt: now, IntegrationID: 7, Payload: []byte(body), Count: 1,
		}
		parsed := parse(t, body, reading(alert.Plain))
		if diff := cmp.Diff(want, parsed.Occurrences[0][0]); diff != "" || len(parsed.Notes) > 0 {
			t.Errorf("all members %s, notes %q (-want +got):\n%s", blank, parsed.Notes, diff)
		}
	}
}

func TestTextsOfAPlainPayload(t *testing.T) {
	long := strings.Repeat("ü", 1001)
	tests := []struct{ value, title, description, service string }{
		{`"plain"`, "plain", "plain", "plain"},
		{`" kept as it is "`, " kept as it is ", " kept as it is ", " kept as it is "},
		{`12`, "12", "12", "12"},
		{`1.50`, "1.50", "1.50", "1.50"},
		{`123456789012345678901234567890`, "123456789012345678901234567890", "123456789012345678901234567890", "123456789012345678901234567890"},
		{`true`, "true", "true", "true"},
		{`["a", 1, null]`, `["a",1,null]`, `["a",1,null]`, `["a",1,null]`},
		{`{"b": "<x>", "a": 1.0}`, `{"a":1.0,"b":"<x>"}`, `{"a":1.0,"b":"<x>"}`, `{"a":1.0,"b":"<x>"}`},
		{`"` + long[:2*100] + `"`, long[:2*100], long[:2*100], long[:2*100]},
		{`"` + long[:2*101] + `"`, long[:2*101], long[:2*101], long[:2*97] + "..."},
		{`"` + long[:2*200] + `"`, long[:2*200], long[:2*200], long[:2*97] + "..."},
		{`"` + long[:2*201] + `"`, long[:2*197] + "...", long[:2*201], long[:2*97] + "..."},
		{`"` + long[:2*1000] + `"`, long[:2*197] + "...", long[:2*1000], long[:2*97] + "..."},
		{`"` + long + `"`, long[:2*197] + "...", long[:2*997] + "...", long[:2*97] + "..."},
	}
	for _, test := range tests {
		got := only(t, fmt.Sprintf(`{"title":%[1]s,"description":%[1]s,"service":%[1]s,"monitoring_tool":%[1]s}`, test.value), reading(alert.Plain))
		if got.Title != test.title || got.Description != test.description || got.Service != test.service || got.MonitoringTool != test.service {
			t.Errorf("%s gave title %q, description %q, service %q, tool %q", test.value, got.Title, got.Description, got.Service, got.MonitoringTool)
		}
	}
}

func TestHostsOfAPlainPayload(t *testing.T) {
	a, b := strings.Repeat("ä", 200), strings.Repeat("b", 100)
	tests := map[string][]string{
		`"web-1"`:                               {"web-1"},
		`["web-1","web-2"]`:                     {"web-1", "web-2"},
		`["web-1",["web-2",["web-3",[]]]]`:      {"web-1", "web-2", "web-3"},
		`[1, true, null, "", {"name":"web-1"}]`: {"1", "true", `{"name":"web-1"}`},
		`{"name":"web-1"}`:                      {`{"name":"web-1"}`},
		`[[[]]]`:                                nil,
		`["` + a + `","` + b[:55] + `"]`:        {a, b[:55]},
		`["` + a + `","` + b + `","web-3"]`:     {a, b[:55]},
		`["` + a + `","` + b[:55] + `","x"]`:    {a, b[:55]},
		`"` + a + a + `"`:                       {a + a[:2*55]},
	}
	for hosts, want := range tests {
		if diff := cmp.Diff(want, only(t, `{"hosts":`+hosts+`}`, reading(alert.Plain)).Hosts); diff != "" {
			t.Errorf("hosts %s (-want +got):\n%s", hosts, diff)
		}
	}
}

func TestSeverityOfAPlainPayload(t *testing.T) {
	tests := map[string]alert.Severity{
		`"critical"`: alert.SeverityCritical,
		`"HIGH"`:     alert.SeverityHigh,
		`"Medium"`:   alert.SeverityMedium,
		`"low"`:      alert.SeverityLow,
		`"info"`:     alert.SeverityInfo,
		`"unknown"`:  alert.SeverityUnknown,
		`" low"`:     alert.SeverityCritical,
		`"s3"`:       alert.SeverityCritical,
		`"warning"`:  alert.SeverityCritical,
		`3`:          alert.SeverityCritical,
		`["low"]`:    alert.SeverityCritical,
		`null`:       alert.SeverityCritical,
	}
	for severity, want := range tests {
		if got := only(t, `{"severity":`+severity+`}`, reading(alert.Plain)).Severity; got != want {
			t.Errorf("severity %s is %q, want %q", severity, got, want)
		}
	}
}

func TestTimesOfAPlainPayload(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
	tests := []struct {
		value      string
		start, end time.Time
	}{
		{`"2026-11-20T10:30:00Z"`, at, at},
		{`"Fri, 20 Nov 2026 05:30:00 -0500"`, at, at},
		{`"2026-11-20 06:30:00 -0400"`, at, at},
		{`"2026-11-20 10:30:00"`, at, at},
		{`"2026-11-20"`, at.Truncate(24 * time.Hour), at.Truncate(24 * time.Hour)},
		{`1795170600000`, now, at},
		{`1795170600`, now, at},
		{`1.7951706e12`, now, at},
		{`0`, now, time.Time{}},
		{`-1`, now, time.Time{}},
		{`1e400`, now, time.Time{}},
		{`"0001-01-01T00:00:00Z"`, now, time.Time{}},
		{`"9999-12-31T23:59:59Z"`, now, time.Time{}},
		{`"yesterday"`, now, time.Time{}},
		{`true`, now, time.Time{}},
		{`["2026-11-20"]`, now, time.Time{}},
	}
	for _, test := range tests {
		got := only(t, fmt.Sprintf(`{"title":"x","start_time":%[1]s,"end_time":%[1]s}`, test.value), reading(alert.Plain))
		if !got.StartedAt.Equal(test.start) || !got.EndedAt.Equal(test.end) || got.Recovery == test.end.IsZero() {
			t.Errorf("%s started %v and ended %v (recovery %v), want %v and %v",
				test.value, got.StartedAt, got.EndedAt, got.Recovery, test.start, test.end)
		}
	}
}

func TestTheEnvironmentMustExist(t *testing.T) {
	tests := map[string]string{
		`"platform_environment_name":"production"`:                                                        "production",
		`"platform_environment_name":"Production"`:                                                        "",
		`"platform_environment_name":"qa"`:                                                                "",
		`"platform_environment_name":5`:                                                                   "",
		`"acme_environment_name":"staging"`:                                                               "staging",
		`"acme_environment_name":"staging","other_environment_name":"production"`:                         "",
		`"acme_environment_name":"staging","platform_environment_name":"production"`:                      "production",
		`"acme_environment_name":"staging","platform_environment_name":""`:                                "staging",
		`"acme_environment_name":"staging","other_environment_name":"qa","platform_environment_name":" "`: "",
		`"environment_name":"staging"`:                                                                    "",
		`"_environment_name":"staging"`:                                                                   "",
		`"a_b_environment_name":"staging"`:                                                                "",
		`"":"staging"`:                                                                                    "",
	}
	for members, want := range tests {
		if got := only(t, "{"+members+"}", reading(alert.Plain)).Environment; got != want {
			t.Errorf("{%s} is of the environment %q, want %q", members, got, want)
		}
	}
}

func TestPayloadsOfWhichNoAlertCanBeMade(t *testing.T) {
	deep := func(depth int) string {
		return `{"a":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + "}"
	}
	sized := func(size int) string { return `{"a":"` + strings.Repeat("x", size-8) + `"}` }
	tests := map[string]struct {
		body string
		ok   bool
	}{
		"as large as can be":        {sized(1 << 20), true},
		"larger than a group":       {sized(5<<20 + 1), false},
		"as deep as can be":         {deep(100), true},
		"deeper":                    {deep(101), false},
		"far deeper":                {strings.Repeat("[", 1<<20), false},
		"brackets in a string":      {`{"a":"` + strings.Repeat(`[{\"`, 200) + `"}`, true},
		"an array":                  {`[{"title":"x"}]`, false},
		"a string":                  {`"x"`, false},
		"null":                      {`null`, false},
		"no JSON":                   {`title=x`, false},
		"half of it":                {`{"title":"x"`, false},
		"more than one":             {`{} {}`, false},
		"rubbish behind it":         {`{}x`, false},
		"a comment":                 {`{} // x`, false},
		"a number out of range":     {`{"title":1e999999999}`, true},
		"bytes that are no text":    {"{\"title\":\"a\xffb\"}", true},
		"half of a surrogate pair":  {`{"title":"\ud83d"}`, true},
		"one member twice":          {`{"title":"x","title":"y"}`, true},
		"a byte order mark":         {"\ufeff{}", true},
		"a byte order mark of 16":   {"\xff\xfe{\x00}\x00", false},
		"control characters in it":  {"{\"title\":\"a\nb\"}", false},
		"a member without a string": {`{title:"x"}`, false},
	}
	for name, test := range tests {
		for _, format := range []alert.Format{alert.Plain, alert.Metrics} {
			_, err := alert.Parse([]byte(test.body), reading(format))
			if got := !fault.Is(err, fault.Invalid); got != test.ok || !got && fault.Message(err) == "" {
				t.Errorf("%s on a %s URL: %v, want ok %v", name, format, err, test.ok)
			}
		}
	}
	for format, kind := range map[alert.Format]fault.Kind{alert.Plain: fault.Invalid, alert.Metrics: fault.Unprocessable} {
		if _, err := alert.Parse([]byte(sized(1<<20+1)), reading(format)); !fault.Is(err, kind) {
			t.Errorf("larger than a plain payload on a %s URL: %v, want %s", format, err, kind)
		}
	}
}

func TestOddTextIsMadeText(t *testing.T) {
	tests := map[string]string{
		"{\"title\":\"a\xff\xfeb\"}":    "a?b",
		`{"title":"a\ud83db"}`:          "a\ufffdb",
		`{"title":"x","title":"y"}`:     "y",
		`{"title":1e999999999}`:         "1e999999999",
		`{"title":"a\u0000b"}`:          "a\x00b",
		`{"title":"<script>&\u003c"}`:   "<script>&<",
		`{"Title":"not the same name"}`: "New: Alert",
	}
	for body, want := range tests {
		if got := only(t, body, reading(alert.Plain)).Title; got != want {
			t.Errorf("Parse(%q) has the title %q, want %q", body, got, want)
		}
	}
}

func TestWhatIsNotTakenAsItStandsIsNoted(t *testing.T) {
	long := strings.Repeat("x", 3000)
	body := fmt.Sprintf(`{"title":%[1]q,"description":%[1]q,"service":%[1]q,"hosts":%[1]q,"runbook":%[1]q,
		"severity":"urgent","start_time":1,"end_time":"soon","platform_environment_name":"qa"}`, long)
	want := []string{
		`end_time "soon" is no time, so this is no recovery`,
		`title is cut to 200 characters`,
		`description is cut to 1000 characters`,
		`severity "urgent" is none, so it is critical`,
		`service is cut to 100 characters`,
		`hosts are cut to 255 characters`,
		`the project has no environment "qa"`,
		`runbook is longer than 2048 characters`,
		`start_time "1" is no time, so it is now`,
	}
	if diff := cmp.Diff(want, parse(t, body, reading(alert.Plain)).Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestGroupingCanBeOff(t *testing.T) {
	r := reading(alert.Plain)
	r.Grouping = false
	got := only(t, `{"title":"x"}`, r)
	if !got.Ungrouped || got.Fingerprint == "" {
		t.Errorf("without grouping the occurrence is %+v, want one with a fingerprint, for recoveries", got)
	}
}

func TestAMappingFillsFieldsFromElsewhere(t *testing.T) {
	r := reading(alert.Plain)
	r.Mapping = mapping.Mapping{Rules: map[mapping.Target]mapping.Rule{
		mapping.Title:       {Path: mapping.Path{mapping.Name("event"), mapping.Name("names"), mapping.Index(0)}},
		mapping.Hosts:       {Path: mapping.Path{mapping.Name("event"), mapping.Name("machines")}},
		mapping.EndTime:     {Path: mapping.Path{mapping.Name("event"), mapping.Name("closed")}},
		mapping.Fingerprint: {Path: mapping.Path{mapping.Name("id")}},
		mapping.Environment: {Path: mapping.Path{mapping.Name("env")}},
	}}
	got := only(t, `{"event":{"names":["Disk full"],"machines":["a"],"closed":1795170600000},"id":17,"env":"staging","severity":"low","hosts":"b"}`, r)
	if got.Title != "Disk full" || !cmp.Equal(got.Hosts, []string{"a"}) || !got.Recovery || got.Environment != "staging" || got.Severity != alert.SeverityLow {
		t.Errorf("mapped occurrence is %+v", got)
	}
	if want := only(t, `{"fingerprint":"17"}`, reading(alert.Plain)).Fingerprint; got.Fingerprint != want {
		t.Errorf("mapped fingerprint is %s, want that of 17, %s", got.Fingerprint, want)
	}
	if got := only(t, `{"event":{"names":"x"},"title":"Own"}`, r); got.Title != "Own" {
		t.Errorf("with nothing at the mapped place the title is %q, want the member's", got.Title)
	}
}
