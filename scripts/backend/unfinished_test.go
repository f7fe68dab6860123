package backend

import (
	"errors"
	"testing"

	"gatehouse/shared/boot"
	"gatehouse/shared/storage/archive"
	"gatehouse/shared/storage/sqlite"
)

// What is imported in part is opened for the import alone.
func TestPartOfAnImportIsRefused(t *testing.T) {
	env := boot.Env{Store: "sqlite", Data: t.TempDir()}
	opened := func(open func() (*Backend, error)) error {
		b, err := open()
		if err == nil {
			b.Close()
		}
		return err
	}
	plain := func() (*Backend, error) { return Open(t.Context(), env, "") }
	toImport := func() (*Backend, error) { return OpenToImport(t.Context(), env, "") }
	note := func(p archive.Progress) {
		t.Helper()
		b, err := toImport()
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if err := sqlite.Archive(b.Store.(*sqlite.Store)).Note(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if err := opened(plain); err != nil {
		t.Fatal(err)
	}
	note(archive.Progress{File: "file", Line: 3})
	if err := opened(plain); !errors.Is(err, ErrUnfinished) {
		t.Errorf("opening a part of an import = %v, want ErrUnfinished", err)
	}
	if err := opened(toImport); err != nil {
		t.Errorf("opening it for the import = %v", err)
	}
	note(archive.Progress{})
	if err := opened(plain); err != nil {
		t.Errorf("opening what is imported = %v", err)
	}
}
