package monitorapi_test

import (
	"strings"
	"testing"
)

// defaultSettings are the settings of a new project but for these members and values.
func defaultSettings(others ...any) object {
	all := object{
		"generic_alert_fingerprinting": true, "create_incident": false, "incident_template": "", "auto_close_incident": true,
		"send_email": false, "retention_days": nil,
	}
	for n := 0; n < len(others); n += 2 {
		all[others[n].(string)] = others[n+1]
	}
	return all
}

func TestEachAlertSettingIsSetAlone(t *testing.T) {
	s := arrange(t)
	want := defaultSettings()
	for _, sent := range []object{
		{}, {"create_incident": true}, {"incident_template": "# What to do\n\n1. Look."}, {"auto_close_incident": false}, {"send_email": true},
		{"retention_days": 30.0}, {"retention_days": 0.0}, {"retention_days": 3650.0}, {"retention_days": nil, "send_email": false},
	} {
		for member, value := range sent {
			if _, known := want[member]; known {
				want[member] = value
			}
		}
		s.Call(t, "PUT", settings, sent).Want(t, 200, want)
		s.Call(t, "GET", settings, nil).Want(t, 200, want)
	}
	s.Call(t, "PUT", settings, object{"incident_template": nil, "auto_close_incident": nil}).
		Want(t, 200, defaultSettings("create_incident", true, "auto_close_incident", false))
}

func TestAlertSettingsThatAreNoGood(t *testing.T) {
	s := arrange(t)
	days, long := list{"must be between 0 and 3650"}, list{"is too long (maximum is 10000 characters)"}
	for _, test := range []struct{ sent, want object }{
		{object{"retention_days": -1}, object{"retention_days": days}},
		{object{"retention_days": 3651, "send_email": true}, object{"retention_days": days}},
		{object{"incident_template": strings.Repeat("x", 10_001), "retention_days": 3651}, object{"incident_template": long, "retention_days": days}},
	} {
		s.Call(t, "PUT", settings, test.sent).WantMessage(t, 400, test.want)
	}
	s.Call(t, "GET", settings, nil).Want(t, 200, defaultSettings())
}

// That a project has webhooks is not among the settings, and no change ends it.
func TestWatchingIsNoSetting(t *testing.T) {
	s := arrange(t)
	if err := s.Integrations.Watch(t.Context(), s.P); err != nil {
		t.Fatal(err)
	}
	s.Call(t, "PUT", settings, object{"send_email": true}).Want(t, 200, defaultSettings("send_email", true))
	s.Call(t, "PUT", settings, object{"send_email": false}).Want(t, 200, defaultSettings())
	if policy, err := s.Integrations.AlertPolicy(t.Context(), s.P); err != nil || !policy.Tells {
		t.Errorf("AlertPolicy = %+v, %v, want Tells to stay", policy, err)
	}
}
