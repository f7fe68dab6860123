package storagetest

import (
	"slices"
	"testing"
	"time"

	"gatehouse/shared/deprecation"
	"gatehouse/shared/page"
	"gatehouse/shared/storage"
)

var deprecatedUses = []promise{
	{"are listed by everyone, entry, application and day", listDeprecatedUses},
	{"are counted once each", countDeprecatedUses},
}

// wantUses checks the uses that the filter selects, page by page.
func wantUses(t *testing.T, s storage.Store, name string, f deprecation.Filter, want []deprecation.Use) {
	t.Helper()
	wantPages(t, "DeprecatedUses, "+name, want, func(r page.Request) (page.Of[deprecation.Use], error) {
		found, err := s.DeprecatedUses(t.Context(), f, r)
		if found.Total != -1 {
			t.Errorf("DeprecatedUses, %s are counted: %d", name, found.Total)
		}
		found.Total = page.Count(len(want))
		return found, err
	})
}

func listDeprecatedUses(t *testing.T, s storage.Store) {
	app := deprecation.Caller{Client: 7, ApplicationID: "application", UserID: 1}
	token, person := deprecation.Caller{TokenID: 7, UserID: 1}, deprecation.Caller{UserID: 7}
	const first, middle, last = "approvers", "merged-by", "token-info-aliases"
	var all []deprecation.Use
	for _, c := range []struct {
		entry string
		by    deprecation.Caller
		ago   int // days
		uses  int64
	}{
		{last, app, 0, 1}, {middle, app, 0, 2}, {middle, token, 0, 1}, {first, person, 0, 3}, {first, app, 1, 1}, {last, token, 1, 1},
		{middle, app, 2, 1}, {middle, person, 2, 1}, {first, app, 40, 1}, {first, token, 40, 2}, {first, person, 40, 1},
	} {
		at := now.AddDate(0, 0, -c.ago)
		u := deprecation.Use{Entry: c.entry, Day: deprecation.DayOf(at), Caller: c.by, Uses: c.uses}
		for n := range c.uses {
			u.LastUsedAt = at.Truncate(time.Microsecond).Add(-time.Duration(c.uses-n) * time.Microsecond)
			u.UserID = c.by.UserID
			if c.by.Client != 0 {
				u.UserID += n // of the application's users the last one is kept
			}
			by := c.by
			by.UserID = u.UserID
			wantOK(t, "AddDeprecatedUse", s.AddDeprecatedUse(t.Context(), c.entry, by, u.LastUsedAt))
		}
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b deprecation.Use) int { return page.Falling(a.Position(), b.Position()) })

	day := func(ago int) time.Time { return deprecation.DayOf(now.AddDate(0, 0, -ago)) }
	since := deprecation.OldestKept(now)
	for name, f := range map[string]deprecation.Filter{
		"everything":                     {From: since, To: day(0)},
		"of an entry":                    {Entry: middle, From: since, To: day(0)},
		"of an entry that nobody used":   {Entry: "geo-nodes", From: since, To: day(0)},
		"by an application":              {Client: 7, From: since, To: day(0)},
		"by nobody":                      {Client: 8, From: since, To: day(0)},
		"by an application, of an entry": {Client: 7, Entry: first, From: since, To: day(0)},
		"of two days":                    {From: day(2), To: day(1)},
		"of one day":                     {From: day(40), To: day(40)},
		"of an entry and a day":          {Entry: first, From: day(40), To: day(40)},
		"by an application on a day":     {Client: 7, From: day(40), To: day(40)},
		"of days the wrong way round":    {From: day(1), To: day(2)},
		"of an entry, the wrong way":     {Entry: first, From: day(1), To: day(2)},
	} {
		wantUses(t, s, name, f, kept(all, func(u deprecation.Use) bool {
			return (f.Entry == "" || u.Entry == f.Entry) && (f.Client == 0 || u.Client == f.Client) && !u.Day.Before(f.From) && !u.Day.After(f.To)
		}))
	}
}

func countDeprecatedUses(t *testing.T, s storage.Store) {
	by := deprecation.Caller{Client: 99, ApplicationID: "x", UserID: 1}
	for _, err := range race(20, func(int) error { return s.AddDeprecatedUse(t.Context(), "geo-nodes", by, now) }) {
		wantOK(t, "AddDeprecatedUse", err)
	}
	want := []deprecation.Use{{Entry: "geo-nodes", Day: deprecation.DayOf(now), Caller: by, Uses: 20, LastUsedAt: now}}
	for name, f := range map[string]deprecation.Filter{"by the application": {Client: 99}, "of the entry": {Entry: "geo-nodes"}} {
		f.From, f.To = want[0].Day, want[0].Day
		wantUses(t, s, name, f, want)
	}
}
