package consoleapi

import (
	"context"
	"errors"
	"net/http"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/errortracking"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/site"
)

// trackingBody is the data of the section about error tracking.
type trackingBody struct {
	visit
	Settings errortracking.Settings
	Form     trackingForm
	Keys     keyList
}

// On reports whether Gatehouse itself tracks the project's errors, with the
// client keys of the list.
func (b trackingBody) On() bool { return b.Settings.Active && b.Settings.Integrated }

// showTracking shows the settings of error tracking and the client keys.
func (a *api) showTracking(w http.ResponseWriter, r *http.Request, v visit) error {
	settings, keys, err := a.tracking(r, v)
	if err != nil {
		return err
	}
	return a.renderTracking(w, r, http.StatusOK, trackingBody{v, settings, newTrackingForm(settings), keys})
}

// tracking reads the settings and the requested page of client keys in
// parallel.
func (a *api) tracking(r *http.Request, v visit) (settings errortracking.Settings, keys keyList, err error) {
	wanted := site.PageOf(r)
	var found page.Of[errortracking.ClientKey]
	reads, ctx := errgroup.WithContext(r.Context())
	reads.Go(func() (err error) {
		settings, err = a.trackingSettings(ctx, v)
		return err
	})
	reads.Go(func() (err error) {
		found, err = a.app.Tracking.Keys(ctx, v.Project.ID, wanted)
		return err
	})
	err = reads.Wait()
	return settings, a.newKeyList(v, wanted, found), err
}

// trackingSettings returns the project's settings. Missing ones are shown as
// integrated and off.
func (a *api) trackingSettings(ctx context.Context, v visit) (errortracking.Settings, error) {
	settings, err := a.app.Tracking.Settings(ctx, v.Project.ID)
	if errors.Is(err, fault.NotFound) {
		return errortracking.Settings{ProjectID: v.Project.ID, Integrated: true}, nil
	}
	return settings, err
}

func (a *api) renderTracking(w http.ResponseWriter, r *http.Request, status int, body trackingBody) error {
	return a.renderSection(w, r, body.visit, trackingSection, site.Page{Template: "tracking", Status: status, Body: body})
}

// changeTracking saves the form.
func (a *api) changeTracking(w http.ResponseWriter, r *http.Request, v visit) error {
	sent, err := readTrackingForm(r)
	if err != nil {
		return err
	}
	change, token := sent.change()
	settings, err := a.app.Tracking.Change(r.Context(), v.actor(), v.Project, change, token)
	if err != nil {
		return a.renderTrackingError(w, r, v, sent, err)
	}
	return a.site.Done(w, r, nil, trackingNotice(settings), v.Address()+trackingSection)
}

func trackingNotice(s errortracking.Settings) string {
	switch {
	case !s.Active:
		return "tracking-off"
	case s.Integrated:
		return "tracking-on"
	}
	return "tracking-external"
}

// renderTrackingError shows the form again, with the mistakes beside the fields.
func (a *api) renderTrackingError(w http.ResponseWriter, r *http.Request, v visit, sent trackingForm, err error) error {
	var wrong fault.Fields
	if !errors.As(err, &wrong) {
		return err
	}
	settings, keys, err := a.tracking(r, v)
	if err != nil {
		return err
	}
	sent.HasToken = newTrackingForm(settings).HasToken
	sent.Complaints = site.NewComplaints(wrong, "api_url", "The API address", "token", "The token",
		"project_name", "The name", "tracker_external_url", "The address")
	return a.renderTracking(w, r, http.StatusUnprocessableEntity, trackingBody{v, settings, sent, keys})
}
