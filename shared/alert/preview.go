package alert

import (
	"slices"

	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

// Preview is what a payload would become, and why.
type Preview struct {
	Parsed
	// Sources are the places in a plain payload that fill fields of the alert.
	Sources map[mapping.Target]mapping.Path
	// Ignored are the places in a plain payload that fill no field.
	Ignored []mapping.Field
}

// ReadPreview parses a payload like Parse and adds the sources.
func ReadPreview(body []byte, r Reading) (Preview, error) {
	reader := newReader(r)
	parsed, err := reader.read(body)
	if err != nil || parsed.Format != Plain {
		return Preview{Parsed: parsed}, err
	}
	document, err := payload.Read(body)
	if err != nil {
		return Preview{}, err
	}
	preview := Preview{Parsed: parsed, Sources: map[mapping.Target]mapping.Path{}}
	for _, use := range reader.used {
		preview.Sources[use.target] = use.path.FromFront(document.Object)
	}
	preview.Ignored = slices.DeleteFunc(mapping.Fields(document.Object), preview.uses)
	return preview, nil
}

// uses reports whether the field, a part of it or its container fills the alert.
func (p Preview) uses(field mapping.Field) bool {
	for _, path := range p.Sources {
		if field.Path.Within(path) || path.Within(field.Path) {
			return true
		}
	}
	return false
}
