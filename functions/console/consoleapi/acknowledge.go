package consoleapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/paging/permit"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// permitted is what the link in a mail is about.
type permitted struct {
	Permit  permit.Permit
	Project project.Project
	Alert   alert.Current
	User    user.User // in whose name the alert is acknowledged
}

// acknowledgeBody is the data of the page behind the link in a mail.
type acknowledgeBody struct {
	permitted
	Token string
	Wrong string // why the link does not work; empty: it does
	Done  bool   // the alert is acknowledged
}

// Known reports whether the page may tell what the alert is.
func (b acknowledgeBody) Known() bool { return b.User.ID != 0 }

// AlertAddress is the path of the alert's page for those who sign in, or empty.
func (b acknowledgeBody) AlertAddress() string {
	if b.Permit.IID == 0 {
		return ""
	}
	return consolePath + "/" + strconv.FormatInt(b.Permit.ProjectID, 10) + alertsTab + "/" + strconv.FormatInt(b.Permit.IID, 10)
}

// errNotPermitted means that a link is genuine, but its user may not acknowledge the alert
// any more, or the alert is gone.
var errNotPermitted = errors.New("the link permits nothing any more")

// unseen gives the answers the headers of a page that no search engine keeps, and that gives
// its address away to nobody.
func unseen(h site.Handler) site.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("X-Robots-Tag", "noindex, nofollow")
		return h(w, r)
	}
}

// askToAcknowledge shows the alert of a link. It changes nothing, because programs that
// look into mails follow links.
func (a *api) askToAcknowledge(w http.ResponseWriter, r *http.Request) error {
	token := r.URL.Query().Get("token")
	found, err := a.permitted(r.Context(), token)
	if err == nil {
		err = found.check()
	}
	return a.renderAcknowledge(w, r, acknowledgeBody{permitted: found, Token: token}, err)
}

// acknowledge acknowledges the alert of a link in the name of the link's user. Who sends
// the form again gets the same answer.
func (a *api) acknowledge(w http.ResponseWriter, r *http.Request) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	var found permitted
	for n := 1; ; n++ {
		found, err = a.acknowledgeBy(r.Context(), form.Get("token"))
		if !errors.Is(err, alert.ErrChanged) || n == maxAcknowledgements {
			break
		}
	}
	return a.renderAcknowledge(w, r, acknowledgeBody{permitted: found, Done: err == nil}, err)
}

// maxAcknowledgements is how often acknowledging is tried while others change the alert.
const maxAcknowledgements = 3

// acknowledgeBy acknowledges what the token permits, and returns it as it is then.
func (a *api) acknowledgeBy(ctx context.Context, token string) (permitted, error) {
	found, err := a.permitted(ctx, token)
	if err != nil || found.done() {
		return found, err
	}
	if err := found.check(); err != nil {
		return found, err
	}
	status := alert.Acknowledged
	change := alert.Change{Status: &status, Seen: found.Alert.Version}
	changed, err := a.app.Alerts.Change(ctx, audit.ByUser(found.User.ID), found.Project, found.Alert, change)
	if err == nil {
		found.Alert.Alert = changed
	}
	return found, err
}

// permitted reads what the token is about, if its user may acknowledge the alert.
func (a *api) permitted(ctx context.Context, token string) (found permitted, err error) {
	if found.Permit, err = a.app.Permits.Permit(token, a.app.Now()); err != nil {
		return found, err
	}
	p, err := a.app.Projects.Project(ctx, found.Permit.ProjectID)
	if err != nil {
		return found, goneIfNotFound(err)
	}
	var role project.Role
	full := permitted{Permit: found.Permit, Project: p}
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		full.User, err = a.app.Users.User(ctx, found.Permit.UserID)
		return err
	})
	reads.Go(func() (err error) {
		role, err = a.app.Auth.RoleIn(ctx, p, found.Permit.UserID)
		return err
	})
	reads.Go(func() (err error) {
		full.Alert, err = a.app.Alerts.Current(ctx, p, found.Permit.IID)
		return err
	})
	err = reads.Wait() // full and role are complete only now
	if err == nil && role < project.Developer {
		err = errNotPermitted
	}
	if err != nil {
		return found, goneIfNotFound(err)
	}
	return full, nil
}

func goneIfNotFound(err error) error {
	if fault.Is(err, fault.NotFound) {
		return errNotPermitted
	}
	return err
}

// The reasons why the link of somebody who may acknowledge the alert does not do so.
var (
	errNotTriggered = errors.New("the alert is not triggered")
	errReopened     = errors.New("the alert was opened again since")
)

func (p permitted) check() error {
	switch {
	case p.Alert.Status != alert.Triggered:
		return errNotTriggered
	case !p.Permit.Covers(p.Alert.Alert):
		return errReopened
	}
	return nil
}

// done reports whether the user has acknowledged the alert since the mail was sent.
func (p permitted) done() bool {
	if p.Alert.Status != alert.Acknowledged {
		return false
	}
	for _, change := range slices.Backward(p.Alert.Activity) {
		if change.Change == alert.StatusChanged {
			return change.ActorID == p.User.ID && change.At.After(p.Permit.Since)
		}
	}
	return false
}

// renderAcknowledge answers with the page, which says what is wrong with the link.
func (a *api) renderAcknowledge(w http.ResponseWriter, r *http.Request, body acknowledgeBody, err error) error {
	status := http.StatusOK
	switch {
	case errors.Is(err, permit.ErrInvalid):
		status, body.Wrong = http.StatusNotFound, "The link is not complete, or not one of ours. Open it from the mail again."
	case errors.Is(err, permit.ErrExpired):
		status, body.Wrong = http.StatusGone, "The link has expired."
	case errors.Is(err, errNotPermitted):
		status, body.Wrong = http.StatusGone, "The alert is no longer there, or whom the mail was for may no longer work on it."
	case errors.Is(err, errNotTriggered):
		status, body.Wrong = http.StatusConflict, "The alert is not waiting for anybody: somebody has seen to it. Nothing was changed."
	case errors.Is(err, errReopened):
		status, body.Wrong = http.StatusGone, "The alert was opened again since this mail was sent. A later mail has a link for that."
	case err != nil:
		return err
	}
	page := site.Page{Template: "acknowledge", Secret: true, Title: "Acknowledge an alert", Status: status, Focused: true, Body: body}
	return a.site.Render(w, r, page)
}
