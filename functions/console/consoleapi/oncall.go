package consoleapi

import (
	"net/http"
	"time"
	_ "time/tzdata" // functions run where there are no time zones

	"gatehouse/shared/oncall"
	"gatehouse/shared/site"
)

// onCallPage is the data of the page that tells who is on call.
type onCallPage struct {
	visit
	Schedules []scheduleView
	Paging    site.Paging
}

// scheduleView is a schedule with who is on call now and on the next days.
type scheduleView struct {
	ID         int64
	Name, Zone string
	Now        []turn
	Days       []dayView
	Notice     oncall.Notice
	Skipped    []string // names of who has left the project
	Overrides  []overrideView
	Form       overrideForm
}

// turn is a shift, or the part of it in a day.
type turn struct {
	Name, Username string
	InsteadOf      string // name of whose turn it would be
	Rotation       string // empty: an override for the whole schedule
	From, To       string // times of day in the schedule's zone; empty: all of that day
	Until          string // day and time at which the whole shift ends
}

// dayView is a day of the picture in the schedule's zone.
type dayView struct {
	Date  time.Time
	Turns []turn
	More  int // that are not shown
}

// The bounds of the picture.
const (
	picturedDays = 14
	maxTurns     = 12 // on a day
)

// showOnCall shows who is on call in the schedules of the project.
func (a *api) showOnCall(w http.ResponseWriter, r *http.Request, v visit) error {
	return a.renderOnCall(w, r, http.StatusOK, v, 0, overrideForm{})
}

// renderOnCall shows the schedules, one of them with a form that was sent.
func (a *api) renderOnCall(w http.ResponseWriter, r *http.Request, status int, v visit, scheduleID int64, sent overrideForm) error {
	wanted := site.PageOf(r)
	found, err := a.app.OnCall.Schedules(r.Context(), v.Project, wanted)
	if err != nil {
		return err
	}
	var all []oncall.Schedule
	for _, s := range found.Items {
		all = append(all, s.Thing)
	}
	people, err := a.app.OnCall.People(r.Context(), v.Project, all...)
	if err != nil {
		return err
	}
	body := onCallPage{visit: v, Paging: site.NewPaging(v.Address()+onCallTab, wanted, found)}
	for _, s := range found.Items {
		view := newScheduleView(s, v, people, a.app.Now())
		if view.Form.User = v.User.Username; s.ID == scheduleID {
			view.Form = sent
		}
		body.Schedules = append(body.Schedules, view)
	}
	return a.render(w, r, v, onCallTab, site.Page{Template: "oncall", Title: "On call", Status: status, Body: body})
}

func newScheduleView(s oncall.Stored, v visit, who oncall.People, now time.Time) scheduleView {
	p := picture{s.Thing, who, s.Thing.Timezone.Location()}
	view := scheduleView{ID: s.ID, Name: s.Thing.Name, Zone: s.Thing.Timezone.String(), Notice: s.Thing.Notice(now, who.Present)}
	view.Overrides = p.overrides(v, now)
	for _, id := range view.Notice.SkippedUsers {
		view.Skipped = append(view.Skipped, p.name(id))
	}
	for _, shift := range s.Thing.At(now, who.Present) {
		view.Now = append(view.Now, p.turn(shift))
	}
	start := p.midnight(now, 0)
	shifts := s.Thing.ShiftsBetween(start, p.midnight(now, picturedDays), who.Present)
	for n := range picturedDays {
		view.Days = append(view.Days, p.day(shifts, p.midnight(now, n), p.midnight(now, n+1)))
	}
	return view
}

// picture makes the views of a schedule's shifts.
type picture struct {
	schedule oncall.Schedule
	people   oncall.People
	zone     *time.Location
}

// midnight returns when the day begins that is n days after that of the instant.
func (p picture) midnight(at time.Time, n int) time.Time {
	year, month, day := at.In(p.zone).Date()
	return time.Date(year, month, day+n, 0, 0, 0, 0, p.zone)
}

func (p picture) name(userID int64) string {
	if u, ok := p.people.User(userID); ok && u.ID != 0 {
		return u.Name
	}
	return "a deleted user"
}

func (p picture) turn(s oncall.Shift) turn {
	u, _ := p.people.User(s.UserID) // who is on call is there
	t := turn{Name: u.Name, Username: u.Username, Until: s.EndsAt.In(p.zone).Format("Mon 2 Jan, 15:04")}
	if s.InsteadOf != 0 {
		t.InsteadOf = p.name(s.InsteadOf)
	}
	if rotation, err := p.schedule.Rotation(s.RotationID); err == nil {
		t.Rotation = rotation.Name
	}
	return t
}

// day returns what of the shifts is between two midnights.
func (p picture) day(shifts []oncall.Shift, from, to time.Time) dayView {
	view := dayView{Date: from}
	for _, s := range shifts {
		if !s.StartsAt.Before(to) || !s.EndsAt.After(from) {
			continue
		}
		if len(view.Turns) == maxTurns {
			view.More++
			continue
		}
		t := p.turn(s)
		if s.StartsAt.After(from) || s.EndsAt.Before(to) {
			t.From, t.To = "00:00", "24:00"
			if s.StartsAt.After(from) {
				t.From = s.StartsAt.In(p.zone).Format("15:04")
			}
			if s.EndsAt.Before(to) {
				t.To = s.EndsAt.In(p.zone).Format("15:04")
			}
		}
		view.Turns = append(view.Turns, t)
	}
	return view
}
