package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// readers is the pool of connections that read. Like a transaction, it keeps every
// statement prepared.
type readers struct {
	db       *sql.DB
	mu       sync.RWMutex
	prepared map[string]*sql.Stmt
}

func newReaders(db *sql.DB) *readers {
	db.SetMaxOpenConns(maxReaders())
	db.SetMaxIdleConns(maxReaders())
	return &readers{db: db, prepared: map[string]*sql.Stmt{}}
}

func (r *readers) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mu.RLock()
	s, ok := r.prepared[query]
	r.mu.RUnlock()
	if ok {
		return s, nil
	}
	return r.prepare(ctx, query)
}

func (r *readers) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.prepared[query]; ok {
		return s, nil
	}
	s, err := r.db.PrepareContext(ctx, query)
	if err == nil {
		r.prepared[query] = s
	}
	return s, err
}

func (r *readers) close() error { return r.db.Close() }

// statements is where a query runs: on the readers, or in a transaction.
type statements interface {
	statement(ctx context.Context, query string) (*sql.Stmt, error)
}

// A row can be read into variables.
type row interface{ Scan(into ...any) error }

// one returns the only row of a query, or sql.ErrNoRows.
func one[T any](ctx context.Context, on statements, scan func(row) (T, error), query string, args ...any) (T, error) {
	s, err := on.statement(ctx, query)
	if err != nil {
		var none T
		return none, err
	}
	return scan(s.QueryRowContext(ctx, args...))
}

// find returns the only row of a query, or notFound.
func find[T any](ctx context.Context, on statements, notFound error, scan func(row) (T, error), query string, args ...any) (T, error) {
	v, err := one(ctx, on, scan, query, args...)
	if err == nil {
		return v, nil
	}
	if errors.Is(err, sql.ErrNoRows) {
		err = notFound
	}
	var none T
	return none, err
}

// many returns all rows of a query.
func many[T any](ctx context.Context, on statements, scan func(row) (T, error), query string, args ...any) ([]T, error) {
	s, err := on.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}
