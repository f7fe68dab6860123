package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// migrations lead from one version of the schema to the next, in the order of
// their names; the first one leads from an empty file to version 1. A released
// migration never changes.
//
// A migration is one transaction, unless it goes through the rows of a table that
// can be long. Then the comment
//
//	-- In portions of <table>:
//
// stands before a statement that changes what belongs to the rows with an id
// above ?1 and up to ?2. That statement, to the end of its paragraph, runs for one
// portion of the table after the other, each in a transaction of its own.
//
//go:embed migrations/*.sql
var migrations embed.FS

// Progress is how far the migration of a file has come.
type Progress struct {
	Version     int    // of the schema, at the end of the migration
	Table       string // that is gone through; empty: none
	Done, Total int64  // ids of the table
}

// portion is how many ids of a table one transaction goes through.
const portion = 5000

// migrator brings a file to the present version. A migration that was interrupted
// goes on where it was: the table migrating, which is there only meanwhile, has
// the next part and the last id of that part.
type migrator struct {
	db     *sql.DB
	files  fs.FS
	report func(Progress)
}

// part is a part of a migration: statements, or one for each portion of a table.
type part struct{ statements, table string }

const portionsOf = "-- In portions of "

// parts splits a migration.
func parts(script string) (all []part) {
	for {
		before, after, more := strings.Cut(script, portionsOf)
		all = append(all, part{statements: before})
		if !more {
			return all
		}
		table, rest, _ := strings.Cut(after, ":\n")
		statement, following, _ := strings.Cut(rest, "\n\n")
		all = append(all, part{statement, table})
		script = following
	}
}

// run brings the file to the present version.
func (m migrator) run(ctx context.Context) error {
	names, err := fs.Glob(m.files, "migrations/*.sql")
	if err != nil {
		return err
	}
	for more := true; more; {
		if more, err = m.step(ctx, names); err != nil {
			return err
		}
	}
	return nil
}

// step runs the next transaction and reports whether another one may follow. It
// looks up what is next in that transaction, so that two processes that start at
// once do not both do it.
func (m migrator) step(ctx context.Context, names []string) (more bool, err error) {
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback() // does nothing once committed

	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return false, err
	}
	switch {
	case version > len(names):
		return false, fmt.Errorf("the data was written by a newer release of Gatehouse (schema %d, this release knows %d)",
			version, len(names))
	case version == len(names):
		return false, nil
	}
	progress, err := m.migrate(ctx, tx, names[version], version+1)
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return false, fmt.Errorf("schema %d: %w", version+1, err)
	}
	m.report(progress)
	return true, nil
}

// place is how far a migration has come: the part that is next, and the last id
// of its table that is done.
type place struct{ part, after int64 }

// migrate runs the next part of a migration, or one portion of it.
func (m migrator) migrate(ctx context.Context, tx *sql.Tx, name string, version int) (Progress, error) {
	script, err := fs.ReadFile(m.files, name)
	if err != nil {
		return Progress{}, err
	}
	at, err := interrupted(ctx, tx)
	if err != nil {
		return Progress{}, err
	}
	all := parts(string(script))
	next := all[at.part]
	progress := Progress{Version: version, Table: next.table}
	if next.table == "" {
		_, err = tx.ExecContext(ctx, next.statements)
		at = place{part: at.part + 1}
	} else {
		at, progress.Total, err = next.portion(ctx, tx, at)
		progress.Done = cmp.Or(at.after, progress.Total)
	}
	if err != nil {
		return progress, err
	}
	if at.part < int64(len(all)) {
		return progress, keep(ctx, tx, at)
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf("DROP TABLE IF EXISTS migrating; PRAGMA user_version = %d", version))
	return progress, err
}

// portion runs the statement for the next portion of the table.
func (p part) portion(ctx context.Context, tx *sql.Tx, at place) (next place, last int64, err error) {
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(rowid), 0) FROM "+p.table).Scan(&last); err != nil {
		return at, 0, err
	}
	end := min(at.after+portion, last)
	if _, err := tx.ExecContext(ctx, p.statements, at.after, end); err != nil {
		return at, last, err
	}
	if end == last {
		return place{part: at.part + 1}, last, nil
	}
	return place{at.part, end}, last, nil
}

// interrupted returns where the migration goes on: at its beginning, unless a
// part of it was done before.
func interrupted(ctx context.Context, tx *sql.Tx) (at place, err error) {
	var begun bool
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'migrating'").Scan(&begun)
	if err != nil || !begun {
		return place{}, err
	}
	return at, tx.QueryRowContext(ctx, "SELECT part, after FROM migrating").Scan(&at.part, &at.after)
}

// keep stores where the migration goes on.
func keep(ctx context.Context, tx *sql.Tx, at place) error {
	const table = `CREATE TABLE IF NOT EXISTS migrating (
		one INTEGER PRIMARY KEY CHECK (one = 1), part INTEGER NOT NULL, after INTEGER NOT NULL) STRICT`
	if _, err := tx.ExecContext(ctx, table); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO migrating (one, part, after) VALUES (1, ?, ?)", at.part, at.after)
	return err
}
