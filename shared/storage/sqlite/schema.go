package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
)

// migrations lead from one version of the schema to the next, in the order of
// their names; the first one leads from an empty file to version 1. A released
// migration never changes.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the file to the present version, in one transaction, so that two
// processes that start at once do not both migrate.
func migrate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing once committed

	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	scripts, err := migrations.ReadDir("migrations")
	if err != nil {
		return err
	}
	if version > len(scripts) {
		return fmt.Errorf("the data was written by a newer release of Gatehouse (schema %d, this release knows %d)",
			version, len(scripts))
	}
	for ; version < len(scripts); version++ {
		if err := step(ctx, tx, scripts[version].Name(), version+1); err != nil {
			return fmt.Errorf("schema %d: %w", version+1, err)
		}
	}
	return tx.Commit()
}

// step runs one migration.
func step(ctx context.Context, tx *sql.Tx, name string, version int) error {
	script, err := migrations.ReadFile("migrations/" + name)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf("%s; PRAGMA user_version = %d", script, version))
	return err
}
