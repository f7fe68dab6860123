package sqlite_test

import (
	"path/filepath"
	"testing"

	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite"
	"gatehouse/shared/storage/storagetest"
)

func TestStore(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Store { return openStore(t, newFile(t)) })
}

func newFile(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "gatehouse.db")
}

// openStore opens the store in a file until the test ends.
func openStore(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return s
}
