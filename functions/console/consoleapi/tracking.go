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

// trackingBody is what the section about error tracking shows.
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

// tracking reads the settings and the page of client keys that the request
// asks for, side by side.
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

// trackingSettings returns the project's settings. To people those that were
// never made look like integrated ones that are off.
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
		return a.complainTracking(w, r, v, sent, err)
	}
	a.site.Notify(w, trackingNotice(settings))
	return site.Redirect(w, r, v.Address()+trackingSection)
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

// complainTracking shows the form again with what is wrong beside the fields.
func (a *api) complainTracking(w http.ResponseWriter, r *http.Request, v visit, sent trackingForm, err error) error {
	var fields fault.Fields
	if !errors.As(err, &fields) {
		return err
	}
	settings, keys, err := a.tracking(r, v)
	if err != nil {
		return err
	}
	sent.HasToken = newTrackingForm(settings).HasToken
	sent.Complaints = trackingComplaints{
		APIURL:      site.Sentence("The API address", fields["api_url"]),
		Token:       site.Sentence("The token", fields["token"]),
		ProjectName: site.Sentence("The name", fields["project_name"]),
		TrackerURL:  site.Sentence("The address", fields["tracker_external_url"]),
	}
	return a.renderTracking(w, r, http.StatusUnprocessableEntity, trackingBody{v, settings, sent, keys})
}
