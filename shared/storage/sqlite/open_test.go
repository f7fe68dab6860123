package sqlite_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/storage/sqlite"
)

func TestFileIsForItsOwnerAlone(t *testing.T) {
	file := newFile(t)
	addGrant(t, openStore(t, file))
	for _, name := range []string{file, file + "-wal", file + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != 0o600 {
			t.Errorf("mode of %s = %o, want 600", filepath.Base(name), got)
		}
	}
}

func TestOpenTakesAnyPath(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"relative.db", "a b.db", "100%.db", "what?.db", "#1.db", "file:x.db"} {
		addGrant(t, openStore(t, name))
		if info, err := os.Stat(name); err != nil || info.Size() == 0 {
			t.Errorf("Open(%q) did not write to that file: %v", name, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	newer, foreign := newFile(t), newFile(t)
	if err := openStore(t, newer).Close(); err != nil {
		t.Fatal(err)
	}
	execute(t, newer, "PRAGMA user_version = 1000")
	if err := os.WriteFile(foreign, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		newer:   "newer release",
		foreign: "not a database",
		filepath.Join(t.TempDir(), "missing", "gatehouse.db"): "no such file",
	}
	for file, want := range tests {
		s, err := sqlite.Open(file)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("Open(%s) = %v, want an error that names the file and says %q", file, err, want)
		}
	}
}

func execute(t *testing.T, file, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

func TestReopenAfterCrash(t *testing.T) {
	file, copied := newFile(t), newFile(t)
	s := openStore(t, file)
	want := []oauth.Grant{addGrant(t, s), addGrant(t, s)}
	if err := s.RevokeGrant(t.Context(), want[0].GrantID, want[0].CreatedAt); err != nil {
		t.Fatal(err)
	}
	want[0].RevokedAt = want[0].CreatedAt

	// What a killed process leaves is the file and its log.
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(file + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied+suffix, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wantGrants(t, openStore(t, copied), want)
}

func wantGrants(t *testing.T, s *sqlite.Store, want []oauth.Grant) {
	t.Helper()
	for _, g := range want {
		got, err := s.Grant(t.Context(), g.GrantID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g, got); diff != "" {
			t.Errorf("Grant differs (-want +got):\n%s", diff)
		}
	}
}

func TestCloseFinishesAcceptedWrites(t *testing.T) {
	file := newFile(t)
	s := openStore(t, file)
	var mu sync.Mutex
	var acknowledged []oauth.Grant
	var writers sync.WaitGroup
	for i := range int64(8) {
		writers.Go(func() {
			for {
				g := newGrant(i+1, time.Now().UTC().Truncate(time.Microsecond))
				err := s.CreateGrant(context.Background(), g)
				if fault.Is(err, fault.Unavailable) {
					return
				}
				if err != nil {
					t.Errorf("CreateGrant beside Close = %v", err)
					return
				}
				mu.Lock()
				acknowledged = append(acknowledged, g)
				mu.Unlock()
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	writers.Wait()
	if _, err := os.Stat(file + "-wal"); err == nil {
		t.Error("Close left a log beside the file")
	}
	if len(acknowledged) == 0 {
		t.Error("no write was acknowledged before Close")
	}
	wantGrants(t, openStore(t, file), acknowledged)
}
