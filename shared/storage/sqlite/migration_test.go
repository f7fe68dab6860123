package sqlite

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/scope"
)

// before returns the path of a file as the release before the migration with this
// suffix left it, after these statements.
func before(t *testing.T, migration string, statements ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "gatehouse.db")
	db, err := connect(path, writing)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := (migrator{db, migrationsBefore(t, migration), func(Progress) {}}).run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return path
}

func migrationsBefore(t *testing.T, migration string) fs.FS {
	t.Helper()
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, name := range names {
		if strings.HasSuffix(name, migration) {
			return files
		}
		script, err := migrations.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: script}
	}
	t.Fatalf("there is no migration %s", migration)
	return nil
}

// What a file has is in the new lists after the migration.
func TestOldFilesGetTheLists(t *testing.T) {
	grant := func(client int, random, scopes string, createdAt, revokedAt, usedAt int) string {
		return fmt.Sprintf(`INSERT INTO grants VALUES (7, %d, x'%s', 'app', zeroblob(16), '', '%s', '', 1, '', 0, %d, 1, %d, 0, 0, %d, %d, %d, 0)`,
			client, random, scopes, createdAt, createdAt, revokedAt, usedAt, createdAt)
	}
	at := time.UnixMicro(1_790_000_000_000_000).UTC()
	entry := audit.Entry{ID: audit.Start(at), At: at, Event: audit.Event{Name: "x", UserID: 7, Details: audit.Details{}}}
	path := before(t, "_audit_lists.sql",
		grant(1, "000000000000000000000001", "api", 2000, 0, 0), grant(1, "000000000000000000000002", "read_user api", 1000, 0, 5000),
		grant(1, "000000000000000000000003", "sudo", 500, 9, 0), grant(2, "000000000000000000000004", "sudo", 500, 9, 0),
		grant(0, "000000000000000000000005", "openid", 500, 0, 0),
		fmt.Sprintf("INSERT INTO audit_entries VALUES ('%s', %d, 'x', 0, 7, '[]', '', '', '', '', '', 1)", entry.ID, at.UnixMicro()),
		"INSERT INTO alert_counters VALUES (42, 1)",
	)
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	summaries, err := s.Summaries(t.Context(), 7, page.First)
	want := []oauth.Summary{{
		UserID: 7, ClientID: 1, Application: "app", Scopes: scope.Of("api", "read_user"),
		Since: time.UnixMicro(1000).UTC(), LastUse: time.UnixMicro(5000).UTC(), Grants: 2,
	}}
	if diff := cmp.Diff(want, summaries.Items); err != nil || diff != "" {
		t.Errorf("Summaries: %v (-want +got):\n%s", err, diff)
	}
	for _, f := range []audit.Filter{{UserID: 7}, {Everybody: true, Name: "x"}, {UserID: 7, Name: "x"}} {
		f.From, f.Until, f.Size = at.Add(-time.Hour), at.Add(time.Hour), 10
		found, err := s.Entries(t.Context(), f)
		if diff := cmp.Diff(audit.Page{Entries: []audit.Entry{entry}}, found); err != nil || diff != "" {
			t.Errorf("Entries(%+v): %v (-want +got):\n%s", f, err, diff)
		}
	}
	deleted, err := many(t.Context(), s.readers, scalar[int64], "SELECT project_id FROM deleted_projects")
	if diff := cmp.Diff([]int64{42}, deleted); err != nil || diff != "" {
		t.Errorf("deleted projects: %v (-want +got):\n%s", err, diff)
	}
}
