package integration_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
)

// settingsStore keeps the settings. Other changes come before the first ones of it.
type settingsStore struct {
	*store
	settings integration.Settings
	others   int
	puts     int
}

func (s *settingsStore) AlertSettings(context.Context, project.Project) (integration.Settings, error) {
	return s.settings, nil
}

func (s *settingsStore) PutAlertSettings(_ context.Context, _ project.Project, next integration.Settings) (integration.Settings, error) {
	s.puts++
	if s.puts <= s.others {
		s.settings.Version++
		s.settings.IncidentTemplate += "x"
	}
	if next.Version != s.settings.Version {
		return integration.Settings{}, integration.ErrSettingsChanged
	}
	next.Version++
	s.settings = next
	return next, nil
}

func newSettings(t *testing.T) (*integration.Rules, *settingsStore) {
	t.Helper()
	s := &settingsStore{store: &store{}, settings: integration.DefaultSettings(web.ID)}
	return integration.NewRules(s, s.trail(), secret.Keys{}, integration.AllFeatures, time.Now), s
}

var boss = audit.Actor{ID: 1, UserID: 1}

func ptr[T any](v T) *T { return &v }

func TestSettingsChangeOneByOne(t *testing.T) {
	r, s := newSettings(t)
	want := integration.DefaultSettings(web.ID)
	if want.Tells() {
		t.Error("nobody asked to be told of alerts, and is")
	}
	days := int64(30)
	for i, step := range []struct {
		change  integration.SettingsChange
		want    func(*integration.Settings)
		changed string // empty: nothing
		tells   bool
	}{
		{integration.SettingsChange{}, nil, "", false},
		{integration.SettingsChange{Fingerprinting: ptr(true), RetentionDays: ptr[*int64](nil)}, nil, "", false},
		{integration.SettingsChange{Fingerprinting: ptr(false)}, func(s *integration.Settings) { s.Fingerprinting = false }, "fingerprints", false},
		{integration.SettingsChange{AutoCloseIncident: ptr(false), IncidentTemplate: ptr("# What to do")}, func(s *integration.Settings) {
			s.AutoCloseIncident, s.IncidentTemplate = false, "# What to do"
		}, "incident template, closing of incidents", false},
		{integration.SettingsChange{RetentionDays: ptr(&days)}, func(s *integration.Settings) { s.RetentionDays = &days }, "retention", false},
		{integration.SettingsChange{RetentionDays: ptr(ptr(int64(30)))}, nil, "", false},
		{integration.SettingsChange{RetentionDays: ptr(ptr(int64(0)))}, func(s *integration.Settings) { s.RetentionDays = ptr(int64(0)) }, "retention", false},
		{integration.SettingsChange{RetentionDays: ptr[*int64](nil)}, func(s *integration.Settings) { s.RetentionDays = nil }, "retention", false},
		{integration.SettingsChange{CreateIncident: ptr(true)}, func(s *integration.Settings) { s.CreateIncident = true }, "incidents", true},
		{integration.SettingsChange{SendEmail: ptr(true), CreateIncident: ptr(false)}, func(s *integration.Settings) {
			s.SendEmail, s.CreateIncident = true, false
		}, "incidents, mails", true},
	} {
		puts := s.puts
		s.last = audit.Event{}
		if step.want != nil {
			step.want(&want)
			want.Version++
			puts++
		}
		got, err := r.ChangeSettings(t.Context(), boss, web, step.change)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("change %d: %v (-want +got):\n%s", i, err, diff)
		}
		if changed := s.last.Details["changed"]; changed != step.changed || s.puts != puts {
			t.Errorf("change %d was noted as one of %q after %d writes, want %q after %d", i, changed, s.puts, step.changed, puts)
		}
		if got.Tells() != step.tells {
			t.Errorf("after change %d somebody is told: %t, want %t", i, got.Tells(), step.tells)
		}
	}
}

func TestSettingsThatAreNoGood(t *testing.T) {
	r, s := newSettings(t)
	for name, test := range map[string]struct {
		change integration.SettingsChange
		want   fault.Fields
	}{
		"too many days": {integration.SettingsChange{RetentionDays: ptr(ptr(int64(3651)))}, fault.Fields{"retention_days": {"must be between 0 and 3650"}}},
		"negative days": {integration.SettingsChange{RetentionDays: ptr(ptr(int64(-1)))}, fault.Fields{"retention_days": {"must be between 0 and 3650"}}},
		"a long template": {integration.SettingsChange{IncidentTemplate: ptr(strings.Repeat("ä", 10_001)), CreateIncident: ptr(true)},
			fault.Fields{"incident_template": {"is too long (maximum is 10000 characters)"}}},
	} {
		_, err := r.ChangeSettings(t.Context(), boss, web, test.change)
		apptest.WantComplaints(t, name, err, test.want)
	}
	if s.puts != 0 {
		t.Errorf("%d writes, want none", s.puts)
	}
	for _, days := range []int64{1, 3650} {
		if _, err := r.ChangeSettings(t.Context(), boss, web, integration.SettingsChange{
			RetentionDays: ptr(&days), IncidentTemplate: ptr(strings.Repeat("ä", 10_000)),
		}); err != nil {
			t.Errorf("the settings with %d days: %v", days, err)
		}
	}
}

// Changes of different settings at the same time must all survive.
func TestSettingsAreChangedBesideOthers(t *testing.T) {
	for _, others := range []int{0, 1, 9, 10} {
		r, s := newSettings(t)
		s.others = others
		got, err := r.ChangeSettings(t.Context(), boss, web, integration.SettingsChange{SendEmail: ptr(true)})
		if others == 10 {
			if !errors.Is(err, integration.ErrSettingsChanged) {
				t.Errorf("after %d other changes: %v, want %v", others, err, integration.ErrSettingsChanged)
			}
			continue
		}
		if err != nil || !got.SendEmail || got.IncidentTemplate != strings.Repeat("x", others) {
			t.Errorf("after %d other changes the settings are %+v, %v, want both", others, got, err)
		}
	}
}

func TestWatch(t *testing.T) {
	r, s := newSettings(t)
	s.others = 1
	for range 2 {
		if err := r.Watch(t.Context(), web); err != nil {
			t.Fatal(err)
		}
		if policy, err := r.AlertPolicy(t.Context(), web); err != nil || !policy.Tells {
			t.Errorf("AlertPolicy of a watched project = %+v, %v", policy, err)
		}
	}
	if s.puts != 2 || s.settings.IncidentTemplate != "x" {
		t.Errorf("%d writes, want 2: the second Watch has nothing to do; the settings are %+v", s.puts, s.settings)
	}
}

func TestHowLongAProjectKeepsAlerts(t *testing.T) {
	tests := []struct {
		own  *int64
		most int
		want int
	}{
		{nil, 400, 400}, {ptr(int64(0)), 400, 400}, {ptr(int64(30)), 400, 30}, {ptr(int64(400)), 400, 400}, {ptr(int64(3650)), 400, 400},
		{nil, 0, 0}, {ptr(int64(0)), 0, 0}, {ptr(int64(30)), 0, 30},
	}
	for _, test := range tests {
		if got := (integration.Settings{RetentionDays: test.own}).KeptDays(test.most); got != test.want {
			t.Errorf("KeptDays(%d) with own days %v = %d, want %d", test.most, test.own, got, test.want)
		}
	}
}
