package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// migrations lead from one version of the schema to the next, in the order of
// their names; the first one leads from an empty file to version 1. A released
// migration never changes.
//
// A migration is one transaction, unless a table that can be long makes it slow.
// Then a comment before a paragraph of statements makes a part of them:
//
//	-- In a transaction of its own:
//	-- In portions of <table>:
//
// The second one stands before one statement, which changes what belongs to the
// rows with an id above ?1 and up to ?2. It runs for one portion of the table after
// the other, each in a transaction of its own.
//
//go:embed migrations/*.sql
var migrations embed.FS

// Progress is how far the migration of a file has come.
type Progress struct {
	Version     int    // of the schema, at the end of the migration
	Table       string // that is gone through in portions; empty: none
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

var partBegins = regexp.MustCompile(`-- In (?:a transaction of its own|portions of (\w+)):\n`)

// parts splits a migration.
func parts(script string) (all []part) {
	for {
		begins := partBegins.FindStringSubmatch(script)
		if begins == nil {
			return with(all, part{statements: script})
		}
		before, after, _ := strings.Cut(script, begins[0])
		statements, following, _ := strings.Cut(after, "\n\n")
		all = append(with(all, part{statements: before}), part{statements, begins[1]})
		script = following
	}
}

// with appends the part unless it is empty.
func with(all []part, p part) []part {
	if strings.TrimSpace(p.statements) == "" {
		return all
	}
	return append(all, p)
}

// run brings the file to the present version. It waits for another process that does
// so.
func (m migrator) run(ctx context.Context) error {
	names, err := fs.Glob(m.files, "migrations/*.sql")
	if err != nil {
		return err
	}
	for more := true; more; {
		more, err = m.step(ctx, names)
		switch {
		case busy(err) && ctx.Err() == nil:
			more = true
		case err != nil:
			return err
		}
	}
	return nil
}

// busy reports whether another process was writing for longer than a statement waits.
func busy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
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
	case version == 0:
		return false, m.create(ctx, tx, names)
	}
	if err = m.migrate(ctx, tx, names[version], version+1); err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return false, fmt.Errorf("schema %d: %w", version+1, err)
	}
	return true, nil
}

// create brings an empty file to the present version at once: no table is long.
func (m migrator) create(ctx context.Context, tx *sql.Tx, names []string) error {
	for n, name := range names {
		script, err := fs.ReadFile(m.files, name)
		if err != nil {
			return err
		}
		for _, p := range parts(string(script)) {
			if _, err := p.run(ctx, tx, place{}, 0); err != nil {
				return fmt.Errorf("schema %d: %w", n+1, err)
			}
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(names))); err != nil {
		return err
	}
	return tx.Commit()
}

// place is how far a migration has come: the part that is next, and the last id
// of its table that is done.
type place struct{ part, after int64 }

// migrate reports the next part of a migration and runs it, or one portion of it.
func (m migrator) migrate(ctx context.Context, tx *sql.Tx, name string, version int) error {
	script, err := fs.ReadFile(m.files, name)
	if err != nil {
		return err
	}
	at, err := interrupted(ctx, tx)
	if err != nil {
		return err
	}
	all := parts(string(script))
	next := all[at.part]
	last, err := next.length(ctx, tx)
	if err != nil {
		return err
	}
	m.report(Progress{version, next.table, at.after, last})
	if at, err = next.run(ctx, tx, at, last); err != nil {
		return err
	}
	if at.part < int64(len(all)) {
		return keep(ctx, tx, at)
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf("DROP TABLE IF EXISTS migrating; PRAGMA user_version = %d", version))
	return err
}

// length returns the last id of the table that the part goes through.
func (p part) length(ctx context.Context, tx *sql.Tx) (last int64, err error) {
	if p.table != "" {
		err = tx.QueryRowContext(ctx, "SELECT coalesce(max(rowid), 0) FROM "+p.table).Scan(&last)
	}
	return last, err
}

// run runs the part, or its statement for the next portion of the table, and
// returns what comes then.
func (p part) run(ctx context.Context, tx *sql.Tx, at place, last int64) (next place, err error) {
	if p.table == "" {
		_, err = tx.ExecContext(ctx, p.statements)
		return place{part: at.part + 1}, err
	}
	end := min(at.after+portion, last)
	if _, err = tx.ExecContext(ctx, p.statements, at.after, end); err != nil || end == last {
		return place{part: at.part + 1}, err
	}
	return place{at.part, end}, nil
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
