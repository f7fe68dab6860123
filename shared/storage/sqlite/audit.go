package sqlite

import (
	"context"

	"gatehouse/shared/audit"
)

var entries = newKind("audit_entries", entryColumns, nil, nil)

func entryColumns(e *audit.Entry) columns {
	return columns{
		{"id", &e.ID}, {"at", &e.At}, {"name", &e.Name}, {"actor_id", &e.ActorID},
		{"user_id", &e.UserID}, {"project_id", &e.ProjectID}, {"details", (*details)(&e.Details)}, {"outcome", &e.Outcome},
		{"reason", &e.Reason}, {"user_agent", &e.Browser.UserAgent}, {"address", &e.Browser.Address},
		{"request_id", &e.RequestID},
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

// Entries returns the entries that pass the filter. There is an index for each of
// the conditions.
func (s *Store) Entries(ctx context.Context, f audit.Filter) (audit.Page, error) {
	clause, args := conditions(f)
	low, high := f.Bounds()
	found, err := entries.all(ctx, s.readers, clause+inOrder, append(args, low, high, f.Size+1)...)
	return audit.Cut(found, f.Size), err
}

const inOrder = "id > ? AND id < ? ORDER BY id DESC LIMIT ?"

// conditions returns the conditions of the filter, apart from the time, with the
// index for them. SQLite itself would take one for fewer columns.
func conditions(f audit.Filter) (clause string, args []any) {
	index := "INDEXED BY audit_entries_by"
	switch {
	case f.ProjectID != 0:
		index += "_project"
		clause, args = "project_id = ? AND project_id <> 0 AND ", []any{f.ProjectID} // the index has no zeros
	case !f.Everybody:
		index += "_user"
		clause, args = "user_id = ? AND ", []any{f.UserID}
	case f.Name == "":
		return "WHERE ", nil
	}
	if f.Name != "" {
		index += "_name"
		clause, args = clause+"name = ? AND ", append(args, string(f.Name))
	}
	return index + " WHERE " + clause, args
}
