// Package deprecation has the table of what REST v4 has deprecated (Table), from
// which everything about it derives: the headers of answers, the refusals and
// omissions of the preview of v5, the list and the page, the marks of the API's
// description, and the counters of who still uses what (Rules).
package deprecation

import (
	"slices"
	"strings"
	"time"
)

// Entry is one row of the table.
type Entry struct {
	ID      string // a word for addresses
	Subject string
	Old     string // what is deprecated, in words
	New     string // what takes its place, in words
	Since   string // the release that deprecated it, one of Releases; empty: none
	// Instead is what a client does instead, as in "send paused".
	Instead string
	Places  []Place
	// Values pairs old values with new ones, as JSON, where each has a counterpart.
	Values []Pair
	// Both is what happens when a request has both names; empty: it has not two.
	Both Both
	// Before and After are examples of a request or an answer.
	Before, After string
}

// Place is one place where a deprecated name appears.
type Place struct {
	Call string // the method and the pattern of the route
	In   In
	// Name is that of the parameter, or of the member of the answer or, if the answer
	// is a list, of each object in it.
	Name string
	// Values are those that are deprecated, such as nil and texts; none: all.
	Values []any
	// Beside limits the place to objects that have another member with this value.
	Beside Member
	// Successor is the pattern of the address that takes the place of this one.
	Successor string
	// Sole means that the answer tells a fact by this name alone.
	Sole bool
	// Instead takes the place of the entry's.
	Instead string
}

// Member is a member of an object with a text as its value.
type Member struct{ Name, Value string }

// In says in which part of a call a name appears.
type In string

// The parts of a call.
const (
	Address   In = "address"
	Parameter In = "parameter"
	Answer    In = "answer"
)

// Pair is an old value and the new one with the same meaning, as JSON.
type Pair struct{ Old, New string }

// Both says which of two names counts.
type Both string

// What happens when a request has the old and the new name.
const (
	NewCounts Both = "The new name counts."
	Refused   Both = "Sending both is 400."
)

// Date is the day from which the entry is deprecated.
func (e Entry) Date() time.Time {
	day := firstServed
	if e.Since != "" {
		day = Releases[e.Since]
	}
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err) // of a constant
	}
	return date
}

// Link is the address of the entry on the page for people, below the base.
func (e Entry) Link(base string) string { return base + Page + "#" + e.ID }

// Page is the path of the page for people.
const Page = "/-/deprecations"

// Find returns the entry with the ID.
func Find(id string) (Entry, bool) {
	n := slices.IndexFunc(Table, func(e Entry) bool { return e.ID == id })
	if n < 0 {
		return Entry{}, false
	}
	return Table[n], true
}

// Named is a place together with its entry.
type Named struct {
	Entry *Entry
	Place
}

// At returns the places in a call, by the pattern of its route.
func At(call string) []Named { return byCall[call] }

var byCall = func() map[string][]Named {
	all := map[string][]Named{}
	for n := range Table {
		for _, p := range Table[n].Places {
			all[p.Call] = append(all[p.Call], Named{&Table[n], p})
		}
	}
	return all
}()

// Takes reports whether the value of a parameter is one that is deprecated here.
func (p Place) Takes(value any) bool {
	return len(p.Values) == 0 || slices.ContainsFunc(p.Values, func(v any) bool { return v == value })
}

// Complaint says what is deprecated, and what to do instead.
func (n Named) Complaint() string {
	words := n.Name + " is deprecated"
	if n.In == Address {
		words = "this address is deprecated"
	}
	if len(n.Values) > 0 {
		words += " with this value"
	}
	instead := n.Instead
	if instead == "" {
		instead = n.Entry.Instead
	}
	return words + ": " + instead
}

// SuccessorPath fills the wildcards of the successor's pattern, and returns ""
// where there is no successor.
func (p Place) SuccessorPath(value func(name string) string) string {
	path := p.Successor
	for {
		before, rest, found := strings.Cut(path, "{")
		if !found {
			return path
		}
		name, after, _ := strings.Cut(rest, "}")
		path = before + value(name) + after
	}
}
