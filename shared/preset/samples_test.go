package preset_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/intake"
	"gatehouse/shared/integration"
	"gatehouse/shared/page"
	"gatehouse/shared/preset"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
)

// site is a project to which tools send.
type site struct {
	*apptest.App
	project project.Project
}

func newSite(t *testing.T, a *apptest.App) *site {
	t.Helper()
	s := &site{a, a.Project("web", a.Group("acme", project.Group{}, a.User("ada"), project.Private), project.Private)}
	if _, err := a.Projects.AddEnvironment(t.Context(), audit.Setup, s.project, "production"); err != nil {
		t.Fatal(err)
	}
	return s
}

// integration makes an integration from the preset.
func (s *site) integration(t *testing.T, p preset.Preset) integration.Integration {
	t.Helper()
	draft, err := preset.Fill(integration.Draft{Preset: p.ID, Active: true})
	if err != nil {
		t.Fatal(err)
	}
	i, err := s.Integrations.Create(t.Context(), audit.Setup, s.project, draft)
	if err != nil {
		t.Fatalf("%s: %v", p.ID, err)
	}
	return i
}

// send delivers the sample as the tool would.
func (s *site) send(t *testing.T, i integration.Integration, sample preset.Sample) []alert.Recorded {
	t.Helper()
	key, err := s.Integrations.Key(i)
	if err != nil {
		t.Fatal(err)
	}
	touched, err := s.Intake.Deliver(t.Context(), intake.Delivery{Project: s.project.FullPath, Endpoint: i.Endpoint, Key: key, Body: sample.Payload})
	if err != nil {
		t.Errorf("%s, %s is refused: %v", i.Preset, sample.Name, err)
	}
	return touched
}

// alerts returns the project's alerts by their numbers.
func (s *site) alerts(t *testing.T) map[int64]alert.Alert {
	t.Helper()
	found, err := s.Store.Alerts(t.Context(), s.project.ID, alert.Query{Descending: true}, page.Request{Number: 1, Size: 1000}, s.Now())
	if err != nil {
		t.Fatal(err)
	}
	all := map[int64]alert.Alert{}
	for _, one := range found.Items {
		all[one.IID] = one
	}
	return all
}

// effect returns what the sample did, and to which alert; "" if it is no effect.
func effect(before, after map[int64]alert.Alert) (preset.Effect, alert.Alert) {
	var changed []int64
	for iid, now := range after {
		if was := before[iid]; was.Events != now.Events || was.Status != now.Status {
			changed = append(changed, iid)
		}
	}
	if len(changed) == 0 {
		return preset.Ignored, alert.Alert{}
	}
	was, now := before[changed[0]], after[changed[0]]
	switch {
	case len(changed) > 1:
	case was.IID == 0 && now.Status == alert.Triggered:
		return preset.Opens, now
	case was.Open() && now.Status == alert.Resolved:
		return preset.Resolves, now
	case was.Status == now.Status && now.Open() && now.Events == was.Events+1:
		return preset.Counts, now
	case was.Status == alert.Triggered && now.Status == alert.Acknowledged:
		return preset.Acknowledges, now
	}
	return "", now
}

// fields are an alert's, by their names in a preset's file.
func fields(a alert.Alert) map[string]any {
	return map[string]any{
		"title": a.Title, "description": a.Description, "severity": string(a.Severity), "service": a.Service, "monitoring_tool": a.MonitoringTool,
		"hosts": a.Hosts, "environment": a.Environment, "started_at": wire(a.StartedAt), "ended_at": wire(a.EndedAt),
	}
}

func wire(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// run sends every sample of the preset and checks what becomes of it.
func (s *site) run(t *testing.T, p preset.Preset) {
	i := s.integration(t, p)
	for _, sample := range p.Samples {
		before := s.alerts(t)
		s.send(t, i, sample)
		did, touched := effect(before, s.alerts(t))
		if did != sample.Does {
			t.Errorf("%s, %s %q, want %q: %+v", p.ID, sample.Name, did, sample.Does, touched)
		}
		wantFields(t, p.ID+", "+sample.Name, sample.Alert, touched)
	}
	s.wantHealth(t, i)
}

// wantFields checks those fields of the alert that the sample tells of.
func wantFields(t *testing.T, what string, text json.RawMessage, a alert.Alert) {
	t.Helper()
	if len(text) == 0 {
		return
	}
	var want map[string]any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	encoded, err := json.Marshal(fields(a))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(encoded, &got); err != nil {
		t.Fatal(err)
	}
	for _, field := range slices.Sorted(maps.Keys(want)) {
		if diff := cmp.Diff(want[field], got[field]); diff != "" {
			t.Errorf("%s: %s differs (-want +got):\n%s", what, field, diff)
		}
	}
}

// wantHealth checks that no sample left anything to complain of.
func (s *site) wantHealth(t *testing.T, i integration.Integration) {
	t.Helper()
	now, err := s.Integrations.Find(t.Context(), s.project, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	if !now.Health.Fine() {
		t.Errorf("%s: the health is %+v, want no complaint", i.Preset, now.Health)
	}
}

func TestEverySampleDoesWhatItSays(t *testing.T) {
	for _, p := range preset.All() {
		t.Run(p.ID, func(t *testing.T) {
			t.Parallel()
			newSite(t, apptest.New(t)).run(t, p)
		})
	}
}

func TestSamplesOnDynamoDB(t *testing.T) {
	s := newSite(t, apptest.Over(t, dynamodbtest.Open(t, dynamodbtest.Options(t, os.Getenv), "../../template.yaml")))
	for _, p := range preset.All() {
		s.run(t, p)
	}
}
