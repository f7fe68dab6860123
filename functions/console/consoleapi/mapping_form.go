package consoleapi

import (
	"encoding/json"
	"html/template"
	"net/http"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
	"gatehouse/shared/site"
)

// The buttons of the form.
const (
	readSample  = "read"
	saveMapping = "save"
)

// mappingForm is the form of a mapping.
type mappingForm struct {
	Sample string
	Action string                    // the button; neither of those above: preview
	JSON   bool                      // the mapping is a text
	Text   string                    // that text
	simple bool                      // what is stored can be chosen from a sample
	paths  map[mapping.Target]string // the chosen options' values
	places []place
}

// place is a place in the sample from which a field can be taken.
type place struct {
	mapping.Rule
	Value   string // of the option: the path as JSON
	Example string
	Absent  bool // in the stored mapping only, not in this sample
}

func readMappingForm(r *http.Request) (mappingForm, error) {
	form, err := site.ReadLargeForm(r)
	f := mappingForm{Sample: form.Get("sample"), Action: form.Get("do"), JSON: form.Get("as") == "json", paths: map[mapping.Target]string{}}
	f.Text = payload.Head(form.Get("mapping"), maxMappingText)
	for _, target := range mapping.Targets {
		f.paths[target] = form.Get("path_" + string(target))
	}
	if form.Get("chosen") == "" {
		f.paths = nil // read proposes the stored mapping
	}
	return f, err
}

// maxMappingText bounds the mapping that is written, in characters: with its indentation it
// is longer than what is stored.
const maxMappingText = 4 * mapping.MaxBytes

// blank reports whether there is no sample.
func (f *mappingForm) blank() bool { return strings.TrimSpace(f.Sample) == "" }

// read finds the places in the sample, and proposes the stored mapping if
// nothing was chosen yet. A mapping that was stored without a sample, over REST, has
// its own places to choose from.
func (f *mappingForm) read(i integration.Integration) error {
	stored, err := mapping.Parse(i.Mapping, "mapping")
	if err != nil {
		return err
	}
	f.simple = stored.Simple() && i.Type == integration.HTTP
	if !f.JSON && !f.simple {
		f.JSON, f.Text = true, indented(i.Mapping)
		if f.Action != "" { // by a form that was opened before
			return errNotChosen
		}
	}
	if f.JSON {
		return nil
	}
	if f.blank() && stored.Empty() {
		return errNoSample
	}
	document, err := payload.Read([]byte(f.Sample))
	if err != nil {
		return err
	}
	f.findPlaces(document.Object)
	f.propose(stored)
	return nil
}

// findPlaces lists the places in the sample, as far as there is room on the page.
func (f *mappingForm) findPlaces(object payload.Object) {
	room := maxOptions - escapedLen(f.Sample)
	for _, field := range mapping.Fields(object) {
		p := place{
			Rule:  mapping.Rule{Path: field.Path, Type: field.Type, Label: payload.Cut(field.Label, maxLabel)},
			Value: pathValue(field.Path), Example: payload.Cut(payload.Text(field.Path.Find(object)), maxExample),
		}
		if room -= len(mapping.Targets) * p.optionLen(); room >= 0 {
			f.places = append(f.places, p)
		}
	}
}

// The limits of a place, in characters.
const (
	maxExample = 40  // of the example value
	maxLabel   = 255 // of a mapping's label
)

// maxOptions bounds the sample and the options together, in bytes of the page:
// a Lambda function's answer is limited to 6 MB, and the rest needs some.
const maxOptions = 5_700_000

// optionLen estimates the length of the place's option on the page, in bytes.
func (p place) optionLen() int {
	const tags = 40
	return tags + escapedLen(p.Value) + escapedLen(p.Path.String()) + escapedLen(p.Example)
}

// escapedLen is the length of the text on a page, in bytes.
func escapedLen(s string) int {
	return len(template.HTMLEscapeString(s)) + strings.Count(s, "+")*(len("&#43;")-1)
}

func (f *mappingForm) propose(stored mapping.Mapping) {
	proposed := map[mapping.Target]string{}
	for _, target := range mapping.Targets {
		rule, ok := stored.Rules[target]
		if !ok {
			continue
		}
		proposed[target] = pathValue(rule.Path)
		if _, ok := f.place(proposed[target]); !ok {
			f.places = append(f.places, place{Rule: rule, Value: proposed[target], Absent: true})
		}
	}
	if f.paths == nil {
		f.paths = proposed
	}
}

func pathValue(p mapping.Path) string {
	text, err := json.Marshal(p)
	if err != nil {
		return "" // not reached: segments are strings and integers
	}
	return string(text)
}

func (f *mappingForm) place(value string) (place, bool) {
	for _, p := range f.places {
		if p.Value == value {
			return p, true
		}
	}
	return place{}, false
}

var errNotChosen = fault.New(fault.Conflict, "the mapping was changed since you opened this page: below is what it is now")

var errNotInSample = fault.New(fault.Invalid, "the sample no longer has all of the chosen fields: choose them again")

// chosen returns the mapping that was chosen or written.
func (f *mappingForm) chosen() (mapping.Mapping, error) {
	if f.JSON {
		return mapping.Parse([]byte(f.Text), "payload_attribute_mapping")
	}
	chosen := mapping.Mapping{Rules: map[mapping.Target]mapping.Rule{}}
	for target, value := range f.paths {
		if value == "" {
			continue
		}
		p, ok := f.place(value)
		if !ok {
			return mapping.Mapping{}, errNotInSample
		}
		chosen.Rules[target] = p.Rule
	}
	return chosen, nil
}

// choice is a field of an alert with the places that it can be taken from.
type choice struct {
	Target mapping.Target
	Name   string
	Chosen string
	Places []place
}

var targetNames = map[mapping.Target]string{
	mapping.Title: "Title", mapping.Description: "Description", mapping.StartTime: "Start time", mapping.EndTime: "End time",
	mapping.Service: "Service", mapping.MonitoringTool: "Monitoring tool", mapping.Hosts: "Hosts", mapping.Severity: "Severity",
	mapping.Fingerprint: "Fingerprint", mapping.Environment: "Environment",
}

// choices returns the choice for each field of an alert.
func (f *mappingForm) choices() []choice {
	var all []choice
	for _, target := range mapping.Targets {
		all = append(all, choice{target, targetNames[target], f.paths[target], f.places})
	}
	return all
}
