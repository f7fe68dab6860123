package storagetest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/signin"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

// auditEntries are of a year in which the store has no other entries.
var auditEntries = []promise{
	{"are written and read back", writeEntry},
	{"take the place of one with their id", rewriteEntry},
	{"are listed by user and for everybody, the newest first", listEntries},
	{"are listed by name and time", filterEntries},
	{"of many days are listed in portions", listEntriesOfManyDays},
	{"are listed as a look through all of them would", compareEntries},
	{"written by many at once are all listed", writeEntriesRace},
}

// newEntry returns an entry of the user. Those of the same instant are ordered by
// the random part of their ids.
func newEntry(userID int64, name audit.Name, at time.Time) audit.Entry {
	return audit.Entry{
		ID: fmt.Sprintf("%016x%s", at.UnixMicro(), hex.EncodeToString(secret.Random(8))), At: at,
		Event:  audit.Event{Name: name, ActorID: 7, UserID: userID, Details: audit.Details{"application": "Größe", "scopes": "api"}, Outcome: audit.Refused, Reason: "conflict"},
		Source: audit.Source{Browser: audit.Browser{UserAgent: "Mozilla/5.0", Address: "2001:db8::1"}, RequestID: "a-request"},
	}
}

func addEntry(t *testing.T, s storage.Store, userID int64, name audit.Name, at time.Time) audit.Entry {
	t.Helper()
	e := newEntry(userID, name, at)
	wantOK(t, "WriteEntry", s.WriteEntry(t.Context(), e))
	return e
}

// lastYear selects all entries of the user.
func lastYear(userID int64) audit.Filter {
	return audit.Filter{UserID: userID, From: now.Add(-audit.Retention), Until: now.Add(time.Hour), Size: 100}
}

func (f entryFilter) wantEntries(t *testing.T, s storage.Store, want ...audit.Entry) {
	t.Helper()
	wantSame(t, "Entries", must[audit.Page](t)(s.Entries(t.Context(), audit.Filter(f))), audit.Page{Entries: want})
}

type entryFilter audit.Filter

func writeEntry(t *testing.T, s storage.Store) {
	const ada, ben = 101, 102
	full := addEntry(t, s, ada, signin.EventSignIn, now)
	bare := audit.Entry{ID: newEntry(0, "", now).ID, At: now, Event: audit.Event{Name: session.EventSignOut, UserID: ben, Details: audit.Details{}}}
	wantOK(t, "WriteEntry", s.WriteEntry(t.Context(), bare))
	entryFilter(lastYear(ada)).wantEntries(t, s, full)
	entryFilter(lastYear(ben)).wantEntries(t, s, bare)
	entryFilter(lastYear(unknownID)).wantEntries(t, s)
}

func rewriteEntry(t *testing.T, s storage.Store) {
	const ada = 111
	e := addEntry(t, s, ada, signin.EventSignIn, now)
	e.Outcome, e.Reason, e.Details = audit.Failed, "error", audit.Details{}
	for range 2 {
		wantOK(t, "WriteEntry", s.WriteEntry(t.Context(), e))
	}
	entryFilter(lastYear(ada)).wantEntries(t, s, e)
	everybody := lastYear(0)
	everybody.Everybody = true
	for _, listed := range must[audit.Page](t)(s.Entries(t.Context(), everybody)).Entries {
		if listed.ID == e.ID {
			wantSame(t, "Entries", listed, e)
		}
	}
}

// wantPortions walks the list in portions of several sizes.
func wantPortions(t *testing.T, s storage.Store, f audit.Filter, want []audit.Entry) {
	t.Helper()
	for _, size := range []int{1, 2, 3, len(want), len(want) + 1} {
		f.Size, f.Before = size, ""
		var got []audit.Entry
		for portions := 0; ; portions++ {
			page := must[audit.Page](t)(s.Entries(t.Context(), f))
			got = append(got, page.Entries...)
			if len(page.Entries) > size || portions > len(want) {
				t.Fatalf("portion %d of %d has %d entries", portions, size, len(page.Entries))
			}
			if f.Before = page.Next; f.Before == "" {
				break
			}
		}
		wantSame(t, fmt.Sprintf("Entries in portions of %d", size), got, want)
	}
}

func listEntries(t *testing.T, s storage.Store) {
	const ada, ben = 121, 122
	start := now.Add(-100 * 24 * time.Hour) // where nothing else is
	var adas, all []audit.Entry
	for i := range 7 {
		e := addEntry(t, s, ada+int64(i%2), signin.EventSignIn, start.Add(time.Duration(i)*time.Microsecond))
		all = append([]audit.Entry{e}, all...)
		if e.UserID == ada {
			adas = append([]audit.Entry{e}, adas...)
		}
	}
	f := audit.Filter{UserID: ada, From: start, Until: start.Add(time.Second)}
	wantPortions(t, s, f, adas)
	f.Everybody = true
	wantPortions(t, s, f, all)
}

func filterEntries(t *testing.T, s storage.Store) {
	const ada = 131
	at := now.Add(-200 * 24 * time.Hour)
	first := addEntry(t, s, ada, signin.EventSignIn, at)
	second := addEntry(t, s, ada, session.EventSignOut, at.Add(time.Microsecond))
	third := addEntry(t, s, ada, signin.EventSignIn, at.Add(2*time.Microsecond))
	tests := map[string]struct {
		change func(*audit.Filter)
		want   []audit.Entry
	}{
		"all":              {func(*audit.Filter) {}, []audit.Entry{third, second, first}},
		"by name":          {func(f *audit.Filter) { f.Name = signin.EventSignIn }, []audit.Entry{third, first}},
		"by another name":  {func(f *audit.Filter) { f.Name = oauth.EventConsent }, nil},
		"from":             {func(f *audit.Filter) { f.From = second.At }, []audit.Entry{third, second}},
		"until":            {func(f *audit.Filter) { f.Until = second.At }, []audit.Entry{first}},
		"before":           {func(f *audit.Filter) { f.Before = second.ID }, []audit.Entry{first}},
		"before a start":   {func(f *audit.Filter) { f.Before = audit.Start(second.At) }, []audit.Entry{first}},
		"before, and from": {func(f *audit.Filter) { f.Before, f.From = second.ID, second.At }, nil},
		"before the time":  {func(f *audit.Filter) { f.Before, f.From = first.ID, third.At }, nil},
	}
	for name, test := range tests {
		for _, everybody := range []bool{false, true} {
			f := audit.Filter{Everybody: everybody, UserID: ada, From: first.At, Until: third.At.Add(time.Second), Size: 3}
			test.change(&f)
			wantSame(t, "Entries "+name, must[audit.Page](t)(s.Entries(t.Context(), f)), audit.Page{Entries: test.want})
		}
	}
}

func listEntriesOfManyDays(t *testing.T, s storage.Store) {
	const ada = 141
	start := now.Add(-330 * 24 * time.Hour)
	var all []audit.Entry
	for _, days := range []int{0, 0, 1, 2, 5, 40, 41, 41} {
		e := addEntry(t, s, ada, user.EventBlocked, start.AddDate(0, 0, days).Add(time.Duration(len(all))*time.Microsecond))
		all = append([]audit.Entry{e}, all...)
	}
	f := audit.Filter{Everybody: true, Name: user.EventBlocked, From: now.Add(-audit.Retention), Until: now.Add(time.Hour)}
	wantPortions(t, s, f, all)
}

// trail is what was written, to compare a store's lists with.
type trail []audit.Entry

// passing returns the entries that pass the filter, the newest first.
func (all trail) passing(f audit.Filter) (found []audit.Entry) {
	for _, e := range all {
		concerned := e.UserID == f.UserID
		switch {
		case f.ProjectID != 0:
			concerned = e.ProjectID == f.ProjectID
		case f.Everybody:
			concerned = true
		}
		if concerned && (f.Name == "" || e.Name == f.Name) && !e.At.Before(f.From) && e.At.Before(f.Until) {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b audit.Entry) int { return strings.Compare(b.ID, a.ID) })
	return found
}

// compareEntries writes entries at random within months in which there are no
// others, and lists them by each filter.
func compareEntries(t *testing.T, s storage.Store) {
	const ada, web = 151, 161
	start, length := now.Add(-280*24*time.Hour), 75*24*time.Hour
	names := []audit.Name{user.EventUnblocked, session.EventRevoked, session.EventOthersRevoked}
	var all trail
	for range 60 {
		e := newEntry(ada+rand.N[int64](3), names[rand.N(len(names))], start.Add(rand.N(length)).Truncate(time.Microsecond))
		e.ProjectID = rand.N[int64](3) * web
		wantOK(t, "WriteEntry", s.WriteEntry(t.Context(), e))
		all = append(all, e)
	}
	for _, name := range append(names, "", oauth.EventConsent) {
		for _, f := range []audit.Filter{
			{Everybody: true}, {UserID: ada}, {UserID: ada + 2}, {UserID: unknownID}, {ProjectID: web}, {ProjectID: 2 * web, UserID: ada}, {ProjectID: unknownID},
		} {
			f.Name, f.From, f.Until = name, start, start.Add(length)
			wantPortions(t, s, f, all.passing(f))
			f.From, f.Until = start.Add(rand.N(length/2)), start.Add(length/2+rand.N(length/2))
			wantPortions(t, s, f, all.passing(f))
		}
	}
}

func writeEntriesRace(t *testing.T, s storage.Store) {
	const ada, web = 171, 181
	all := make(trail, 32)
	for i := range all {
		all[i] = newEntry(ada, user.EventUnblocked, now)
		all[i].ProjectID = web
	}
	wantOK(t, "WriteEntry", errors.Join(race(len(all), func(i int) error { return s.WriteEntry(t.Context(), all[i]) })...))
	for _, name := range []audit.Name{"", user.EventUnblocked} {
		for _, f := range []audit.Filter{{UserID: ada}, {ProjectID: web}} {
			f.Name, f.From, f.Until, f.Size = name, now.Add(-time.Hour), now.Add(time.Hour), 100
			entryFilter(f).wantEntries(t, s, all.passing(f)...)
		}
	}
}
