package consoleapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/oncall"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// overrideForm is the form that adds an override to a schedule.
type overrideForm struct {
	User           string        // a user name
	Shift          string        // see readShift; empty: the fields below say whom it replaces and when
	Shifts         []shiftChoice // to choose from
	Replaces       string        // a user name
	From, To       timeField     // in the schedule's zone
	ShiftComplaint string
	Complaints     site.Complaints
	Complaint      string // about all of it
}

// coverForm offers the shifts. It proposes that the visitor takes the first one of another.
func (p picture) coverForm(shifts []oncall.Shift) overrideForm {
	z, me := p.Thing.Timezone, p.visit.User
	form := overrideForm{User: me.Username, From: newTimeField(z, "from", "From", ""), To: newTimeField(z, "to", "To", "")}
	for _, s := range shifts {
		choice := p.shiftChoice(s)
		if form.Shift == "" && s.UserID != me.ID {
			form.Shift = choice.Value
		}
		form.Shifts = append(form.Shifts, choice)
	}
	return form
}

// ShiftMissing reports whether the shift that was chosen is not offered any more.
func (f overrideForm) ShiftMissing() bool {
	return f.Shift != "" && !slices.ContainsFunc(f.Shifts, func(c shiftChoice) bool { return c.Value == f.Shift })
}

func readOverrideForm(r *http.Request, zone oncall.Zone) (overrideForm, error) {
	form, err := site.ReadForm(r)
	return overrideForm{
		User: form.Get("user"), Shift: form.Get("shift"), Replaces: form.Get("replaces"),
		From: newTimeField(zone, "from", "From", form.Get("from")), To: newTimeField(zone, "to", "To", form.Get("to")),
	}, err
}

// complain marks the fields that are wrong. What is wrong with a chosen shift is about its
// field, as the others are not shown.
func (f *overrideForm) complain(wrong fault.Fields) {
	if f.Shift != "" {
		f.ShiftComplaint = sentences(wrong, "overrides", "The shift", "replaces_user_id", "Who has the shift", "starts_at", "Its start", "ends_at", "Its end")
		f.Complaints = complaintsOf(wrong, "user_id", "The user")
		return
	}
	f.Complaints = complaintsOf(wrong, "user_id", "The user", "starts_at", "The start", "ends_at", "The end", "replaces_user_id", "The user")
	f.From.complain(f.Complaints, "starts_at")
	f.To.complain(f.Complaints, "ends_at")
}

// overrideView is an override that is not over.
type overrideView struct {
	ID             int64
	Name, Replaces string
	From, To       string
	Swap           bool
	MayDelete      bool // the visitor may take it back
}

// overrides returns the views of the overrides that are not over.
func (p picture) overrides(now time.Time) (views []overrideView) {
	for _, o := range p.Thing.Overrides {
		if !o.EndsAt.After(now) {
			continue
		}
		view := overrideView{
			ID: o.ID, Name: p.name(o.UserID), From: o.StartsAt.In(p.zone).Format(shortTime), To: o.EndsAt.In(p.zone).Format(shortTime),
			Swap: o.SwapID != 0, MayDelete: p.visit.asker().MayDelete(o),
		}
		if o.ReplacesUserID != 0 {
			view.Replaces = p.name(o.ReplacesUserID)
		}
		views = append(views, view)
	}
	return views
}

// addOverride adds the override in the form.
func (a *api) addOverride(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored) error {
	sent, err := readOverrideForm(r, s.Thing.Timezone)
	if err != nil {
		return err
	}
	request, err := a.overrideRequest(r.Context(), sent)
	if err == nil {
		_, err = a.app.OnCall.AddOverrides(r.Context(), v.asker(), v.Project, s, request)
	}
	var wrong fault.Fields
	switch {
	case errors.As(err, &wrong):
		sent.complain(wrong)
		return a.renderSchedule(w, r, http.StatusUnprocessableEntity, v, s, sent.show)
	case v.refusesTrade(s, err):
		sent.Complaint = sentence(err)
		return a.renderSchedule(w, r, web.Status(err), v, s, sent.show)
	}
	return a.site.Done(w, r, err, "override-added", v.scheduleAddress(s.ID))
}

// refusesTrade reports whether the error says why shifts of the schedule stay as they are, to
// a visitor whose page has the forms for them.
func (v visit) refusesTrade(s oncall.Stored, err error) bool {
	return fault.Is(err, fault.Conflict) || fault.Is(err, fault.Forbidden) && v.asker().MayTrade(s.Thing)
}

// show puts the form that was sent onto the page.
func (f overrideForm) show(b *scheduleBody) {
	f.Shifts = b.Cover.Shifts
	if f.ShiftMissing() && f.ShiftComplaint == "" {
		f.ShiftComplaint = notOffered
	}
	b.Cover = f
}

// overrideRequest reads what the form asks for, and finds the users whom it names.
func (a *api) overrideRequest(ctx context.Context, form overrideForm) (q oncall.OverrideRequest, err error) {
	wrong := fault.Fields{}
	find := func(field, name string) (id int64) {
		u, findErr := a.typedUser(ctx, name)
		if fault.Is(findErr, fault.NotFound) {
			wrong.Add(field, "is not known by this name")
		} else if findErr != nil {
			err = findErr
		}
		return u.ID
	}
	q = oncall.OverrideRequest{StartsAt: form.From.Value, EndsAt: form.To.Value}
	switch {
	case form.Shift != "":
		if q, err = readShift(form.Shift, a.app.Now()); err != nil {
			return q, err
		}
	case strings.TrimSpace(form.Replaces) != "":
		q.ReplacesUserID = find("replaces_user_id", form.Replaces)
	}
	q.UserID = find("user_id", form.User)
	if err != nil {
		return q, err
	}
	return q, wrong.Err()
}

// deleteOverride takes the override in the path back.
func (a *api) deleteOverride(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored) error {
	id, err := strconv.ParseInt(r.PathValue("override"), 10, 64)
	if err != nil {
		return oncall.ErrNoOverride
	}
	err = a.app.OnCall.DeleteOverride(r.Context(), v.asker(), v.Project, s, id)
	return a.site.Done(w, r, err, "override-deleted", v.scheduleAddress(s.ID))
}
