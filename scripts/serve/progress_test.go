package main

import (
	"strings"
	"testing"
	"time"

	"gatehouse/shared/storage/sqlite"
)

func TestLongMigrationIsShown(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	show := showProgress(&out, func() time.Time { return now })
	for _, step := range []struct {
		after time.Duration
		sqlite.Progress
	}{
		{time.Second, sqlite.Progress{Version: 1}},
		{900 * time.Millisecond, sqlite.Progress{Version: 2, Table: "alerts", Done: 10, Total: 200}},
		{100 * time.Millisecond, sqlite.Progress{Version: 2, Table: "alerts", Done: 30, Total: 200}},
		{900 * time.Millisecond, sqlite.Progress{Version: 2, Table: "alerts", Done: 199, Total: 200}},
		{200 * time.Millisecond, sqlite.Progress{Version: 2, Table: "alerts", Done: 200, Total: 200}},
		{2 * time.Second, sqlite.Progress{Version: 3}},
	} {
		now = now.Add(step.after)
		show(step.Progress)
	}
	const want = "Bringing the data to schema 2: alerts, 15 % …\nBringing the data to schema 2: alerts, 100 % …\nBringing the data to schema 3 …\n"
	if out.String() != want {
		t.Errorf("printed\n%s, want\n%s", out.String(), want)
	}
}
