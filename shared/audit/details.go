package audit

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Details are further facts of an event, such as the application or the role, as
// texts for people.
type Details map[string]string

// maxDetail is the longest detail, in characters.
const maxDetail = 255

// cleaned returns the details shortened, without empty ones and without characters
// that could make them look like something else.
func (d Details) cleaned() Details {
	clean := Details{}
	for name, text := range d {
		if text = cleanedText(text); text != "" {
			clean[name] = text
		}
	}
	return clean
}

func cleanedText(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxDetail {
		return string(runes[:maxDetail-1]) + "…"
	}
	return text
}

// Names returns the names of the details in order.
func (d Details) Names() []string { return slices.Sorted(maps.Keys(d)) }

// Pairs returns each name and its text in order, for a store to keep.
func (d Details) Pairs() []string {
	var pairs []string
	for _, name := range d.Names() {
		pairs = append(pairs, name, d[name])
	}
	return pairs
}

// DetailsOf returns the details that a store kept as pairs.
func DetailsOf(pairs []string) Details {
	d := Details{}
	for ; len(pairs) > 1; pairs = pairs[2:] {
		d[pairs[0]] = pairs[1]
	}
	return d
}
