package functions_test

import (
	"database/sql"
	"testing"
)

// storeFile is the file of a SQLite store, opened beside it for nothing but to look at.
type storeFile struct{ conn *sql.Conn }

func openFile(t *testing.T, path string) storeFile {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return storeFile{conn}
}

// version changes when anything is written.
func (f storeFile) version(t *testing.T) (version int64) {
	t.Helper()
	if err := f.conn.QueryRowContext(t.Context(), "PRAGMA data_version").Scan(&version); err != nil {
		t.Fatal(err)
	}
	return version
}

// tables lists the names of all tables.
func (f storeFile) tables(t *testing.T) (names []string) {
	t.Helper()
	_, rows := f.rows(t, "(SELECT name FROM sqlite_schema WHERE type = 'table')")
	for _, row := range rows {
		names = append(names, row[0].(string))
	}
	return names
}

// rows returns what is in a table.
func (f storeFile) rows(t *testing.T, table string) (columns []string, rows [][]any) {
	t.Helper()
	found, err := f.conn.QueryContext(t.Context(), "SELECT * FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	if columns, err = found.Columns(); err != nil {
		t.Fatal(err)
	}
	for found.Next() {
		cells, pointers := make([]any, len(columns)), make([]any, len(columns))
		for n := range cells {
			pointers[n] = &cells[n]
		}
		if err := found.Scan(pointers...); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, cells)
	}
	return columns, rows
}
