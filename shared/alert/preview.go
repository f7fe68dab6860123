package alert

import (
	"slices"

	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

// Preview is what a payload would become, and why.
type Preview struct {
	Parsed
	// Sources are the places in a plain payload that fill fields of the alert, the first one
	// if the mapping splits it.
	Sources map[mapping.Target]mapping.Path
	// Origins say for people what in the mapping filled a field, if it is more than a path.
	Origins map[mapping.Target]string
	// Ignored are the places in a plain payload that fill no field.
	Ignored []mapping.Field

	used   []mapping.Path // by any alert
	traced int            // items
}

// ReadPreview parses a payload like Parse and adds the sources.
func ReadPreview(body []byte, r Reading) (Preview, error) {
	reader := newReader(r)
	preview := Preview{}
	reader.preview = &preview
	parsed, err := reader.read(body)
	if err != nil || parsed.Format != Plain {
		return Preview{Parsed: parsed}, err
	}
	document, err := payload.Read(body)
	if err != nil {
		return Preview{}, err
	}
	preview.Parsed = parsed
	preview.Ignored = slices.DeleteFunc(mapping.Fields(document.Object), preview.uses)
	return preview, nil
}

// maxTraced is of how many elements of a list a preview tells the places: of as many as are
// listed of a sample.
const maxTraced = 10

// trace keeps what an item used.
func (p *Preview) trace(item mapping.Item, used []use) {
	if p.traced++; p.traced > maxTraced {
		return
	}
	if p.traced == 1 {
		p.Sources, p.Origins = map[mapping.Target]mapping.Path{}, map[mapping.Target]string{}
	}
	for _, use := range used {
		paths := item.Paths(use.Place)
		if p.traced == 1 && len(paths) > 0 {
			p.Sources[use.target] = paths[0]
		}
		if p.traced == 1 && use.Source != nil {
			p.Origins[use.target] = use.Source.String()
		}
		p.used = append(p.used, paths...)
	}
}

// uses reports whether the field, a part of it or its container fills an alert.
func (p *Preview) uses(field mapping.Field) bool {
	return slices.ContainsFunc(p.used, func(path mapping.Path) bool {
		return len(path) > 0 && (field.Path.Within(path) || path.Within(field.Path))
	})
}
