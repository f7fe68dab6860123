package alert_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
)

// opened returns the alert that the only firing notification of a payload opens.
func opened(t *testing.T, body string, format alert.Format) alert.Alert {
	t.Helper()
	return parse(t, body, reading(format)).Occurrences[0][0].Alert(1, 1, now)
}

func TestLinksOfRecordedPayloads(t *testing.T) {
	tests := map[string]alert.Links{
		"grafana.json": {
			Silence:   "https://grafana.acme.example/alerting/silence/new?alertmanager=grafana",
			Dashboard: "https://grafana.acme.example/d/n8tLr?orgId=1",
			Panel:     "https://grafana.acme.example/d/n8tLr?orgId=1&viewPanel=4",
			Source:    "https://grafana.acme.example/alerting/grafana/cdeqmlhvflz40f/view?orgId=1",
			External:  "https://grafana.acme.example/",
		},
		"alertmanager-0.25-firing.json": {
			Silence: "https://alertmanager.acme.example/#/silences/new?filter=%7Balertname%3D%22HighErrorRate%22%2C%20instance%3D%22web-1%3A9090%22" +
				"%2C%20job%3D%22checkout%22%2C%20platform_environment_name%3D%22production%22%2C%20severity%3D%22page%22%7D",
			Source:   "http://prometheus.acme.example:9090/graph?g0.expr=rate%28http_errors_total%5B5m%5D%29+%3E+0.05&g0.tab=1",
			External: "https://alertmanager.acme.example",
		},
	}
	for name, want := range tests {
		o := parse(t, recorded(t, name), reading(alert.Metrics)).Occurrences[0][0]
		got := o.Alert(1, 1, now).ReadDetails(o.Payload).Links
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSilencesOfAnAlertmanager(t *testing.T) {
	tests := map[string]struct{ external, labels, want string }{
		"a path in front":           {"https://x.example/am/", `{"a":"b"}`, "https://x.example/am/#/silences/new?filter=%7Ba%3D%22b%22%7D"},
		"what has to be quoted":     {"https://x.example", `{"a":"\"<+& ü\\"}`, "https://x.example/#/silences/new?filter=%7Ba%3D%22%5C%22%3C%2B%26%20%C3%BC%5C%5C%22%7D"},
		"no labels":                 {"https://x.example", `{}`, ""},
		"a name that it may refuse": {"https://x.example", `{"a.b":"c"}`, ""},
		"no address":                {"", `{"a":"b"}`, ""},
		"no web address":            {"javascript:alert(1)//", `{"a":"b"}`, ""},
		"an address with a query":   {"https://x.example/?a=b", `{"a":"b"}`, ""},
		"too long":                  {"https://x.example", `{"a":"` + strings.Repeat("<", 700) + `"}`, ""},
	}
	for name, test := range tests {
		item := `{"annotations":{"title":"T"},"startsAt":"","labels":` + test.labels + `}`
		body := strings.Replace(webhook(item), `"externalURL":""`, fmt.Sprintf(`"externalURL":%q`, test.external), 1)
		if got := opened(t, body, alert.Metrics).ReadDetails([]byte(item)).Links.Silence; got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

func TestLinksAreWebAddresses(t *testing.T) {
	for _, bad := range []string{
		"javascript:alert(1)", "data:text/html,x", "//x.example", "/d/1", "https://u:p@x.example", "ftp://x.example", "https://", "x",
		"https://x.example/" + strings.Repeat("x", 2048), "java\nscript:alert(1)", " javascript:alert(1)",
	} {
		text := fmt.Sprintf(`{"silenceURL":%[1]q,"dashboardURL":%[1]q,"panelURL":%[1]q,"generatorURL":%[1]q}`, bad)
		body := strings.Replace(webhook(`{"annotations":{"title":"T"},"startsAt":""}`), `"externalURL":""`, fmt.Sprintf(`"externalURL":%q`, bad), 1)
		if got := opened(t, body, alert.Metrics).ReadDetails([]byte(text)).Links; got != (alert.Links{}) {
			t.Errorf("links of %q are %+v, want none", bad, got)
		}
	}
	text := []byte(`{"silenceURL":"https://x.example/s","dashboardURL":1,"panelURL":["https://x.example"],"generatorURL":null}`)
	if got := opened(t, string(text), alert.Plain).ReadDetails(text).Links; got != (alert.Links{Silence: "https://x.example/s"}) {
		t.Errorf("links of a plain payload are %+v", got)
	}
	kept := alert.Alert{ExternalURL: "https://x.example"}
	if got := kept.ReadDetails([]byte("no JSON")).Links; got != (alert.Links{External: "https://x.example"}) {
		t.Errorf("links without a payload are %+v", got)
	}
}

func TestTheToolOfTheMetricsFormat(t *testing.T) {
	item := `{"annotations":{"title":"T"},"startsAt":""}`
	tests := map[string]string{
		`"orgId":1,"state":"ok","title":"x",`: "Grafana",
		`"orgId":1,`:                          "Prometheus",
		`"orgId":"1","state":"ok",`:           "Prometheus",
		`"state":"alerting",`:                 "Prometheus",
		``:                                    "Prometheus",
	}
	for members, want := range tests {
		if got := opened(t, strings.Replace(webhook(item), "{", "{"+members, 1), alert.Metrics).MonitoringTool; got != want {
			t.Errorf("with %s the tool is %q, want %q", members, got, want)
		}
	}
}

func TestRunbooks(t *testing.T) {
	tests := []struct{ members, want string }{
		{`"runbook":"a","runbook_url":"b"`, "a"},
		{`"runbook":" ","runbook_url":"b"`, "b"},
		{`"runbook_url":"https://x.example/` + strings.Repeat("x", 2048) + `"`, ""},
		{`"runbookURL":"b"`, ""},
	}
	for _, test := range tests {
		plain := only(t, `{`+test.members+`}`, reading(alert.Plain))
		metrics := only(t, webhook(`{"annotations":{"title":"T",`+test.members+`},"startsAt":""}`), reading(alert.Metrics))
		if plain.Runbook != test.want || metrics.Runbook != test.want {
			t.Errorf("the runbook of %.60s is %q in a plain payload and %q as an annotation, want %q", test.members, plain.Runbook, metrics.Runbook, test.want)
		}
	}
}
