package consoleapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/oncall"
	"gatehouse/shared/site"
)

// overrideForm is the form that adds an override to a schedule.
type overrideForm struct {
	User, Replaces string    // user names
	From, To       timeField // in the schedule's zone
	Complaints     site.Complaints
	Complaint      string // about all of it
}

func newOverrideForm(zone oncall.Zone, username string) overrideForm {
	return overrideForm{User: username, From: newTimeField(zone, "from", "From", ""), To: newTimeField(zone, "to", "To", "")}
}

func readOverrideForm(r *http.Request, zone oncall.Zone) (overrideForm, error) {
	form, err := site.ReadForm(r)
	return overrideForm{
		User: form.Get("user"), Replaces: form.Get("replaces"),
		From: newTimeField(zone, "from", "From", form.Get("from")), To: newTimeField(zone, "to", "To", form.Get("to")),
	}, err
}

// complain marks the fields that are wrong.
func (f *overrideForm) complain(wrong fault.Fields) {
	f.Complaints = complaintsOf(wrong, "user_id", "The user", "replaces_user_id", "The user", "starts_at", "The start", "ends_at", "The end")
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
		return a.renderSchedule(w, r, http.StatusUnprocessableEntity, v, s, func(b *scheduleBody) { b.Cover = sent })
	case fault.Is(err, fault.Conflict):
		sent.Complaint = sentence(err)
		return a.renderSchedule(w, r, http.StatusConflict, v, s, func(b *scheduleBody) { b.Cover = sent })
	}
	return a.site.Done(w, r, err, "override-added", v.scheduleAddress(s.ID))
}

// overrideRequest finds the users whom the form names.
func (a *api) overrideRequest(ctx context.Context, form overrideForm) (q oncall.OverrideRequest, err error) {
	q = oncall.OverrideRequest{StartsAt: form.From.Value, EndsAt: form.To.Value}
	wrong := fault.Fields{}
	for _, named := range []struct {
		field, name string
		id          *int64
	}{{"user_id", form.User, &q.UserID}, {"replaces_user_id", form.Replaces, &q.ReplacesUserID}} {
		if strings.TrimSpace(named.name) == "" && named.field == "replaces_user_id" {
			continue
		}
		u, err := a.typedUser(ctx, named.name)
		if fault.Is(err, fault.NotFound) {
			wrong.Add(named.field, "is not known by this name")
		} else if err != nil {
			return q, err
		}
		*named.id = u.ID
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
