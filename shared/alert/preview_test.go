package alert_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/mapping"
)

func TestAPreviewTellsWhereEverythingComesFrom(t *testing.T) {
	r := reading(alert.Plain)
	r.Mapping = mapping.Mapping{Rules: map[mapping.Target]mapping.Rule{
		mapping.Title:     {Path: mapping.Path{mapping.Name("event"), mapping.Name("name")}},
		mapping.Hosts:     {Path: mapping.Path{mapping.Name("machines"), mapping.Index(-1)}},
		mapping.StartTime: {Path: mapping.Path{mapping.Name("event"), mapping.Name("since")}},
		mapping.Service:   {Path: mapping.Path{mapping.Name("nowhere")}},
	}}
	preview, err := alert.ReadPreview([]byte(`{
		"event": {"name": "Disk full", "since": "2026-11-20", "by": "cron"}, "machines": ["a", "b"],
		"severity": "low", "acme_environment_name": "staging", "runbook": "r", "title": "not this", "more": 1
	}`), r)
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, target := range append(mapping.Targets, "runbook") {
		sources = append(sources, string(target)+"="+preview.Sources[target].String())
	}
	want := []string{
		"title=event.name", "description=", "start_time=event.since", "end_time=", "service=", "monitoring_tool=",
		"hosts=machines[1]", "severity=severity", "fingerprint=", "platform_environment_name=acme_environment_name", "runbook=runbook",
	}
	if diff := cmp.Diff(want, sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	var ignored []string
	for _, field := range preview.Ignored {
		ignored = append(ignored, field.Label)
	}
	if diff := cmp.Diff([]string{"event.by", "machines[0]", "more", "title"}, ignored); diff != "" {
		t.Errorf("ignored (-want +got):\n%s", diff)
	}
	notes := []string{
		"hosts is mapped from a part of the fingerprint, so nothing is grouped; map fingerprint too",
		"start_time is mapped from a part of the fingerprint, so nothing is grouped; map fingerprint too",
	}
	if diff := cmp.Diff(notes, preview.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if got := preview.Occurrences[0][0]; got.Title != "Disk full" || got.Fingerprint == "" {
		t.Errorf("the mapped alert is %+v", got)
	}
}

func TestAPreviewOfTheMetricsFormatIsNotMapped(t *testing.T) {
	preview, err := alert.ReadPreview([]byte(recorded(t, "grafana.json")), reading(alert.Plain))
	if err != nil || preview.Format != alert.Metrics || len(preview.Occurrences) != 2 || preview.Sources != nil || preview.Ignored != nil {
		t.Errorf("preview is %+v, %v", preview, err)
	}
}

func TestAPreviewComplainsLikeTheIntake(t *testing.T) {
	_, want := alert.Parse([]byte(`[]`), reading(alert.Plain))
	if _, err := alert.ReadPreview([]byte(`[]`), reading(alert.Plain)); err == nil || err.Error() != want.Error() {
		t.Errorf("preview of an array: %v, want %v", err, want)
	}
}
