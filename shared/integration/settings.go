package integration

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
)

// Settings are a project's rules for alerts.
type Settings struct {
	ProjectID int64
	// Fingerprinting derives the fingerprint from the whole payload if that has
	// none (generic_alert_fingerprinting).
	Fingerprinting bool

	CreateIncident    bool   // for each alert that is opened
	IncidentTemplate  string // markdown at the end of those incidents
	AutoCloseIncident bool   // when all of its alerts are resolved
	SendEmail         bool   // to Maintainers and above, for each alert that is opened
	// RetentionDays is for how many days resolved alerts and closed incidents are kept;
	// nil and zero: as long as the instance keeps them, which is the longest.
	RetentionDays *int64

	// Watched means that the project has or had a webhook or an escalation policy.
	Watched bool
	Version int64 // counts the changes; zero: never changed
}

// DefaultSettings returns the settings of a project that never changed them.
func DefaultSettings(projectID int64) Settings {
	return Settings{ProjectID: projectID, Fingerprinting: true, AutoCloseIncident: true}
}

// Tells reports whether somebody wants to be told of the project's alerts.
func (s Settings) Tells() bool { return s.CreateIncident || s.SendEmail || s.Watched }

// KeptDays returns for how many days resolved alerts and closed incidents are kept, on an
// instance that keeps them for so many at most; zero: for ever.
func (s Settings) KeptDays(most int) int {
	switch {
	case s.RetentionDays == nil || *s.RetentionDays == 0:
		return most
	case most == 0:
		return int(*s.RetentionDays)
	default:
		return min(most, int(*s.RetentionDays))
	}
}

// SettingsChange is a change of settings; nil leaves a field as it is.
type SettingsChange struct {
	Fingerprinting    *bool
	CreateIncident    *bool
	IncidentTemplate  *string
	AutoCloseIncident *bool
	SendEmail         *bool
	RetentionDays     **int64
}

func (c SettingsChange) apply(s Settings) Settings {
	set(&s.Fingerprinting, c.Fingerprinting)
	set(&s.CreateIncident, c.CreateIncident)
	set(&s.IncidentTemplate, c.IncidentTemplate)
	set(&s.AutoCloseIncident, c.AutoCloseIncident)
	set(&s.SendEmail, c.SendEmail)
	set(&s.RetentionDays, c.RetentionDays)
	return s
}

// maxTemplate is the most characters of an incident template.
const maxTemplate = 10_000

// MaxRetention is the most days for which alerts and incidents can be kept, other than for
// ever.
const MaxRetention = 3650

// check returns the complaints about the settings as fault.Fields.
func (s Settings) check() error {
	complaints := fault.Fields{}
	if utf8.RuneCountInString(s.IncidentTemplate) > maxTemplate {
		complaints.Add("incident_template", "is too long (maximum is 10000 characters)")
	}
	if days := s.RetentionDays; days != nil && (*days < 0 || *days > MaxRetention) {
		complaints.Add("retention_days", "must be between 0 and 3650")
	}
	return complaints.Err()
}

// changedFields lists what differs from the former settings.
func (s Settings) changedFields(was Settings) (names []string) {
	for _, field := range []struct {
		changed bool
		name    string
	}{
		{s.Fingerprinting != was.Fingerprinting, "fingerprints"},
		{s.CreateIncident != was.CreateIncident, "incidents"},
		{s.IncidentTemplate != was.IncidentTemplate, "incident template"},
		{s.AutoCloseIncident != was.AutoCloseIncident, "closing of incidents"},
		{s.SendEmail != was.SendEmail, "mails"},
		{!equal(s.RetentionDays, was.RetentionDays), "retention"},
	} {
		if field.changed {
			names = append(names, field.name)
		}
	}
	return names
}

func equal(a, b *int64) bool { return a == b || a != nil && b != nil && *a == *b }

// changeEvent returns the event about a change to these settings.
func (s Settings) changeEvent(was Settings, p project.Project, by audit.Actor) audit.Event {
	d := audit.Details{
		"in": p.Where(), "changed": strings.Join(s.changedFields(was), ", "), "fingerprints": "given ones alone",
	}
	if s.Fingerprinting {
		d["fingerprints"] = "made where none is given"
	}
	return by.Event(EventAlertSettingsChanged, d).In(p.ID)
}

// ChangeSettings changes the project's rules for alerts. Mistakes are fault.Fields. A
// change without effect writes nothing.
func (r *Rules) ChangeSettings(ctx context.Context, by audit.Actor, p project.Project, c SettingsChange) (Settings, error) {
	was, err := r.AlertSettings(ctx, p)
	if err != nil {
		return Settings{}, err
	}
	next := c.apply(was)
	if err := next.check(); err != nil || len(next.changedFields(was)) == 0 {
		return next, err
	}
	err = r.trail.Do(ctx, next.changeEvent(was, p, by), func(ctx context.Context) (err error) {
		next, err = r.putSettings(ctx, p, was, c.apply)
		return err
	})
	return next, err
}

// maxSettingsAttempts is how often a change of settings is tried while others change
// them at the same time.
const maxSettingsAttempts = 10

// putSettings stores the settings after the change, which applies to whatever they
// are by then.
func (r *Rules) putSettings(ctx context.Context, p project.Project, was Settings, change func(Settings) Settings) (Settings, error) {
	for n := 1; ; n++ {
		next, err := r.store.PutAlertSettings(ctx, p, change(was))
		if !errors.Is(err, ErrSettingsChanged) || n == maxSettingsAttempts {
			return next, err
		}
		if was, err = r.AlertSettings(ctx, p); err != nil {
			return Settings{}, err
		}
	}
}

// Watch has the project's alerts tell of themselves from now on. It is called before
// the first webhook or escalation policy of the project is stored, and costs a read
// when it was called before.
func (r *Rules) Watch(ctx context.Context, p project.Project) error {
	s, err := r.AlertSettings(ctx, p)
	if err != nil || s.Watched {
		return err
	}
	_, err = r.putSettings(ctx, p, s, func(s Settings) Settings {
		s.Watched = true
		return s
	})
	return err
}

// AlertPolicy returns what the settings say about the project's alerts.
func (r *Rules) AlertPolicy(ctx context.Context, p project.Project) (alert.Policy, error) {
	s, err := r.AlertSettings(ctx, p)
	return alert.Policy{Tells: s.Tells(), KeptDays: s.KeptDays(r.Features.KeptDays)}, err
}
