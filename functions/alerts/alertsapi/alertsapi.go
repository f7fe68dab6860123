// Package alertsapi takes alerts at the addresses of integrations, and answers
// at every address that no other function serves.
package alertsapi

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"gatehouse/shared/alert"
	"gatehouse/shared/app"
	"gatehouse/shared/fault"
	"gatehouse/shared/intake"
	"gatehouse/shared/secret"
	"gatehouse/shared/telemetry"
	"gatehouse/shared/web"
)

type api struct {
	intake *intake.Rules
}

// New returns the group's handler.
func New(app *app.App) http.Handler {
	api := &api{app.Intake}
	return web.Wrap(app.BaseURL, web.RESTCORS.Wrap(http.HandlerFunc(api.route)))
}

// route serves the addresses of integrations. They begin with the project's
// path, so no pattern of a mux matches them.
func (a *api) route(w http.ResponseWriter, r *http.Request) {
	d, ok := parseAddress(strings.TrimSuffix(r.URL.Path, "/"))
	switch {
	case !ok:
		a.fallback(w, r)
	case r.Method == http.MethodPost, r.Method == http.MethodPut: // some tools put
		note(r, d)
		web.Handler(func(w http.ResponseWriter, r *http.Request) error { return a.notify(w, r, d) }).ServeHTTP(w, r)
	default:
		w.Header().Set("Allow", "POST, PUT")
		web.Refuse(w, r, http.StatusMethodNotAllowed)
	}
}

// note has the log name the integration. After an escaped '?' comes a query that a
// client escaped by mistake.
func note(r *http.Request, d intake.Delivery) {
	telemetry.NoteRoute(r.Context(), "/{project}/alerts/notify")
	project, _, _ := strings.Cut(d.Project, "?")
	telemetry.NoteCaller(r.Context(), telemetry.Caller{Project: project, Endpoint: d.Endpoint})
}

// item is an alert that a payload touched.
type item struct {
	IID   int64  `json:"iid"`
	Title string `json:"title"`
}

func newItems(touched []alert.Recorded) []item {
	items := make([]item, len(touched))
	for i, t := range touched {
		items[i] = item{t.IID, t.Title}
	}
	return items
}

func (a *api) notify(w http.ResponseWriter, r *http.Request, d intake.Delivery) error {
	body, err := web.ReadBody(r)
	if err != nil {
		// Too large is 400 here: senders know no 413 (Interface: "Alert intake").
		d.Unread = fault.New(fault.Invalid, fault.Message(err))
	}
	d.Body, d.Key = payloadOf(r, body), key(r)
	touched, err := a.intake.Deliver(r.Context(), d)
	if err != nil {
		telemetry.Add(telemetry.AlertsRefused, 1)
	}
	telemetry.Add(telemetry.AlertsTaken, float64(len(touched)))
	switch {
	case errors.Is(err, fault.Unauthorized):
		w.Header().Set("WWW-Authenticate", `Bearer realm="Gatehouse", Basic realm="Gatehouse"`)
		return err
	case err != nil:
		return web.NotFound("Project", err)
	}
	return web.JSON(w, http.StatusOK, newItems(touched))
}

// payloadOf returns the body if its content type is JSON. Any other body counts
// as empty: it still opens an alert, but says nothing about it.
func payloadOf(r *http.Request, body []byte) []byte {
	mediaType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	mediaType, _, _ = strings.Cut(mediaType, ",") // the gateway joins repeated headers
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	if mediaType != "application/json" && !strings.HasSuffix(mediaType, "+json") {
		return nil
	}
	return body
}

// key returns the authorization key of the request: a Bearer token, else the
// password of Basic authentication with any user name. The gateway joins
// repeated headers with commas.
func key(r *http.Request) secret.Text {
	var password string
	for credentials := range strings.SplitSeq(r.Header.Get("Authorization"), ",") {
		scheme, token, _ := strings.Cut(strings.TrimSpace(credentials), " ")
		token = strings.TrimSpace(token)
		switch strings.ToLower(scheme) {
		case "bearer":
			return secret.NewText(token)
		case "basic":
			password = passwordIn(token)
		}
	}
	return secret.NewText(password)
}

// passwordIn returns the password of Basic credentials (RFC 7617 section 2).
func passwordIn(credentials string) string {
	decoded, err := base64.StdEncoding.DecodeString(credentials)
	if err != nil {
		return ""
	}
	_, password, _ := strings.Cut(string(decoded), ":")
	return password
}
