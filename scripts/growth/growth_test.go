package main

import (
	"bytes"
	"encoding/hex"
	"io"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/secret"
)

// tiny is enough for every call.
var tiny = size{
	users: 16, groups: 10, projects: 5, memberships: 40, clients: 2, grants: 8, tokens: 8, entries: 70, alerts: 60, members: 4,
	projectsOfMany: 5, groupsOfMany: 5, grantsOfMany: 4, tokensOfMany: 3, sessionsOfMany: 3,
}

func testOptions(t *testing.T, dynamoDB bool) options {
	o := options{dynamoDB: dynamoDB, data: t.TempDir(), rounds: 1, change: 1e9, only: regexp.MustCompile(""), template: "../../template.yaml", progress: io.Discard}
	if dynamoDB {
		o.data = "test-" + hex.EncodeToString(secret.Random(6))
	}
	return o
}

// measureTiny measures every call between two tiny stores, and checks that each is
// answered and has a line in the table.
func measureTiny(t *testing.T, o options, want int) *table {
	t.Helper()
	quiet(t)
	measured, err := compare(t.Context(), o, tiny, tiny)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range measured.rows {
		if r.refused != 0 {
			t.Errorf("%s is refused with %d", r.name, r.refused)
		}
	}
	var printed strings.Builder
	measured.print(&printed)
	if lines := strings.Count(printed.String(), "\n| ") - 1; lines != want {
		t.Errorf("%d lines of calls, want %d:\n%s", lines, want, &printed)
	}
	return measured
}

// quiet discards the log.
func quiet(t *testing.T) {
	before := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	t.Cleanup(func() { slog.SetDefault(before) })
}

func needDynamoDB(t *testing.T) {
	t.Helper()
	if os.Getenv("AWS_ENDPOINT_URL_DYNAMODB") == "" {
		t.Skip("AWS_ENDPOINT_URL_DYNAMODB is not set: there is no DynamoDB to test on (scripts/test starts an emulator)")
	}
}

func TestEveryCallIsMeasuredOnSQLite(t *testing.T) {
	o := testOptions(t, false)
	measureTiny(t, o, len(calls))
	var progress bytes.Buffer
	o.progress = &progress
	measureTiny(t, o, len(calls))
	if !strings.Contains(progress.String(), "was filled before") {
		t.Errorf("the second run filled the stores again:\n%s", &progress)
	}
}

func TestEveryCallIsCountedOnDynamoDB(t *testing.T) {
	needDynamoDB(t)
	measured := measureTiny(t, testOptions(t, true), len(calls)-1) // DynamoDB sweeps itself
	for _, r := range measured.rows {
		if r.cost.reads == 0 || r.cost.units == 0 || r.cost.inRow == 0 || r.cost.inRow > r.cost.reads+r.cost.writes {
			t.Errorf("%s costs %v", r.name, r.cost)
		}
		rounds := strings.HasPrefix(r.name, "console search") // it looks at more and more entries
		if measured.overBudget(r) && r.above == "" && !rounds {
			t.Errorf("%s is above the budget: %+v", r.name, measured.own(r))
		}
	}
}

func TestTooSlowCallsAreNamed(t *testing.T) {
	measured := table{change: 3, rows: []row{
		{call: call{name: "flat"}, small: 10, big: 30},
		{call: call{name: "grows"}, small: 10, big: 31},
		{call: call{name: "is refused"}, small: 10, big: 10, refused: 400},
	}}
	if got, want := strings.Join(measured.slow(), "; "), "grows (3.1); is refused (400)"; got != want {
		t.Errorf("slow: %s, want %s", got, want)
	}
}

func TestCallsBeyondTheBudgetAreBoldAndNamed(t *testing.T) {
	measured := table{meter: &meter{}, change: 3, rows: []row{
		{call: call{name: "base"}, cost: cost{reads: 2, inRow: 2, units: 2}},
		{call: call{name: "fits", base: "base"}, cost: cost{reads: 9, writes: 9, inRow: 5, units: 62}},
		{call: call{name: "reads on", base: "base"}, cost: cost{reads: 6, inRow: 6, units: 3}},
		{call: call{name: "reads much", base: "base"}, cost: cost{reads: 3, inRow: 3, units: 63}},
		{call: call{name: "merges", base: "base", above: "it merges much"}, cost: cost{reads: 9, inRow: 9, units: 99}},
	}}
	for name, want := range map[string]string{"base": " | |", "fits": " 3 | 60 |", "reads on": " **4** | **1** |", "reads much": " **1** | **61** |", "merges": " **7** | **97** |"} {
		n := slices.IndexFunc(measured.rows, func(r row) bool { return r.name == name })
		if got := measured.ownText(measured.rows[n]); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got, want := strings.Join(measured.slow(), "; "), "reads on (4 in a row, 1 units); reads much (1 in a row, 61 units)"; got != want {
		t.Errorf("slow: %s, want %s", got, want)
	}
	var printed strings.Builder
	measured.print(&printed)
	if want := "Above the budget, and why:\n\n- merges: it merges much\n"; !strings.HasSuffix(printed.String(), want) {
		t.Errorf("the table does not end with %q:\n%s", want, &printed)
	}
}

func TestCapacityOfOneAndOfSeveralTables(t *testing.T) {
	for body, want := range map[string]float64{
		`{}`: 0,
		`{"Item":{},"ConsumedCapacity":{"TableName":"a","CapacityUnits":1.5}}`:                           1.5,
		`{"ConsumedCapacity":[{"TableName":"a","CapacityUnits":2},{"TableName":"b","CapacityUnits":1}]}`: 3,
	} {
		if got, err := consumed([]byte(body)); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", body, got, err, want)
		}
	}
}

func TestScaledSizesAreNeverBelowTheSmallOne(t *testing.T) {
	if got := fullSize.scaled(0); got != smallSize {
		t.Errorf("scaled(0) = %+v, want %+v", got, smallSize)
	}
	if got := fullSize.scaled(0.1).alerts; got != 20_000 {
		t.Errorf("a tenth has %d alerts, want 20,000", got)
	}
}

func TestThingsAreMadeEvenly(t *testing.T) {
	f := filler{now: time.Now()}
	const n = 1_000_000
	for i, want := range map[int]time.Duration{0: 2 * year, n / 2: year, n: 0} {
		if got := f.now.Sub(f.ago(2*year, i, n)); (got - want).Abs() > time.Hour {
			t.Errorf("thing %d of %d was made %v ago, want %v", i, n, got, want)
		}
	}
}
