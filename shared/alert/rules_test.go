package alert_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
)

var (
	ben = audit.Actor{ID: 8, UserID: 9} // an administrator acts as ben
	web = project.Project{ID: 1, FullPath: "acme/web"}
)

func TestAChangeIsTriedAgain(t *testing.T) {
	now := after(5)
	resolved := alert.Resolved
	for disturbs := range 4 {
		s := &store{all: four, disturbs: disturbs}
		r := alert.NewRules(s, nil, nil, func() time.Time { return now })
		got, err := r.Change(t.Context(), ben, web, alert.Current{Alert: four[0]}, alert.Change{Status: &resolved})
		if disturbs < 3 && (err != nil || got.Status != alert.Resolved || !got.EndedAt.Equal(now) || got.Activity[0].ActorID != ben.UserID) {
			t.Errorf("disturbed %d times Change gave %+v, %v", disturbs, got, err)
		}
		if disturbs == 3 && !fault.Is(err, fault.Conflict) {
			t.Errorf("disturbed %d times Change gave %v, want fault.Conflict", disturbs, err)
		}
		if tries := min(disturbs+1, 3); s.changes != tries {
			t.Errorf("disturbed %d times Change tried %d times, want %d", disturbs, s.changes, tries)
		}
		if again := min(disturbs, 2); s.reads != again {
			t.Errorf("disturbed %d times Change read the alert %d times, want %d", disturbs, s.reads, again)
		}
	}
	gone := alert.NewRules(&store{all: four, disturbs: 1}, nil, nil, time.Now)
	if _, err := gone.Change(t.Context(), ben, web, alert.Current{Alert: alert.Alert{ProjectID: 1, IID: 5}}, alert.Change{Status: &resolved}); !fault.Is(err, fault.NotFound) {
		t.Errorf("Change of an alert that was deleted in between gave %v, want fault.NotFound", err)
	}
}

// A change decided on an old state must not apply to another one.
func TestAChangeOfWhatWasSeen(t *testing.T) {
	acknowledged, resolved := alert.Acknowledged, alert.Resolved
	seen := alert.Alert{ProjectID: 1, IID: 9, Status: alert.Triggered, Version: 1}
	since := seen.Changed(alert.Change{Status: &resolved})
	tests := map[string]struct {
		read     alert.Alert
		disturbs int
		change   alert.Change
		want     error
	}{
		"as it was seen":          {seen, 0, alert.Change{Status: &acknowledged, Seen: 1}, nil},
		"changed since":           {since, 0, alert.Change{Status: &acknowledged, Seen: 1}, alert.ErrChanged},
		"changed at that moment":  {seen, 1, alert.Change{Status: &acknowledged, Seen: 1}, alert.ErrChanged},
		"the same was done since": {since, 0, alert.Change{Status: &resolved, Seen: 1}, nil},
		"whatever it is":          {since, 0, alert.Change{Status: &acknowledged}, nil},
	}
	for name, test := range tests {
		r := alert.NewRules(&store{all: []alert.Alert{since}, disturbs: test.disturbs}, nil, nil, time.Now)
		if _, err := r.Change(t.Context(), ben, web, alert.Current{Alert: test.read}, test.change); !errors.Is(err, test.want) {
			t.Errorf("Change of an alert %s gave %v, want %v", name, err, test.want)
		}
	}
}

// members are users with their roles in web.
type members map[int64]project.Role

var errMembersDown = errors.New("no answer")

func (m members) RoleIn(_ context.Context, p project.Project, userID int64) (project.Role, error) {
	if role, ok := m[userID]; ok && p.ID == web.ID {
		return role, nil
	}
	return project.NoRole, errMembersDown
}

func TestAnAlertTakesOnlyItsStatuses(t *testing.T) {
	s := &store{all: four}
	unknown := alert.Status("nonsense")
	_, err := alert.NewRules(s, nil, nil, time.Now).Change(t.Context(), ben, web, alert.Current{Alert: four[0]}, alert.Change{Status: &unknown})
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("Change = %v, want it refused", err)
	}
}

func TestWhoCanBeAssigned(t *testing.T) {
	known := members{2: project.NoRole, 3: project.Reporter, 4: project.Developer, 5: project.Owner}
	tests := map[string]struct {
		user    int64
		want    error
		changes int
	}{
		"nobody":                             {0, nil, 1},
		"a user without a role":              {2, fault.Invalid, 0},
		"a reporter":                         {3, fault.Invalid, 0},
		"a developer":                        {4, nil, 1},
		"an owner":                           {5, nil, 1},
		"a user with a role nobody can tell": {6, errMembersDown, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &store{all: four}
			r := alert.NewRules(s, known, nil, time.Now)
			before := four[0]
			before.AssigneeID = 1
			got, err := r.Change(t.Context(), ben, web, alert.Current{Alert: before}, alert.Change{AssigneeID: &test.user})
			if !errors.Is(err, test.want) || s.changes != test.changes {
				t.Errorf("Change gave %v after %d writes, want %v after %d", err, s.changes, test.want, test.changes)
			}
			var fields fault.Fields
			if errors.As(err, &fields) && len(fields["assignee_id"]) != 1 {
				t.Errorf("Change gave %v, want a complaint about assignee_id", err)
			}
			if err == nil && (got.AssigneeID != test.user || got.Activity[0].ActorID != ben.UserID) {
				t.Errorf("the alert is %+v, want it assigned to %d by %d", got, test.user, ben.UserID)
			}
		})
	}
}

func TestHowLongAnAlertCanBeSilenced(t *testing.T) {
	now := after(5)
	tests := map[string]struct {
		until   time.Time
		allowed bool
	}{
		"for no time":      {now, false},
		"until a time ago": {now.Add(-time.Hour), false},
		"for a moment":     {now.Add(time.Microsecond), true},
		"for 30 days":      {now.AddDate(0, 0, 30), true},
		"for longer":       {now.AddDate(0, 0, 30).Add(time.Microsecond), false},
		"no longer":        {time.Time{}, true},
	}
	for name, test := range tests {
		s := &store{all: four}
		r := alert.NewRules(s, nil, nil, func() time.Time { return now })
		before := four[0]
		before.SilencedUntil = now.Add(time.Minute)
		got, err := r.Change(t.Context(), ben, web, alert.Current{Alert: before}, alert.Change{SilencedUntil: &test.until})
		if test.allowed && (err != nil || !got.SilencedUntil.Equal(test.until) || s.changes != 1) {
			t.Errorf("silenced %s, the alert is %+v, %v after %d writes", name, got, err, s.changes)
		}
		var fields fault.Fields
		if !test.allowed && (!errors.As(err, &fields) || len(fields["silenced_until"]) != 1 || s.changes != 0) {
			t.Errorf("silenced %s, Change gave %v after %d writes, want a complaint and none", name, err, s.changes)
		}
	}
}

// policies are those of projects.
type policies map[int64]alert.Policy

func (of policies) AlertPolicy(_ context.Context, p project.Project) (alert.Policy, error) {
	return of[p.ID], nil
}

func TestWhoIsToldOfAChange(t *testing.T) {
	alone := four[0]
	linked := alone
	linked.IID, linked.IncidentIID = 9, 3
	tests := map[string]struct {
		iid    int64
		tells  bool
		change alert.Change
		want   bool
	}{
		"nobody":                    {alone.IID, false, alert.Change{Status: status(alert.Resolved)}, false},
		"nobody, whatever is asked": {alone.IID, false, alert.Change{Status: status(alert.Resolved), Tell: true}, false},
		"the project's listeners":   {alone.IID, true, alert.Change{Status: status(alert.Resolved)}, true},
		"its incident":              {linked.IID, false, alert.Change{Status: status(alert.Resolved)}, true},
		"its new incident":          {alone.IID, false, alert.Change{IncidentIID: user(3)}, true},
		"its former incident":       {linked.IID, false, alert.Change{IncidentIID: user(0)}, true},
	}
	for name, test := range tests {
		s := &store{all: []alert.Alert{alone, linked}}
		r := alert.NewRules(s, nil, policies{web.ID: {Tells: test.tells}}, time.Now)
		current, err := r.Current(t.Context(), web, test.iid)
		if err == nil {
			_, err = r.Change(t.Context(), ben, web, current, test.change)
		}
		if err != nil || s.told != test.want {
			t.Errorf("%s: told %t, %v, want %t", name, s.told, err, test.want)
		}
	}
	if _, err := alert.NewRules(&store{}, nil, policies{}, time.Now).Current(t.Context(), web, 1); !fault.Is(err, fault.NotFound) {
		t.Errorf("Current of an alert that is not there: %v, want fault.NotFound", err)
	}
}
