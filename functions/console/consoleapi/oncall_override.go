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
	"gatehouse/shared/web"
)

// overrideForm is the form that adds an override to a schedule.
type overrideForm struct {
	User, Replaces string // user names
	From, To       string // in the schedule's zone
	Complaints     site.Complaints
	Complaint      string // about all of it
}

// overrideView is an override that is not over.
type overrideView struct {
	ID             int64
	Name, Replaces string
	From, To       string
	Mine           bool // the visitor may take it back
}

const shortTime = "Mon 2 Jan 2006, 15:04"

// overrides returns the views of the overrides that are not over.
func (p picture) overrides(v visit, now time.Time) (views []overrideView) {
	for _, o := range p.schedule.Overrides {
		if !o.EndsAt.After(now) {
			continue
		}
		view := overrideView{
			ID: o.ID, Name: p.name(o.UserID), From: o.StartsAt.In(p.zone).Format(shortTime), To: o.EndsAt.In(p.zone).Format(shortTime),
			Mine: v.Maintains() || o.UserID == v.User.ID || o.ReplacesUserID == v.User.ID,
		}
		if o.ReplacesUserID != 0 {
			view.Replaces = p.name(o.ReplacesUserID)
		}
		views = append(views, view)
	}
	return views
}

// ofSchedule passes the schedule in the path to the handler.
func (a *api) ofSchedule(h func(http.ResponseWriter, *http.Request, visit, oncall.Stored) error) projectHandler {
	return func(w http.ResponseWriter, r *http.Request, v visit) error {
		id, err := web.PathID(r, "schedule")
		if err != nil {
			return err
		}
		s, err := a.app.OnCall.Find(r.Context(), v.Project, id)
		if err != nil {
			return err
		}
		return h(w, r, v, s)
	}
}

// asker is the visitor for the rules of schedules.
func (v visit) asker() oncall.Who { return oncall.Who{Actor: v.actor(), Role: v.Role} }

// addOverride adds the override in the form.
func (a *api) addOverride(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	shown := overrideForm{User: form.Get("user"), Replaces: form.Get("replaces"), From: form.Get("from"), To: form.Get("to")}
	request, err := a.overrideRequest(r.Context(), shown)
	if err == nil {
		_, err = a.app.OnCall.AddOverrides(r.Context(), v.asker(), v.Project, s, request)
	}
	var wrong fault.Fields
	switch {
	case errors.As(err, &wrong):
		shown.Complaints = site.NewComplaints(wrong, "user_id", "The user", "replaces_user_id", "The user", "starts_at", "The start", "ends_at", "The end")
		return a.renderOnCall(w, r, http.StatusUnprocessableEntity, v, s.ID, shown)
	case fault.Is(err, fault.Conflict):
		shown.Complaint = sentence(err)
		return a.renderOnCall(w, r, http.StatusConflict, v, s.ID, shown)
	}
	return a.site.Done(w, r, err, "override-added", v.Address()+onCallTab)
}

// overrideRequest finds the users whom the form names.
func (a *api) overrideRequest(ctx context.Context, form overrideForm) (q oncall.OverrideRequest, err error) {
	q = oncall.OverrideRequest{StartsAt: form.From, EndsAt: form.To}
	wrong := fault.Fields{}
	for _, named := range []struct {
		field, name string
		id          *int64
	}{{"user_id", form.User, &q.UserID}, {"replaces_user_id", form.Replaces, &q.ReplacesUserID}} {
		name := strings.TrimPrefix(strings.TrimSpace(named.name), "@")
		if name == "" && named.field == "replaces_user_id" {
			continue
		}
		u, err := a.app.Users.UserByUsername(ctx, name)
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
	return a.site.Done(w, r, err, "override-deleted", v.Address()+onCallTab)
}
