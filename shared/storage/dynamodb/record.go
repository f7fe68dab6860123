package dynamodb

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage/walk"
)

// A place is "project-5", or "instance".
var (
	recordItem   = shape{directory, "RECORDS#<place>", "RECORD#<kind>#<number>", "a record that the REST API keeps", "when it expires, if it does"}
	recordWord   = shape{directory, "RECORDS#<place>", "WORD#<kind>#<word>", "the record that alone has the word in a field", "with the record"}
	recordCount  = shape{directory, "RECORDS#<place>", "COUNT#<kind>", "how many records of the kind there are", ""}
	recordNumber = shape{directory, "RECORDS#<place>", "COUNTER#<kind>", "the last number of a kind of records that the place counts", ""}
)

var records = kind[record.Record]{noun: "record", notFound: record.ErrNotFound, changed: record.ErrChanged, fields: recordFields, entry: recordFields}

func recordFields(r *record.Record) fields {
	return fields{
		{"kind", (*string)(&r.Kind)}, {"place_kind", (*string)(&r.Place.Kind)}, {"place_id", &r.Place.ID}, {"number", &r.Number}, {"id", &r.ID},
		{"created_at", &r.CreatedAt}, {"data", &r.Data}, {"expires_at", &r.ExpiresAt}, {"version", &r.Version},
	}
}

// newRecord are the attributes of a new record.
func newRecord(r record.Record) fields { return append(recordFields(&r), expiryOf(r)) }

// expiryOf has DynamoDB remove what belongs to the record when that expires. Of one that
// never does it is empty.
func expiryOf(r record.Record) field {
	if r.ExpiresAt.IsZero() {
		return field{"ttl", new(time.Time)}
	}
	return fields{}.until(r.ExpiresAt)[0]
}

func recordsIn(at project.Place) string {
	if at == record.Instance {
		return "instance"
	}
	return fmt.Sprintf("%s-%d", at.Kind, at.ID)
}

func recordKey(r record.Record) key {
	return recordItem.key(recordsIn(r.Place), string(r.Kind), r.Number)
}

func countOfRecords(r record.Record) key { return recordCount.key(recordsIn(r.Place), string(r.Kind)) }

// maxWord is the longest word in a sort key, in bytes. A digest stands for a longer
// one.
const maxWord = 512

func wordKey(k record.Kind, at project.Place, field, word string) key {
	word = strings.ToLower(word)
	if len(word) > maxWord {
		word = "sha256:" + secret.NewText(word).Digest().String()
	}
	return recordWord.key(recordsIn(at), string(k), field+"="+word)
}

// CreateRecord stores a record.
func (s *Store) CreateRecord(ctx context.Context, r record.Record, perPlace bool) (_ record.Record, err error) {
	if r.ID, r.Number, err = s.numberRecord(ctx, r, perPlace); err != nil {
		return record.Record{}, err
	}
	r.Version = 1
	changes := []change{create(recordKey(r), append(newRecord(r), listsOfRecord(r))), addToCount(countOfRecords(r), 1)}
	return r, s.write(ctx, slices.Concat(changes, requirePlaceOf(r), reword(record.Record{}, r), enlist(record.Record{}, r), tellAll(r.Told()))...)
}

// numberRecord counts up for a new record: the kind and, at once, the place.
func (s *Store) numberRecord(ctx context.Context, r record.Record, perPlace bool) (id, number int64, err error) {
	ofKind := func(ctx context.Context) (err error) {
		id, err = s.next(ctx, idCounter.key(string(r.Kind)))
		return err
	}
	if !perPlace || r.Place == record.Instance {
		err = ofKind(ctx)
		return id, id, err
	}
	err = callAll(ctx, ofKind, func(ctx context.Context) (err error) {
		number, err = s.next(ctx, recordNumber.key(recordsIn(r.Place), string(r.Kind)))
		return err
	})
	return id, number, err
}

func requirePlaceOf(r record.Record) []change {
	if r.Place == record.Instance {
		return nil
	}
	return []change{requirePlace(r.Place)}
}

// reword returns the changes that free the words of a record and claim those of
// the next one. Those that stay get a new expiry.
func reword(was, next record.Record) (changes []change) {
	lower := func(r record.Record, field string) string { return strings.ToLower(r.Words[field]) } // as in their keys
	same := func(field string) bool { return lower(was, field) == lower(next, field) }
	for _, field := range slices.Sorted(maps.Keys(was.Words)) {
		if !same(field) {
			changes = append(changes, remove(wordKey(was.Kind, was.Place, field, was.Words[field])))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(next.Words)) {
		k, word := wordKey(next.Kind, next.Place, name, next.Words[name]), fields{{"number", &next.Number}, expiryOf(next)}
		switch {
		case !same(name):
			changes = append(changes, create(k, word).orElse(fault.Field(name, fault.Taken)))
		case !was.ExpiresAt.Equal(next.ExpiresAt):
			changes = append(changes, replace(k, word))
		}
	}
	return changes
}

// Record returns a record of a place.
func (s *Store) Record(ctx context.Context, k record.Kind, at project.Place, number int64) (record.Record, error) {
	return records.get(ctx, s, recordItem.key(recordsIn(at), string(k), number))
}

// RecordByWord returns the record of a place that has the word.
func (s *Store) RecordByWord(ctx context.Context, k record.Kind, at project.Place, field, word string) (record.Record, error) {
	number, err := s.claimant(ctx, wordKey(k, at, field, word), "number")
	switch {
	case err != nil:
		return record.Record{}, fmt.Errorf("find record by word: %w", err)
	case number == 0:
		return record.Record{}, records.notFound
	}
	return s.Record(ctx, k, at, number)
}

// recordsRead is how many records a search looks at for a page: some 50 read units.
const recordsRead = 200

// Records returns a page of the records of a place.
func (s *Store) Records(ctx context.Context, k record.Kind, at project.Place, keep func(record.Record) bool, r page.Request) (page.Of[record.Record], error) {
	all := recordItem.key(recordsIn(at), string(k))
	list := walk.List[record.Record]{
		Sources:  []walk.Source[record.Record]{records.newest(s, all)},
		Position: func(r record.Record) page.Position { return page.At(r.Number) },
	}
	if keep != nil {
		list.Search, list.Time = keep, func(r record.Record) time.Time { return r.CreatedAt }
		list.Limit, list.Look = recordsRead, recordsRead/4
		return list.Page(ctx, r)
	}
	list.Count = func(ctx context.Context) (int, error) {
		return s.count(ctx, all, countOfRecords(record.Record{Kind: k, Place: at}))
	}
	return list.Page(ctx, r)
}

// ChangeRecord replaces a record: in a single write if its words stay.
func (s *Store) ChangeRecord(ctx context.Context, was, next record.Record) (record.Record, error) {
	next.Version = was.Version + 1
	if was.Version == 0 {
		created := create(recordKey(next), newRecord(next)).orElse(records.changed)
		return next, s.write(ctx, slices.Concat(requirePlaceOf(next), []change{created}, tellAll(next.Told()))...)
	}
	written := fields{{"data", &next.Data}, {"version", &next.Version}}
	if !was.ExpiresAt.Equal(next.ExpiresAt) {
		written = append(written, field{"expires_at", &next.ExpiresAt}, expiryOf(next))
	}
	listed := enlist(was, next)
	if len(listed) > 0 {
		written = append(written, listsOfRecord(next))
	}
	changed := records.explain(set(recordKey(was), written).version(was.Version))
	return next, s.write(ctx, slices.Concat([]change{changed}, reword(was, next), listed, tellAll(next.Told()))...)
}

// RemoveRecord removes a record.
func (s *Store) RemoveRecord(ctx context.Context, was record.Record) error {
	gone := records.explain(mustRemove(recordKey(was)).version(was.Version))
	changes := []change{gone, addToCount(countOfRecords(was), -1)}
	return s.write(ctx, slices.Concat(changes, reword(was, record.Record{}), enlist(was, record.Record{}), tellAll(was.Told()))...)
}

// removedAtOnce is how many items of a deleted place are removed at a time.
const removedAtOnce = 100

// removeRecords removes all records of a deleted place, from the lists of other places
// too, and its lists. What a crash leaves is not found any more: ids of places are never
// used again, and lists leave out records whose place is gone. A record goes after its
// entries in other places, which are found only through it.
func (s *Store) removeRecords(ctx context.Context, at project.Place) error {
	var own, elsewhere []change
	flush := func() error {
		err := s.writeEach(ctx, elsewhere)
		if err == nil {
			err = s.writeEach(ctx, own)
		}
		own, elsewhere = own[:0], elsewhere[:0]
		return err
	}
	partition := key{recordItem.table, recordItem.key(recordsIn(at)).pk, ""}
	input := s.partition(partition, forward)
	input.ProjectionExpression = aws.String("sk, kind, id, lists")
	err := s.run(ctx, input, func(it item) (bool, error) {
		k := partition
		if err := (fields{{"sk", &k.sk}}).read(it); err != nil {
			return false, err
		}
		entries, err := entriesElsewhere(it, at)
		if own, elsewhere = append(own, remove(k)), append(elsewhere, entries...); err == nil && len(own) == removedAtOnce {
			err = flush()
		}
		return true, err
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return fmt.Errorf("remove the records of a deleted place: %w", err)
	}
	return nil
}

// mostOfUser is how many listed records are removed together with a user. Rules keep users
// from having so many.
const mostOfUser = 12

// recordsOfUser returns the changes that remove what a user has below the instance.
func (s *Store) recordsOfUser(ctx context.Context, id int64) ([]change, error) {
	var changes []change
	for _, k := range record.OnePerUser {
		changes = append(changes, remove(recordItem.key(recordsIn(record.Instance), string(k), id)))
	}
	var listed, slots []change
	err := callAll(ctx, func(ctx context.Context) (err error) {
		listed, err = s.listedOfUser(ctx, id)
		return err
	}, func(ctx context.Context) (err error) {
		slots, err = s.slotsOfUser(ctx, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the records of a user: %w", err)
	}
	return slices.Concat(changes, listed, slots), nil
}

func (s *Store) listedOfUser(ctx context.Context, id int64) (changes []change, err error) {
	list := listKey(record.OwnWebhook, record.ListOfUser(id))
	all, err := listedRecords.newest(s, list)(ctx, page.Position{}, mostOfUser)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	for _, r := range all {
		changes = append(changes, mustRemove(recordKey(r)).orElse(users.changed), remove(list.entry(r.ID)))
	}
	return append(changes, addToCount(countOfRecords(all[0]), -int64(len(all)))), nil
}

func (s *Store) slotsOfUser(ctx context.Context, id int64) (changes []change, err error) {
	slots := wordKey(record.OwnWebhook, record.Instance, record.Slot, record.SlotsOfUser(id))
	err = s.query(ctx, slots, forward, func(it item) (bool, error) {
		k := slots
		err := fields{{"sk", &k.sk}}.read(it)
		changes = append(changes, remove(k))
		return true, err
	})
	return changes, err
}
