package preset_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/preset"
)

// tools are the presets that the interface names. One more is a line here and in
// functions/monitor/README.md.
var tools = []string{
	"azure_monitor", "cloudwatch_sns", "curl", "datadog", "google_cloud_monitoring", "grafana", "healthchecks", "icinga", "nagios",
	"netdata", "new_relic", "opsgenie", "pagerduty_v2", "pingdom", "sentry", "statuspage", "uptime_kuma", "zabbix",
}

func TestEveryToolHasItsPreset(t *testing.T) {
	var ids []string
	for _, p := range preset.All() {
		ids = append(ids, p.ID)
	}
	slices.Sort(ids)
	if !slices.Equal(ids, tools) {
		t.Errorf("the presets are %v, want %v", ids, tools)
	}
}

// cited is an address or a file of a repository, with what follows it.
var cited = regexp.MustCompile(`^(https://|github\.com/|functions/)[^ ,]+`)

func TestEverySampleIsWhole(t *testing.T) {
	for _, p := range preset.All() {
		names := map[string]bool{}
		for _, s := range p.Samples {
			if !cited.MatchString(s.Source) {
				t.Errorf("%s, %s: the source %q is neither an address nor a file of a repository", p.ID, s.Name, s.Source)
			}
			if s.Name == "" || names[s.Name] {
				t.Errorf("%s has a sample without a name or two named %q", p.ID, s.Name)
			}
			names[s.Name] = true
			var object map[string]any
			if err := json.Unmarshal(s.Payload, &object); err != nil || len(object) == 0 {
				t.Errorf("%s, %s: the payload is no object: %v", p.ID, s.Name, err)
			}
			if !slices.Contains(preset.Effects, s.Does) {
				t.Errorf("%s, %s does %q, which is no effect", p.ID, s.Name, s.Does)
			}
		}
		for _, name := range []string{"firing", "repeat", "recovery"} {
			if !names[name] {
				t.Errorf("%s has no sample named %q", p.ID, name)
			}
		}
	}
}

// Whatever a tool is set up with, the address and the key have their places in it.
func TestEverySetupNamesAddressAndKey(t *testing.T) {
	for _, p := range preset.All() {
		in := preset.Address{URL: "https://alerts.example/a", Key: "the-key", WithKey: "https://alerts.example/a?the-key"}.Into(strings.Join(p.Setup, "\n") + p.Snippet)
		if !strings.Contains(in, "https://alerts.example/a") || !strings.Contains(in, "the-key") || strings.Contains(in, "GATEHOUSE_") {
			t.Errorf("%s is set up without address or key:\n%s", p.ID, in)
		}
		if p.Name == "" || len(p.Setup) == 0 || p.Snippet == "" {
			t.Errorf("%s lacks a name, a setup or a snippet", p.ID)
		}
	}
}

func TestFillCompletesADraft(t *testing.T) {
	zabbix, _ := preset.Find("zabbix")
	own := []byte(`{"title":{"path":["x"],"type":"STRING"}}`)
	tests := map[string]struct {
		draft integration.Draft
		want  integration.Draft
		wrong string // the field of the complaint
	}{
		"none":           {integration.Draft{Name: "a"}, integration.Draft{Name: "a"}, ""},
		"alone":          {integration.Draft{Preset: "zabbix"}, integration.Draft{Preset: "zabbix", Name: "Zabbix", Type: integration.HTTP, Mapping: zabbix.Mapping, NoAPIURL: true}, ""},
		"beside its own": {integration.Draft{Preset: "zabbix", Name: "z", Mapping: own}, integration.Draft{Preset: "zabbix", Name: "z", Type: integration.HTTP, Mapping: own, NoAPIURL: true}, ""},
		"its type":       {integration.Draft{Preset: "grafana", Type: integration.Metrics, Mapping: own}, integration.Draft{Preset: "grafana", Name: "Grafana", Type: integration.Metrics, Mapping: own, NoAPIURL: true}, ""},
		"unknown":        {integration.Draft{Preset: "nothing"}, integration.Draft{}, "preset"},
		"another type":   {integration.Draft{Preset: "zabbix", Type: integration.Metrics}, integration.Draft{}, "type"},
	}
	for name, test := range tests {
		got, err := preset.Fill(test.draft)
		var wrong fault.Fields
		if errors.As(err, &wrong); (len(wrong[test.wrong]) > 0) != (test.wrong != "") || (err != nil) != (test.wrong != "") {
			t.Errorf("%s: Fill = %v, want a complaint about %q", name, err, test.wrong)
			continue
		}
		if err == nil && (got.Name != test.want.Name || got.Type != test.want.Type || got.NoAPIURL != test.want.NoAPIURL || string(got.Mapping) != string(test.want.Mapping)) {
			t.Errorf("%s: Fill = %+v, want %+v", name, got, test.want)
		}
	}
}
