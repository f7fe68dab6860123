package sqlite_test

import (
	"context"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/page"
)

// A caller that goes away, at whatever moment, leaves all of its request or
// nothing, and everybody else's alone.
func TestCancelledRequestIsRecordedWholeOrNotAtAll(t *testing.T) {
	s := openStore(t, newFile(t))
	acknowledged := map[int64]bool{}
	for n := range int64(200) {
		ctx, cancel := context.WithCancel(t.Context())
		beside := make(chan error)
		go func() {
			_, err := s.RecordOccurrences(t.Context(), 2, pair(n), time.Now())
			beside <- err
		}()
		time.AfterFunc(time.Duration(n)*2*time.Microsecond, cancel)
		_, err := s.RecordOccurrences(ctx, 1, pair(n), time.Now())
		acknowledged[n] = err == nil
		cancel()
		if err := <-beside; err != nil {
			t.Errorf("RecordOccurrences beside one that was cancelled = %v, want no error", err)
		}
	}
	found := map[alert.Fingerprint]bool{}
	for _, a := range everyAlert(t, s, 1) {
		found[a.Fingerprint] = true
	}
	for n, acknowledged := range acknowledged {
		first, second := found[pair(n)[0][0].Fingerprint], found[pair(n)[1][0].Fingerprint]
		if first != second || acknowledged && !first {
			t.Errorf("a request that was acknowledged: %t left its first alert: %t, its second: %t", acknowledged, first, second)
		}
	}
	if all := everyAlert(t, s, 2); len(all) != 400 || all[0].IID != 400 {
		t.Errorf("%d alerts of the other project are there, want 400", len(all))
	}
}

// pair returns a request of two occurrences.
func pair(n int64) [][]alert.Occurrence {
	return [][]alert.Occurrence{{newOccurrence(2 * n)}, {newOccurrence(2*n + 1)}}
}

func everyAlert(t *testing.T, s alert.Store, projectID int64) []alert.Alert {
	t.Helper()
	found, err := s.Alerts(t.Context(), projectID, alert.Query{Descending: true}, page.Request{Number: 1, Size: 1000}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return found.Items
}
