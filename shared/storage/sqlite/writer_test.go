package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"gatehouse/shared/fault"
)

var errOperation = errors.New("this operation fails")

func TestBatchUndoesOnlyWhatFails(t *testing.T) {
	w := idleWriter(t)
	errs := performTogether(w, adding("a"), adding("b", errOperation), adding("c"))
	if errs[0] != nil || !errors.Is(errs[1], errOperation) || errs[2] != nil {
		t.Errorf("operations ended with %v, want the second alone to fail", errs)
	}
	wantPaths(t, w, map[string]bool{"a": true, "b": false, "c": true})
}

func TestBatchSeesItsEarlierOperations(t *testing.T) {
	w := idleWriter(t)
	errs := performTogether(w, adding("a"), func(tx *transaction) error { return tx.checkFree(path("path", "a")) })
	if !fault.Is(errs[1], fault.Invalid) {
		t.Errorf("a second claim in the batch ended with %v, want a complaint", errs[1])
	}
}

func TestBatchFailsWholeWhenUndoingFails(t *testing.T) {
	w := idleWriter(t)
	leaveTransaction := func(tx *transaction) error { return errors.Join(tx.exec("ROLLBACK"), errOperation) }
	for i, err := range performTogether(w, adding("a"), leaveTransaction, adding("c")) {
		if err == nil {
			t.Errorf("operation %d of a failed batch ended with no error", i)
		}
	}
	wantPaths(t, w, map[string]bool{"a": false, "c": false})

	if errs := performTogether(w, adding("d")); errs[0] != nil {
		t.Errorf("the batch after the failed one ended with %v", errs)
	}
	wantPaths(t, w, map[string]bool{"d": true})
}

func TestBatchFailsWholeWhenItCannotBeCommitted(t *testing.T) {
	w := idleWriter(t)
	// A deferred foreign key is checked by COMMIT.
	orphan := func(tx *transaction) error {
		return errors.Join(tx.exec("PRAGMA defer_foreign_keys = 1"),
			tx.exec("INSERT INTO paths (key, namespace_id) VALUES ('orphan', 999)"))
	}
	errs := performTogether(w, adding("a"), orphan)
	if errs[0] == nil || errs[1] == nil {
		t.Errorf("operations ended with %v, want both to fail", errs)
	}
	wantPaths(t, w, map[string]bool{"a": false, "orphan": false})
}

func TestWriterFinishesWhatBegan(t *testing.T) {
	s := openInternal(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.writer.do(ctx, func(tx *transaction) error {
		cancel()
		return adding("a")(tx)
	})
	if err != nil {
		t.Errorf("do() = %v after its context ended amid the operation, want no error", err)
	}
	if found, err := pathExists(s.readers, "a"); !found || err != nil {
		t.Errorf("the operation's path is there: %t, %v", found, err)
	}
}

func TestWriterDropsWhoStopsWaiting(t *testing.T) {
	s := openInternal(t)
	began, release := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() {
		first <- s.writer.do(context.Background(), func(tx *transaction) error {
			close(began)
			<-release
			return adding("first")(tx)
		})
	}()
	<-began
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error, 1)
	go func() { waiting <- s.writer.do(ctx, adding("second")) }()
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("do() = %v after its context ended in the queue, want context.Canceled", err)
	}
	close(release)
	if err := <-first; err != nil {
		t.Errorf("do() = %v beside one that stopped waiting, want no error", err)
	}
	if found, _ := pathExists(s.readers, "second"); found {
		t.Error("an operation was carried out whose caller had stopped waiting")
	}
}

func TestWriterTakesNothingWhenClosed(t *testing.T) {
	s := openInternal(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.writer.do(t.Context(), adding("a")); !fault.Is(err, fault.Unavailable) {
		t.Errorf("do() = %v on a closed store, want an error of kind %q", err, fault.Unavailable)
	}
}

func openInternal(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "gatehouse.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// idleWriter returns a writer that takes no operations of its own accord, so
// that the test says what is in a batch.
func idleWriter(t *testing.T) *writer {
	t.Helper()
	file := filepath.Join(t.TempDir(), "gatehouse.db")
	s, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := connect(file, writing)
	if err != nil {
		t.Fatal(err)
	}
	w := startWriter(db)
	w.stop()
	t.Cleanup(func() { w.close() })
	return w
}

// performTogether carries out the operations in one batch and returns how
// each ended.
func performTogether(w *writer, runs ...func(*transaction) error) []error {
	var batch []*operation
	for _, run := range runs {
		batch = append(batch, &operation{run: run, done: make(chan struct{})})
	}
	w.perform(batch)
	var errs []error
	for _, op := range batch {
		<-op.done
		errs = append(errs, op.err)
	}
	return errs
}

// adding returns an operation that stores a namespace with the path and then
// fails with the error, if there is one.
func adding(path string, err ...error) func(*transaction) error {
	return func(tx *transaction) error {
		insertErr := tx.exec(`
			INSERT INTO namespaces (ancestors, name, path, full_path, visibility, created_at, version)
			VALUES ('[]', '', '', '', '', 0, 1)`)
		return errors.Join(append(err, insertErr,
			tx.exec("INSERT INTO paths (key, namespace_id) VALUES (?, last_insert_rowid())", path))...)
	}
}

func wantPaths(t *testing.T, w *writer, want map[string]bool) {
	t.Helper()
	if err := w.connect(); err != nil {
		t.Fatal(err)
	}
	for path, want := range want {
		if got, err := pathExists(w.tx, path); err != nil || got != want {
			t.Errorf("path %q is there: %t, %v, want %t", path, got, err, want)
		}
	}
}

func pathExists(on statements, path string) (bool, error) {
	return one(context.Background(), on, scalar[bool], "SELECT EXISTS (SELECT 1 FROM paths WHERE key = ?)", path)
}
