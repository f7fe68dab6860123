// Package preset knows the payloads of monitoring tools: for each tool a mapping,
// where its address and key go, and samples of what it sends. A preset is a file
// of data below presets, and its samples are its test cases, so adding a tool
// needs no code.
package preset

import (
	"embed"
	"encoding/json"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
)

// Preset is how a tool is set up and what it sends.
type Preset struct {
	ID      string           `json:"id"`
	Name    string           `json:"name"`
	Type    integration.Type `json:"type"`
	Setup   []string         `json:"setup"`   // sentences for people, with placeholders
	Snippet string           `json:"snippet"` // what the tool is given, with placeholders
	// Mapping is as mapping.Parse takes it; null: the tool speaks Gatehouse's own
	// format.
	Mapping json.RawMessage `json:"payload_attribute_mapping"`
	Samples []Sample        `json:"samples"`
}

// Sample is a payload as the tool sends it, after those before it in the list.
type Sample struct {
	Name    string          `json:"name"`
	Source  string          `json:"source"` // the document of the tool that it follows
	Payload json.RawMessage `json:"payload"`
	Does    Effect          `json:"does"`
	// Alert is what the alert has afterwards, for the test of the preset.
	Alert json.RawMessage `json:"alert"`
}

// Effect is what becomes of a sample.
type Effect string

// The effects.
const (
	Opens        Effect = "opens"
	Counts       Effect = "counts"
	Acknowledges Effect = "acknowledges"
	Resolves     Effect = "resolves"
	Ignored      Effect = "ignored"
)

// Effects lists every effect.
var Effects = []Effect{Opens, Counts, Acknowledges, Resolves, Ignored}

//go:embed presets/*.json
var files embed.FS

// All returns every preset by its name. The files are parsed when somebody asks for
// the first time, because most requests to a function never do.
var All = sync.OnceValue(func() []Preset {
	names, err := fs.Glob(files, "presets/*.json")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	presets := make([]Preset, len(names))
	for n, name := range names {
		presets[n] = read(name)
	}
	slices.SortFunc(presets, func(a, b Preset) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return presets
})

// read returns the preset in a file. The files are part of the program and have
// tests, so a mistake in one is a mistake in the program.
func read(name string) (p Preset) {
	text, err := files.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		panic(name + ": " + err.Error())
	}
	return p
}

// Find returns the preset with this id, if there is one.
func Find(id string) (Preset, bool) {
	all := All()
	n := slices.IndexFunc(all, func(p Preset) bool { return p.ID == id })
	if n < 0 {
		return Preset{}, false
	}
	return all[n], true
}

// Sample returns the sample of this name, else the first.
func (p Preset) Sample(name string) Sample {
	return p.Samples[max(0, slices.IndexFunc(p.Samples, func(s Sample) bool { return s.Name == name }))]
}

// Fill completes the draft of an integration that is made from a preset: its type,
// its mapping unless the draft has one, and its name unless it has one. The error is
// fault.Fields for an unknown preset, and for another type than the preset's. A draft
// without a preset stays as it is.
func Fill(d integration.Draft) (integration.Draft, error) {
	if d.Preset == "" {
		return d, nil
	}
	p, ok := Find(d.Preset)
	switch {
	case !ok:
		return d, fault.Field("preset", "does not exist")
	case d.Type != "" && d.Type != p.Type:
		return d, fault.Field("type", "must be "+string(p.Type)+" for this preset")
	}
	d.Type = p.Type
	d.NoAPIURL = true // a placeholder that only old clients send
	if len(d.Mapping) == 0 || string(d.Mapping) == "null" {
		d.Mapping = p.Mapping
	}
	if d.Name == "" {
		d.Name = p.Name
	}
	return d, nil
}

// NeedsURLWithKey reports whether the tool can send the key in its address alone.
func (p Preset) NeedsURLWithKey() bool {
	return strings.Contains(p.Snippet+strings.Join(p.Setup, "\n"), "GATEHOUSE_URL_WITH_KEY")
}

// Address is what the placeholders in a preset stand for.
type Address struct {
	URL     string // of the integration
	Key     string
	WithKey string // the address that holds a key of its own
}

// Into returns the text with the address in the places of the placeholders.
func (a Address) Into(text string) string { return placeholder.ReplaceAllStringFunc(text, a.of) }

// Part is a piece of a sentence, which is code where a placeholder was.
type Part struct {
	Text string
	Code bool
}

// Parts returns the text in pieces, with the address in the places of the placeholders.
func (a Address) Parts(text string) (parts []Part) {
	for {
		at := placeholder.FindStringIndex(text)
		if at == nil {
			return append(parts, Part{text, false})
		}
		parts = append(parts, Part{text[:at[0]], false}, Part{a.of(text[at[0]:at[1]]), true})
		text = text[at[1]:]
	}
}

var placeholder = regexp.MustCompile(`GATEHOUSE_(URL_WITH_KEY|URL|KEY)`)

// of returns what a placeholder stands for.
func (a Address) of(placeholder string) string {
	return map[string]string{"GATEHOUSE_URL": a.URL, "GATEHOUSE_KEY": a.Key, "GATEHOUSE_URL_WITH_KEY": a.WithKey}[placeholder]
}
