// Package record keeps things of which a store needs to know little: what a platform's
// operators and users write through the REST API, such as geo sites, and incidents,
// webhooks and on-call schedules. Each is a record of a kind, below the instance, a group
// or a project. The store knows of a record only its numbers, the words that no other may
// have, its lists and when it expires; Of gives it a type.
package record

import (
	"context"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

// Kind is a kind of records. It is stored, so it never changes.
type Kind string

// Instance is the place of what belongs to the instance.
var Instance project.Place

// Words are what no other record of the kind and place may have, by the name of the
// field that a complaint is about. None is empty. Words that differ in letter case alone
// are the same.
type Words map[string]string

// Record is a thing of a kind.
type Record struct {
	Kind      Kind
	Place     project.Place // Instance, a group or a project
	ID        int64         // of its kind, in the instance
	Number    int64         // finds it in the place; the ID, unless each place counts its own
	Words     Words         // those of the data; a store does not return them
	Lists     []List        // those that have it besides its place's own; likewise
	Hint      string        // what the lists keep of the data for Search.May; likewise
	Data      []byte        // JSON
	CreatedAt time.Time
	ExpiresAt time.Time // from then on WithoutExpired hides it; zero: never
	Version   int64
	// Tell returns the messages to store in the transaction of the record, which has its
	// numbers and version by then. Nil: none. A store does not return it.
	Tell func(Record) []outbox.Message
}

// Told returns the messages about a record that is being stored.
func (r Record) Told() []outbox.Message {
	if r.Tell == nil {
		return nil
	}
	return r.Tell(r)
}

// List is a list of a place, which can have records of other places.
type List struct {
	Place project.Place
	Name  string // stored, so it never changes
}

// Search selects records of lists.
type Search struct {
	// May reports, for a record without its data but with its hint, whether Keep may
	// return true for it. Nil: it may for each. A store calls it only where that saves
	// a read.
	May  func(Record) bool
	Keep func(Record) bool // nil: each
}

// The reasons why a store refuses an operation.
var (
	ErrNotFound = fault.New(fault.NotFound, "record not found")
	ErrChanged  = fault.New(fault.Conflict, "someone else changed this meanwhile")
)

// Store keeps records, which are deleted with their place, and lists of them, which
// are deleted with theirs. Reads see every write
// that was acknowledged before. A record that has expired is removed at some time, with its
// words and entries in lists: until then reads return it, and its words are taken. A
// removal does not reach the totals of long lists.
type Store interface {
	// CreateRecord stores a record and returns it with its ID, which is never used
	// again for the kind, its Number and its Version. If perPlace is set the place
	// counts its own records of the kind, from 1. It returns a fault.NotFound error when the
	// place or that of a list is gone, and a complaint about the field when another record has one of
	// the words. Of concurrent callers with one word only one succeeds. The messages
	// that the record tells are stored with it, or neither is.
	CreateRecord(ctx context.Context, r Record, perPlace bool) (Record, error)

	// Record returns the record with this number, or a fault.NotFound error when the
	// place has none of the kind.
	Record(ctx context.Context, k Kind, at project.Place, number int64) (Record, error)

	// RecordByWord returns the record that has the word in the field, or a
	// fault.NotFound error.
	RecordByWord(ctx context.Context, k Kind, at project.Place, field, word string) (Record, error)

	// Records returns a page of the place's records that keep returns true for, the
	// newest first. Without keep these are all of them, with their total.
	Records(ctx context.Context, k Kind, at project.Place, keep func(Record) bool, r page.Request) (page.Of[Record], error)

	// ListedRecord returns the record with this ID in the list, or a fault.NotFound
	// error.
	ListedRecord(ctx context.Context, k Kind, in List, id int64) (Record, error)

	// ListedRecords returns a page of the records in the lists that the search
	// selects, each once, by descending ID. Its Total is -1, and a page may lack
	// records that are removed meanwhile, and lacks those of a place that is gone.
	ListedRecords(ctx context.Context, k Kind, in []List, find Search, r page.Request) (page.Of[Record], error)

	// ChangeRecord replaces the words, lists, hint, data and expiry, and returns the record with its next
	// version. It returns ErrChanged when the stored version is another than that of
	// was, a fault.NotFound error when the record is gone, and the complaint of
	// CreateRecord. A record with version 0 is stored under the number that it has,
	// without words and lists: the error is ErrChanged when there is one, and fault.NotFound
	// when the place is gone. Totals of lists do not count such records. The messages that
	// next tells are stored with it, or neither is.
	ChangeRecord(ctx context.Context, was, next Record) (Record, error)

	// RemoveRecord deletes the record and frees its words. It returns the errors of
	// ChangeRecord. The messages that the record tells are stored with that, or it stays.
	RemoveRecord(ctx context.Context, was Record) error
}
