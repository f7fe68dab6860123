// Package sqlitetest opens empty stores for tests. The tables are made once in a
// process and copied from then on, as making them takes most of a short test.
package sqlitetest

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"gatehouse/shared/storage/sqlite"
)

// Open opens an empty store, which the end of the test closes.
func Open(t testing.TB) *sqlite.Store {
	t.Helper()
	return OpenAt(t, filepath.Join(t.TempDir(), "gatehouse.db"))
}

// OpenAt opens such a store in a new file, for tests that look into it.
func OpenAt(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	file, err := empty()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// empty returns the file of a store without anything in it.
var empty = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "gatehouse")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "gatehouse.db")
	store, err := sqlite.Open(path)
	if err != nil {
		return nil, err
	}
	if err := store.Close(); err != nil { // which brings the file up to date
		return nil, err
	}
	return os.ReadFile(path)
})
