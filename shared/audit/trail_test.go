package audit_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/session"
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
		"done":    {nil, audit.Done, ""},
		"refused": {fault.New(fault.Conflict, "somebody was faster"), audit.Refused, "conflict"},
		"failed":  {errors.New("the store is away"), audit.Failed, "error"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			err := a.Trail.Beside(t.Context(), audit.Event{Name: audit.SignIn, UserID: 7}, func(context.Context) error { return test.err })
			got := trailOf(t, a)
			if err != test.err || got.Outcome != test.outcome || got.Reason != test.reason {
				t.Errorf("Beside = %v, with the entry %s %q, want %v with %s %q", err, got.Outcome, got.Reason, test.err, test.outcome, test.reason)
			}
		})
	}
}

func TestEntryOutlivesTheRequest(t *testing.T) {
	a := apptest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a.Trail.Note(ctx, audit.Event{Name: audit.SignIn, UserID: 7})
	trailOf(t, a)
}

func TestEntriesAreKeptForAYear(t *testing.T) {
	a := apptest.New(t)
	a.Trail.Note(t.Context(), audit.Event{Name: audit.SignIn, UserID: 7})
	a.Pass(audit.Retention - time.Microsecond)
	trailOf(t, a)
	a.Pass(time.Microsecond)
	if page, err := a.Trail.Entries(t.Context(), audit.Filter{UserID: 7, Size: 10}); err != nil || len(page.Entries) > 0 {
		t.Errorf("Entries after a year = %v, %v, want none", page, err)
	}
}

// What a stranger sends is shortened and reads as what it says.
func TestEntriesAreSafeToShow(t *testing.T) {
	a := apptest.New(t)
	ctx := audit.WithSource(t.Context(), audit.Source{
		Browser: session.Browser{UserAgent: "Mozilla\n\x1b[31m" + strings.Repeat("x", 1000), Address: "::ffff:192.0.2.1"}, RequestID: "a",
	})
	a.Trail.Note(ctx, audit.Event{Name: audit.Consent, UserID: 7, Details: audit.Details{
		"application": "A\u202eB\n" + strings.Repeat("é", 400), "empty": "\x00",
	}})
	got := trailOf(t, a)
	if diff := cmp.Diff(audit.Details{"application": "AB" + strings.Repeat("é", 252) + "…"}, got.Details); diff != "" {
		t.Errorf("details differ (-want +got):\n%s", diff)
	}
	if want := "Mozilla[31m"; !strings.HasPrefix(got.Browser.UserAgent, want) || len(got.Browser.UserAgent) != 255 || got.Browser.Address != "192.0.2.1" {
		t.Errorf("the source is %+v, want it cleaned", got.Browser)
	}
}
