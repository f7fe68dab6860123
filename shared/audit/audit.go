// Package audit keeps the trail: who did what to which account or project, when
// and from where. An event has a stable name, is one line in the log and, unless
// it is LogOnly, one stored entry. For a year the entry can be read by the user of
// the account (for a project, the user who acted) and by administrators.
//
// Attempts on accounts that do not exist share one entry per minute and address,
// which keeps the last one; the log has them all.
//
// The trail never contains a secret, nor a user name that does not exist, because
// people type passwords there.
package audit

import (
	"context"
	"time"
)

// Retention is how long an entry is kept.
const Retention = 365 * 24 * time.Hour

// Event is what happened.
type Event struct {
	Name    Name
	ActorID int64 // the user who did it; zero: an application by itself, or unknown
	// UserID is the user of the account that changed or, for a project, that
	// was used; zero: none.
	UserID int64
	// ProjectID is the project that the deed concerns; zero: none.
	ProjectID int64
	Details   Details
	// Outcome is empty for Done. The Reason explains any other one.
	Outcome Outcome
	Reason  string
}

// Outcome is how an attempt ended.
type Outcome string

// The outcomes. What Failed may have happened nevertheless, if the store did not
// answer.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused"
	Failed  Outcome = "failed"
)

// Source is the request that an event came with. A stranger can forge all but the
// address.
type Source struct {
	Browser   Browser
	RequestID string
}

type sourceKey struct{}

// WithSource returns a context for a request that came from there.
func WithSource(ctx context.Context, s Source) context.Context {
	return context.WithValue(ctx, sourceKey{}, s)
}

// sourceOf returns where the request came from, cleaned; the zero Source without
// a request.
func sourceOf(ctx context.Context) Source {
	s, _ := ctx.Value(sourceKey{}).(Source)
	s.Browser = s.Browser.Cleaned()
	return s
}

// Entry is an event in the trail.
type Entry struct {
	ID string // 32 hexadecimal characters, which sort by At
	At time.Time
	Event
	Source
}

// ExpiresAt is when the entry is deleted.
func (e Entry) ExpiresAt() time.Time { return e.At.Add(Retention) }

// Store keeps entries. Reads see every write that was acknowledged before.
type Store interface {
	Reader

	// WriteEntry adds the entry to the lists that a Filter selects, and replaces
	// one with its ID and At. After an error it may be in some of them only.
	WriteEntry(ctx context.Context, e Entry) error
}

// Reader reads entries.
type Reader interface {
	// Entries returns those that pass the filter, the newest first and at most
	// Size. It can return fewer and a Next for the events of one name in a project,
	// because it looks at 500 entries of the project at most.
	Entries(ctx context.Context, f Filter) (Page, error)
}

// Filter selects entries: everybody's, or those of a project, or those of a user.
type Filter struct {
	Everybody   bool
	ProjectID   int64     // of any user; zero: no project is asked for
	UserID      int64     // zero: entries of no account
	Name        Name      // empty: any
	From, Until time.Time // Until is exclusive; stores get both
	// ActorID and AccountID narrow what the others select, for which no list is kept: who did
	// it, and whose account it is where a project is asked for. Stores do not get them.
	ActorID, AccountID int64
	Before             string // only entries older than the one with this ID; empty: any
	Size               int
}

// Page is a page of entries.
type Page struct {
	Entries []Entry
	Next    string // Filter.Before for the next page; empty: this is the last one
	// SearchedUntil is set if the page looked at so many entries that it ended before it was
	// full: older ones than this were not looked at.
	SearchedUntil time.Time
}

// Bounds returns the bounds of the IDs that the filter selects by time.
func (f Filter) Bounds() (low, high string) {
	low, high = idOf(f.From), idOf(f.Until)
	if f.Before != "" && f.Before < high {
		high = f.Before
	}
	return low, high
}

// Cut returns a page of this size. One more entry means that there is a next page.
func Cut(entries []Entry, size int) Page {
	if len(entries) <= size {
		return Page{Entries: entries}
	}
	return Page{Entries: entries[:size], Next: entries[size-1].ID}
}

// Actor is who does something.
type Actor struct {
	ID     int64 // who it really is
	UserID int64 // in whose name: another user's when an administrator acts as that user
	// Bound means that an administrator's token does not give administrator's rights.
	Bound bool
}

// Setup is the actor of what the instance does before it has users, such as
// making its first administrator. The trail leaves that out.
var Setup = Actor{ID: setupID}

// CommandLine is the actor of what somebody does who reaches the data itself.
var CommandLine = Actor{ID: commandLineID}

const (
	setupID       = -1
	commandLineID = -2
)

// ByUser returns the actor for a user who acts in their own name.
func ByUser(id int64) Actor { return Actor{ID: id, UserID: id} }

// Event returns an event that belongs to the account in whose name the actor
// acts.
func (a Actor) Event(name Name, d Details) Event {
	return Event{Name: name, ActorID: a.ID, UserID: a.UserID, Details: d}
}

// In returns the event as one that concerns the project.
func (e Event) In(projectID int64) Event {
	e.ProjectID = projectID
	return e
}
