package paging

import (
	"context"
	"errors"
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
}

// letterEvents are the words of mails for what happened.
var letterEvents = map[event]letter.Event{
	paged: letter.Opened, opened: letter.Opened, resolved: letter.Resolved, assigned: letter.Assigned,
}

// heldNotice is a notice about an alert that is silenced until a time.
type heldNotice struct {
	notice
	until time.Time
}

// compose returns the mail about these notices, nil if none is worth telling any more, and
// those that have to wait.
func (r *Rules) compose(ctx context.Context, to user.User, id string, all []notice) (m *mail.Message, held []heldNotice, err error) {
	looked := all[:min(len(all), mostLooked)]
	about, held, err := r.items(ctx, to, looked)
	others := furtherThings(looked, all[len(looked):])
	if err != nil || len(about)+others == 0 {
		return nil, held, err
	}
	why := all[0].Why
	if len(about) > 0 {
		why = about[0].why
	}
	e := letter.Envelope{
		From: r.From, To: mail.Address{Name: to.Name, Email: to.Email}, At: r.Now(),
		ID: mail.NewID(r.From, id, to.ID), Reason: reasons[why],
	}
	if len(about) == 1 && others == 0 {
		alone := about[0].letter(e)
		return &alone, held, nil
	}
	summary := letter.Summary{Total: len(about) + others, URL: r.BaseURL + "/console"}
	for _, one := range about[:min(len(about), letter.MaxListed)] {
		summary.Alerts = append(summary.Alerts, one.listed)
	}
	composed := letter.ForSummary(e, summary)
	return &composed, held, nil
}

// mostLooked is how many notices are looked at. Those behind them are counted whether they
// are still worth telling or not: a storm would take too many reads.
const mostLooked = 1000

// thing is the alert or incident that a notice is about.
type thing struct{ projectID, iid, incidentIID int64 }

func (n notice) thing() thing { return thing{n.ProjectID, n.IID, n.IncidentIID} }

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

// items returns what a mail says about the notices that are worth telling: one for each
// alert or incident. Held are those about silenced alerts.
func (r *Rules) items(ctx context.Context, to user.User, all []notice) (about []item, held []heldNotice, err error) {
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
		return nil, nil, err
	}
	places := map[thing]int{}
	for i, n := range all {
		one := found[i]
		if !stands[i] {
			if !one.silenced.IsZero() {
				held = append(held, heldNotice{n, earlier(one.silenced, r.Now().Add(longestWait))})
			}
			continue
		}
		one.why, one.rank = n.Why, n.Event.rank()
		if at, told := places[n.thing()]; !told {
			places[n.thing()] = len(about)
			about = append(about, one)
		} else if one.rank < about[at].rank {
			about[at] = one
		}
	}
	return about, held, nil
}

// item is what a mail says about a notice: alone, or in a list.
type item struct {
	listed letter.Alert
	letter func(letter.Envelope) mail.Message
	why    reason
	// silenced is until when the alert is, if the person would be paged otherwise.
	silenced time.Time
	rank     int // of several about one thing, that with the least is told
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

func (r *Rules) aboutAlertTo(p project.Project, to user.User, a alert.Alert, n notice) item {
	listed := letter.Alert{
		IID: a.IID, Title: a.Title, Severity: string(a.Severity), Project: p.FullPath, Service: a.Service, Description: a.Description,
		Runbook: a.Runbook, StartedAt: a.StartedAt, URL: r.alertURL(p, a.IID),
	}
	told := letter.AlertNotice{Alert: listed, Event: letterEvents[n.Event], Peak: string(a.PeakSeverity), Thread: mail.NewID(r.From, "alert", p.ID, a.IID)}
	if a.Status == alert.Triggered && n.Event != resolved {
		told.Acknowledge = r.Links.Acknowledge(to.ID, a, r.Now().Add(linkLasts))
	}
	return item{listed: listed, letter: func(e letter.Envelope) mail.Message { return letter.ForAlert(e, told) }}
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
	return item{listed: listed, letter: func(e letter.Envelope) mail.Message { return letter.ForIncident(e, told) }}
}
