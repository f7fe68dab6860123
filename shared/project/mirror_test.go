package project_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/project"
)

func TestMirrorsAreShownMasked(t *testing.T) {
	for shown, m := range map[string]project.Mirror{
		"":                                 {},
		"https://git.example/@a":           {URL: "https://git.example/@a"},
		"ssh://*****@git.example/a://b":    {URL: "ssh://git.example/a://b", Mask: "*****"},
		"https://*****:*****@git.example/": {URL: "https://git.example/", Mask: "*****:*****"},
	} {
		if got := m.ShownURL(); got != shown {
			t.Errorf("%+v is shown as %s, want %s", m, got, shown)
		}
	}
}

func TestMirrorsAreStored(t *testing.T) {
	for _, m := range []project.Mirror{
		{}, {ProtectedOnly: new(false)}, {Enabled: true, URL: "https://git.example/<a>&b", Mask: "*****", Sealed: "c2VhbGVk", BranchRegex: "a<b"},
		{TriggerBuilds: true, ProtectedOnly: new(true), OverwritesDiverged: true},
	} {
		want := project.ProjectSettings{Mirror: m}
		got, err := project.DecodeSettings[project.ProjectSettings](project.EncodeSettings(want))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("the settings are %v, and differ (-want +got):\n%s", err, diff)
		}
	}
	const want = `{"mirror":{"url":"https://git.example/&","branch_regex":"<\"\\>"}}`
	if text := project.EncodeSettings(project.ProjectSettings{Mirror: project.Mirror{URL: "https://git.example/&", BranchRegex: `<"\>`}}); text != want {
		t.Errorf("EncodeSettings = %s, want %s", text, want)
	}
	// As releases before stored it.
	old, err := project.DecodeSettings[project.ProjectSettings](`{"mirror":{"url":"https://git.example/\u0026"}}`)
	if err != nil || old.Mirror.URL != "https://git.example/&" {
		t.Errorf("DecodeSettings = %+v, %v", old, err)
	}
	if text := project.EncodeSettings(project.ProjectSettings{}); text != "" {
		t.Errorf("a project without a mirror stores %s", text)
	}
}
