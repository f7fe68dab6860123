package consoleapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/preset"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// testBody is the data of the page that sends test alerts.
type testBody struct {
	visit
	Integrations []integrationView // active ones that take alerts
	Chosen       int64
	Payload      string
	Proposed     string // the digest of the payload that the page proposes, for the next form
	Replaced     bool   // the payload was that of another integration, and is now of the chosen one
	Sent         bool
	Touched      []touched
	Complaint    string
}

// touched is an alert that the payload opened, repeated or resolved.
type touched struct {
	alert.Recorded
	Address string
}

// newTestBody lists the integrations that a test can be sent to, and chooses
// the one with this id, else the first.
func (a *api) newTestBody(ctx context.Context, v visit, id string) (testBody, error) {
	all, err := a.app.Integrations.Integrations(ctx, v.Project)
	body := testBody{visit: v}
	for _, i := range all {
		if i.Receives() {
			body.Integrations = append(body.Integrations, a.newIntegrationView(v, i))
			if body.Chosen == 0 || strconv.FormatInt(i.ID, 10) == id {
				body.Chosen = i.ID
			}
		}
	}
	return body, err
}

// chosen returns the chosen integration, if there is one.
func (b testBody) chosen() (integration.Integration, bool) {
	n := slices.IndexFunc(b.Integrations, func(i integrationView) bool { return i.ID == b.Chosen })
	if n < 0 {
		return integration.Integration{}, false
	}
	return b.Integrations[n].Integration, true
}

// showTest proposes the integration's sample, else an example.
func (a *api) showTest(w http.ResponseWriter, r *http.Request, v visit) error {
	body, err := a.newTestBody(r.Context(), v, r.URL.Query().Get("integration"))
	if err != nil {
		return err
	}
	if i, ok := body.chosen(); ok {
		if err := a.propose(r.Context(), v, i, r.URL.Query().Get("sample"), &body); err != nil {
			return err
		}
	}
	return a.renderTest(w, r, http.StatusOK, body)
}

// propose puts a payload on the page: the sample of this name of the integration's preset
// if one was asked for, else the integration's own sample, else an example.
func (a *api) propose(ctx context.Context, v visit, i integration.Integration, sample string, body *testBody) error {
	own, err := a.app.Integrations.Sample(ctx, v.Project, i)
	made, ok := preset.Find(i.Preset)
	switch {
	case ok && (sample != "" || own == nil):
		body.Payload = indented(made.Sample(sample).Payload)
	case own != nil:
		body.Payload = indented(own)
	default:
		body.Payload = examplePayload(i, a.app.Now())
	}
	body.Proposed = digest(body.Payload)
	return err
}

// digest recognises a payload that came back as it was proposed. Browsers send the ends
// of lines in their own way.
func digest(payload string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(strings.ReplaceAll(payload, "\r\n", "\n"))))
	return hex.EncodeToString(sum[:8])
}

func (a *api) renderTest(w http.ResponseWriter, r *http.Request, status int, body testBody) error {
	return a.renderAlerts(w, r, body.visit, testSection, site.Page{Template: "test_alert", Title: "Test alert", Status: status, Body: body})
}

// sendTest records the payload as if a tool had sent it.
func (a *api) sendTest(w http.ResponseWriter, r *http.Request, v visit) error {
	form, err := site.ReadLargeForm(r)
	if err != nil {
		return err
	}
	body, err := a.newTestBody(r.Context(), v, form.Get("integration"))
	if err != nil {
		return err
	}
	body.Payload, body.Proposed = form.Get("payload"), form.Get("proposed")
	i, ok := body.chosen()
	if !ok || strconv.FormatInt(i.ID, 10) != form.Get("integration") {
		return a.renderTestError(w, r, body, errNotReceiving)
	}
	if wantsExample(form, digest(body.Payload)) {
		body.Replaced = true
		if err := a.propose(r.Context(), v, i, "", &body); err != nil {
			return err
		}
		return a.renderTest(w, r, http.StatusOK, body)
	}
	recorded, err := a.app.Intake.Test(r.Context(), v.Project, i, []byte(body.Payload))
	if err != nil {
		return a.renderTestError(w, r, body, err)
	}
	body.Sent = true
	for _, t := range recorded {
		body.Touched = append(body.Touched, touched{t, v.alertAddress(t.IID)})
	}
	return a.renderTest(w, r, http.StatusOK, body)
}

// wantsExample reports whether the form asks for the integration's example, or would send
// it the untouched one of another, which may have another format.
func wantsExample(form site.Form, sent string) bool {
	shownFor := form.Get("for")
	return form.Get("do") == "example" || shownFor != "" && shownFor != form.Get("integration") && sent == form.Get("proposed")
}

var errNotReceiving = fault.New(fault.Conflict, "the integration is not active any more")

// renderTestError shows the error above the payload.
func (a *api) renderTestError(w http.ResponseWriter, r *http.Request, body testBody, err error) error {
	if body.Complaint = sentence(err); body.Complaint == "" {
		return err
	}
	return a.renderTest(w, r, web.Status(err), body)
}
