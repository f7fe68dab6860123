package consoleapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/intake"
	"gatehouse/shared/integration"
	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
	"gatehouse/shared/preset"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// mappingBody is the data of the page about an integration's mapping.
type mappingBody struct {
	visit
	Integration integrationView
	Form        mappingForm
	Off         bool   // mapping is switched off on the instance
	Nothing     bool   // there is no latest payload
	Length      string // of a sample that is not in the form
	HasSample   bool
	Tree        sampleTree
	Fields      []chosenField
	Preview     *preview
	Tool        string // the name of the preset
	Tried       []triedSample
	Changes     *changes
	Replay      *replayOffer
	Complaint   string
	SampleWrong string
	TextWrong   string
}

// Wrong reports whether a field has something wrong in it.
func (b mappingBody) Wrong() bool { return len(b.Form.wrong) > 0 }

// chosenField is a field of the mapping with what fills it and what that is for the sample.
type chosenField struct {
	Name, Label   string
	Source, Words string
	Further       string // what the mapping has besides
	Wrong         string
	IsCondition   bool
	Marked        bool // a click in the sample fills it
	Taken         bool // and has just done so
	Row           *previewRow
}

// editing is what is read for the page of a mapping, and what is made of it.
type editing struct {
	*api
	visit
	integration.Integration
	endpoint integration.Endpoint
	stored   []byte        // the sample that is stored
	kept     []alert.Whole // the newest alerts that the integration opened
	form     mappingForm
	sample   []byte
	object   payload.Object // the sample
	edited   mapping.Mapping
	body     mappingBody
}

func (a *api) newEditing(v visit, i integration.Integration, f mappingForm) (*editing, error) {
	e := &editing{api: a, visit: v, Integration: i, form: f}
	e.body = mappingBody{visit: v, Integration: a.newIntegrationView(v, i), Off: !a.app.Integrations.Features.Mapping}
	if !e.body.Integration.Maps() {
		return nil, integration.ErrNotFound
	}
	return e, nil
}

// maxKept is the number of payloads with which the page compares.
const maxKept = 10

// read reads what is stored, and some of the newest alerts.
func (e *editing) read(ctx context.Context, alerts int) error {
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		e.endpoint, e.stored, err = e.app.Integrations.EndpointWithSample(ctx, e.Project, e.Integration)
		return err
	})
	if alerts > 0 {
		reads.Go(func() (err error) {
			e.kept, err = e.app.Alerts.WholeAlertsFrom(ctx, e.Project.ID, e.ID, alerts)
			return err
		})
	}
	return reads.Wait()
}

// showMapping shows the mapping with its sample, or with a payload that was received.
func (a *api) showMapping(w http.ResponseWriter, r *http.Request, v visit, i integration.Integration) error {
	query := r.URL.Query()
	e, err := a.newEditing(v, i, mappingForm{JSON: query.Get("as") == "json", Text: indented(i.Mapping), Seen: seen(i), wrong: map[string]string{}})
	if err != nil {
		return err
	}
	latest := query.Get("sample") == "latest"
	if err := e.read(r.Context(), map[bool]int{true: 1}[latest]); err != nil {
		return err
	}
	switch {
	case query.Get("alert") != "":
		e.form.From = "alert:" + query.Get("alert") + map[bool]string{true: latestOf}[query.Get("payload") == "latest"]
		if err := e.offerReplay(r.Context()); err != nil {
			return err
		}
	case latest && len(e.kept) > 0:
		e.form.From = fmt.Sprintf("alert:%d", e.kept[0].IID)
	case latest:
		e.body.Nothing = true
	case len(e.stored) > 0:
		e.form.From = fromStored
	default:
		e.form.Preset = i.Preset
	}
	err = e.work(r)
	if errors.Is(err, errNoSample) { // nobody asked for anything yet
		err = nil
	}
	if err == nil && query.Get("text") != "" {
		e.form.Sample, e.form.From = indented(e.sample), ""
	}
	return e.answer(w, r, err)
}

// changeMapping shows what becomes of the sample, or saves the mapping, depending on the
// button.
func (a *api) changeMapping(w http.ResponseWriter, r *http.Request, v visit, i integration.Integration) error {
	sent, err := readMappingForm(r, i)
	if err != nil {
		return err
	}
	e, err := a.newEditing(v, i, sent)
	if err != nil {
		return err
	}
	alerts := maxKept
	if sent.Action == saveMapping {
		alerts = 0
	}
	if err := e.read(r.Context(), alerts); err != nil {
		return err
	}
	err = e.act(r)
	if err == nil && sent.Action == saveMapping {
		return a.site.Done(w, r, nil, "mapping-saved", e.body.Integration.Address)
	}
	return e.answer(w, r, err)
}

var errNotChosen = fault.New(fault.Conflict, "the mapping was changed since you opened this page: below is what it is now")

// act does what the button is for.
func (e *editing) act(r *http.Request) error {
	save := e.form.Action == saveMapping
	if e.form.Seen != "" && e.form.Seen != seen(e.Integration) {
		e.form.Base, e.form.Text, e.form.inputs = "", indented(e.Mapping), nil
		err := e.work(r)
		e.form.Seen = seen(e.Integration)
		if save && err == nil {
			return errNotChosen
		}
		return err
	}
	e.form.Seen = seen(e.Integration)
	err := e.work(r)
	if save && (err == nil || errors.Is(err, errNoSample)) {
		return e.save(r.Context())
	}
	return err
}

// work finds the sample, applies what was chosen, and says what becomes of the sample.
func (e *editing) work(r *http.Request) error {
	sampleErr := e.findSample(r.Context())
	if fault.Is(sampleErr, fault.NotFound) || sampleErr != nil && fault.Message(sampleErr) == "" {
		return sampleErr
	}
	if err := e.choose(); err != nil {
		e.show()
		return err
	}
	e.turn()
	e.show()
	if sampleErr != nil {
		return sampleErr
	}
	return e.rehearse()
}

var errNoSample = fault.New(fault.Invalid, "paste a payload of the tool first")

// sampleError is what is wrong with the sample.
type sampleError struct{ error }

// Unwrap returns the error.
func (s sampleError) Unwrap() error { return s.error }

// findSample reads the sample from where the form says that it is.
func (e *editing) findSample(ctx context.Context) (err error) {
	if e.form.Preset != "" {
		if p, ok := preset.Find(e.Preset); ok {
			e.form.Sample, e.form.From = indented(p.Sample(e.form.Preset).Payload), ""
		}
	}
	if e.sample = []byte(e.form.Sample); e.form.blank() && e.form.From != "" {
		if e.sample, err = e.sampleFrom(ctx, e.form.From); err != nil {
			return err
		}
	}
	if len(bytes.TrimSpace(e.sample)) == 0 {
		return sampleError{errNoSample}
	}
	document, err := payload.Read(e.sample)
	if err != nil {
		return sampleError{err}
	}
	e.object, e.body.HasSample = document.Object, true
	return nil
}

// sampleFrom returns the stored sample or the payload of an alert.
func (e *editing) sampleFrom(ctx context.Context, from string) ([]byte, error) {
	if from == fromStored {
		return e.stored, nil
	}
	kept, err := e.keptBy(ctx, from)
	if err != nil {
		return nil, err
	}
	h, err := e.rehearsal(nil)
	return h.AsSent(kept.Of.Alert, kept.Text()), err
}

// rehearsal reads payloads as they are read now, or with a mapping.
func (e *editing) rehearsal(with *mapping.Mapping) (h intake.Rehearsal, err error) {
	m := mapping.Mapping{}
	switch {
	case e.body.Off:
	case with != nil:
		m = *with
	default:
		if m, err = mapping.Parse(e.Mapping, mappingField); err != nil {
			return h, err
		}
	}
	return e.app.Intake.Rehearse(e.endpoint, m)
}

// choose applies the form to the mapping that is edited.
func (e *editing) choose() (err error) {
	if e.form.inputs == nil && !e.form.JSON {
		base, err := e.form.base(e.Integration)
		if err != nil {
			return err
		}
		e.form.propose(base, e.Integration)
	}
	if e.form.Taken != "" && !e.form.JSON {
		base, err := e.form.base(e.Integration)
		if err != nil {
			return err
		}
		e.form.take(e.Integration, base, e.object)
	}
	e.edited, err = e.form.chosen(e.Integration, e.object)
	return err
}

// turn changes between the fields and the text, and keeps what was chosen for the next form.
func (e *editing) turn() {
	text, err := json.Marshal(e.edited)
	if err != nil || e.edited.Empty() && len(e.Mapping) == 0 {
		text = nil
	}
	switch {
	case e.form.Action == toText && !e.form.JSON:
		e.form.JSON, e.form.Text = true, indented(text)
		return
	case e.form.Action == toFields:
		e.form.JSON = false
	case e.form.JSON:
		return
	}
	e.form.Base = ""
	if stored, err := mapping.Parse(e.Mapping, mappingField); err != nil || !same(stored, e.edited) {
		e.form.Base = string(text)
	}
	e.form.propose(e.edited, e.Integration)
}

// same reports whether the mappings are stored in the same way.
func same(a, b mapping.Mapping) bool {
	one, err := json.Marshal(a)
	other, otherErr := json.Marshal(b)
	return err == nil && otherErr == nil && bytes.Equal(one, other)
}

// show puts the sample and the fields on the page.
func (e *editing) show() {
	if e.form.Field == "" {
		e.form.Field = fieldsOf(e.Integration)[0]
	}
	if e.object == nil && e.edited.Empty() && len(e.Mapping) == 0 || e.form.JSON {
		return
	}
	if e.object != nil {
		e.body.Tree = newSampleTree(e.object)
	}
	for _, name := range fieldsOf(e.Integration) {
		e.body.Fields = append(e.body.Fields, chosenField{
			Name: name, Label: fieldNames[name], Source: e.form.inputs[name], Words: e.form.words[name], Wrong: e.form.wrong[name],
			Further: e.edited.Rules[mapping.Target(name)].Further(), IsCondition: !isTarget(name) && name != splitAt,
			Marked: name == e.form.Field, Taken: name == e.form.Field && e.form.Taken != "" && len(e.form.wrong) == 0,
		})
	}
}

// rehearse says what becomes of the sample, of those of the preset, and of what was received.
func (e *editing) rehearse() error {
	h, err := e.rehearsal(&e.edited)
	if err != nil {
		return err
	}
	found, err := h.Preview(e.sample)
	if err != nil {
		return err
	}
	e.body.Preview = newPreview(found)
	for n := range e.body.Fields {
		e.body.Fields[n].Row = e.body.Preview.row(e.body.Fields[n].Name)
	}
	e.try(h)
	return e.compare(h)
}

// save stores the mapping with its sample.
func (e *editing) save(ctx context.Context) error {
	text, err := json.Marshal(e.edited)
	if err != nil {
		return err
	}
	change := integration.Change{Mapping: &text}
	if len(bytes.TrimSpace(e.sample)) > 0 && e.form.From != fromStored {
		change.Sample = &e.sample
	}
	_, err = e.app.Integrations.Change(ctx, e.actor(), e.Project, e.ID, change)
	return err
}

// maxShownSample bounds the stored sample that comes with the form, in bytes of the page. A
// longer one is read where it is.
const maxShownSample = 3 << 10

// answer shows the form, with the error if there is one.
func (e *editing) answer(w http.ResponseWriter, r *http.Request, err error) error {
	status := http.StatusOK
	if err != nil {
		if status, err = e.complain(err); err != nil {
			return err
		}
	}
	e.shorten()
	e.body.Form = e.form
	return e.renderSection(w, r, e.visit, integrationsSection, site.Page{Template: "mapping", Title: "Mapping of " + e.Name, Status: status, Body: e.body})
}

// shorten puts a short sample into the form, and keeps a long one out of it.
func (e *editing) shorten() {
	if e.form.From == "" || !e.form.blank() {
		e.form.From = ""
		if e.body.HasSample {
			e.form.Sample = indented([]byte(e.form.Sample))
		}
		return
	}
	if text := indented(e.sample); escapedLen(text) <= maxShownSample {
		e.form.Sample, e.form.From = text, ""
	}
	e.body.Length = strconv.Itoa((len(e.sample)+1023)/1024) + " KB"
}

// complain puts the error where it belongs on the page, and returns the status of the answer.
func (e *editing) complain(err error) (int, error) {
	var fields fault.Fields
	switch {
	case fault.Is(err, fault.NotFound), web.Status(err) >= http.StatusInternalServerError:
		return 0, err
	case errors.As(err, new(sampleError)):
		e.body.SampleWrong = sentence(err)
	case errors.Is(err, errWrong):
	case errors.As(err, &fields) && e.form.JSON:
		e.body.TextWrong = site.Sentence("The mapping", fields[mappingField])
	case errors.As(err, &fields):
		e.body.Complaint = site.Sentence("The mapping", fields[mappingField])
	default:
		e.body.Complaint = sentence(err)
	}
	if fault.Is(err, fault.Forbidden) {
		return http.StatusForbidden, nil
	}
	return http.StatusUnprocessableEntity, nil
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
