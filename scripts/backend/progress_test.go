package backend

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gatehouse/shared/storage/sqlite"
)

func TestLongMigrationIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		report, end := showProgress(&out)
		for _, step := range []struct {
			sqlite.Progress
			takes time.Duration
		}{
			{sqlite.Progress{Version: 1}, 1100 * time.Millisecond},
			{sqlite.Progress{Version: 2, Table: "alerts", Done: 10, Total: 200}, 800 * time.Millisecond},
			{sqlite.Progress{Version: 2, Table: "alerts", Done: 30, Total: 200}, 200 * time.Millisecond},
			{sqlite.Progress{Version: 2, Table: "alerts", Done: 199, Total: 200}, 200 * time.Millisecond},
			{sqlite.Progress{Version: 2}, 7 * time.Second}, // one statement that takes long
			{sqlite.Progress{Version: 3}, time.Second},
		} {
			report(step.Progress)
			time.Sleep(step.takes)
		}
		end()
		synctest.Wait()
		const want = "Bringing the data to schema 2: alerts, 15 % …\nBringing the data to schema 2 …\nBringing the data to schema 3 …\n"
		if out.String() != want {
			t.Errorf("printed\n%s, want\n%s", out.String(), want)
		}
	})
}
