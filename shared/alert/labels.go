package alert

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

// Labels say what an alert is about: values by name. Nil: there are none.
type Labels map[string]string

// Label is one of them.
type Label struct{ Name, Value string }

// Sorted lists the labels by name.
func (l Labels) Sorted() []Label {
	all := make([]Label, 0, len(l))
	for _, name := range slices.Sorted(maps.Keys(l)) {
		all = append(all, Label{name, l[name]})
	}
	return all
}

func (l Labels) has(one Label) bool {
	value, there := l[one.Name]
	return there && value == one.Value
}

// The limits of labels. A search reads the labels of hundreds of alerts, so that all of them
// together have a limit that is far above what tools send.
const (
	maxLabels     = 64
	maxLabelName  = 128     // characters
	maxLabelValue = 512     // characters
	maxLabelBytes = 8 << 10 // of all names and values
)

// labelsMember is where the labels of a plain payload are. It is not a mapping's target.
const labelsMember mapping.Target = "labels"

// labels reads an object, or one of the lists that tools send instead: of objects with a name
// and a value, of pairs, or of texts such as "team:web". Those beyond the limits are cut or
// left out, with a note.
func (r *reader) labels(value any) Labels {
	if payload.Blank(value) {
		return nil
	}
	found := labelsIn(value)
	if len(found) > 0 && found.fit() {
		return found
	}
	kept, size := Labels{}, 0
	for _, sent := range found.Sorted() {
		l := Label{payload.Cut(sent.Name, maxLabelName), payload.Cut(sent.Value, maxLabelValue)}
		if l != sent || len(kept) == maxLabels || size+l.size() > maxLabelBytes {
			r.notes.add(labelsCut)
		}
		if len(kept) < maxLabels && size+l.size() <= maxLabelBytes {
			kept[l.Name] = l.Value
			size += l.size()
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

var labelsCut = "labels are cut: there are at most " + strconv.Itoa(maxLabels) + " of " + strconv.Itoa(maxLabelBytes>>10) +
	" KiB together, with names of " + strconv.Itoa(maxLabelName) + " and values of " + strconv.Itoa(maxLabelValue) + " characters"

// fit reports whether the labels are within the limits, as nearly all are.
func (l Labels) fit() bool {
	size := 0
	for name, value := range l {
		size += Label{name, value}.size()
		if payload.Head(name, maxLabelName) != name || payload.Head(value, maxLabelValue) != value {
			return false
		}
	}
	return len(l) <= maxLabels && size <= maxLabelBytes
}

func (l Label) size() int { return len(l.Name) + len(l.Value) }

// labelsIn returns all labels that have a value.
func labelsIn(value any) Labels {
	found := Labels{}
	switch v := value.(type) {
	case payload.Object:
		found = make(Labels, len(v))
		for name, value := range v {
			found.add(name, value)
		}
	case []any:
		for _, element := range v {
			found.add(labelOf(element))
		}
	}
	return found
}

// add adds a label. Of two with one name, as after characters were left out, the value that
// sorts first counts, because the members of an object have no order.
func (l Labels) add(name string, value any) {
	name = strings.TrimSpace(strings.Map(plainText, name))
	if name == "" || payload.Blank(value) {
		return
	}
	written := strings.TrimSpace(strings.Map(plainText, payload.Text(value)))
	if former, there := l[name]; !there || written < former {
		l[name] = written
	}
}

// labelOf returns the label that an element of a list is; without a name it is none.
func labelOf(element any) (name string, value any) {
	switch e := element.(type) {
	case payload.Object:
		return text(e["name"], e["key"], e["tag"]), e["value"]
	case []any:
		if len(e) == 2 {
			return text(e[0]), e[1]
		}
	case string:
		if at := strings.IndexAny(e, ":="); at >= 0 {
			return e[:at], strings.TrimSpace(e[at+1:])
		}
	}
	return "", nil
}

// plainText is for strings.Map. It drops what readable drops, and control characters but for
// those of white space.
func plainText(r rune) rune {
	if unicode.IsControl(r) && !unicode.IsSpace(r) {
		return -1
	}
	return readable(r)
}

// String is the label as people write it.
func (l Label) String() string { return l.Name + "=" + l.Value }

// ParseLabel reads what String writes. Without "=" or without a name it is none.
func ParseLabel(written string) (Label, bool) {
	name, value, ok := strings.Cut(written, "=")
	l := Label{strings.TrimSpace(name), value}
	return l, ok && l.Name != ""
}
