package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/record"
	"gatehouse/shared/storage/archive"
)

var importItem = shape{directory, "IMPORT", "IMPORT", "how far an import has come, until it has ended", ""}

// Archive returns the store as one that can be exported and imported. The records are of
// these kinds. It is a function, and no method, so that programs that do neither are
// smaller.
func Archive(s *Store, kinds []record.Kind) archive.Store {
	a := &archived{Store: s, kinds: kinds}
	a.shelves = a.all()
	return a
}

type archived struct {
	*Store
	kinds   []record.Kind
	shelves map[string]shelf
}

// shelf is where the things of a kind are.
type shelf struct {
	dump func(ctx context.Context, after any, now time.Time, yield func(any) error) error
	load func(ctx context.Context, things []any) error
}

// ErrUnlisted means that the lists of the directory lack what an earlier release stored.
var ErrUnlisted = errors.New("the lists are not complete: an earlier release stored some of the data; list it anew first, with scripts/admin relist")

// Dump calls yield with the things of a kind.
func (a *archived) Dump(ctx context.Context, k archive.Kind, after any, now time.Time, yield func(any) error) error {
	complete, err := a.listsComplete(ctx)
	if err != nil {
		return err
	}
	if empty, err := a.Empty(ctx); err != nil || !complete && !empty {
		return errors.Join(err, ErrUnlisted)
	}
	last := ""
	if after != nil {
		last = k.Position(after)
	}
	return a.shelves[k.Name()].dump(ctx, after, now, func(thing any) error {
		if after != nil && k.Position(thing) <= last {
			return nil
		}
		return yield(thing)
	})
}

// Load stores things of a kind.
func (a *archived) Load(ctx context.Context, k archive.Kind, things []any) error {
	return a.shelves[k.Name()].load(ctx, things)
}

// Empty reports whether there are no users.
func (a *archived) Empty(ctx context.Context) (bool, error) {
	n, err := a.countUpTo(ctx, userList.key(), 1)
	return n == 0, err
}

func progressFields(p *archive.Progress) fields { return fields{{"file", &p.File}, {"line", &p.Line}} }

// Unfinished returns the import that has begun.
func (a *archived) Unfinished(ctx context.Context) (p archive.Progress, err error) {
	it, err := a.get(ctx, importItem.key())
	if err != nil {
		return p, err
	}
	return p, progressFields(&p).read(it)
}

// Note keeps how far an import has come.
func (a *archived) Note(ctx context.Context, p archive.Progress) error {
	if p == (archive.Progress{}) {
		return a.write(ctx, remove(importItem.key()))
	}
	return a.write(ctx, replace(importItem.key(), progressFields(&p)))
}

// dumped calls yield with what is read for each of the ids in the list, from the first
// one on: of maxBatch ids at a time, in parallel.
func dumped[A any](ctx context.Context, s *Store, list key, first int64, read func(ctx context.Context, id int64) ([]A, error), yield func(any) error) error {
	return s.idsFrom(ctx, list, first, func(ids []int64) error {
		found := make([][]A, len(ids))
		places := make([]int, len(ids))
		for n := range ids {
			places[n] = n
		}
		err := inParallel(ctx, places, func(ctx context.Context, n int) (err error) {
			found[n], err = read(ctx, ids[n])
			return err
		})
		if err != nil {
			return err
		}
		for _, thing := range slices.Concat(found...) {
			if err := yield(thing); err != nil {
				return err
			}
		}
		return nil
	})
}

// idsFrom calls do with the ids in the list, maxBatch at a time, from the first one on.
func (s *Store) idsFrom(ctx context.Context, list key, first int64, do func([]int64) error) error {
	for {
		var ids []int64
		err := s.run(ctx, &sdk.QueryInput{
			TableName: s.table(list), ScanIndexForward: aws.Bool(forward), Limit: aws.Int32(maxBatch),
			KeyConditionExpression:    aws.String("pk = :pk AND sk BETWEEN :low AND :high"),
			ExpressionAttributeValues: item{":pk": text(list.pk), ":low": text(list.entry(first).sk), ":high": text(list.entry(math.MaxInt64).sk)},
		}, func(it item) (bool, error) {
			var sk string
			err := fields{{"sk", &sk}}.read(it)
			id := int64(0)
			if err == nil {
				_, err = fmt.Sscanf(sk[len(sk)-len(fmt.Sprintf(padded, 0)):], "%d", &id)
			}
			ids = append(ids, id)
			return len(ids) < maxBatch, err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := do(ids); err != nil {
			return err
		}
		first = ids[len(ids)-1] + 1
	}
}

// firstOf returns the id at which a dump begins: that of the thing, or 0 for none.
func firstOf[A any](after any, id func(A) int64) int64 {
	if after == nil {
		return 0
	}
	return id(after.(A))
}

// perUser is the shelf of what users have.
func perUser[A any](s *Store, id func(A) int64, read func(context.Context, int64, time.Time) ([]A, error), put func(A) []change) shelf {
	return perID(s, userList.key(), id, read, putting(s, put))
}

// perProject is the shelf of what projects have.
func perProject[A any](s *Store, id func(A) int64, read func(context.Context, int64, time.Time) ([]A, error), load func(context.Context, []any) error) shelf {
	return perID(s, projectList.key(), id, read, load)
}

func perID[A any](s *Store, list key, id func(A) int64, read func(context.Context, int64, time.Time) ([]A, error), load func(context.Context, []any) error) shelf {
	return shelf{
		dump: func(ctx context.Context, after any, now time.Time, yield func(any) error) error {
			return dumped(ctx, s, list, firstOf(after, id), func(ctx context.Context, of int64) ([]A, error) { return read(ctx, of, now) }, yield)
		},
		load: load,
	}
}

// perKey is the shelf of the things of a kind that a list names.
func perKey[A any](s *Store, k kind[A], list key, id func(A) int64, at func(context.Context, int64) (key, error), load func(context.Context, []any) error) shelf {
	return perID(s, list, id, func(ctx context.Context, of int64, _ time.Time) ([]A, error) {
		where, err := at(ctx, of)
		if err != nil {
			return nil, err
		}
		return k.ifThere(ctx, s, where)
	}, load)
}

// ifThere returns the thing with this key; none, if it is gone.
func (k kind[T]) ifThere(ctx context.Context, s *Store, at key) ([]T, error) {
	it, err := s.get(ctx, at)
	if err != nil || it == nil {
		return nil, err
	}
	thing, err := k.read(it)
	return []T{thing}, err
}

// putting returns a load that puts items, whether they exist or not.
func putting[A any](s *Store, put func(A) []change) func(context.Context, []any) error {
	return func(ctx context.Context, things []any) error {
		var changes []change
		for _, thing := range things {
			changes = append(changes, put(thing.(A))...)
		}
		return s.putAll(ctx, changes)
	}
}

// creating returns a load that makes the changes for each of the things in a transaction,
// whose change at a position creates the thing itself. Those that exist stay.
func creating[A any](s *Store, position int, changes func(A) []change) func(context.Context, []any) error {
	return func(ctx context.Context, things []any) error {
		return inParallel(ctx, things, func(ctx context.Context, thing any) error {
			return s.create(ctx, position, changes(thing.(A)))
		})
	}
}

// create makes the changes, unless what the one at the position creates is there.
func (s *Store) create(ctx context.Context, position int, changes []change) error {
	return again(errStale, func() error {
		if it, err := s.get(ctx, changes[position].key); err != nil || it != nil {
			return err
		}
		return s.write(ctx, changes...)
	})
}

// putAll puts items of any tables, many in a request.
func (s *Store) putAll(ctx context.Context, changes []change) error {
	byTable := map[string][]types.WriteRequest{}
	for _, c := range changes {
		part := s.part(c, importNonce).Put
		byTable[*part.TableName] = append(byTable[*part.TableName], types.WriteRequest{PutRequest: &types.PutRequest{Item: part.Item}})
	}
	for table, requests := range byTable {
		err := inParallel(ctx, slices.Collect(slices.Chunk(requests, maxBatchWrite)), func(ctx context.Context, some []types.WriteRequest) error {
			return s.writeBatch(ctx, table, some)
		})
		if err != nil {
			return fmt.Errorf("store items: %w", err)
		}
	}
	return nil
}

// importNonce is on items that an import put. It puts them again when an answer is lost.
var importNonce = []byte("import")

// writeBatch repeats a request for what it left, with pauses that grow.
func (s *Store) writeBatch(ctx context.Context, table string, some []types.WriteRequest) error {
	left := map[string][]types.WriteRequest{table: some}
	for attempt := 0; len(left) > 0; attempt++ {
		if attempt > 0 {
			rest, _ := pause(min(attempt, maxAttempts), nil)
			if err := sleep(ctx, rest); err != nil {
				return err
			}
		}
		out, err := s.client.BatchWriteItem(ctx, &sdk.BatchWriteItemInput{RequestItems: left})
		if err != nil {
			return err
		}
		left = out.UnprocessedItems
	}
	return nil
}
