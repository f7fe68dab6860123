package consoleapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/mapping"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// mappingBody is the data of the page about an integration's mapping.
type mappingBody struct {
	visit
	Integration integrationView
	Sample      string
	Latest      bool // the sample is the latest payload
	Nothing     bool // there is no latest payload
	Off         bool // mapping is switched off on the instance
	Choices     []choice
	JSON        bool   // the mapping is edited as a text
	Text        string // the mapping as JSON
	Chosen      bool   // the mapping can be chosen from a sample too
	Preview     *preview
	Complaint   string
}

// showMapping shows the mapping with its sample or the latest payload.
func (a *api) showMapping(w http.ResponseWriter, r *http.Request, v visit, i integration.Integration) error {
	body := mappingBody{visit: v, Integration: a.newIntegrationView(v, i), Latest: r.URL.Query().Get("sample") == "latest"}
	if !body.Integration.Maps() {
		return integration.ErrNotFound
	}
	read := a.app.Integrations.Sample
	if body.Latest {
		read = a.latestPayload
	}
	sample, err := read(r.Context(), v.Project, i)
	if err != nil {
		return err
	}
	body.Nothing = body.Latest && sample == nil
	body.Sample = indented(sample)
	form := mappingForm{Sample: body.Sample, JSON: r.URL.Query().Get("as") == "json", Text: indented(i.Mapping)}
	err = form.read(i)
	body.show(form, err)
	return a.renderMapping(w, r, body, http.StatusOK)
}

// show shows the form, with the places to choose from unless there is an error.
func (b *mappingBody) show(form mappingForm, err error) {
	b.JSON, b.Text, b.Chosen = form.JSON, form.Text, form.simple
	if err == nil && !form.JSON {
		b.Choices = form.choices()
	}
}

// latestPayload returns the payload that opened the integration's newest alert,
// or nil if no recent alert came through the integration.
func (a *api) latestPayload(ctx context.Context, p project.Project, i integration.Integration) ([]byte, error) {
	last, err := a.app.Alerts.LastFrom(ctx, p.ID, i.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return a.app.Alerts.AlertPayload(ctx, p.ID, last.IID)
}

func (a *api) renderMapping(w http.ResponseWriter, r *http.Request, body mappingBody, status int) error {
	body.Off = !a.app.Integrations.Features.Mapping
	return a.renderSection(w, r, body.visit, integrationsSection, site.Page{Template: "mapping", Title: "Mapping of " + body.Integration.Name, Status: status, Body: body})
}

// The limits of what is indented, in bytes. Indentation can make deeply nested
// JSON a hundred times as long, and the form sends all of it back.
const (
	maxPlain    = 64 << 10
	maxIndented = 256 << 10
)

// indented returns JSON with indentation, unless it is too long for that.
func indented(text []byte) string {
	var out bytes.Buffer
	if len(text) > maxPlain || json.Indent(&out, text, "", "  ") != nil || out.Len() > maxIndented {
		return string(text)
	}
	return out.String()
}

// changeMapping finds the fields in the sample, shows a preview, or saves the
// mapping, depending on the button.
func (a *api) changeMapping(w http.ResponseWriter, r *http.Request, v visit, i integration.Integration) error {
	sent, err := readMappingForm(r)
	if err != nil {
		return err
	}
	body := mappingBody{visit: v, Integration: a.newIntegrationView(v, i), Sample: indented([]byte(sent.Sample))}
	if !body.Integration.Maps() {
		return integration.ErrNotFound
	}
	err = sent.read(i)
	body.show(sent, err)
	if err == nil {
		err = a.actOnMapping(r, v, i, sent, &body)
	}
	if err == nil && sent.Action == saveMapping {
		return a.site.Done(w, r, nil, "mapping-saved", body.Integration.Address)
	}
	return a.renderMappingError(w, r, body, err)
}

// actOnMapping does what the button is for.
func (a *api) actOnMapping(r *http.Request, v visit, i integration.Integration, sent mappingForm, body *mappingBody) error {
	if sent.Action == readSample {
		if sent.blank() {
			return errNoSample
		}
		return nil
	}
	chosen, err := sent.chosen()
	if err != nil {
		return err
	}
	if sent.Action == saveMapping {
		return a.saveMapping(r, v, i, sent, chosen)
	}
	if sent.blank() {
		return errNoSample
	}
	found, err := a.app.Intake.Preview(r.Context(), v.Project, i, chosen, []byte(sent.Sample))
	if err == nil {
		body.Preview = newPreview(found)
	}
	return err
}

// saveMapping stores the mapping with its sample.
func (a *api) saveMapping(r *http.Request, v visit, i integration.Integration, sent mappingForm, chosen mapping.Mapping) error {
	text, err := json.Marshal(chosen)
	if err != nil {
		return err
	}
	change := integration.Change{Mapping: &text}
	if !sent.blank() {
		sample := []byte(sent.Sample)
		change.Sample = &sample
	}
	_, err = a.app.Integrations.Change(r.Context(), v.actor(), v.Project, i.ID, change)
	return err
}

// renderMappingError shows the form again, with the error if there is one.
func (a *api) renderMappingError(w http.ResponseWriter, r *http.Request, body mappingBody, err error) error {
	status := http.StatusOK
	var fields fault.Fields
	switch {
	case err == nil:
	case fault.Is(err, fault.NotFound), web.Status(err) >= http.StatusInternalServerError:
		return err
	default:
		status, body.Complaint = http.StatusUnprocessableEntity, sentence(err)
		if fault.Is(err, fault.Forbidden) {
			status = http.StatusForbidden
		}
		if body.Complaint == "" && errors.As(err, &fields) {
			body.Complaint = site.Sentence("The mapping", fields["payload_attribute_mapping"])
		}
	}
	return a.renderMapping(w, r, body, status)
}

var errNoSample = fault.New(fault.Invalid, "paste a payload of the tool first")
