package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
)

//go:embed schema.sql
var schema string

// migrations lead from one version of the schema to the next: the first from
// an empty file to version 1.
var migrations = []string{schema}

// migrate brings the file to the present version, in one transaction of its
// own, so that two processes that start at once do not both do it.
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
	if version > len(migrations) {
		return fmt.Errorf("the data was written by a newer release of Gatehouse (schema %d, this release knows %d)",
			version, len(migrations))
	}
	for ; version < len(migrations); version++ {
		script := fmt.Sprintf("%s; PRAGMA user_version = %d", migrations[version], version+1)
		if _, err := tx.ExecContext(ctx, script); err != nil {
			return fmt.Errorf("schema %d: %w", version+1, err)
		}
	}
	return tx.Commit()
}
