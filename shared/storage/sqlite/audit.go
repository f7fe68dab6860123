package sqlite

import (
	"context"

	"gatehouse/shared/audit"
)

var entries = newKind("audit_entries", entryColumns, nil, nil)

func entryColumns(e *audit.Entry) columns {
	return columns{
		{"id", &e.ID}, {"at", &e.At}, {"name", &e.Name}, {"actor_id", &e.ActorID},
		{"user_id", &e.UserID}, {"details", (*details)(&e.Details)}, {"outcome", &e.Outcome},
		{"reason", &e.Reason}, {"user_agent", &e.Browser.UserAgent}, {"address", &e.Browser.Address},
		{"request_id", &e.RequestID}, {"expires_at", derived(func() any { return micros(e.ExpiresAt()) })},
	}
}

// details are stored as the list of their pairs.
type details audit.Details

func (d *details) Scan(stored any) error {
	var pairs list[string]
	err := pairs.Scan(stored)
	*d = details(audit.DetailsOf(pairs))
	return err
}

func (d *details) value() any { return text(audit.Details(*d).Pairs()) }

// WriteEntry stores the entry, and replaces the one with its ID.
func (s *Store) WriteEntry(ctx context.Context, e audit.Entry) error {
	return s.writer.do(ctx, func(tx *transaction) error { return entries.put(tx, &e) })
}

// Entries returns the entries that pass the filter.
func (s *Store) Entries(ctx context.Context, f audit.Filter) (audit.Page, error) {
	const passing = "id > ? AND id < ? AND ? IN ('', name) ORDER BY id DESC LIMIT ?"
	low, high := f.Bounds()
	clause, args := "WHERE "+passing, []any{low, high, string(f.Name), f.Size + 1}
	if !f.Everybody {
		clause, args = "WHERE user_id = ? AND "+passing, append([]any{f.UserID}, args...)
	}
	found, err := entries.all(ctx, s.readers, clause, args...)
	return audit.Cut(found, f.Size), err
}
