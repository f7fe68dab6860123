package dynamodb

import (
	"context"
	"fmt"
	"time"

	"gatehouse/shared/deprecation"
	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// Each caller counts in a partition of its own. The list of an entry is written once
// for each caller and day.
var (
	usesByCaller = shape{tokens, "DEPRECATED#CALLER#<caller>", "<day>#<entry>", "how often an application, token or user used something deprecated on a day", "90 days"}
	usesOfEntry  = shape{tokens, "DEPRECATED#ENTRY#<entry>", "<day>#<caller>", "a caller in the list of a deprecated entry", "90 days"}
)

var deprecatedUses = kind[deprecation.Use]{
	noun:   "use of a deprecated name",
	key:    func(u deprecation.Use) key { return usesByCaller.key(u.Number(), dayOf(u.Day), u.Entry) },
	fields: deprecatedUseFields,
	entry:  deprecatedUseEntry,
}

func deprecatedUseEntry(u *deprecation.Use) fields {
	return fields{{"entry", &u.Entry}, {"day", &u.Day}, {"client_id", &u.Client}, {"token_id", &u.TokenID}, {"user_id", &u.UserID}}
}

// dayOf names the day of a time.
func dayOf(at time.Time) string { return at.Format(time.DateOnly) }

func deprecatedUseFields(u *deprecation.Use) fields {
	return append(deprecatedUseEntry(u), field{"application_id", &u.ApplicationID}, field{"uses", &u.Uses}, field{"last_used_at", &u.LastUsedAt})
}

// relistEvery is how often a caller's first use of a day is listed again, should the
// list not have it because the function ended in between.
const relistEvery = 100

// AddDeprecatedUse counts a use in one request, and the first of a day in two.
func (s *Store) AddDeprecatedUse(ctx context.Context, entry string, by deprecation.Caller, at time.Time) error {
	use := deprecation.Use{Entry: entry, Day: deprecation.DayOf(at), Caller: by, LastUsedAt: at}
	attributes := deprecatedUseFields(&use).until(use.ExpiresAt()).item()
	delete(attributes, "uses")
	it, err := s.writeAndRead(ctx, change{
		key: deprecatedUses.key(use), action: update, item: attributes, add: item{"uses": number(1)}, condition: isNew + " OR " + unwritten,
	})
	if err != nil {
		return fmt.Errorf("count use of a deprecated name: %w", err)
	}
	counted, err := deprecatedUses.read(it)
	if err != nil || counted.Uses%relistEvery != 1 {
		return err
	}
	return s.write(ctx, replace(usesOfEntry.key(entry, dayOf(use.Day), by.Number()), deprecatedUseEntry(&use).until(use.ExpiresAt())))
}

// DeprecatedUses returns a page of the selected uses.
func (s *Store) DeprecatedUses(ctx context.Context, f deprecation.Filter, r page.Request) (page.Of[deprecation.Use], error) {
	list := walk.List[deprecation.Use]{Position: deprecation.Use.Position}
	if f.Client != 0 {
		list.Sources = []walk.Source[deprecation.Use]{s.usesByClient(f)}
		return list.Page(ctx, r)
	}
	for rank, id := range deprecation.IDs {
		if f.Entry == "" || f.Entry == id {
			list.Sources = append(list.Sources, s.usesOf(f, rank))
		}
	}
	return deprecatedUses.pageOf(ctx, s, list, r)
}

// usesOf is the source of the callers who used an entry.
func (s *Store) usesOf(f deprecation.Filter, rank int) walk.Source[deprecation.Use] {
	return func(ctx context.Context, after page.Position, n int) ([]deprecation.Use, error) {
		high := dayOf(f.To) + "~"
		if b := deprecation.BoundOf(after); after.Some() {
			switch high = dayOf(b.Day); {
			case rank < b.Rank:
				high += "~"
			case rank == b.Rank:
				high += "#" + fmt.Sprintf(padded, b.Number-1)
			}
		}
		return s.usesUpTo(ctx, usesOfEntry.key(deprecation.IDs[rank]), f, high, n, deprecatedUseEntry)
	}
}

// usesByClient is the source of the uses by an application.
func (s *Store) usesByClient(f deprecation.Filter) walk.Source[deprecation.Use] {
	source := walk.Source[deprecation.Use](func(ctx context.Context, after page.Position, n int) ([]deprecation.Use, error) {
		high := dayOf(f.To) + "~"
		if b := deprecation.BoundOf(after); after.Some() {
			high = dayOf(b.Day)
			if b.Rank > 0 {
				high += "#" + deprecation.IDs[b.Rank-1]
			}
		}
		return s.usesUpTo(ctx, usesByCaller.key(deprecation.Caller{Client: f.Client}.Number()), f, high, n, deprecatedUseFields)
	})
	if f.Entry == "" {
		return source
	}
	return source.Only(func(u deprecation.Use) bool { return u.Entry == f.Entry }, deprecation.Use.Position)
}

// usesUpTo returns the last n uses of a partition from the first selected day to the
// sort key.
func (s *Store) usesUpTo(
	ctx context.Context, at key, f deprecation.Filter, high string, n int, read func(*deprecation.Use) fields,
) (uses []deprecation.Use, err error) {
	err = s.between(ctx, at, dayOf(f.From), high, min(n, maxAtOnce), func(it item) (bool, error) {
		var u deprecation.Use
		err := read(&u).read(it)
		uses = append(uses, u)
		return len(uses) < n, err
	})
	if err != nil {
		return nil, fmt.Errorf("list uses of deprecated names: %w", err)
	}
	return uses, nil
}
