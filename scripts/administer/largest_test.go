package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/archive"
	"gatehouse/shared/user"
)

// Thousands of things go from SQLite to DynamoDB and back, each export and import broken
// off several times, and are the same.
func TestLargestExportComesBack(t *testing.T) {
	h := furnished(t, onSQLite(t))
	h.many(1000)
	h.large()
	since := time.Now().UTC().Truncate(24 * time.Hour)
	exportIn := func(s storage.Store) string {
		path := filepath.Join(t.TempDir(), "file")
		h.inParts(600, func(left *int) error {
			e := export{
				store: interrupted{ok[archive.Store](t)(archiveOf(s)), left}, show: newBar(io.Discard, "", 0),
				header: header{Format: formatVersion, Key: keyIDs(h.Keys)[0], Since: since},
			}
			return e.run(t.Context(), path)
		})
		return path
	}
	importTo := func(s storage.Store, path string) {
		file := ok[*os.File](t)(os.Open(path))
		defer file.Close()
		whole := ok[wholeFile](t)(readWhole(file))
		h.inParts(600, func(left *int) error {
			part := interruptedLoad{interrupted{ok[archive.Store](t)(archiveOf(s)), left}}
			in := importing{store: part, whole: whole, show: newBar(io.Discard, "", whole.lines), verify: newBar(io.Discard, "", whole.lines)}
			return in.run(t.Context(), file)
		})
		if err := ok[archive.Store](t)(archiveOf(s)).Note(t.Context(), archive.Progress{}); err != nil {
			t.Fatal(err)
		}
	}
	first := exportIn(h.Store)
	there, back := onDynamoDB(t), onSQLite(t)
	importTo(there, first)
	second := exportIn(there)
	importTo(back, second)
	third := exportIn(back)
	if want := read(t, first); read(t, second) != want || read(t, third) != want {
		t.Errorf("the exports %s, %s and %s differ", first, second, third)
	}
}

// large makes an alert with payloads that no single item holds.
func (h house) large() {
	h.t.Helper()
	for range 2 {
		o := h.occurrence("large", alert.SeverityHigh)
		o.Payload = fmt.Appendf(nil, `{"noise": "%x"}`, secret.Random(450_000))
		h.report(o)
		h.Pass(2 * time.Minute)
	}
}

// many makes so many alerts and entries of the audit trail.
func (h house) many(n int) {
	h.t.Helper()
	const atOnce = 100
	for begun := 0; begun < n; begun += atOnce {
		var all []alert.Occurrence
		for each := range atOnce {
			all = append(all, h.occurrence(fmt.Sprint("many ", begun+each), alert.SeverityHigh))
			e := audit.Entry{
				ID: fmt.Sprintf("%016x%016x", h.Now().UnixMicro(), begun+each), At: h.Now(),
				Event: audit.Event{Name: user.EventBlocked, UserID: h.root.ID, ProjectID: h.web.ID},
			}
			if err := h.Store.WriteEntry(h.t.Context(), e); err != nil {
				h.t.Fatal(err)
			}
		}
		ok[[][]alert.Recorded](h.t)(h.Store.RecordOccurrences(h.t.Context(), h.web.ID, [][]alert.Occurrence{all}, h.Now()))
	}
}

// inParts does something again and again, breaking it off after so many things.
func (h house) inParts(things int, do func(left *int) error) {
	h.t.Helper()
	for broken := 0; ; broken++ {
		left := things
		err := do(&left)
		switch {
		case err == nil && broken < 3:
			h.t.Fatalf("it ended after %d interruptions, want some more", broken)
		case err == nil:
			return
		case !errors.Is(err, errInterrupted) || broken > 100:
			h.t.Fatalf("after %d interruptions: %v", broken, err)
		}
	}
}

// interruptedLoad is interrupted by what is loaded alone, as a comparison begins anew.
type interruptedLoad struct{ interrupted }

func (i interruptedLoad) Dump(ctx context.Context, k archive.Kind, after any, now time.Time, yield func(any) error) error {
	return i.Store.Dump(ctx, k, after, now, yield)
}
