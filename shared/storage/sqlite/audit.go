package sqlite

import (
	"context"

	"gatehouse/shared/audit"
)

const entryColumns = "id, at, name, actor_id, user_id, details, outcome, reason, user_agent, address, request_id"

func scanEntry(r row) (e audit.Entry, err error) {
	var details []string
	err = r.Scan(&e.ID, intoTime(&e.At), &e.Name, &e.ActorID, &e.UserID, intoList(&details), &e.Outcome, &e.Reason,
		&e.Browser.UserAgent, &e.Browser.Address, &e.RequestID)
	e.Details = audit.DetailsOf(details)
	return e, err
}

// WriteEntry stores the entry in the place of one with its ID.
func (s *Store) WriteEntry(ctx context.Context, e audit.Entry) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec("INSERT OR REPLACE INTO audit_entries ("+entryColumns+", expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			e.ID, micros(e.At), string(e.Name), e.ActorID, e.UserID, text(e.Details.Pairs()), string(e.Outcome), e.Reason,
			e.Browser.UserAgent, e.Browser.Address, e.RequestID, micros(e.ExpiresAt()))
	})
}

// Entries returns the entries that pass the filter.
func (s *Store) Entries(ctx context.Context, f audit.Filter) (audit.Page, error) {
	const (
		selected  = "SELECT " + entryColumns + " FROM audit_entries WHERE "
		passing   = "id > ? AND id < ? AND ? IN ('', name) ORDER BY id DESC LIMIT ?"
		everybody = selected + passing
		one       = selected + "user_id = ? AND " + passing
	)
	low, high := f.Bounds()
	query, args := everybody, []any{low, high, string(f.Name), f.Size + 1}
	if !f.Everybody {
		query, args = one, append([]any{f.UserID}, args...)
	}
	found, err := many(ctx, s.readers, scanEntry, query, args...)
	return audit.Cut(found, f.Size), err
}
