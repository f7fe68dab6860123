package alert_test

import (
	"testing"
	"time"

	"gatehouse/shared/alert"
)

func TestWhenAnAlertExpires(t *testing.T) {
	at := time.Date(2026, 2, 27, 23, 59, 59, 999_999_000, time.FixedZone("", -2*60*60)) // the 28th in UTC
	midnight := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC) }
	open := alert.Alert{Status: alert.Acknowledged, Version: 1}
	resolved := open.Changed(alert.Change{Status: status(alert.Resolved), At: at, KeptDays: 30})
	leftover := resolved // as a release without this opens it again
	leftover.Status = alert.Triggered
	tests := map[string]struct {
		alert  alert.Alert
		change alert.Change
		want   time.Time
	}{
		"a day later":              {open, alert.Change{Status: status(alert.Resolved), At: at, KeptDays: 1}, midnight(time.March, 2)},
		"a month later":            {open, alert.Change{Status: status(alert.Resolved), At: at, KeptDays: 30}, midnight(time.March, 31)},
		"never":                    {open, alert.Change{Status: status(alert.Resolved), At: at}, time.Time{}},
		"by the change":            {open, alert.Change{Status: status(alert.Resolved), EndedAt: at.AddDate(-1, 0, 0), At: at, KeptDays: 1}, midnight(time.March, 2)},
		"ignored":                  {open, alert.Change{Status: status(alert.Ignored), At: at, KeptDays: 1}, time.Time{}},
		"resolved again":           {resolved, alert.Change{Status: status(alert.Resolved), At: at, KeptDays: 1}, resolved.ExpiresAt},
		"assigned":                 {resolved, alert.Change{AssigneeID: user(3), At: at, KeptDays: 1}, resolved.ExpiresAt},
		"opened again":             {resolved, alert.Change{Status: status(alert.Triggered), At: at, KeptDays: 1}, time.Time{}},
		"ignored later":            {resolved, alert.Change{Status: status(alert.Ignored), At: at, KeptDays: 1}, time.Time{}},
		"opened by an old release": {leftover, alert.Change{AssigneeID: user(3), At: at}, time.Time{}},
	}
	for name, test := range tests {
		if got := test.alert.Changed(test.change).ExpiresAt; !got.Equal(test.want) {
			t.Errorf("%s: it expires at %v, want %v", name, got, test.want)
		}
	}
	end := resolved.ExpiresAt
	for _, test := range []struct {
		alert alert.Alert
		now   time.Time
		want  bool
	}{
		{resolved, end.Add(-time.Microsecond), false}, {resolved, end, true}, {leftover, end, false}, {open, end.AddDate(99, 0, 0), false},
	} {
		if got := test.alert.Expired(test.now); got != test.want {
			t.Errorf("Expired of an alert that is %s, at %v = %t, want %t", test.alert.Status, test.now, got, test.want)
		}
	}
}

func TestARecoverySaysForHowLongTheAlertIsKept(t *testing.T) {
	o := alert.Occurrence{Recovery: true, EndedAt: now, KeptDays: 7}
	if got := o.Resolution(now).KeptDays; got != 7 {
		t.Errorf("the alert is kept for %d days, want 7", got)
	}
}

func TestTheProjectSaysForHowLongAnAlertIsKept(t *testing.T) {
	r := alert.NewRules(&store{all: four}, nil, policies{web.ID: {KeptDays: 2}}, func() time.Time { return day })
	was, err := r.Current(t.Context(), web, four[0].IID)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Change(t.Context(), ben, web, was, alert.Change{Status: status(alert.Resolved), KeptDays: 99})
	if want := day.AddDate(0, 0, 3); err != nil || !got.ExpiresAt.Equal(want) {
		t.Errorf("Change: it expires at %v, %v, want %v", got.ExpiresAt, err, want)
	}
}
