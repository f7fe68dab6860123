package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

// Of says how things of type T are kept: as JSON of the kind.
type Of[T any] struct {
	Kind  Kind
	Words func(T) Words // nil: none
	// Lists returns the lists that have the thing of the place; nil: none.
	Lists func(project.Place, T) []List
	// Hint returns what lists keep for Find.May; nil: nothing.
	Hint func(T) string
	// Tell returns the messages that follow from a thing that is new, for which was is
	// nil, or changed; nil: none. They are stored with it.
	Tell func(was *T, is Stored[T]) []outbox.Message
	// Expires returns when the thing is gone; nil, or the zero time: never. It is for
	// stores that WithoutExpired returns.
	Expires func(T) time.Time
	// PerPlace means that every place counts its own, from 1.
	PerPlace bool
}

// Stored is a thing with its record.
type Stored[T any] struct {
	Record
	Thing T
}

// Create stores a new thing.
func (o Of[T]) Create(ctx context.Context, s Store, at project.Place, thing T, now time.Time) (Stored[T], error) {
	r, err := o.encode(Record{Kind: o.Kind, Place: at, CreatedAt: now}, thing)
	if err != nil {
		return Stored[T]{}, err
	}
	r.Tell = o.telling(nil, thing)
	r, err = s.CreateRecord(ctx, r, o.PerPlace)
	r.Tell = nil
	return Stored[T]{r, thing}, err
}

// Find returns the thing with this number.
func (o Of[T]) Find(ctx context.Context, s Store, at project.Place, number int64) (Stored[T], error) {
	r, err := s.Record(ctx, o.Kind, at, number)
	if err != nil {
		return Stored[T]{}, err
	}
	return o.decode(r)
}

// FindOr returns the thing with this number or, if there is none, one to be stored by
// Change.
func (o Of[T]) FindOr(ctx context.Context, s Store, at project.Place, number int64, otherwise T, now time.Time) (Stored[T], error) {
	found, err := o.Find(ctx, s, at, number)
	if errors.Is(err, ErrNotFound) {
		return Stored[T]{Record{Kind: o.Kind, Place: at, Number: number, CreatedAt: now}, otherwise}, nil
	}
	return found, err
}

// FindByWord returns the thing that has the word in the field.
func (o Of[T]) FindByWord(ctx context.Context, s Store, at project.Place, field, word string) (Stored[T], error) {
	r, err := s.RecordByWord(ctx, o.Kind, at, field, word)
	if err != nil {
		return Stored[T]{}, err
	}
	return o.decode(r)
}

// List returns a page of the things, the newest first.
func (o Of[T]) List(ctx context.Context, s Store, at project.Place, r page.Request) (page.Of[Stored[T]], error) {
	found, err := s.Records(ctx, o.Kind, at, nil, r)
	return o.decodeAll(found, err)
}

// Search returns a page of the things that keep returns true for. What cannot be
// decoded is kept, so that it is reported.
func (o Of[T]) Search(ctx context.Context, s Store, at project.Place, keep func(Stored[T]) bool, r page.Request) (page.Of[Stored[T]], error) {
	found, err := s.Records(ctx, o.Kind, at, o.keeping(keep), r)
	return o.decodeAll(found, err)
}

// keeping returns what a store asks of the record of each thing; nil if keep is nil.
func (o Of[T]) keeping(keep func(Stored[T]) bool) func(Record) bool {
	if keep == nil {
		return nil
	}
	return func(r Record) bool {
		stored, err := o.decode(r)
		return err != nil || keep(stored)
	}
}

// FindListed returns the thing with this ID in the list.
func (o Of[T]) FindListed(ctx context.Context, s Store, in List, id int64) (Stored[T], error) {
	r, err := s.ListedRecord(ctx, o.Kind, in, id)
	if err != nil {
		return Stored[T]{}, err
	}
	return o.decode(r)
}

// Find selects things of lists, as a Search does.
type Find[T any] struct {
	May  func(Record) bool
	Keep func(Stored[T]) bool
}

// Listed returns a page of the things in the lists that are selected, the newest first.
// What cannot be decoded is, as with Search.
func (o Of[T]) Listed(ctx context.Context, s Store, in []List, find Find[T], r page.Request) (page.Of[Stored[T]], error) {
	found, err := s.ListedRecords(ctx, o.Kind, in, Search{find.May, o.keeping(find.Keep)}, r)
	return o.decodeAll(found, err)
}

// decodeAll returns the page of things for a page of records.
func (o Of[T]) decodeAll(found page.Of[Record], err error) (page.Of[Stored[T]], error) {
	if err != nil {
		return page.Of[Stored[T]]{}, err
	}
	things := make([]Stored[T], len(found.Items))
	for i, one := range found.Items {
		if things[i], err = o.decode(one); err != nil {
			return page.Of[Stored[T]]{}, err
		}
	}
	return page.With(found, things), nil
}

// Change edits the thing and stores it. When someone else was faster it edits what
// they stored, so that no change is lost. When edit returns an error nothing is
// stored.
func (o Of[T]) Change(ctx context.Context, s Store, was Stored[T], edit func(*T) error) (next Stored[T], err error) {
	err = o.persist(ctx, s, was, func(was Stored[T]) error {
		thing := was.Thing
		if err := edit(&thing); err != nil {
			return err
		}
		r, err := o.encode(was.Record, thing)
		if err == nil {
			r.Tell = o.telling(&was.Thing, thing)
			r, err = s.ChangeRecord(ctx, was.Record, r)
			r.Tell = nil
		}
		next = Stored[T]{r, thing}
		return err
	})
	return next, err
}

// Remove deletes the thing. The messages are stored with that, or neither is done.
func (o Of[T]) Remove(ctx context.Context, s Store, was Stored[T], tell ...outbox.Message) error {
	return o.persist(ctx, s, was, func(was Stored[T]) error {
		was.Tell = func(Record) []outbox.Message { return tell }
		return s.RemoveRecord(ctx, was.Record)
	})
}

// persist repeats the deed with the thing as it is now until nobody changes it in
// between. Each repetition means that another caller succeeded.
func (o Of[T]) persist(ctx context.Context, s Store, was Stored[T], deed func(Stored[T]) error) error {
	for {
		err := deed(was)
		if !errors.Is(err, ErrChanged) {
			return err
		}
		if was, err = o.Find(ctx, s, was.Place, was.Number); err != nil {
			return err
		}
	}
}

// encode returns the record with the thing in it.
func (o Of[T]) encode(r Record, thing T) (_ Record, err error) {
	if r.Data, err = Encode(thing); err != nil {
		return Record{}, fmt.Errorf("encode a %s: %w", o.Kind, err)
	}
	r.Words, r.Lists, r.Hint, r.ExpiresAt = o.words(thing), o.lists(r.Place, thing), o.hint(thing), o.expires(thing)
	return r, nil
}

// Encode returns the JSON in which a thing is stored. It leaves '<', '>' and '&' as they
// are: escaped each of them takes six bytes.
func Encode(thing any) ([]byte, error) {
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(thing)
	return bytes.TrimSuffix(encoded.Bytes(), []byte("\n")), err
}

func (o Of[T]) decode(r Record) (Stored[T], error) {
	stored := Stored[T]{Record: r}
	if err := json.Unmarshal(r.Data, &stored.Thing); err != nil {
		return Stored[T]{}, fmt.Errorf("read a stored %s: %w", o.Kind, err)
	}
	stored.Words, stored.Lists, stored.Hint = o.words(stored.Thing), o.lists(r.Place, stored.Thing), o.hint(stored.Thing)
	return stored, nil
}

// telling returns what Record.Tell is when the thing is stored.
func (o Of[T]) telling(was *T, is T) func(Record) []outbox.Message {
	if o.Tell == nil {
		return nil
	}
	return func(r Record) []outbox.Message { return o.Tell(was, Stored[T]{r, is}) }
}

func (o Of[T]) lists(at project.Place, thing T) []List {
	if o.Lists == nil {
		return nil
	}
	return o.Lists(at, thing)
}

func (o Of[T]) hint(thing T) string {
	if o.Hint == nil {
		return ""
	}
	return o.Hint(thing)
}

// expires returns the time in the precision in which it is stored.
func (o Of[T]) expires(thing T) time.Time {
	if o.Expires == nil {
		return time.Time{}
	}
	return o.Expires(thing).UTC().Truncate(time.Microsecond)
}

func (o Of[T]) words(thing T) Words {
	if o.Words == nil {
		return nil
	}
	return o.Words(thing)
}
