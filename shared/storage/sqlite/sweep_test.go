package sqlite_test

import (
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/storage/sqlite"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
)

var now = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

func TestSweepForgetsGrantsADayAfterTheirEnd(t *testing.T) {
	s := openStore(t, newFile(t))
	bare := newGrant(1, now)
	bare.Refreshable = false
	redeemed := newGrant(1, now).Redeemed(now)
	for name, g := range map[string]oauth.Grant{
		"an unused code":       newGrant(1, now),
		"a refreshable grant":  redeemed,
		"one without refresh":  bare.Redeemed(now),
		"one that was rotated": redeemed.Rotated(redeemed.Scopes, now.AddDate(0, 1, 0)),
	} {
		storeGrant(t, s, g)
		kept := func() bool {
			_, err := s.Grant(t.Context(), g.GrantID)
			return wasKept(t, err)
		}
		sweep(t, s, g.EndsAt().Add(24*time.Hour-time.Microsecond))
		if !kept() {
			t.Errorf("%s was forgotten before its day was over", name)
		}
		sweep(t, s, g.EndsAt().Add(24*time.Hour))
		if kept() {
			t.Errorf("%s was kept after its day was over", name)
		}
	}
}

// storeGrant brings the grant into the store as it came to be, step by step.
func storeGrant(t *testing.T, s *sqlite.Store, g oauth.Grant) {
	t.Helper()
	start := newGrant(g.UserID, g.CreatedAt)
	start.GrantID, start.Refreshable = g.GrantID, g.Refreshable
	err := s.CreateGrant(t.Context(), start)
	for generation := int64(1); err == nil && generation <= g.Generation; generation++ {
		step := g
		step.Generation = generation
		_, err = s.AdvanceGrant(t.Context(), step)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSweepForgetsUsesAfterNinetyDays(t *testing.T) {
	s := openStore(t, newFile(t))
	by := deprecation.Caller{TokenID: 1, UserID: 1}
	if err := s.AddDeprecatedUse(t.Context(), "geo-nodes", by, now); err != nil {
		t.Fatal(err)
	}
	day := deprecation.DayOf(now)
	for n, want := range []int{1, 0} {
		days := 90 + n
		sweep(t, s, now.AddDate(0, 0, days))
		found, err := s.DeprecatedUses(t.Context(), deprecation.Filter{From: day, To: day}, page.First)
		if err != nil || len(found.Items) != want {
			t.Errorf("after %d days there are %v, %v, want %d", days, found.Items, err, want)
		}
	}
}

func TestSweepForgetsExpiredSessions(t *testing.T) {
	s := openStore(t, newFile(t))
	idle, seen := addSession(t, s), addSession(t, s)
	if err := s.TouchSession(t.Context(), seen, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	sweep(t, s, idle.ExpiresAt().Add(-time.Microsecond))
	wantSession(t, s, idle, true)
	sweep(t, s, idle.ExpiresAt())
	wantSession(t, s, idle, false)
	wantSession(t, s, seen, true)
}

func TestSweepForgetsAttemptsThatCountNoMore(t *testing.T) {
	s := openStore(t, newFile(t))
	k, limit := throttle.Key{1}, throttle.Limit{Failures: 2, Window: time.Minute}
	last := now.Add(30 * time.Second)
	for _, at := range []time.Time{now, last} {
		if _, err := s.CountAttempt(t.Context(), k, limit, at); err != nil {
			t.Fatal(err)
		}
	}
	// A longer window tells whether the counter is still there.
	limit.Window = time.Hour
	sweep(t, s, last.Add(time.Minute-time.Microsecond))
	if _, err := s.CountAttempt(t.Context(), k, limit, last); !fault.Is(err, fault.TooMany) {
		t.Errorf("CountAttempt = %v, want it refused", err)
	}
	sweep(t, s, last.Add(time.Minute))
	if _, err := s.CountAttempt(t.Context(), k, limit, last); err != nil {
		t.Errorf("CountAttempt = %v, want it counted anew", err)
	}
}

func TestSweepForgetsHoweverMany(t *testing.T) {
	s := openStore(t, newFile(t))
	var all []session.Session
	for range 501 { // one more than a portion
		all = append(all, addSession(t, s))
	}
	sweep(t, s, now.Add(session.AbsoluteLimit))
	for _, gone := range all {
		wantSession(t, s, gone, false)
	}
}

func TestSweepKeepsAccessTokens(t *testing.T) {
	s := openStore(t, newFile(t))
	token, err := s.CreateAccessToken(t.Context(), accesstoken.Token{UserID: 1, ExpiresAt: now, RevokedAt: now})
	if err != nil {
		t.Fatal(err)
	}
	sweep(t, s, now.AddDate(10, 0, 0))
	if _, err := s.AccessToken(t.Context(), token.ID); err != nil {
		t.Errorf("AccessToken = %v after a sweep, want the token", err)
	}
}

// What was on its way when its project was deleted goes with a later sweep, and
// nothing of the projects that are there.
func TestSweepForgetsAlertsOfDeletedProjects(t *testing.T) {
	s := openStore(t, newFile(t))
	kept, deleted := addProject(t, s, "kept"), addProject(t, s, "deleted")
	var many [][]alert.Occurrence
	for n := range int64(501) { // one more than a portion
		many = append(many, []alert.Occurrence{newOccurrence(n)})
	}
	record := func(projectID int64) {
		t.Helper()
		if _, err := s.RecordOccurrences(t.Context(), projectID, many, now); err != nil {
			t.Fatal(err)
		}
	}
	record(kept)
	if err := s.DeleteProject(t.Context(), deleted); err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Time{now, now.Add(23 * time.Hour), now.Add(24 * time.Hour)} {
		record(deleted)
		sweep(t, s, at)
		if there, gone := len(everyAlert(t, s, kept)), len(everyAlert(t, s, deleted)); there != len(many) || gone != 0 {
			t.Errorf("%d of %d alerts of the project are left, and %d of the deleted one, want all and none", there, len(many), gone)
		}
	}
}

// addProject adds a project with an owner of its own.
func addProject(t *testing.T, s *sqlite.Store, name string) (id int64) {
	t.Helper()
	u, err := s.CreateUser(t.Context(), user.User{Username: name, Name: name, Email: name + "@example.com", State: user.Active, CreatedAt: now})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.CreateProject(t.Context(), project.Project{
		NamespaceID: u.NamespaceID, Name: name, Path: name, FullPath: name + "/" + name, Visibility: project.Private, CreatedAt: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}

func sweep(t *testing.T, s *sqlite.Store, at time.Time) {
	t.Helper()
	if err := s.Sweep(t.Context(), at); err != nil {
		t.Fatalf("Sweep() = %v", err)
	}
}

func addSession(t *testing.T, s *sqlite.Store) session.Session {
	t.Helper()
	added := session.Session{
		UserID: 1, ID: hex.EncodeToString(secret.Random(16)), CreatedAt: now, LastSeenAt: now,
	}
	if err := s.CreateSession(t.Context(), added); err != nil {
		t.Fatal(err)
	}
	return added
}

func wantSession(t *testing.T, s *sqlite.Store, of session.Session, want bool) {
	t.Helper()
	_, err := s.Session(t.Context(), of.UserID, of.ID)
	if got := wasKept(t, err); got != want {
		t.Errorf("session that ends at %v is there: %t, want %t", of.ExpiresAt(), got, want)
	}
}

func wasKept(t *testing.T, err error) bool {
	t.Helper()
	if err != nil && !fault.Is(err, fault.NotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func TestSweepForgetsAuditEntriesAfterAYear(t *testing.T) {
	s := openStore(t, newFile(t))
	e := audit.Entry{ID: audit.Start(now), At: now, Event: audit.Event{Details: audit.Details{}}}
	if err := s.WriteEntry(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		at   time.Time
		want int
	}{{e.ExpiresAt().Add(-time.Microsecond), 1}, {e.ExpiresAt(), 0}} {
		sweep(t, s, test.at)
		page, err := s.Entries(t.Context(), audit.Filter{Everybody: true, Until: now.Add(time.Second), Size: 10})
		if err != nil || len(page.Entries) != test.want {
			t.Errorf("%d entries, %v after a sweep at %v, want %d", len(page.Entries), err, test.at, test.want)
		}
	}
}

// A record goes with its words and its entries in lists, however many there are.
func TestSweepForgetsExpiredRecords(t *testing.T) {
	s := openStore(t, newFile(t))
	in := record.List{Place: record.Instance, Name: "all"}
	add := func(word string, until time.Time) record.Record {
		t.Helper()
		r := record.Record{Kind: "k", Words: record.Words{"name": word}, Lists: []record.List{in}, Data: []byte("{}"), CreatedAt: now, ExpiresAt: until}
		r, err := s.CreateRecord(t.Context(), r, false)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for n := range 201 { // more than two portions
		add(fmt.Sprint(n), now.Add(time.Hour))
	}
	add("kept", now.Add(time.Hour+time.Microsecond))
	add("for ever", time.Time{})
	for _, step := range []struct {
		at   time.Duration
		want int
	}{{time.Hour - time.Microsecond, 203}, {time.Hour, 2}} {
		at, want := step.at, step.want
		sweep(t, s, now.Add(at))
		all, err := s.Records(t.Context(), "k", record.Instance, nil, page.First)
		listed, err2 := s.ListedRecords(t.Context(), "k", []record.List{in}, record.Search{}, page.Request{Number: 1, Size: 300})
		if all.Total != want || len(listed.Items) != want || err != nil || err2 != nil {
			t.Errorf("after %v there are %d records, and %d in the list, %v, %v, want %d", at, all.Total, len(listed.Items), err, err2, want)
		}
	}
	add("0", time.Time{}) // the word is free
}

func TestSweepForgetsReservedPathsAfterAYear(t *testing.T) {
	s := openStore(t, newFile(t))
	u, err := s.CreateUser(t.Context(), user.User{Username: "Ada", Email: "ada@example.com", State: user.Active, CreatedAt: now})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteUser(t.Context(), u.ID, 0, now); err != nil {
		t.Fatal(err)
	}
	sweep(t, s, now.AddDate(0, 0, 365).Add(-time.Microsecond))
	if _, err := s.CreateUser(t.Context(), u); err == nil {
		t.Error("the path was free before the year was over")
	}
	sweep(t, s, now.AddDate(0, 0, 365))
	if _, err := s.CreateUser(t.Context(), u); err != nil {
		t.Errorf("CreateUser = %v, want the path to be free", err)
	}
}
