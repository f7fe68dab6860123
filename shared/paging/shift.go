package paging

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/mail"
	"gatehouse/shared/mail/letter"
	person "gatehouse/shared/notice"
	"gatehouse/shared/oncall"
	"gatehouse/shared/outbox"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// shift is what a person is to be told about their shifts in a schedule.
type shift struct {
	UserID     int64        `json:"user_id"`
	ProjectID  int64        `json:"project_id"`
	ScheduleID int64        `json:"schedule_id"`
	What       letter.Shift `json:"what"`
	At         time.Time    `json:"at"` // when it begins or ends, or was changed
}

// roster is a schedule with its project and people.
type roster struct {
	project  project.Project
	schedule oncall.Stored
	people   oncall.People
}

// roster reads the schedule that a message is about, with the people of former ones. It
// returns errGone if the schedule has changed since.
func (r *Rules) roster(ctx context.Context, t oncall.Told, former ...oncall.Schedule) (all roster, err error) {
	if all.project, err = r.store.Project(ctx, t.ProjectID); err != nil {
		return all, goneIfNotFound(err)
	}
	if all.schedule, err = r.OnCall.Find(ctx, all.project, t.ScheduleID); err != nil {
		return all, goneIfNotFound(err)
	}
	all.people, err = r.OnCall.People(ctx, all.project, append(former, all.schedule.Thing)...)
	return all, err
}

// followSchedule tells those whose coming shifts a change of a schedule has changed, and
// waits for the next handover.
func (r *Rules) followSchedule(ctx context.Context, m outbox.Message, t oncall.Told) ([]outbox.Message, error) {
	var before oncall.Schedule
	if t.Before != nil {
		before = *t.Before
	}
	all, err := r.roster(ctx, t, before)
	if err != nil {
		return nil, err
	}
	follow := []outbox.Message{recountDuties(m, t, r.Now())}
	for n, id := range oncall.Affected(before, all.schedule.Thing, r.Now(), all.people.Present) {
		follow = append(follow, shiftMessage(m, n, id, t, letter.ShiftChanged, r.Now()))
	}
	if t.Version != all.schedule.Version {
		return follow, nil
	}
	return append(follow, all.schedule.Thing.NextHandover(t, r.Now(), all.people.Present)), nil
}

// handOver tells who comes on call and who goes.
func (r *Rules) handOver(ctx context.Context, m outbox.Message, t oncall.Told) ([]outbox.Message, error) {
	all, err := r.roster(ctx, t)
	if err != nil || t.Version != all.schedule.Version {
		return nil, err
	}
	follow := []outbox.Message{recountDuties(m, t, r.Now())}
	add := func(ids []int64, what letter.Shift, at time.Time) {
		for _, id := range ids {
			follow = append(follow, shiftMessage(m, len(follow), id, t, what, at))
		}
	}
	for _, h := range all.schedule.Thing.Handovers(latest(t.From, r.Now()), r.Now(), all.people.Present) {
		add(h.Comes, letter.ShiftBegins, h.At)
		add(h.Goes, letter.ShiftEnds, h.At)
	}
	follow = follow[:min(len(follow), outbox.MostFollowing-1)]
	return append(follow, all.schedule.Thing.NextHandover(t, r.Now(), all.people.Present)), nil
}

// recountDuties returns the message that the summary of the project has others on call.
func recountDuties(m outbox.Message, t oncall.Told, now time.Time) outbox.Message {
	return alert.Recount(t.ProjectID, fmt.Sprintf("schedule-%d-%s", t.ScheduleID, digest(m.ID())), now)
}

// stale is how long after a handover nobody has to be told of it any more.
const stale = time.Hour

// latest returns from, but not what was long ago: after an outage nobody wants to hear of
// all the shifts in it.
func latest(from, now time.Time) time.Time {
	if oldest := now.Add(-stale); from.Before(oldest) {
		return oldest
	}
	return from
}

// settled is how long a change of shifts rests before people are told, so that one mail tells
// of all that somebody changes in a row.
const settled = 2 * time.Minute

func shiftMessage(m outbox.Message, n int, userID int64, t oncall.Told, what letter.Shift, at time.Time) outbox.Message {
	due := at
	if what == letter.ShiftChanged {
		due = at.Add(settled)
	}
	lane := outbox.Lane(fmt.Sprintf("shift/%d/%d", userID, t.ScheduleID))
	return message(m, n, lane, kindShift, due, shift{userID, t.ProjectID, t.ScheduleID, what, at})
}

// tellShift tells a person about their shifts, unless a later message says more.
func (r *Rules) tellShift(ctx context.Context, m outbox.Message, told shift) ([]outbox.Message, error) {
	by, err := r.Notices.Person(ctx, told.UserID)
	if err != nil {
		return nil, err
	}
	if until, quiet := by.Held(person.Shifts, r.Now()); quiet {
		later := held{}
		later.add(until, told.notice())
		return r.held(m, told.UserID, later), nil
	}
	past, err := r.toldLater(ctx, m, told)
	if err != nil || past {
		return nil, err
	}
	to, all, err := r.onShift(ctx, told)
	if err != nil {
		return nil, err
	}
	follow := r.deliveriesTo(m, to, by, r.ownOfShift(all.project, all.schedule, told))
	if by.ByMail(person.Shifts) {
		lane := outbox.Lane(fmt.Sprintf("shift-mail/%d/%d", told.UserID, told.ScheduleID))
		follow = append(follow, message(m, 0, lane, kindShiftMail, r.Now(), told))
	}
	return follow, nil
}

// notice returns what waits for the end of quiet hours with all else.
func (s shift) notice() notice {
	return notice{
		UserID: s.UserID, ProjectID: s.ProjectID, ScheduleID: s.ScheduleID, What: s.What, At: s.At.UTC(), Event: shifted, Why: becauseScheduled,
	}
}

// shift returns what the notice is about.
func (n notice) shift() shift { return shift{n.UserID, n.ProjectID, n.ScheduleID, n.What, n.At} }

// aboutShiftTo is what is said of a shift after quiet hours.
func (r *Rules) aboutShiftTo(p project.Project, s oncall.Stored, n notice) item {
	told := r.shiftNotice(p, s, n.shift())
	return item{
		shift: &told, told: r.ownOfShift(p, s, n.shift()),
		letter: func(e letter.Envelope) mail.Message { return letter.ForShift(e, told) },
	}
}

// ownOfShift is what webhooks are told of a shift.
func (r *Rules) ownOfShift(p project.Project, s oncall.Stored, told shift) ownMessage {
	return ownMessage{
		Type: "notification.shift", At: told.At, Text: fmt.Sprintf("%s: %s in %s %s", told.What, s.Thing.Name, p.FullPath, r.onCallURL(p)),
		Data: map[string]any{
			"project_id": p.ID, "project": p.FullPath, "schedule_id": s.ID, "schedule": s.Thing.Name,
			"what": shiftWords[told.What], "at": told.At.UTC(), "url": r.onCallURL(p),
		},
		about: fmt.Sprintf("schedule/%d/%d", p.ID, s.ID),
	}
}

// shiftWords are what webhooks are told about shifts.
var shiftWords = map[letter.Shift]string{letter.ShiftBegins: "begins", letter.ShiftEnds: "ends", letter.ShiftChanged: "changed"}

func (r *Rules) onCallURL(p project.Project) string {
	return r.BaseURL + "/console/" + p.FullPath + "/oncall"
}

// onShift returns the person who is told, with the schedule. The error is errGone if they
// may not see it any more.
func (r *Rules) onShift(ctx context.Context, told shift) (to user.User, all roster, err error) {
	if all, err = r.roster(ctx, oncall.Told{ProjectID: told.ProjectID, ScheduleID: told.ScheduleID}); err != nil {
		return to, all, err
	}
	if to, err = r.store.User(ctx, told.UserID); err != nil {
		return to, all, goneIfNotFound(err)
	}
	role, err := r.Members.RoleIn(ctx, all.project, told.UserID)
	if err == nil && role < project.Developer {
		err = errGone
	}
	return to, all, err
}

// mailShift mails a person about their shifts.
func (r *Rules) mailShift(ctx context.Context, m outbox.Message, told shift) ([]outbox.Message, error) {
	to, all, err := r.onShift(ctx, told)
	if err != nil {
		return nil, err
	}
	return nil, r.send(ctx, r.aboutShift(m, to, all, told))
}

// toldLater reports whether a message behind this one that is due says more: that of the
// last of several changes or, after an outage, that a shift is over.
func (r *Rules) toldLater(ctx context.Context, m outbox.Message, told shift) (bool, error) {
	waiting, err := r.store.Waiting(ctx, m.Lane, 100)
	for _, later := range waiting {
		var other shift
		if err := json.Unmarshal(later.Data, &other); err != nil || later.Seq <= m.Seq {
			continue
		}
		changes := told.What == letter.ShiftChanged
		if changes == (other.What == letter.ShiftChanged) && (changes || !later.DueAt.After(r.Now())) {
			return true, nil
		}
	}
	return false, err
}

func (r *Rules) aboutShift(m outbox.Message, to user.User, all roster, told shift) mail.Message {
	return letter.ForShift(r.envelope(to, m.ID(), reasons[becauseScheduled]), r.shiftNotice(all.project, all.schedule, told))
}

// shiftNotice is what a mail says of a shift.
func (r *Rules) shiftNotice(p project.Project, s oncall.Stored, told shift) letter.ShiftNotice {
	n := letter.ShiftNotice{
		Shift: told.What, Schedule: s.Thing.Name, Project: p.FullPath, URL: r.onCallURL(p), Zone: s.Thing.Timezone.Location(),
	}
	switch told.What {
	case letter.ShiftBegins:
		n.From = told.At
	case letter.ShiftEnds:
		n.Until = told.At
	}
	return n
}
