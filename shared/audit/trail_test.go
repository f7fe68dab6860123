package audit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/signin"
)

// trailOf returns the only entry of user 7.
func trailOf(t *testing.T, a *apptest.App) audit.Entry {
	t.Helper()
	page, err := a.Trail.Entries(t.Context(), audit.Filter{UserID: 7, Size: 10})
	if err != nil || len(page.Entries) != 1 {
		t.Fatalf("Entries = %v, %v, want one", page, err)
	}
	return page.Entries[0]
}

// The trail tells of nothing as done that was not.
func TestDeedThatFailsIsTakenDownAsThat(t *testing.T) {
	tests := map[string]struct {
		err     error
		outcome audit.Outcome
		reason  string
	}{
		"done":      {nil, audit.Done, ""},
		"refused":   {fault.New(fault.Conflict, "somebody was faster"), audit.Refused, "conflict"},
		"failed":    {errors.New("the store is away"), audit.Failed, "error"},
		"uncertain": {fmt.Errorf("%w: no answer", fault.New(fault.Unavailable, "send it again")), audit.Failed, "not available"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			err := a.Trail.Do(t.Context(), audit.Event{Name: signin.EventSignIn, UserID: 7}, func(context.Context) error { return test.err })
			got := trailOf(t, a)
			if err != test.err || got.Outcome != test.outcome || got.Reason != test.reason {
				t.Errorf("Do = %v, with the entry %s %q, want %v with %s %q", err, got.Outcome, got.Reason, test.err, test.outcome, test.reason)
			}
		})
	}
}

// What the instance does by itself before it has users is not in the trail.
func TestSetupIsNotInTheTrail(t *testing.T) {
	a := apptest.New(t)
	e := audit.Event{Name: signin.EventSignIn, ActorID: audit.Setup.ID, UserID: 7}
	away := errors.New("the store is away")
	a.Trail.Record(t.Context(), e)
	if err := a.Trail.Do(t.Context(), e, func(context.Context) error { return away }); err != away {
		t.Errorf("Do = %v, want %v", err, away)
	}
	page, err := a.Trail.Entries(t.Context(), audit.Filter{UserID: 7, Size: 10})
	if err != nil || len(page.Entries) != 0 {
		t.Errorf("Entries = %v, %v, want none", page, err)
	}
}

func TestFailedDeedIsNotRecorded(t *testing.T) {
	a := apptest.New(t)
	e, away := audit.Event{Name: signin.EventSignIn, UserID: 7}, errors.New("the store is away")
	if err := a.Trail.RecordUnless(t.Context(), away, e); err != away {
		t.Errorf("RecordUnless = %v, want %v", err, away)
	}
	if page, err := a.Trail.Entries(t.Context(), audit.Filter{UserID: 7, Size: 10}); err != nil || len(page.Entries) > 0 {
		t.Errorf("Entries = %v, %v, want none", page, err)
	}
	if err := a.Trail.RecordUnless(t.Context(), nil, e); err != nil {
		t.Errorf("RecordUnless = %v, want no error", err)
	}
	trailOf(t, a)
}

func TestEntryOutlivesTheRequest(t *testing.T) {
	a := apptest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a.Trail.Record(ctx, audit.Event{Name: signin.EventSignIn, UserID: 7})
	trailOf(t, a)
}

// silent is a store that does not answer the first attempt to write an entry,
// which a store gives up after five seconds.
type silent struct {
	audit.Store
	left time.Duration // for the next
}

func (s *silent) WriteEntry(ctx context.Context, _ audit.Entry) error {
	ends, _ := ctx.Deadline()
	s.left = time.Until(ends.Add(-5 * time.Second))
	return nil
}

func TestAnEntryHasTimeForASecondAttempt(t *testing.T) {
	s := &silent{}
	audit.NewTrail(s, time.Now).Record(t.Context(), audit.Event{Name: signin.EventSignIn, UserID: 7})
	if s.left < time.Second {
		t.Errorf("a second attempt has %v", s.left)
	}
}

// full is a store that cannot write.
type full struct{ audit.Store }

func (full) WriteEntry(context.Context, audit.Entry) error { return errors.New("the disk is full") }

func TestEntryThatIsNotWrittenIsLogged(t *testing.T) {
	for name, test := range map[string]struct {
		store  audit.Store
		logged bool
	}{"written": {&silent{}, false}, "not written": {full{}, true}} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			before := slog.Default()
			slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
			t.Cleanup(func() { slog.SetDefault(before) })
			err := audit.NewTrail(test.store, time.Now).Do(t.Context(), audit.Event{Name: signin.EventSignIn}, func(context.Context) error { return nil })
			if got := strings.Contains(log.String(), "audit entry not written"); err != nil || got != test.logged {
				t.Errorf("Do = %v, and the log is %q, want the entry reported as lost: %v", err, log.String(), test.logged)
			}
		})
	}
}

func TestEntriesAreKeptForAYear(t *testing.T) {
	a := apptest.New(t)
	a.Trail.Record(t.Context(), audit.Event{Name: signin.EventSignIn, UserID: 7})
	a.Pass(audit.Retention - time.Microsecond)
	trailOf(t, a)
	a.Pass(time.Microsecond)
	if page, err := a.Trail.Entries(t.Context(), audit.Filter{UserID: 7, Size: 10}); err != nil || len(page.Entries) > 0 {
		t.Errorf("Entries after a year = %v, %v, want none", page, err)
	}
}

func TestPageHasANextOneIfMoreEntriesWereRead(t *testing.T) {
	entries := []audit.Entry{{ID: "c"}, {ID: "b"}, {ID: "a"}}
	for read, next := range []string{"", "", "", "b"} {
		got := audit.Cut(entries[:read], 2)
		if got.Next != next || len(got.Entries) != min(read, 2) {
			t.Errorf("a page of 2 after reading %d entries is %v, want the next one after %q", read, got, next)
		}
	}
}

func TestBoundsOfAFilter(t *testing.T) {
	from, until := time.Unix(1000, 0), time.Unix(2000, 0)
	low, high := audit.Start(from)[:16], audit.Start(until)[:16]
	tests := map[string]string{ // Before, and the upper bound
		"":                              high,
		audit.Start(time.Unix(1500, 0)): audit.Start(time.Unix(1500, 0)),
		audit.Start(time.Unix(2500, 0)): high,
	}
	for before, want := range tests {
		gotLow, gotHigh := audit.Filter{From: from, Until: until, Before: before}.Bounds()
		if gotLow != low || gotHigh != want {
			t.Errorf("Bounds() before %q = %s to %s, want %s to %s", before, gotLow, gotHigh, low, want)
		}
	}
}

func TestDetailsAreReadAsTheyWereKept(t *testing.T) {
	tests := map[string]struct {
		pairs []string
		want  audit.Details
	}{
		"none":                {nil, audit.Details{}},
		"two":                 {audit.Details{"b": "2", "a": "1"}.Pairs(), audit.Details{"a": "1", "b": "2"}},
		"a name without text": {[]string{"a", "1", "b"}, audit.Details{"a": "1"}},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, audit.DetailsOf(test.pairs)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What a stranger sends is shortened and reads as what it says.
func TestEntriesAreSafeToShow(t *testing.T) {
	a := apptest.New(t)
	ctx := audit.WithSource(t.Context(), audit.Source{
		Browser: audit.Browser{UserAgent: "Mozilla\n\x1b[31m" + strings.Repeat("x", 1000), Address: "::ffff:192.0.2.1"}, RequestID: "a",
	})
	a.Trail.Record(ctx, audit.Event{Name: oauth.EventConsent, UserID: 7, Details: audit.Details{
		"application": "A\u202eB\n" + strings.Repeat("é", 400), "client": strings.Repeat("é", 255), "empty": "\x00",
	}})
	got := trailOf(t, a)
	want := audit.Details{"application": "AB" + strings.Repeat("é", 252) + "…", "client": strings.Repeat("é", 255)}
	if diff := cmp.Diff(want, got.Details); diff != "" {
		t.Errorf("details differ (-want +got):\n%s", diff)
	}
	if want := "Mozilla[31m"; !strings.HasPrefix(got.Browser.UserAgent, want) || len(got.Browser.UserAgent) != 255 || got.Browser.Address != "192.0.2.1" {
		t.Errorf("the source is %+v, want it cleaned", got.Browser)
	}
}

// Whoever makes up names, from however many addresses, does not fill the trail;
// what concerns somebody is in it each time.
func TestStrangersDoNotFillTheTrail(t *testing.T) {
	a := apptest.New(t)
	a.Pass(a.Now().Truncate(time.Minute).Add(time.Minute).Sub(a.Now()))
	entries := func(userID int64) int {
		t.Helper()
		page, err := a.Trail.Entries(t.Context(), audit.Filter{UserID: userID, Size: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return len(page.Entries)
	}
	fail := func(userID int64, address string) {
		ctx := audit.WithSource(t.Context(), audit.Source{Browser: audit.Browser{Address: address}})
		a.Trail.Record(ctx, audit.Event{Name: signin.EventFailed, UserID: userID, Outcome: audit.Refused})
	}
	steps := []struct {
		name      string
		deed      func()
		strangers int
	}{
		{"the first", func() { fail(0, "192.0.2.1") }, 1},
		{"the next from there", func() { fail(0, "192.0.2.1") }, 1},
		{"one from elsewhere", func() { fail(0, "192.0.2.2") }, 2},
		{"one by IPv6", func() { fail(0, "2001:db8::1") }, 3},
		{"another of that network", func() { fail(0, "2001:db8::2:1") }, 3},
		{"one who comes from nowhere", func() { fail(0, "") }, 4},
		{"in the next minute", func() { a.Pass(time.Minute); fail(0, "192.0.2.1") }, 5},
	}
	for _, step := range steps {
		step.deed()
		fail(7, "192.0.2.1")
		if got := entries(0); got != step.strangers {
			t.Errorf("%s makes %d entries, want %d", step.name, got, step.strangers)
		}
	}
	if got := entries(7); got != len(steps) {
		t.Errorf("%d entries are about a user, want %d", got, len(steps))
	}
	a.Pass(time.Minute)
	before := entries(0)
	for i := range 600 {
		fail(0, fmt.Sprintf("198.51.%d.%d", i/256, i%256))
	}
	if got := entries(0) - before; got > 256 {
		t.Errorf("600 addresses make %d entries in a minute, want 256 at most", got)
	}
}
