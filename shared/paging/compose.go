package paging

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
	"gatehouse/shared/incident"
	"gatehouse/shared/mail"
	"gatehouse/shared/mail/letter"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// reasons say to people why they get a mail.
var reasons = map[reason]string{
	becauseOnCall:     "You are on call.",
	becausePolicy:     "The escalation policy of the project names you.",
	becauseMaintainer: "You look after the project, which mails its alerts.",
	becauseAssigned:   "This was assigned to you.",
	becauseScheduled:  "You take part in the schedule.",
}

// letterEvents are the words of mails for what happened.
var letterEvents = map[event]letter.Event{
	paged: letter.Opened, opened: letter.Opened, resolved: letter.Resolved, assigned: letter.Assigned,
}

// compose returns the mail about these notices and more, nil if none is worth telling any
// longer. Those that have to wait it adds to later.
func (r *Rules) compose(ctx context.Context, to user.User, id string, all []notice, more int, later held) (*mail.Message, error) {
	all = slices.SortedStableFunc(slices.Values(all), gravestFirst)
	looked := all[:min(len(all), r.MostLooked)]
	about, err := r.items(ctx, to, looked, later)
	more += furtherThings(looked, all[len(looked):])
	if err != nil || len(about)+more == 0 {
		return nil, err
	}
	var why reason
	if len(all) > 0 {
		why = all[0].Why
	}
	if len(about) > 0 {
		why = about[0].notice.Why
	}
	e := r.envelope(to, id, reasons[why])
	if len(about) == 1 && more == 0 {
		alone := about[0].letter(e)
		return &alone, nil
	}
	composed := letter.ForSummary(e, r.summaryOf(about, more))
	return &composed, nil
}

// summaryOf returns what a mail says of these things, and of more alerts or incidents.
func (r *Rules) summaryOf(about []item, more int) letter.Summary {
	s := letter.Summary{URL: r.BaseURL + "/console"}
	for _, one := range about {
		if one.shift != nil {
			s.Shifts = append(s.Shifts, *one.shift)
		} else {
			s.Alerts = append(s.Alerts, one.listed)
		}
	}
	s.Total = len(s.Alerts) + more
	return s
}

// envelope returns that of a mail to a user for a reason.
func (r *Rules) envelope(to user.User, id, why string) letter.Envelope {
	return letter.Envelope{
		From: r.From, To: mail.Address{Name: to.Name, Email: to.Email}, At: r.Now(), ID: mail.NewID(r.From, id, to.ID),
		Reason: why, Settings: r.BaseURL + SettingsPath,
	}
}

// SettingsPath is that of the page where people choose how they are told.
const SettingsPath = "/user_settings/notifications"

// thing is the alert or incident that a notice is about, or the shifts in a schedule: their
// changes are one thing, and the handovers another.
type thing struct {
	projectID, iid, incidentIID, scheduleID int64
	changed                                 bool
}

func (n notice) thing() thing {
	return thing{n.ProjectID, n.IID, n.IncidentIID, n.ScheduleID, n.What == letter.ShiftChanged}
}

// saysMoreThan reports whether of two notices about one thing this is the one to tell: that
// with the least rank, and of shifts the later one.
func (n notice) saysMoreThan(former notice) bool {
	if n.Event == shifted {
		return !n.At.Before(former.At)
	}
	return n.Event.rank() < former.Event.rank()
}

// furtherThings counts what some notices are about and those before them are not.
func furtherThings(before, some []notice) (n int) {
	seen := map[thing]bool{}
	for _, one := range before {
		seen[one.thing()] = true
	}
	for _, one := range some {
		if !seen[one.thing()] {
			n++
		}
		seen[one.thing()] = true
	}
	return n
}

// readsAtOnce is how many notices are looked at side by side.
const readsAtOnce = 16

// items returns what is said of the notices that are worth telling: one for each alert or
// incident. Those about silenced alerts it adds to later.
func (r *Rules) items(ctx context.Context, to user.User, all []notice, later held) (about []item, err error) {
	found, stands := make([]item, len(all)), make([]bool, len(all))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(readsAtOnce)
	for i, n := range all {
		reads.Go(func() (err error) {
			found[i], stands[i], err = r.item(ctx, to, n)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	places := map[thing]int{}
	for i, n := range all {
		one := found[i]
		if !stands[i] {
			if !one.silenced.IsZero() {
				later.add(earlier(one.silenced, r.Now().Add(longestWait)), n)
			}
			continue
		}
		one.notice = n
		if at, told := places[n.thing()]; !told {
			places[n.thing()] = len(about)
			about = append(about, one)
		} else if n.saysMoreThan(about[at].notice) {
			about[at] = one
		}
	}
	return about, nil
}

// item is what is said of a notice: in a mail, alone or in a list, and to webhooks.
type item struct {
	notice
	listed letter.Alert
	letter func(letter.Envelope) mail.Message
	facts  Facts
	shift  *letter.ShiftNotice // nil: it is about an alert or incident
	told   ownMessage          // what webhooks are told of a shift
	// silenced is until when the alert is, if the person would be paged otherwise.
	silenced time.Time
}

// item reads what a notice is about. It reports false for one that is not worth telling.
func (r *Rules) item(ctx context.Context, to user.User, n notice) (one item, stands bool, err error) {
	p, err := r.store.Project(ctx, n.ProjectID)
	if err == nil {
		one, stands, err = r.itemIn(ctx, p, to, n)
	}
	if errors.Is(goneIfNotFound(err), errGone) {
		return item{}, false, nil
	}
	return one, stands, err
}

func (r *Rules) itemIn(ctx context.Context, p project.Project, to user.User, n notice) (one item, stands bool, err error) {
	role, err := r.Members.RoleIn(ctx, p, to.ID)
	if err != nil || role < project.Developer { // they have left the project
		return item{}, false, err
	}
	if n.ScheduleID != 0 {
		s, err := r.OnCall.Find(ctx, p, n.ScheduleID)
		return r.aboutShiftTo(p, s, n), true, err
	}
	if n.IncidentIID != 0 {
		s, err := r.Incidents.Find(ctx, p, n.IncidentIID)
		return r.aboutIncidentTo(p, s, n), true, err
	}
	a, err := r.Alerts.Alert(ctx, p.ID, n.IID)
	one = r.aboutAlertTo(p, to, a, n)
	if n.Event == paged && n.waits(a) && a.Silenced(r.Now()) {
		one.silenced = a.SilencedUntil
	}
	return one, n.stands(a, r.Now()), err
}

// linkLasts is how long the link in a mail acknowledges an alert.
const linkLasts = 24 * time.Hour

// gravest returns the gravest severity that the alert has had.
func gravest(a alert.Alert) alert.Severity {
	if a.PeakSeverity == "" {
		return a.Severity
	}
	return a.PeakSeverity
}

func (r *Rules) aboutAlertTo(p project.Project, to user.User, a alert.Alert, n notice) item {
	listed := letter.Alert{
		IID: a.IID, Title: a.Title, Severity: string(gravest(a)), Project: p.FullPath, Service: a.Service, Description: a.Description,
		Runbook: a.Runbook, StartedAt: a.StartedAt, URL: r.alertURL(p, a.IID),
	}
	told := letter.AlertNotice{Alert: listed, Event: letterEvents[n.Event], Peak: listed.Severity, Thread: mail.NewID(r.From, "alert", p.ID, a.IID)}
	told.Severity = string(a.Severity)
	if a.Status == alert.Triggered && n.Event != resolved {
		told.Acknowledge = r.Links.Acknowledge(to.ID, a, r.Now().Add(linkLasts))
	}
	return item{listed: listed, facts: r.factsOf(p, a), letter: func(e letter.Envelope) mail.Message { return letter.ForAlert(e, told) }}
}

func (r *Rules) aboutIncidentTo(p project.Project, s incident.Stored, n notice) item {
	i := s.Thing
	listed := letter.Alert{
		IID: s.Number, Title: "Incident: " + incident.TitleOf(s), Severity: string(i.Severity), Project: p.FullPath,
		StartedAt: i.StartedAt, URL: r.incidentURL(p, s.Number),
	}
	told := letter.IncidentNotice{
		IID: s.Number, Title: incident.TitleOf(s), Severity: string(i.Severity), Project: p.FullPath, Event: letterEvents[n.Event],
		StartedAt: i.StartedAt, URL: listed.URL, Thread: mail.NewID(r.From, "incident", p.ID, s.Number),
	}
	return item{listed: listed, facts: r.factsOfIncident(p, s), letter: func(e letter.Envelope) mail.Message { return letter.ForIncident(e, told) }}
}
