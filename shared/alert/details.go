package alert

import (
	"maps"
	"slices"

	"gatehouse/shared/payload"
)

// Details are the fields of an alert that are only in its payload. Plain
// payloads have them too if they use members of the metrics format.
type Details struct {
	Query            string // of the metric
	GeneratorURL     string // as the tool sent it, possibly not a valid link
	Links            Links
	YLabel           string // of the metric's chart
	IncidentMarkdown string // to be appended to the incident
	// Annotations are those that are in no other field of Alert and Details, by
	// name.
	Annotations []Annotation
}

// Annotation is a further text of the tool, with a name.
type Annotation struct{ Name, Value string }

// ReadDetails reads the payload of the alert. Missing fields are empty.
func (a Alert) ReadDetails(text []byte) Details {
	document, err := payload.Read(text)
	if err != nil {
		return Details{Links: Links{External: a.ExternalURL}}
	}
	item := newItem(document.Object)
	details := item.details()
	details.Links = a.links(item)
	return details
}

func (i item) details() Details {
	shown := map[string]bool{i.titleAnnotation(): true, "description": true, "runbook": true}
	markdown, markdownValue := platform(i.annotations, incidentMarkdown)
	label, labelValue := platform(i.annotations, yLabel)
	shown[markdown], shown[label] = true, true
	delete(shown, "") // the name of a missing annotation
	return Details{
		Query:            i.query(),
		GeneratorURL:     text(i.object["generatorURL"]),
		YLabel:           text(labelValue, i.title()),
		IncidentMarkdown: text(markdownValue),
		Annotations:      i.extra(shown),
	}
}

// titleAnnotation returns the name of the annotation that is the title, or "".
func (i item) titleAnnotation() string {
	for _, name := range []string{"title", "summary"} {
		if !payload.Blank(i.annotations[name]) {
			return name
		}
	}
	return ""
}

func (i item) extra(shown map[string]bool) []Annotation {
	var extra []Annotation
	for _, name := range slices.Sorted(maps.Keys(i.annotations)) {
		if value := text(i.annotations[name]); value != "" && !shown[name] {
			extra = append(extra, Annotation{name, value})
		}
	}
	return extra
}
