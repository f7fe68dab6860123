package incident

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
)

// The events about incidents.
var (
	EventCreated  = audit.Declare("incident.created", "Incident created")
	EventChanged  = audit.Declare("incident.changed", "Incident changed")
	EventClosed   = audit.Declare("incident.closed", "Incident closed")
	EventReopened = audit.Declare("incident.reopened", "Incident reopened")
	EventLinked   = audit.Declare("incident.alert_linked", "Alert linked to an incident")
	EventUnlinked = audit.Declare("incident.alert_unlinked", "Alert taken out of an incident")
	EventNoted    = audit.Declare("incident.noted", "Note about an incident added")
)

// The reasons why a deed is refused.
var (
	ErrHasIncident   = fault.New(fault.Conflict, "the alert belongs to another incident")
	ErrTooManyAlerts = fault.New(fault.Conflict, "the incident has the most alerts it can have: "+strconv.Itoa(MaxAlerts))
	ErrChanged       = fault.New(fault.Conflict, "the incident was changed in between")
)

// Gatehouse is the actor of what follows from an alert. The trail leaves that out; the
// timeline has it.
var Gatehouse audit.Actor

// Config is what Rules need besides a store.
type Config struct {
	BaseURL string // where pages are, for links to alerts
	Members alert.Members
	// Retention returns for how many days a project keeps a closed incident; zero: for
	// ever.
	Retention func(ctx context.Context, p project.Project) (days int, err error)
	Now       func() time.Time
}

// Rules keep incidents.
type Rules struct {
	Config
	records record.Store
	alerts  *alert.Rules
	trail   *audit.Trail
}

// NewRules returns the rules over a store.
func NewRules(store record.Store, alerts *alert.Rules, trail *audit.Trail, c Config) *Rules {
	return &Rules{c, record.WithoutExpired(store, c.Now), alerts, trail}
}

// time returns the present time as it is stored.
func (r *Rules) time() time.Time { return r.Now().UTC().Truncate(time.Microsecond) }

// Find returns the incident with this number, or a fault.NotFound error.
func (r *Rules) Find(ctx context.Context, p project.Project, iid int64) (Stored, error) {
	return incidents.Find(ctx, r.records, p.Place(), iid)
}

// OfAlert returns the incident that the alert belongs to, or a fault.NotFound error.
func (r *Rules) OfAlert(ctx context.Context, p project.Project, alertIID int64) (Stored, error) {
	field, word := claim(alertIID)
	return incidents.FindByWord(ctx, r.records, p.Place(), field, word)
}

// Draft is a new incident.
type Draft struct {
	Title       string
	Description string
	Severity    alert.Severity
	AssigneeID  int64 // zero: nobody
	Alerts      []int64
}

// Create makes an incident with alerts that belong to none. Mistakes in fields are
// fault.Fields.
func (r *Rules) Create(ctx context.Context, by audit.Actor, p project.Project, d Draft) (Stored, error) {
	i := newIncident(by.UserID, d.Severity, r.time())
	i.Title, i.Description, i.AssigneeID = d.Title, d.Description, d.AssigneeID
	if err := i.check(Change{Title: &d.Title, Description: &d.Description}); err != nil {
		return Stored{}, err
	}
	if err := r.checkAssignee(ctx, p, &d.AssigneeID); err != nil {
		return Stored{}, err
	}
	linked, err := r.toLink(ctx, p, &i, d.Alerts)
	if err != nil {
		return Stored{}, err
	}
	made, err := r.create(ctx, by, p, i, linked)
	if claimed(err) {
		err = fault.Field("alert_iids", "has an alert that belongs to another incident")
	}
	return made, err
}

func newIncident(by int64, severity alert.Severity, now time.Time) Incident {
	i := Incident{Severity: severity, Status: Triggered, State: Opened, AuthorID: by, StartedAt: now, OpenedAt: now}
	i.add(by, now, Entry{Kind: WasOpened})
	return i
}

// maxLinkedAtOnce is how many alerts a new incident can have.
const maxLinkedAtOnce = 20

// toLink puts alerts into a new incident, and returns them as they are.
func (r *Rules) toLink(ctx context.Context, p project.Project, i *Incident, iids []int64) ([]alert.Current, error) {
	if len(iids) > maxLinkedAtOnce {
		return nil, fault.Field("alert_iids", "has too many (maximum is "+strconv.Itoa(maxLinkedAtOnce)+")")
	}
	i.Alerts = distinct(iids)
	found, err := r.readAlerts(ctx, p, i.Alerts)
	if fault.Is(err, fault.NotFound) {
		err = fault.Field("alert_iids", "has an alert that the project does not have")
	}
	return found, err
}

// create stores the incident, and then notes it on its alerts.
func (r *Rules) create(ctx context.Context, by audit.Actor, p project.Project, i Incident, linked []alert.Current) (made Stored, err error) {
	err = r.audited(ctx, event(by, EventCreated, p, Stored{Thing: i}), func(ctx context.Context) (err error) {
		made, err = incidents.Create(ctx, r.records, p.Place(), i, i.OpenedAt)
		return err
	})
	if err == nil {
		r.attachAll(ctx, by, p, made.Number, linked)
	}
	return made, err
}

// claimed reports whether the error says that another incident has one of the alerts.
func claimed(err error) bool {
	var complaints fault.Fields
	if !errors.As(err, &complaints) {
		return false
	}
	for field := range complaints {
		if strings.HasPrefix(field, "alert ") {
			return true
		}
	}
	return false
}

// Change changes the incident, which the caller has read. Closing it resolves its alerts.
// Mistakes are fault.Fields, and ErrChanged means that it was changed since Seen.
func (r *Rules) Change(ctx context.Context, by audit.Actor, p project.Project, was Stored, c Change) (Stored, error) {
	if err := r.checkAssignee(ctx, p, c.AssigneeID); err != nil {
		return Stored{}, err
	}
	d, err := r.deed(ctx, by, p, c)
	if err != nil {
		return Stored{}, err
	}
	next := was.Thing
	if err := c.apply(&next, d); err != nil {
		return Stored{}, err
	}
	if next.lastChange() == was.Thing.lastChange() {
		return was, nil
	}
	if c.Seen != 0 && c.Seen != was.Version {
		return Stored{}, ErrChanged
	}
	changed, err := r.change(ctx, event(by, c.event(was.Thing), p, was), was, func(i *Incident) error {
		if c.Seen != 0 && i.lastChange() != was.Thing.lastChange() {
			return ErrChanged
		}
		return c.apply(i, d)
	})
	if err == nil && changed.Thing.ClosedAt.Equal(d.at) {
		r.log(ctx, "alerts of a closed incident not resolved", r.resolveAlerts(ctx, by, p, changed, always))
	}
	return changed, err
}

func always(alert.Current) bool { return true }

// change stores what edit makes of the incident as it is by then, with the event.
func (r *Rules) change(ctx context.Context, e audit.Event, was Stored, edit func(*Incident) error) (changed Stored, err error) {
	err = r.audited(ctx, e, func(ctx context.Context) (err error) {
		changed, err = incidents.Change(ctx, r.records, was, edit)
		return err
	})
	return changed, err
}

// deed returns what apply takes, for a change at this time.
func (r *Rules) deed(ctx context.Context, by audit.Actor, p project.Project, c Change) (deed, error) {
	d := deed{by: by.UserID, at: r.time()}
	if c.State == nil || *c.State != Closed {
		return d, nil
	}
	days, err := r.Retention(ctx, p)
	if days > 0 {
		d.keptUntil = d.at.AddDate(0, 0, days)
	}
	return d, err
}

// event returns the event of the change.
func (c Change) event(was Incident) audit.Name {
	switch {
	case c.State == nil || *c.State == was.State:
		return EventChanged
	case *c.State == Closed:
		return EventClosed
	}
	return EventReopened
}

// checkAssignee checks that the user has the role Developer or above in the project.
func (r *Rules) checkAssignee(ctx context.Context, p project.Project, userID *int64) error {
	if userID == nil || *userID == 0 {
		return nil
	}
	role, err := r.Members.RoleIn(ctx, p, *userID)
	if err == nil && role < project.Developer {
		return fault.Field("assignee_id", "is not somebody with the role Developer or above in the project")
	}
	return err
}

// audited runs the deed of a person and writes the event. What Gatehouse does is only in
// the timeline.
func (r *Rules) audited(ctx context.Context, e audit.Event, deed func(context.Context) error) error {
	if e.ActorID == 0 && e.UserID == 0 {
		return deed(ctx)
	}
	return r.trail.Do(ctx, e, deed)
}

// event returns an event about an incident, without its number if that is new.
func event(by audit.Actor, name audit.Name, p project.Project, s Stored) audit.Event {
	d := audit.Details{"in": p.Where(), "incident": s.Thing.Title}
	if s.Number != 0 {
		d["incident"], d["incident_iid"] = TitleOf(s), strconv.FormatInt(s.Number, 10)
	}
	return by.Event(name, d).In(p.ID)
}

// log logs the error of what Settle does again.
func (r *Rules) log(ctx context.Context, message string, err error) {
	if err != nil {
		slog.ErrorContext(ctx, message, "error", err)
	}
}

// maxParallel is how many alerts are read or changed at once.
const maxParallel = 16

// readAlerts returns alerts of the project, or a fault.NotFound error.
func (r *Rules) readAlerts(ctx context.Context, p project.Project, iids []int64) ([]alert.Current, error) {
	found := make([]alert.Current, len(iids))
	return found, each(ctx, iids, func(ctx context.Context, n int) (err error) {
		found[n], err = r.alerts.Current(ctx, p, iids[n])
		return err
	})
}

// each calls do with every position of the things, a few at once.
func each[T any](ctx context.Context, things []T, do func(context.Context, int) error) error {
	calls, ctx := errgroup.WithContext(ctx)
	calls.SetLimit(maxParallel)
	for n := range things {
		calls.Go(func() error { return do(ctx, n) })
	}
	return calls.Wait()
}
