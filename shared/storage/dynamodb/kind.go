package dynamodb

import (
	"context"
	"fmt"
	"slices"
)

// kind says how things of type T are stored.
type kind[T any] struct {
	noun     string
	notFound error
	changed  error // the stored version is another than the caller read
	key      func(T) key
	fields   func(*T) fields
	// entry lists the fields in a list's entry: those of the key, and those that
	// filters need.
	entry func(*T) fields
}

// read returns the thing that the item is.
func (k kind[T]) read(it item) (thing T, err error) {
	if err := k.fields(&thing).read(it); err != nil {
		return thing, fmt.Errorf("read stored %s: %w", k.noun, err)
	}
	return thing, nil
}

// explain has the write return notFound or changed if the condition fails.
func (k kind[T]) explain(c change) change { return c.orElse(k.changed).ifMissing(k.notFound) }

// get returns the thing with this key, or notFound.
func (k kind[T]) get(ctx context.Context, s *Store, at key) (thing T, err error) {
	it, err := s.get(ctx, at)
	switch {
	case err != nil:
		return thing, fmt.Errorf("get %s: %w", k.noun, err)
	case it == nil:
		return thing, k.notFound
	}
	return k.read(it)
}

// numbered returns the thing with this number in the list, or a fault.NotFound
// error.
func (k kind[T]) numbered(ctx context.Context, s *Store, list key, id int64) (thing T, err error) {
	thing, err = k.listed(ctx, s, list, id)
	if err != nil {
		return thing, err
	}
	return k.get(ctx, s, k.key(thing))
}

// listed returns what the list's entry for this number holds.
func (k kind[T]) listed(ctx context.Context, s *Store, list key, id int64) (thing T, err error) {
	it, err := s.get(ctx, list.entry(id))
	switch {
	case err != nil:
		return thing, fmt.Errorf("find %s: %w", k.noun, err)
	case it == nil:
		return thing, k.notFound
	}
	return thing, k.entry(&thing).read(it)
}

// all returns every thing in the part of a partition whose sort keys begin
// with the key's.
func (k kind[T]) all(ctx context.Context, s *Store, at key) (things []T, err error) {
	err = s.query(ctx, at, forward, func(it item) (more bool, err error) {
		thing, err := k.read(it)
		things = append(things, thing)
		return true, err
	})
	if err != nil {
		return nil, fmt.Errorf("list %ss: %w", k.noun, err)
	}
	return things, nil
}

// some returns the first n of those things, and reads no more.
func (k kind[T]) some(ctx context.Context, s *Store, at key, n int) (things []T, err error) {
	input := s.partition(at, forward)
	input.Limit = atOnce(n)
	err = s.run(ctx, input, func(it item) (more bool, err error) {
		thing, err := k.read(it)
		things = append(things, thing)
		return len(things) < n, err
	})
	if err != nil {
		return nil, fmt.Errorf("list %ss: %w", k.noun, err)
	}
	return things, nil
}

// complete returns the things that the entries list, without those that were
// removed since.
func (k kind[T]) complete(ctx context.Context, s getter, entries []T) ([]T, error) {
	return k.completeIf(ctx, s, entries, always)
}

func always[T any](item, T) (bool, error) { return true, nil }

// completeIf returns those of the things that keep reports true for.
func (k kind[T]) completeIf(ctx context.Context, s getter, entries []T, keep func(item, T) (bool, error)) ([]T, error) {
	keys := make([]key, len(entries))
	for i, e := range entries {
		keys[i] = k.key(e)
	}
	found, err := s.getAll(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("get %ss: %w", k.noun, err)
	}
	things := make([]T, 0, len(found))
	for _, at := range keys {
		it, ok := found[at]
		if !ok {
			continue
		}
		thing, err := k.read(it)
		if err != nil {
			return nil, err
		}
		kept, err := keep(it, thing)
		if err != nil {
			return nil, err
		}
		if kept {
			things = append(things, thing)
		}
	}
	return things, nil
}

// withIDs returns the things with these ids that exist, by id.
func (k kind[T]) withIDs(ctx context.Context, s getter, ids []int64, idOf func(*T) *int64) (map[int64]T, error) {
	var entries []T
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		var entry T
		*idOf(&entry) = id
		entries = append(entries, entry)
	}
	found, err := k.complete(ctx, s, entries)
	byID := make(map[int64]T, len(found))
	for _, thing := range found {
		byID[*idOf(&thing)] = thing
	}
	return byID, err
}
