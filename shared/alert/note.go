package alert

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gatehouse/shared/payload"
)

// MaxNotes bounds the notes about one payload.
const MaxNotes = 10

// notes are short sentences about a payload, without repetitions.
type notes []string

func (n *notes) add(note string) {
	if len(*n) < MaxNotes && !slices.Contains(*n, note) {
		*n = append(*n, note)
	}
}

// maxQuoted bounds the characters of a value that a note shows.
const maxQuoted = 60

func quoted(text string) string { return strconv.Quote(payload.Cut(text, maxQuoted)) }

// Skipped counts the notifications of a webhook that no alert can be made of, by
// reason.
type Skipped struct {
	NotObject int
	NoTitle   int
	NoStart   int
	TooMany   int
}

// Total returns how many were skipped.
func (s Skipped) Total() int { return s.NotObject + s.NoTitle + s.NoStart + s.TooMany }

// String lists the reasons: "1 not an object, 2 without startsAt". It is empty
// when nothing was skipped.
func (s Skipped) String() string {
	var reasons []string
	for _, reason := range []struct {
		count int
		text  string
	}{
		{s.NotObject, "not an object"},
		{s.NoTitle, "without a title"},
		{s.NoStart, "without startsAt"},
		{s.TooMany, "beyond the first " + strconv.Itoa(maxElements)},
	} {
		if reason.count > 0 {
			reasons = append(reasons, fmt.Sprintf("%d %s", reason.count, reason.text))
		}
	}
	return strings.Join(reasons, ", ")
}
