// Package sqlite is the store that needs nothing but the program: it keeps
// everything in one SQLite file.
//
// One connection writes. It commits the operations that wait at the same time
// together, so that they share one wait for the disk. A pool of other connections
// reads. A write that was acknowledged is on the disk, and survives a crash and a
// power cut.
//
// A new noun is a file here and a migration. Its kind names its columns once; what
// belongs to a project refers to it with ON DELETE CASCADE.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"gatehouse/shared/storage"
)

var _ storage.Store = (*Store)(nil)

// Store is a storage.Store in a SQLite file.
type Store struct {
	writer  *writer
	readers *readers
	close   func() error
}

// Open opens the store in the file, which it creates if there is none. Only
// the owner of a new file can read it. A file that a newer release of
// Gatehouse wrote is an error.
func Open(path string) (*Store, error) { return OpenReporting(path, func(Progress) {}) }

// OpenReporting does the same and reports how far it has come before each
// transaction with which it migrates a file of an earlier release. It may be
// ended at any time, and goes on where it was the next time.
func OpenReporting(path string, report func(Progress)) (*Store, error) {
	s, err := open(path, report)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return s, nil
}

func open(path string, report func(Progress)) (*Store, error) {
	if err := create(path); err != nil {
		return nil, err
	}
	writable, err := connect(path, writing)
	if err != nil {
		return nil, err
	}
	if err := (migrator{writable, migrations, report}).run(context.Background()); err != nil {
		return nil, errors.Join(err, writable.Close())
	}
	readable, err := connect(path, reading)
	if err != nil {
		return nil, errors.Join(err, writable.Close())
	}
	s := &Store{writer: startWriter(writable), readers: newReaders(readable)}
	s.close = sync.OnceValue(s.shut)
	return s, nil
}

// create makes the file if there is none. It does not open an existing file:
// closing it would drop the locks that SQLite in this process may hold on it.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// The settings of connections. Every commit waits for the disk (synchronous).
// Checkpoints are rare, so that few commits wait for one (wal_autocheckpoint, in
// pages).
var (
	common  = []string{"busy_timeout(10000)", "foreign_keys(1)", "journal_mode(WAL)"}
	writing = url.Values{
		"_pragma": append(common[:len(common):len(common)], "synchronous(FULL)", "wal_autocheckpoint(4000)"),
		"_txlock": {"immediate"},
	}
	reading = url.Values{"_pragma": append(common[:len(common):len(common)], "query_only(1)")}
)

func connect(path string, settings url.Values) (*sql.DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: settings.Encode()}
	return sql.Open("sqlite", name.String())
}

// maxReaders is how many reads run at once; more would only wait for processors.
func maxReaders() int { return max(4, 2*runtime.GOMAXPROCS(0)) }

// Ping answers nil when the store can be read.
func (s *Store) Ping(ctx context.Context) error {
	return s.readers.db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(new(int))
}

// Close finishes the writes that were accepted, brings the file up to date
// and closes it. Later calls fail.
func (s *Store) Close() error { return s.close() }

// shut closes the writer last, because SQLite moves its log into the file when
// the last connection closes.
func (s *Store) shut() error {
	s.writer.stop()
	return errors.Join(s.readers.close(), s.writer.close())
}
