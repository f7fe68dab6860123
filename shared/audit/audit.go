// Package audit keeps the trail: who did what to whose account, or to what
// watches a project, when and from where. What happened has a name that never
// changes, is one line in the log and, but for what happens every other hour,
// one stored entry, which the user whose account it is (for a project's, who
// did it) and the administrators can read for a year.
//
// What strangers do to accounts that do not exist has one entry a minute for
// each address, that of the last; the log has every one.
//
// No secret is ever in the trail, nor what somebody typed where a user name
// belongs and none is: people type passwords there.
package audit

import (
	"context"
	"time"
)

// Retention is how long an entry is kept.
const Retention = 365 * 24 * time.Hour

// Event is what happened.
type Event struct {
	Name Name
	// ActorID is the user who did it; zero: an application by itself, or
	// somebody who is not known.
	ActorID int64
	// UserID is the user whose account it concerns, or with whose it was done
	// to something of a project; zero: nobody's.
	UserID  int64
	Details Details
	// Outcome is Done unless it says something else, and Reason then why.
	Outcome Outcome
	Reason  string
}

// Outcome tells what came of it.
type Outcome string

// The outcomes. What failed may have happened all the same: the store gave no
// answer.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused"
	Failed  Outcome = "failed"
)

// Source is where a request came from. All but its address is what a stranger
// could make up.
type Source struct {
	Browser   Browser
	RequestID string
}

// Entry is an event in the trail.
type Entry struct {
	ID string // 32 hexadecimal characters, which sort by At
	At time.Time
	Event
	Source
}

// ExpiresAt is when the entry is to be forgotten.
func (e Entry) ExpiresAt() time.Time { return e.At.Add(Retention) }

// Store keeps entries. Reads see every write that was acknowledged before.
type Store interface {
	// WriteEntry lists the entry, among everybody's and its user's, in the
	// place of one with its ID and At. After an error it may be in one list
	// and not in the other.
	WriteEntry(ctx context.Context, e Entry) error

	// Entries returns those that pass the filter, the newest first and at most
	// Size. It may come to an end before, when it has looked at very many.
	Entries(ctx context.Context, f Filter) (Page, error)
}

// Filter says which entries are wanted.
type Filter struct {
	Everybody bool  // or else those of
	UserID    int64 // zero: of nobody's account
	Name      Name  // empty: any
	// From and Until say when, the latter exclusive. Both are set.
	From, Until time.Time
	Before      string // the ID of an entry that is newer than all that are wanted; empty: none
	Size        int
}

// Page is some of the entries that were asked for.
type Page struct {
	Entries []Entry
	Next    string // Filter.Before for those that follow; empty: there are none
}

// Bounds returns texts between which are the IDs of the entries that the
// filter wants by time.
func (f Filter) Bounds() (low, high string) {
	low, high = idOf(f.From), idOf(f.Until)
	if f.Before != "" && f.Before < high {
		high = f.Before
	}
	return low, high
}

// Cut returns a page of this size of entries of which there may be more.
func Cut(entries []Entry, size int) Page {
	if len(entries) <= size {
		return Page{Entries: entries}
	}
	return Page{Entries: entries[:size], Next: entries[size-1].ID}
}
