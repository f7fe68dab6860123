package sqlite

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// Two migrations of a table: the second counts its rows in portions.
var versions = fstest.MapFS{
	"migrations/0001_rows.sql": {Data: []byte("CREATE TABLE rows (id INTEGER PRIMARY KEY, kind TEXT NOT NULL) STRICT;")},
	"migrations/0002_counts.sql": {Data: []byte(`-- How many rows there are of each kind.
CREATE TABLE counts (kind TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT;

-- In portions of rows:
INSERT INTO counts SELECT kind, count(*) FROM rows WHERE id > ?1 AND id <= ?2 GROUP BY kind
	ON CONFLICT (kind) DO UPDATE SET n = n + excluded.n;

CREATE INDEX rows_by_kind ON rows (kind);

-- In a transaction of its own:
-- It orders the rows of a kind.
CREATE INDEX rows_in_order ON rows (kind, id);
DROP INDEX rows_by_kind;

-- In a transaction of its own:
CREATE INDEX counts_by_number ON counts (n);
`)},
}

// rowsOf opens a file with so many rows of version 1.
func rowsOf(t *testing.T, n int) *sql.DB {
	t.Helper()
	db, err := connect(filepath.Join(t.TempDir(), "rows.db"), writing)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	first := fstest.MapFS{"migrations/0001_rows.sql": versions["migrations/0001_rows.sql"]}
	if err := (migrator{db, first, func(Progress) {}}).run(t.Context()); err != nil {
		t.Fatal(err)
	}
	const fill = `WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ?)
		INSERT INTO rows SELECT id, iif(id % 3, 'a', 'b') FROM n WHERE id <= ?`
	if _, err := db.Exec(fill, max(n, 1), n); err != nil {
		t.Fatal(err)
	}
	return db
}

func wantCounts(t *testing.T, db *sql.DB, n int) {
	t.Helper()
	var rows, counted, left, version int
	const query = `SELECT (SELECT count(*) FROM rows), (SELECT coalesce(sum(n), 0) FROM counts),
		(SELECT count(*) FROM sqlite_schema WHERE name = 'migrating'), (SELECT user_version FROM pragma_user_version)`
	if err := db.QueryRow(query).Scan(&rows, &counted, &left, &version); err != nil {
		t.Fatal(err)
	}
	if rows != n || counted != n || left != 0 || version != 2 {
		t.Errorf("%d rows, %d counted, version %d, table migrating %d, want %d, %[5]d, 2, 0", rows, counted, version, left, n)
	}
}

func TestLongMigrationReportsItsPortions(t *testing.T) {
	for n, want := range map[int][]Progress{
		0:           {{2, "rows", 0, 0}},
		portion:     {{2, "rows", 0, portion}},
		portion + 1: {{2, "rows", 0, portion + 1}, {2, "rows", portion, portion + 1}},
	} {
		want = slices.Concat([]Progress{{2, "", 0, 0}}, want, slices.Repeat([]Progress{{2, "", 0, 0}}, 3))
		var got []Progress
		db := rowsOf(t, n)
		if err := (migrator{db, versions, func(p Progress) { got = append(got, p) }}).run(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantCounts(t, db, n)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d rows: progress differs (-want +got):\n%s", n, diff)
		}
	}
}

// Each row is counted once, wherever the migration is interrupted.
func TestInterruptedMigrationGoesOn(t *testing.T) {
	const n = 3*portion + 7
	const all = 8 // steps, of which four are portions
	for stop := 1; stop <= all; stop++ {
		db := rowsOf(t, n)
		ctx, cancel := context.WithCancel(t.Context())
		steps := 0
		err := migrator{db, versions, func(Progress) {
			if steps++; steps == stop {
				cancel()
			}
		}}.run(ctx)
		if err == nil {
			t.Fatalf("the migration was not interrupted in step %d", stop)
		}
		again := 0
		if err := (migrator{db, versions, func(Progress) { again++ }}).run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if again != all+1-stop {
			t.Errorf("interrupted in step %d of %d, it took %d more", stop, all, again)
		}
		wantCounts(t, db, n)
	}
}

func TestFailedStepChangesNothing(t *testing.T) {
	db := rowsOf(t, portion+1)
	broken := fstest.MapFS{
		"migrations/0001_rows.sql":   versions["migrations/0001_rows.sql"],
		"migrations/0002_broken.sql": {Data: []byte("CREATE TABLE counts (kind TEXT); INSERT INTO nothing VALUES (1);")},
	}
	if err := (migrator{db, broken, func(Progress) {}}).run(t.Context()); err == nil {
		t.Fatal("the broken migration succeeded")
	}
	if err := (migrator{db, versions, func(Progress) {}}).run(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantCounts(t, db, portion+1)
}

// A process that starts while another one migrates the file waits for it, however long
// a statement there takes.
func TestMigrationWaitsForAnotherProcess(t *testing.T) {
	db := rowsOf(t, 1)
	var path string
	if err := db.QueryRow("SELECT file FROM pragma_database_list").Scan(&path); err != nil {
		t.Fatal(err)
	}
	impatient, err := connect(path, url.Values{"_pragma": {"busy_timeout(1)"}, "_txlock": {"immediate"}})
	if err != nil {
		t.Fatal(err)
	}
	defer impatient.Close()
	other, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	m, ended := migrator{impatient, versions, func(Progress) {}}, make(chan error, 1)
	go func() { ended <- m.run(t.Context()) }()
	for range 5 { // steps, while the migration tries its own
		if _, err := m.step(t.Context(), nil); !busy(err) {
			t.Fatalf("a step beside another process = %v, want that this is busy", err)
		}
	}
	select {
	case err := <-ended:
		t.Fatalf("the migration beside another one = %v, want it to wait", err)
	default:
	}
	if err := other.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the migration after another one = %v", err)
	}
	wantCounts(t, db, 1)
}
