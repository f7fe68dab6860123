package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/scope"
	"gatehouse/shared/storage"
)

var grants = []promise{
	{"are created and read back", createGrant},
	{"advance from the code over every pair", advanceGrant},
	{"advance only by one step", advanceOutOfStep},
	{"that are gone cannot advance", advanceGoneGrant},
	{"give one pair for a code that many redeem at once", redeemRace},
	{"give one pair for a token that many refresh at once", rotateGrantRace},
	{"are revoked once and for all", revokeGrant},
	{"revoked while they advance stay revoked", revokeRace},
	{"revoked by many at once are revoked", revokeManyRace},
	{"that have ended are read back or forgotten", endedGrant},
	{"are listed by user and client", grantsOf},
	{"are listed by user and client, the highest first", newestGrants},
	{"are listed for several clients", grantsOfEach},
	{"have a summary for each client", summarizeGrants},
	{"have summaries in pages", listSummaries},
	{"count the people with a summary once each", countPeople},
	{"have the days of the last uses of their clients", noteUse},
	{"have a summary beside those who forget one", summaryRace},
	{"are revoked by user and client", revokeGrants},
	{"revoked together while they advance stay revoked", revokeGrantsRace},
	{"note their use and nothing else", touchGrant},
	{"that are gone note no use", touchGoneGrant},
}

func createGrant(t *testing.T, s storage.Store) {
	bare := oauth.Grant{GrantID: newGrant(11, 0).GrantID, Nonce: newGrant(0, 0).Nonce, CreatedAt: now}
	bare.Generation, bare.IssuedAt = 1, now
	wantOK(t, "CreateGrant", s.CreateGrant(t.Context(), bare))
	for _, want := range []oauth.Grant{addGrant(t, s), addGrant(t, s), bare} {
		wantGrant(t, s, want)
	}
	for _, id := range []oauth.GrantID{
		newGrant(11, 22).GrantID,
		{UserID: 11, ClientID: 22, Random: bare.Random},
		{UserID: 12, ClientID: 0, Random: bare.Random},
		{},
	} {
		_, err := s.Grant(t.Context(), id)
		wantError(t, "Grant of an unknown id", err, oauth.ErrGrantNotFound)
	}
}

func wantGrant(t *testing.T, s storage.Store, want oauth.Grant) {
	t.Helper()
	wantSame(t, "Grant", must[oauth.Grant](t)(s.Grant(t.Context(), want.GrantID)), want)
}

func advanceGrant(t *testing.T, s storage.Store) {
	g := addGrant(t, s)
	steps := []oauth.Grant{g.Redeemed(now.Add(time.Second))}
	steps = append(steps, steps[0].Rotated(g.Scopes, now.Add(time.Minute)))
	steps = append(steps, steps[1].Rotated(scope.Of(scope.ReadUser), now.Add(time.Hour+time.Microsecond)))
	steps = append(steps, steps[2].Rotated(scope.Of(scope.ReadUser), now.Add(2*time.Hour)))
	for _, next := range steps {
		_, err := s.AdvanceGrant(t.Context(), next)
		wantOK(t, "AdvanceGrant", err)
		wantGrant(t, s, next)
	}
}

func advanceOutOfStep(t *testing.T, s storage.Store) {
	code := addGrant(t, s)
	first := code.Redeemed(now)
	second := first.Rotated(first.Scopes, now.Add(time.Second))
	third := second.Rotated(first.Scopes, now.Add(time.Minute))
	wantRefused(t, s, second, code)
	wantAdvanced(t, s, first)
	wantRefused(t, s, first, first)
	wantRefused(t, s, third, first)
	wantAdvanced(t, s, second)
	wantRefused(t, s, first, second)
	wantGrant(t, s, second)
}

func wantAdvanced(t *testing.T, s storage.Store, next oauth.Grant) {
	t.Helper()
	_, err := s.AdvanceGrant(t.Context(), next)
	wantOK(t, "AdvanceGrant", err)
}

// wantRefused checks that the grant cannot advance and that the caller gets the
// stored grant.
func wantRefused(t *testing.T, s storage.Store, next, stored oauth.Grant) {
	t.Helper()
	got, err := s.AdvanceGrant(t.Context(), next)
	wantError(t, "AdvanceGrant", err, oauth.ErrGrantChanged)
	wantSame(t, "the grant beside the conflict", got, stored)
}

func advanceGoneGrant(t *testing.T, s storage.Store) {
	g := newGrant(11, 22)
	_, err := s.AdvanceGrant(t.Context(), g.Redeemed(now))
	wantError(t, "AdvanceGrant of an unknown grant", err, oauth.ErrGrantNotFound)
	_, err = s.Grant(t.Context(), g.GrantID)
	wantError(t, "Grant", err, oauth.ErrGrantNotFound)
}

func redeemRace(t *testing.T, s storage.Store) {
	code := addGrant(t, s)
	wantOneAdvance(t, s, 16, func(i int) oauth.Grant { return code.Redeemed(now.Add(time.Duration(i) * time.Second)) })

	// Callers at the same instant want the very same pair, and yet one gets it.
	code = addGrant(t, s)
	wantOneAdvance(t, s, 16, func(int) oauth.Grant { return code.Redeemed(now) })
}

func rotateGrantRace(t *testing.T, s storage.Store) {
	g := addRedeemed(t, s)
	wantOneAdvance(t, s, 100, func(i int) oauth.Grant {
		return g.Rotated(g.Scopes, now.Add(time.Duration(i)*time.Minute))
	})
}

// wantOneAdvance lets n callers advance one grant at once: one succeeds, and the
// others get what it stored.
func wantOneAdvance(t *testing.T, s storage.Store, n int, next func(i int) oauth.Grant) {
	t.Helper()
	told := make([]oauth.Grant, n)
	errs := race(n, func(i int) (err error) {
		told[i], err = s.AdvanceGrant(t.Context(), next(i))
		return err
	})
	want := next(wantOneWinner(t, "AdvanceGrant", errs, is(oauth.ErrGrantChanged)))
	wantGrant(t, s, want)
	for i, got := range told {
		if errs[i] != nil {
			wantSame(t, "the grant beside the conflict", got, want)
		}
	}
}

func revokeGrant(t *testing.T, s storage.Store) {
	code, g := addGrant(t, s), addRedeemed(t, s)
	for _, want := range []oauth.Grant{code, g} {
		next := want.Rotated(want.Scopes, now.Add(time.Hour))
		wantOK(t, "RevokeGrant", s.RevokeGrant(t.Context(), want.GrantID, now.Add(time.Minute)))
		want.RevokedAt = now.Add(time.Minute)
		wantGrant(t, s, want)
		wantOK(t, "RevokeGrant again", s.RevokeGrant(t.Context(), want.GrantID, now.Add(time.Hour)))
		wantGrant(t, s, want)
		wantRefused(t, s, next, want)
		wantGrant(t, s, want)
	}
	unknown := newGrant(11, 22)
	wantOK(t, "RevokeGrant of an unknown grant", s.RevokeGrant(t.Context(), unknown.GrantID, now))
	_, err := s.Grant(t.Context(), unknown.GrantID)
	wantError(t, "Grant of it", err, oauth.ErrGrantNotFound)
}

func revokeRace(t *testing.T, s storage.Store) {
	for range 8 {
		g := addRedeemed(t, s)
		next := g.Rotated(g.Scopes, now.Add(time.Minute))
		var advanced error
		var callers sync.WaitGroup
		callers.Go(func() { _, advanced = s.AdvanceGrant(t.Context(), next) })
		callers.Go(func() { wantRevoked(t, s, g.GrantID) })
		callers.Wait()

		want := g
		if advanced == nil {
			want = next
		} else if !errors.Is(advanced, oauth.ErrGrantChanged) {
			t.Errorf("AdvanceGrant beside RevokeGrant = %v, want nil or a conflict", advanced)
		}
		want.RevokedAt = now.Add(time.Hour)
		wantGrant(t, s, want)
	}
}

func wantRevoked(t *testing.T, s storage.Store, id oauth.GrantID) {
	t.Helper()
	if err := s.RevokeGrant(t.Context(), id, now.Add(time.Hour)); err != nil {
		t.Errorf("RevokeGrant = %v, want no error", err)
	}
}

func revokeManyRace(t *testing.T, s storage.Store) {
	g := addRedeemed(t, s)
	errs := race(16, func(i int) error {
		return s.RevokeGrant(t.Context(), g.GrantID, now.Add(time.Duration(i)*time.Second))
	})
	if err := errors.Join(errs...); err != nil {
		t.Errorf("RevokeGrant by many at once = %v, want no error", err)
	}
	if got := must[oauth.Grant](t)(s.Grant(t.Context(), g.GrantID)); !got.Revoked() {
		t.Error("the grant is not revoked")
	}
}

func endedGrant(t *testing.T, s storage.Store) {
	code := newGrant(11, 22)
	code.CreatedAt = now.AddDate(-1, 0, 0)
	idle := newGrant(11, 22)
	idle.CreatedAt = code.CreatedAt
	idle = idle.Redeemed(code.CreatedAt)
	for _, want := range []oauth.Grant{code, idle} {
		wantOK(t, "CreateGrant", s.CreateGrant(t.Context(), want))
		if got, err := s.Grant(t.Context(), want.GrantID); !errors.Is(err, oauth.ErrGrantNotFound) {
			wantOK(t, "Grant", err)
			wantSame(t, "Grant", got, want)
		}
		wantOK(t, "RevokeGrant", s.RevokeGrant(t.Context(), want.GrantID, now))
	}
}

func grantsOf(t *testing.T, s storage.Store) {
	const user, client = 31, 32
	code, live, revoked := addGrantOf(t, s, user, client), addGrantOf(t, s, user, client), addGrantOf(t, s, user, client)
	addGrantOf(t, s, user, client+1)
	addGrantOf(t, s, user+1, client)
	addGrantOf(t, s, user, 0)
	live = live.Redeemed(now)
	wantAdvanced(t, s, live)
	wantOK(t, "RevokeGrant", s.RevokeGrant(t.Context(), revoked.GrantID, now))
	revoked.RevokedAt = now

	got := must[[]oauth.Grant](t)(s.GrantsOf(t.Context(), user, client, manyGrants))
	anyOrder := cmpopts.SortSlices(func(a, b oauth.Grant) bool { return string(a.Random[:]) < string(b.Random[:]) })
	wantSame(t, "GrantsOf", got, []oauth.Grant{code, live, revoked}, anyOrder)
	wantSame(t, "GrantsOf a stranger", must[[]oauth.Grant](t)(s.GrantsOf(t.Context(), client, user, manyGrants)), []oauth.Grant{})
}

// manyGrants is more than any user has here.
const manyGrants = 1000

func newestGrants(t *testing.T, s storage.Store) {
	const user, client = 41, 42
	var all []oauth.Grant
	for range 20 {
		all = append(all, addGrantOf(t, s, user, client))
	}
	addGrantOf(t, s, user, client+1)
	addGrantOf(t, s, user*10, client)
	slices.SortFunc(all, func(a, b oauth.Grant) int { return bytes.Compare(b.Random[:], a.Random[:]) })
	for _, most := range []int{1, 7, len(all), manyGrants, math.MaxInt} {
		got := must[[]oauth.Grant](t)(s.GrantsOf(t.Context(), user, client, most))
		wantSame(t, fmt.Sprintf("GrantsOf, %d at most", most), got, all[:min(most, len(all))])
	}
}

func grantsOfEach(t *testing.T, s storage.Store) {
	const user, most = 51, 4
	want := map[int64][]oauth.Grant{}
	for client, n := range map[int64]int{61: 2, 62: 1, 63: 3, 64: 9, 65: 4, 66: 1} {
		for range n {
			want[client] = append(want[client], addGrantOf(t, s, user, client))
		}
		slices.SortFunc(want[client], func(a, b oauth.Grant) int { return bytes.Compare(b.Random[:], a.Random[:]) })
		want[client] = want[client][:min(n, most)]
	}
	wantOK(t, "RevokeGrants", s.RevokeGrants(t.Context(), user, 62, now)) // has no summary
	delete(want, 62)
	addGrantOf(t, s, user, 0)
	addGrantOf(t, s, user+1, 63)
	of := summariesOf(t, s, user)
	wantSame(t, "GrantsOfEach", must[map[int64][]oauth.Grant](t)(s.GrantsOfEach(t.Context(), of, most)), want)
	delete(want, 61)
	wantSame(t, "GrantsOfEach of some", must[map[int64][]oauth.Grant](t)(s.GrantsOfEach(t.Context(), of[:4], most)), want)
	wantSame(t, "GrantsOfEach of none", must[map[int64][]oauth.Grant](t)(s.GrantsOfEach(t.Context(), nil, most)), map[int64][]oauth.Grant{})
}

// wantGrants checks which grants a user has to the client.
func wantGrants(t *testing.T, s storage.Store, userID, clientID int64, want ...oauth.Grant) {
	t.Helper()
	anyOrder := cmpopts.SortSlices(func(a, b oauth.Grant) bool { return string(a.Random[:]) < string(b.Random[:]) })
	wantSame(t, "GrantsOf", must[[]oauth.Grant](t)(s.GrantsOf(t.Context(), userID, clientID, manyGrants)), want, anyOrder)
}

// summariesOf returns the user's summaries.
func summariesOf(t *testing.T, s storage.Store, userID int64) []oauth.Summary {
	t.Helper()
	return must[page.Of[oauth.Summary]](t)(s.Summaries(t.Context(), userID, page.First)).Items
}

func summarizeGrants(t *testing.T, s storage.Store) {
	const user, client = 71, 72
	wantSame(t, "Summaries of nobody", summariesOf(t, s, user), []oauth.Summary{})
	addGrantOf(t, s, user, 0)
	addGrantOf(t, s, user+1, client)
	first := addGrantOf(t, s, user, client)
	want := oauth.Summary{UserID: user, ClientID: client, Application: first.Application, Scopes: first.Scopes.Or(nil), Since: now, Grants: 1}
	wantSame(t, "Summaries", summariesOf(t, s, user), []oauth.Summary{want})

	second := newGrant(user, client)
	second.Application, second.Scopes, second.CreatedAt = first.Application, scope.Of(scope.OpenID), now.Add(time.Hour)
	wantOK(t, "CreateGrant", s.CreateGrant(t.Context(), second))
	wantOK(t, "TouchGrant", s.TouchGrant(t.Context(), second.GrantID, now.Add(2*time.Hour)))
	want.Scopes, want.Grants, want.LastUse = first.Scopes.Or(second.Scopes), 2, now.Add(2*time.Hour)
	wantOK(t, "RevokeGrant", s.RevokeGrant(t.Context(), first.GrantID, now))
	wantAdvanced(t, s, second.Redeemed(now))
	wantSame(t, "Summaries", summariesOf(t, s, user), []oauth.Summary{want})

	before := want
	before.Grants = 1
	wantOK(t, "ForgetSummary, of before", s.ForgetSummary(t.Context(), before))
	wantSame(t, "Summaries", summariesOf(t, s, user), []oauth.Summary{want})
	for range 2 {
		wantOK(t, "ForgetSummary", s.ForgetSummary(t.Context(), want))
		wantSame(t, "Summaries", summariesOf(t, s, user), []oauth.Summary{})
	}
	wantOK(t, "TouchGrant", s.TouchGrant(t.Context(), second.GrantID, now.Add(3*time.Hour)))
	third := addGrantOf(t, s, user, client)
	want = oauth.Summary{UserID: user, ClientID: client, Application: third.Application, Scopes: third.Scopes.Or(nil), Since: now, Grants: 1}
	wantSame(t, "Summaries", summariesOf(t, s, user), []oauth.Summary{want})
	wantOK(t, "RevokeGrants", s.RevokeGrants(t.Context(), user, client, now))
	wantSame(t, "Summaries after RevokeGrants", summariesOf(t, s, user), []oauth.Summary{})
	if len(summariesOf(t, s, user+1)) != 1 {
		t.Error("the summary of another user is gone")
	}
}

func countPeople(t *testing.T, s storage.Store) {
	const first, second, third, client, other = 191, 192, 193, 194, 195
	wantPeople := func(clientID int64, want int) {
		t.Helper()
		wantSame(t, "People", must[int](t)(s.People(t.Context(), clientID, 10)), want)
	}
	wantPeople(client, 0)
	for _, user := range []int64{first, second, first, third} {
		addGrantOf(t, s, user, client)
	}
	addGrantOf(t, s, first, other)
	wantPeople(client, 3)
	wantPeople(other, 1)
	wantSame(t, "People, no further than two", must[int](t)(s.People(t.Context(), client, 2)), 2)

	before := summariesOf(t, s, second)[0]
	addGrantOf(t, s, second, client)
	wantOK(t, "ForgetSummary, of before", s.ForgetSummary(t.Context(), before))
	wantPeople(client, 3)
	wantOK(t, "ForgetSummary", s.ForgetSummary(t.Context(), summariesOf(t, s, second)[0]))
	wantPeople(client, 2)
	wantOK(t, "RevokeGrants", s.RevokeGrants(t.Context(), first, client, now))
	wantPeople(client, 1)
	wantPeople(other, 1)
	wantOK(t, "CreateGrant by many at once", errors.Join(race(8, func(i int) error {
		return s.CreateGrant(t.Context(), newGrant(first+int64(i%2), client))
	})...))
	wantPeople(client, 3)
}

func noteUse(t *testing.T, s storage.Store) {
	used, again, never := addClient(t, s, 0), addClient(t, s, 0), addClient(t, s, 0)
	all := []int64{used.ID, again.ID, never.ID, used.ID}
	day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	wantSame(t, "LastUses", must[map[int64]time.Time](t)(s.LastUses(t.Context(), all)), map[int64]time.Time{})
	for n, c := range []oauth.Client{used, again, again} {
		wantOK(t, "NoteUse", s.NoteUse(t.Context(), c.ID, day.AddDate(0, 0, n)))
	}
	wantSame(t, "LastUses", must[map[int64]time.Time](t)(s.LastUses(t.Context(), all)), map[int64]time.Time{used.ID: day, again.ID: day.AddDate(0, 0, 2)})
	wantSame(t, "LastUses of none", must[map[int64]time.Time](t)(s.LastUses(t.Context(), nil)), map[int64]time.Time{})
	wantOK(t, "DeleteClient", s.DeleteClient(t.Context(), used))
	wantSame(t, "LastUses", must[map[int64]time.Time](t)(s.LastUses(t.Context(), all)), map[int64]time.Time{again.ID: day.AddDate(0, 0, 2)})
}

func listSummaries(t *testing.T, s storage.Store) {
	const user = 81
	var want []oauth.Summary
	for client := int64(2 * listed); client > 0; client-- {
		g := newGrant(user, client)
		wantOK(t, "CreateGrant", s.CreateGrant(t.Context(), g))
		want = append(want, oauth.Summary{}.With(g))
	}
	list := func(r page.Request) (page.Of[oauth.Summary], error) {
		found, err := s.Summaries(t.Context(), user, r)
		if found.Total != -1 {
			t.Errorf("Summaries counts %d, want no count", found.Total)
		}
		found.Total = len(want)
		return found, err
	}
	wantListed(t, "Summaries", want, list)
	client := atomic.Int64{}
	client.Store(2 * listed)
	wantUndisturbed(t, "Summaries", want, func() error { return s.CreateGrant(t.Context(), newGrant(user, client.Add(1))) },
		list, func(a oauth.Summary) any { return a.ClientID })
}

// summaryRace adds grants of many scopes at once, while others forget a summary
// that they read before: a grant always has a summary.
func summaryRace(t *testing.T, s storage.Store) {
	const user, client = 91, 92
	offered := []scope.Scope{scope.API, scope.ReadUser, scope.OpenID, scope.ReadAPI}
	for range 4 {
		addGrantOf(t, s, user, client)
		before := summariesOf(t, s, user)[0]
		wantOK(t, "CreateGrant and ForgetSummary", errors.Join(race(len(offered)+4, func(i int) error {
			if i >= len(offered) {
				return s.ForgetSummary(t.Context(), before)
			}
			g := newGrant(user, client)
			g.Scopes, g.CreatedAt = scope.Of(offered[i]), now.Add(time.Duration(i+1)*time.Microsecond)
			return s.CreateGrant(t.Context(), g)
		})...))
		after := summariesOf(t, s, user)
		if len(after) != 1 || after[0].Grants != int64(len(offered)) && after[0].Grants != before.Grants+int64(len(offered)) || !scope.Of(offered...).Within(after[0].Scopes) {
			t.Errorf("the summaries are %+v, want one of the %d new grants, or of the %d before too", after, len(offered), before.Grants)
		}
	}
}

func revokeGrants(t *testing.T, s storage.Store) {
	const user, client = 51, 52
	before := addGrantOf(t, s, user, client)
	wantOK(t, "RevokeGrant", s.RevokeGrant(t.Context(), before.GrantID, now))
	before.RevokedAt = now
	want := []oauth.Grant{before}
	at := now.Add(time.Minute)
	for i := range 40 { // more than end side by side
		g := addGrantOf(t, s, user, client)
		if i%2 == 0 {
			g = g.Redeemed(now)
			wantAdvanced(t, s, g)
		}
		g.RevokedAt = at
		want = append(want, g)
	}
	kept := addGrantOf(t, s, user, client+1)
	stranger := addGrantOf(t, s, user+1, client)

	wantOK(t, "RevokeGrants", s.RevokeGrants(t.Context(), user, client, at))
	wantGrants(t, s, user, client, want...)
	wantGrant(t, s, kept)
	wantGrant(t, s, stranger)
	wantRefused(t, s, want[1].Rotated(want[1].Scopes, now.Add(time.Hour)), want[1])

	wantError(t, "RevokeGrants again", s.RevokeGrants(t.Context(), user, client, at.Add(time.Hour)), oauth.ErrNothingGranted)
	wantGrants(t, s, user, client, want...)
	wantGrant(t, s, kept)
	wantError(t, "RevokeGrants of none", s.RevokeGrants(t.Context(), client, user, at), oauth.ErrNothingGranted)
}

func revokeGrantsRace(t *testing.T, s storage.Store) {
	const user, client = 61, 62
	var grants []oauth.Grant
	for range 16 {
		grants = append(grants, addGrantOf(t, s, user, client))
	}
	race(len(grants)+2, func(i int) error {
		if i < len(grants) {
			if _, err := s.AdvanceGrant(t.Context(), grants[i].Redeemed(now)); err != nil && !errors.Is(err, oauth.ErrGrantChanged) {
				t.Errorf("AdvanceGrant beside RevokeGrants = %v, want nil or a conflict", err)
			}
			return nil
		}
		if err := s.RevokeGrants(t.Context(), user, client, now); err != nil && !errors.Is(err, oauth.ErrNothingGranted) {
			t.Errorf("RevokeGrants = %v, want no error unless another call ended all", err)
		}
		return nil
	})
	for _, g := range must[[]oauth.Grant](t)(s.GrantsOf(t.Context(), user, client, manyGrants)) {
		if !g.Revoked() {
			t.Errorf("a grant of generation %d outlived RevokeGrants", g.Generation)
		}
	}
}

func touchGrant(t *testing.T, s storage.Store) {
	g := addRedeemed(t, s)
	next := g.Rotated(g.Scopes, now.Add(time.Minute))
	for i := range 4 {
		at := now.Add(time.Duration(i+1) * time.Minute)
		err := errors.Join(race(2, func(caller int) error {
			if caller == 0 {
				return s.TouchGrant(t.Context(), g.GrantID, at)
			}
			_, err := s.AdvanceGrant(t.Context(), next)
			return err
		})...)
		wantOK(t, "TouchGrant beside AdvanceGrant", err)
		g, next = next, next.Rotated(g.Scopes, next.IssuedAt.Add(time.Minute))
		g.UsedAt, next.UsedAt = at, at
		wantGrant(t, s, g)
	}
	wantOK(t, "RevokeGrant", s.RevokeGrant(t.Context(), g.GrantID, now))
	wantOK(t, "TouchGrant of a revoked grant", s.TouchGrant(t.Context(), g.GrantID, g.UsedAt))
	g.RevokedAt = now
	wantGrant(t, s, g)
}

func touchGoneGrant(t *testing.T, s storage.Store) {
	unknown := newGrant(11, 22)
	wantOK(t, "TouchGrant", s.TouchGrant(t.Context(), unknown.GrantID, now))
	_, err := s.Grant(t.Context(), unknown.GrantID)
	wantError(t, "Grant", err, oauth.ErrGrantNotFound)
}
