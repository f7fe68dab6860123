package consoleapi

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
	"gatehouse/shared/site"
)

// The buttons of the form. Any other shows what becomes of the sample.
const (
	saveMapping = "save"
	toText      = "json"   // the mapping as a text
	toFields    = "choose" // and back
)

// The fields of the form beside those of an alert.
const (
	resolvedWhen     = "resolved_when"
	acknowledgedWhen = "acknowledged_when"
	ignoreWhen       = "ignore_when"
	splitAt          = "split"
)

var fieldNames = map[string]string{
	string(mapping.Title): "Title", string(mapping.Description): "Description", string(mapping.StartTime): "Start time", string(mapping.EndTime): "End time",
	string(mapping.Service): "Service", string(mapping.MonitoringTool): "Monitoring tool", string(mapping.Hosts): "Hosts", string(mapping.Severity): "Severity",
	string(mapping.Fingerprint): "Fingerprint", string(mapping.Environment): "Environment",
	resolvedWhen: "Resolved when", acknowledgedWhen: "Acknowledged when", ignoreWhen: "Ignored when", splitAt: "An alert for each of",
}

// fieldsOf lists the fields that the integration's mapping can have, in the order of the page.
func fieldsOf(i integration.Integration) (names []string) {
	if i.Type == integration.Metrics {
		return []string{string(mapping.Title), string(mapping.Severity), ignoreWhen}
	}
	for _, target := range mapping.Targets {
		names = append(names, string(target))
	}
	return append(names, resolvedWhen, acknowledgedWhen, ignoreWhen, splitAt)
}

// isTarget reports whether the field is one of an alert.
func isTarget(name string) bool { return slices.Contains(mapping.Targets, mapping.Target(name)) }

// mappingForm is the form of a mapping.
type mappingForm struct {
	Sample string // the text; empty: what From says
	From   string // "stored", or the address of a payload that an alert keeps
	Preset string // the sample of the preset that is to be looked at
	Action string // the button
	JSON   bool   // the mapping is a text
	Text   string // that text
	Base   string // the mapping that is edited, if it is not the stored one
	Seen   string // the digest of the stored mapping
	Field  string // the field that a click in the sample fills
	Taken  string // the path that was clicked
	inputs map[string]string
	words  map[string]string
	wrong  map[string]string // what is wrong with a field
}

func readMappingForm(r *http.Request, i integration.Integration) (mappingForm, error) {
	form, err := site.ReadLargeForm(r)
	f := mappingForm{
		Sample: form.Get("sample"), From: form.Get("sample_from"), Preset: form.Get("use"), Action: form.Get("do"), JSON: form.Get("as") == "json",
		Text: payload.Head(form.Get("mapping"), maxMappingText), Base: payload.Head(form.Get("base"), maxMappingText), Seen: form.Get("seen"),
		Field: form.Get("field"), Taken: form.Get("take"), wrong: map[string]string{},
	}
	if form.Get("chosen") == "" {
		return f, err // the stored mapping is proposed
	}
	f.inputs, f.words = map[string]string{}, map[string]string{}
	for _, name := range fieldsOf(i) {
		f.inputs[name] = strings.TrimSpace(payload.Head(form.Get("path_"+name), maxInput))
		f.words[name] = payload.Head(form.Get("words_"+name), maxInput)
	}
	return f, err
}

// The limits of the form, in characters.
const (
	maxInput       = 16 << 10
	maxMappingText = 4 * mapping.MaxBytes // with its indentation it is longer than what is stored
	maxExample     = 40                   // of a value in the sample
)

// seen is the digest of a stored mapping.
func seen(i integration.Integration) string {
	sum := sha256.Sum256(i.Mapping)
	return hex.EncodeToString(sum[:8])
}

// base returns the mapping that is edited.
func (f *mappingForm) base(i integration.Integration) (mapping.Mapping, error) {
	if f.Base != "" {
		return mapping.Parse([]byte(f.Base), mappingField)
	}
	return mapping.Parse(i.Mapping, mappingField)
}

// mappingField is the field under which mapping.Parse complains.
const mappingField = "payload_attribute_mapping"

// propose fills the form with the mapping.
func (f *mappingForm) propose(m mapping.Mapping, i integration.Integration) {
	f.inputs, f.words = map[string]string{}, map[string]string{}
	for _, name := range fieldsOf(i) {
		f.inputs[name], f.words[name] = inputOf(m, name)
	}
}

// inputOf returns what the form shows of a field.
func inputOf(m mapping.Mapping, name string) (source, words string) {
	if c := *conditionOf(&m, name); c != nil {
		return c.Source.Text(), joinWords(c.Equals)
	}
	if name == splitAt {
		return m.Split.Text(), ""
	}
	if s, ok := m.Rules[mapping.Target(name)].First(); ok {
		return s.Text(), ""
	}
	return "", ""
}

// conditionOf returns where the mapping has the condition; it is nil for other fields.
func conditionOf(m *mapping.Mapping, name string) **mapping.Condition {
	switch name {
	case resolvedWhen:
		return &m.ResolvedWhen
	case acknowledgedWhen:
		return &m.AcknowledgedWhen
	case ignoreWhen:
		return &m.IgnoreWhen
	}
	return new(*mapping.Condition)
}

// joinWords writes words with commas between them, and quotes where they hold one.
func joinWords(words []string) string {
	quoted := make([]string, len(words))
	for n, word := range words {
		if quoted[n] = word; strings.ContainsAny(word, ",\"\n") || strings.TrimSpace(word) != word {
			quoted[n] = `"` + strings.ReplaceAll(word, `"`, `""`) + `"`
		}
	}
	return strings.Join(quoted, ", ")
}

func splitWords(text string) ([]string, error) {
	reader := csv.NewReader(strings.NewReader(strings.TrimSpace(text)))
	reader.TrimLeadingSpace, reader.LazyQuotes = true, true
	words, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	for n := range words {
		words[n] = strings.TrimSpace(words[n])
	}
	return words, err
}

var errWrong = fault.New(fault.Invalid, "Nothing was saved yet: see the fields marked below.")

// chosen returns the mapping that was chosen or written: what the form does not show of the
// edited one stays.
func (f *mappingForm) chosen(i integration.Integration, sample payload.Object) (mapping.Mapping, error) {
	if f.JSON {
		return mapping.Parse([]byte(f.Text), mappingField)
	}
	m, err := f.base(i)
	if err != nil {
		return m, err
	}
	if m.Rules == nil {
		m.Rules = map[mapping.Target]mapping.Rule{}
	}
	for _, name := range fieldsOf(i) {
		if err := f.choose(&m, name, sample); err != nil {
			f.wrong[name] = site.Sentence(fieldNames[name], []string{fault.Message(err)})
		}
	}
	if len(f.wrong) > 0 {
		return m, errWrong
	}
	return checked(m)
}

// checked returns the mapping as it is read when it is stored.
func checked(m mapping.Mapping) (mapping.Mapping, error) {
	written, err := json.Marshal(m)
	if err != nil {
		return m, err
	}
	return mapping.Parse(written, mappingField)
}

// choose puts what a field has into the mapping, unless it has that already.
func (f *mappingForm) choose(m *mapping.Mapping, name string, sample payload.Object) error {
	source, words := inputOf(*m, name)
	if f.inputs[name] == source && f.words[name] == words {
		return nil
	}
	switch {
	case name == splitAt:
		return f.chooseSplit(m)
	case !isTarget(name):
		return f.chooseCondition(*conditionOf(m, name), conditionOf(m, name), name)
	}
	target := mapping.Target(name)
	var chosen *mapping.Source
	if text := f.inputs[name]; text != "" {
		read, err := mapping.ReadSource(text)
		if err != nil {
			return err
		}
		chosen = &read
	}
	if m.Rules[target] = m.Rules[target].With(target, chosen, sample); !m.Rules[target].Says() {
		delete(m.Rules, target)
	}
	return nil
}

func (f *mappingForm) chooseSplit(m *mapping.Mapping) (err error) {
	if m.Split = nil; f.inputs[splitAt] != "" {
		m.Split, err = mapping.ReadPath(f.inputs[splitAt])
	}
	return err
}

func (f *mappingForm) chooseCondition(was *mapping.Condition, to **mapping.Condition, name string) error {
	*to = nil
	if f.inputs[name] == "" && strings.TrimSpace(f.words[name]) == "" {
		return nil
	}
	if f.inputs[name] == "" {
		return errNoSource
	}
	source, err := mapping.ReadSource(f.inputs[name])
	if was != nil && was.Source.Text() == f.inputs[name] {
		source, err = was.Source, nil
	}
	if err != nil {
		return err
	}
	words, err := splitWords(f.words[name])
	if err != nil || len(words) == 0 {
		return errNoWords
	}
	*to, err = mapping.NewCondition(source, words)
	return err
}

var (
	errNoSource = fault.New(fault.Invalid, "needs a place in the payload, such as event.state")
	errNoWords  = fault.New(fault.Invalid, "needs the words that the place may have, with commas between them")
)

// take fills the field that is being mapped with the path that was clicked. Where the payload
// holds several alerts, a path goes on from an element, and one beside them from the whole.
func (f *mappingForm) take(i integration.Integration, m mapping.Mapping, sample payload.Object) {
	path, err := mapping.ReadPath(f.Taken)
	if _, known := f.inputs[f.Field]; !known || err != nil {
		return
	}
	list := m.Split
	if i.Type == integration.Metrics {
		list = mapping.Path{mapping.Name("alerts")}
	}
	f.inputs[f.Field] = path.Text()
	if f.Field != splitAt && list != nil {
		source := mapping.Source{Path: path, Whole: true}
		if rest, inside := path.InElement(list); inside {
			source = mapping.Source{Path: rest}
		}
		f.inputs[f.Field] = source.Text()
	}
	if value := path.Find(sample); !isTarget(f.Field) && f.Field != splitAt && strings.TrimSpace(f.words[f.Field]) == "" && value != nil {
		f.words[f.Field] = joinWords([]string{payload.Cut(payload.Text(value), maxWordTaken)})
	}
}

const maxWordTaken = 255

// escapedLen is the length of the text on a page, in bytes.
func escapedLen(s string) int {
	return len(template.HTMLEscapeString(s)) + strings.Count(s, "+")*(len("&#43;")-1)
}
