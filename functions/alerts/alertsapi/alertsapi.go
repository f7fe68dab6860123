// Package alertsapi takes alerts at the addresses of integrations, and answers
// at every address that no other function serves.
package alertsapi

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/app"
	"gatehouse/shared/fault"
	"gatehouse/shared/intake"
	"gatehouse/shared/payload"
	"gatehouse/shared/secret"
	"gatehouse/shared/telemetry"
	"gatehouse/shared/web"
)

type api struct {
	intake *intake.Rules
	now    func() time.Time
}

// New returns the group's handler.
func New(app *app.App) http.Handler {
	api := &api{app.Intake, app.Now}
	return web.Wrap(app.BaseURL, web.RESTCORS.Wrap(http.HandlerFunc(api.route)))
}

// route serves the addresses of integrations. They begin with the project's
// path, so no pattern of a mux matches them.
func (a *api) route(w http.ResponseWriter, r *http.Request) {
	d, ok := parseAddress(strings.TrimSuffix(r.URL.Path, "/"))
	note(r, d, ok)
	switch {
	case !ok:
		a.fallback(w, r)
	case r.Method == http.MethodPost, r.Method == http.MethodPut: // some tools put
		web.Handler(func(w http.ResponseWriter, r *http.Request) error { return a.notify(w, r, d) }).ServeHTTP(w, r)
	default:
		w.Header().Set("Allow", "POST, PUT")
		web.Refuse(w, r, http.StatusMethodNotAllowed)
	}
}

// note has the log name the integration, and keeps keys out of it. After an escaped '?' comes
// a query that a client escaped by mistake.
func note(r *http.Request, d intake.Delivery, isAddress bool) {
	if mayHoldKey(r.URL.Path) {
		telemetry.NoteSecretPath(r.Context(), "/{project}/alerts/notify")
	}
	if isAddress && !mayHoldKey(d.Project) {
		project, _, _ := strings.Cut(d.Project, "?")
		telemetry.NoteCaller(r.Context(), telemetry.Caller{Project: project, Endpoint: d.Endpoint})
	}
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
	start := a.now()
	d.Body, d.Unread = readBody(r)
	if d.Call.Action != "" && d.Unread == nil {
		d.Unread = checkIdentifier(r)
	}
	d.OtherType, d.Key = otherType(r), key(r)
	touched, dedupKey, err := a.intake.Accept(r.Context(), d)
	if err != nil {
		telemetry.Add(telemetry.AlertsRefused, 1)
	}
	telemetry.Add(telemetry.AlertsTaken, float64(len(touched)))
	switch {
	case errors.Is(err, fault.Unauthorized):
		w.Header().Set("WWW-Authenticate", `Bearer realm="Gatehouse", Basic realm="Gatehouse"`)
		return err
	case errors.Is(err, fault.Unsupported):
		w.Header().Set("Accept-Encoding", web.Codings)
		return err
	case err != nil:
		return web.NotFound("Project", err)
	case dedupKey != "":
		return web.JSON(w, http.StatusAccepted, eventBody{"success", "Event processed", dedupKey})
	case d.Call.Preset != "":
		return web.JSON(w, http.StatusAccepted, newRequestBody(a.now().Sub(start)))
	}
	return web.JSON(w, http.StatusOK, newItems(touched))
}

// eventBody is the answer to an event of the Events API v2.
type eventBody struct {
	Status   string `json:"status"`
	Message  string `json:"message"`
	DedupKey string `json:"dedup_key"`
}

// readBody returns the body without its content coding. One that is too large is 400 here:
// senders know no 413 (Interface: "Alert intake").
func readBody(r *http.Request) ([]byte, error) {
	body, err := web.ReadBodyUpTo(r, payload.MaxGroupBytes)
	if err == nil {
		body, err = web.Decoded(r, body, payload.MaxGroupBytes)
	}
	if errors.Is(err, fault.TooLarge) {
		err = fault.New(fault.Invalid, fault.Message(err))
	}
	return body, err
}

// otherType returns what the body claims to be if that is not JSON, and else "".
func otherType(r *http.Request) string {
	mediaType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	mediaType, _, _ = strings.Cut(mediaType, ",") // the gateway joins repeated headers
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	switch {
	case mediaType == "application/json", strings.HasSuffix(mediaType, "+json"):
		return ""
	case mediaType == "":
		return "without a content type"
	}
	return mediaType
}

// key returns the authorization key of the request: a Bearer token, which some tools call
// GenieKey, else the password of Basic authentication with any user name, else X-Api-Key.
// The gateway joins repeated headers with commas.
func key(r *http.Request) secret.Text {
	var password string
	for credentials := range strings.SplitSeq(r.Header.Get("Authorization"), ",") {
		scheme, token, _ := strings.Cut(strings.TrimSpace(credentials), " ")
		token = strings.TrimSpace(token)
		switch strings.ToLower(scheme) {
		case "bearer", "geniekey":
			return secret.NewText(token)
		case "basic":
			password = passwordIn(token)
		}
	}
	if password == "" {
		password = strings.TrimSpace(r.Header.Get("X-Api-Key"))
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
