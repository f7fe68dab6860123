package sqlite

import (
	"context"
	"time"

	"gatehouse/shared/deprecation"
	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

var deprecatedUses = newKind("deprecated_uses", deprecatedUseColumns, nil, nil)

func deprecatedUseColumns(u *deprecation.Use) columns {
	return columns{
		{"day", &u.Day}, {"entry", &u.Entry}, {"caller", derived(func() any { return u.Number() })},
		{"client_id", &u.Client}, {"application_id", &u.ApplicationID}, {"token_id", &u.TokenID}, {"user_id", &u.UserID},
		{"uses", &u.Uses}, {"last_used_at", &u.LastUsedAt},
	}
}

var countDeprecatedUse = storing[deprecation.Use]{
	deprecatedUses.inserted.query + ` ON CONFLICT DO UPDATE SET
		uses = uses + 1, user_id = excluded.user_id, last_used_at = max(last_used_at, excluded.last_used_at)`,
	deprecatedUses.rows,
}

// AddDeprecatedUse counts a use.
func (s *Store) AddDeprecatedUse(ctx context.Context, entry string, by deprecation.Caller, at time.Time) error {
	use := deprecation.Use{Entry: entry, Day: deprecation.DayOf(at), Caller: by, Uses: 1, LastUsedAt: at}
	return s.writer.do(ctx, func(tx *transaction) error {
		_, err := countDeprecatedUse.run(tx, &use)
		return err
	})
}

// DeprecatedUses returns a page of the selected uses.
func (s *Store) DeprecatedUses(ctx context.Context, f deprecation.Filter, r page.Request) (page.Of[deprecation.Use], error) {
	return walk.List[deprecation.Use]{
		Position: deprecation.Use.Position,
		Sources: []walk.Source[deprecation.Use]{func(ctx context.Context, after page.Position, n int) ([]deprecation.Use, error) {
			clause, args := usesBetween(f, after)
			return deprecatedUses.all(ctx, s.readers, clause, append(args, n)...)
		}},
	}.Page(ctx, r)
}

// usesBetween returns the clause for the selected uses after the position, and its
// arguments but for their number. There is an index for each selection; of the few
// uses by one application those of one entry are looked for.
func usesBetween(f deprecation.Filter, after page.Position) (clause string, args []any) {
	day, entry, caller := micros(f.To.AddDate(0, 0, 1)), "", int64(0) // the bound, which is not included
	if after.Some() {
		b := deprecation.BoundOf(after)
		day, entry, caller = micros(b.Day), deprecation.IDs[b.Rank], b.Number
	}
	from := micros(f.From)
	switch {
	case f.Client != 0 && f.Entry != "":
		return usesByCaller + "entry = ? AND " + usesByCallerInOrder, []any{deprecation.Caller{Client: f.Client}.Number(), f.Entry, from, day, entry}
	case f.Client != 0:
		return usesByCaller + usesByCallerInOrder, []any{deprecation.Caller{Client: f.Client}.Number(), from, day, entry}
	case f.Entry != "":
		return usesOfEntry, []any{f.Entry, from, day, caller}
	}
	return allUses, []any{from, day, entry, caller}
}

const (
	allUses             = "WHERE day >= ? AND (day, entry, caller) < (?, ?, ?) ORDER BY day DESC, entry DESC, caller DESC LIMIT ?"
	usesOfEntry         = "WHERE entry = ? AND day >= ? AND (day, caller) < (?, ?) ORDER BY day DESC, caller DESC LIMIT ?"
	usesByCaller        = "WHERE caller = ? AND "
	usesByCallerInOrder = "day >= ? AND (day, entry) < (?, ?) ORDER BY day DESC, entry DESC LIMIT ?"
)
