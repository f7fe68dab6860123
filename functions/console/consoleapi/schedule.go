package consoleapi

import (
	"errors"
	"net/http"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/oncall"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// changedMeanwhile answers a form that was shown before somebody else's change.
const changedMeanwhile = "Someone else changed this since you opened the page. Look at what is stored before you save again, because that writes over what others changed."

// scheduleForm is the form with the settings of a schedule.
type scheduleForm struct {
	Name, Timezone string
	Version        string   // see oncall.Schedule.SettingsMark
	Zones          []string // to suggest, where the page has room for all of them
	Complaints     site.Complaints
	Complaint      string // about all of it
}

// Untouched reports whether it is for a new schedule and nothing is wrong with it.
func (f scheduleForm) Untouched() bool {
	return f.Version == "" && f.Complaint == "" && len(f.Complaints) == 0
}

func newScheduleForm(s oncall.Stored) scheduleForm {
	return scheduleForm{Name: s.Thing.Name, Timezone: s.Thing.Timezone.String(), Version: s.Thing.SettingsMark()}
}

func readScheduleForm(r *http.Request) (scheduleForm, error) {
	form, err := site.ReadForm(r)
	return scheduleForm{
		Name: strings.TrimSpace(form.Get("name")), Timezone: strings.TrimSpace(form.Get("timezone")), Version: form.Get("seen"),
	}, err
}

func (f scheduleForm) change() oncall.Change {
	return oncall.Change{Name: &f.Name, Timezone: &f.Timezone, Seen: f.Version}
}

// explain notes why the form was not taken, and returns the status of the answer. It returns
// an error that is not about the form.
func (f *scheduleForm) explain(err error) (status int, _ error) {
	var wrong fault.Fields
	switch {
	case errors.As(err, &wrong):
		f.Complaints = complaintsOf(wrong, "name", "The name", "timezone", "The time zone")
		return http.StatusUnprocessableEntity, nil
	case fault.Is(err, fault.Conflict):
		f.Complaint = sentence(err)
		return web.Status(err), nil
	}
	return 0, err
}

// newScheduleBody is the data of the page for a new schedule.
type newScheduleBody struct {
	visit
	Form scheduleForm
}

func (a *api) newSchedule(w http.ResponseWriter, r *http.Request, v visit) error {
	return a.renderNewSchedule(w, r, http.StatusOK, newScheduleBody{v, scheduleForm{}})
}

func (a *api) renderNewSchedule(w http.ResponseWriter, r *http.Request, status int, body newScheduleBody) error {
	body.Form.Zones = oncall.Zones
	return a.renderOnCall(w, r, body.visit, onCallTab, site.Page{Template: "schedule_new", Title: "New schedule", Status: status, Body: body})
}

func (a *api) createSchedule(w http.ResponseWriter, r *http.Request, v visit) error {
	sent, err := readScheduleForm(r)
	if err != nil {
		return err
	}
	s, err := a.app.OnCall.Create(r.Context(), v.asker(), v.Project, sent.change())
	if err != nil {
		status, err := sent.explain(err)
		if err != nil {
			return err
		}
		return a.renderNewSchedule(w, r, status, newScheduleBody{v, sent})
	}
	return a.site.Done(w, r, nil, "schedule-created", v.scheduleAddress(s.ID))
}

// scheduleBody is the data of a schedule's page.
type scheduleBody struct {
	visit
	Schedule  scheduleView
	People    []user.User // who can be on call, to suggest
	Overrides []overrideView
	Cover     overrideForm
	Swap      swapForm
	Rotations []rotationView
	HasFeed   bool
	Settings  scheduleForm
	Complaint string // why something else was not done
}

// Answers reports whether the page answers a form.
func (b scheduleBody) Answers() bool {
	complaints := len(b.Cover.Complaints) + len(b.Settings.Complaints)
	return complaints > 0 || b.Complaint+b.Cover.Complaint+b.Cover.ShiftComplaint+b.Swap.Complaint+b.Settings.Complaint != ""
}

func (a *api) showSchedule(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored) error {
	return a.renderSchedule(w, r, http.StatusOK, v, s, func(*scheduleBody) {})
}

// renderSchedule shows the schedule, with what mark says about a form.
func (a *api) renderSchedule(w http.ResponseWriter, r *http.Request, status int, v visit, s oncall.Stored, mark func(*scheduleBody)) error {
	people, err := a.app.OnCall.People(r.Context(), v.Project, s.Thing)
	if err != nil {
		return err
	}
	now, p := a.app.Now(), newPicture(s, v, people).beside(3) // the forms take as much room as two schedules
	shifts := p.swappable(now)
	body := scheduleBody{
		visit: v, Schedule: p.view(now), People: present(people), Overrides: p.overrides(now), Cover: p.coverForm(shifts),
		Swap: p.swapForm(shifts), HasFeed: s.Thing.Feed != "", Settings: newScheduleForm(s),
	}
	for _, rotation := range s.Thing.Rotations {
		body.Rotations = append(body.Rotations, p.rotation(rotation))
	}
	mark(&body)
	return a.renderOnCall(w, r, v, onCallTab, site.Page{Template: "schedule", Title: s.Thing.Name, Status: status, Body: body})
}

func (a *api) changeSchedule(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored) error {
	sent, err := readScheduleForm(r)
	if err != nil {
		return err
	}
	_, err = a.app.OnCall.Change(r.Context(), v.asker(), v.Project, s, sent.change())
	if errors.Is(err, oncall.ErrChanged) {
		if s, err = a.app.OnCall.Find(r.Context(), v.Project, s.ID); err != nil {
			return err
		}
		sent.Version, sent.Complaint = s.Thing.SettingsMark(), changedMeanwhile
		return a.renderSchedule(w, r, http.StatusConflict, v, s, func(b *scheduleBody) { b.Settings = sent })
	}
	if err != nil {
		status, err := sent.explain(err)
		if err != nil {
			return err
		}
		return a.renderSchedule(w, r, status, v, s, func(b *scheduleBody) { b.Settings = sent })
	}
	return a.site.Done(w, r, nil, "schedule-saved", v.scheduleAddress(s.ID))
}

func (a *api) deleteSchedule(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored) error {
	err := a.app.OnCall.Delete(r.Context(), v.asker(), v.Project, s)
	if fault.Is(err, fault.Conflict) {
		return a.renderSchedule(w, r, http.StatusConflict, v, s, func(b *scheduleBody) { b.Complaint = sentence(err) })
	}
	return a.site.Done(w, r, err, "schedule-deleted", v.Address()+onCallTab)
}
