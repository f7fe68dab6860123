package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// transaction is the writer's connection, as an operation sees it. It keeps every
// statement prepared; their number is fixed.
type transaction struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
}

// attempt runs one operation and undoes it when it fails. An error of attempt
// itself means that the connection is unusable.
func (tx *transaction) attempt(op *operation) error {
	if err := tx.exec("SAVEPOINT operation"); err != nil {
		return err
	}
	if op.err = op.run(tx); op.err != nil {
		if err := tx.exec("ROLLBACK TO operation"); err != nil {
			return fmt.Errorf("undo an operation that failed with %w: %w", op.err, err)
		}
	}
	return tx.exec("RELEASE operation")
}

func (tx *transaction) statement(_ context.Context, query string) (*sql.Stmt, error) {
	if s, ok := tx.prepared[query]; ok {
		return s, nil
	}
	s, err := tx.conn.PrepareContext(context.Background(), query)
	if err == nil {
		tx.prepared[query] = s
	}
	return s, err
}

func (tx *transaction) run(query string, args ...any) (sql.Result, error) {
	s, err := tx.statement(context.Background(), query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(context.Background(), args...)
}

// exec runs a statement.
func (tx *transaction) exec(query string, args ...any) error {
	_, err := tx.run(query, args...)
	return err
}

// change runs a statement and reports whether it changed anything.
func (tx *transaction) change(query string, args ...any) (bool, error) {
	return changed(tx.run(query, args...))
}

func changed(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// changeOne runs a statement that changes one thing, or returns notFound.
func (tx *transaction) changeOne(notFound error, query string, args ...any) error {
	changed, err := tx.change(query, args...)
	if err == nil && !changed {
		return notFound
	}
	return err
}

func (tx *transaction) close() error {
	var errs []error
	for _, s := range tx.prepared {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, tx.conn.Close())...)
}
