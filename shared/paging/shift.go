package paging

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/shared/mail"
	"gatehouse/shared/mail/letter"
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
	var follow []outbox.Message
	for n, id := range oncall.Affected(before, all.schedule.Thing, r.Now(), all.people.Present) {
		follow = append(follow, shiftNotice(m, n, id, t, letter.ShiftChanged, r.Now()))
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
	var follow []outbox.Message
	add := func(ids []int64, what letter.Shift, at time.Time) {
		for _, id := range ids {
			follow = append(follow, shiftNotice(m, len(follow), id, t, what, at))
		}
	}
	for _, h := range all.schedule.Thing.Handovers(latest(t.From, r.Now()), r.Now(), all.people.Present) {
		add(h.Comes, letter.ShiftBegins, h.At)
		add(h.Goes, letter.ShiftEnds, h.At)
	}
	follow = follow[:min(len(follow), outbox.MostFollowing-1)]
	return append(follow, all.schedule.Thing.NextHandover(t, r.Now(), all.people.Present)), nil
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

func shiftNotice(m outbox.Message, n int, userID int64, t oncall.Told, what letter.Shift, at time.Time) outbox.Message {
	due := at
	if what == letter.ShiftChanged {
		due = at.Add(settled)
	}
	lane := outbox.Lane(fmt.Sprintf("shift/%d/%d", userID, t.ScheduleID))
	return message(m, n, lane, kindShift, due, shift{userID, t.ProjectID, t.ScheduleID, what, at})
}

// tellShift tells a person about their shifts, unless a later message says the same.
func (r *Rules) tellShift(ctx context.Context, m outbox.Message, told shift) ([]outbox.Message, error) {
	repeated, err := r.toldLater(ctx, m, told)
	if err != nil || repeated {
		return nil, err
	}
	all, err := r.roster(ctx, oncall.Told{ProjectID: told.ProjectID, ScheduleID: told.ScheduleID})
	if err != nil {
		return nil, err
	}
	to, err := r.store.User(ctx, told.UserID)
	if err != nil {
		return nil, goneIfNotFound(err)
	}
	role, err := r.Members.RoleIn(ctx, all.project, told.UserID)
	if err != nil || role < project.Developer {
		return nil, err
	}
	return nil, r.send(ctx, r.aboutShift(m, to, all, told))
}

// toldLater reports whether a message behind this one tells of a change too.
func (r *Rules) toldLater(ctx context.Context, m outbox.Message, told shift) (bool, error) {
	if told.What != letter.ShiftChanged {
		return false, nil
	}
	waiting, err := r.store.Waiting(ctx, m.Lane, 10)
	for _, later := range waiting {
		var other shift
		if err := json.Unmarshal(later.Data, &other); err == nil && other.What == told.What && later.Seq > m.Seq {
			return true, nil
		}
	}
	return false, err
}

func (r *Rules) aboutShift(m outbox.Message, to user.User, all roster, told shift) mail.Message {
	n := letter.ShiftNotice{
		Shift: told.What, Schedule: all.schedule.Thing.Name, Project: all.project.FullPath,
		URL: r.BaseURL + "/console/" + all.project.FullPath + "/oncall",
	}
	switch told.What {
	case letter.ShiftBegins:
		n.From = told.At
	case letter.ShiftEnds:
		n.Until = told.At
	}
	return letter.ForShift(letter.Envelope{
		From: r.From, To: mail.Address{Name: to.Name, Email: to.Email}, At: r.Now(), ID: mail.NewID(r.From, m.ID(), to.ID),
		Zone: all.schedule.Thing.Timezone.Location(), Reason: "You take part in the schedule.",
	}, n)
}
