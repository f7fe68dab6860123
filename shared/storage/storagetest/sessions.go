package storagetest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/page"
	"gatehouse/shared/session"
	"gatehouse/shared/storage"
)

var sessions = []promise{
	{"are created and read back", createSession},
	{"that have expired are read back or forgotten", expiredSession},
	{"note their use", touchSession},
	{"end", endSession},
	{"that ended stay gone", touchEndedSession},
	{"are listed by user", listSessions},
	{"end but for one", endOtherSessions},
	{"are listed in pages, the newest first", listSessionPages},
}

func createSession(t *testing.T, s storage.Store) {
	ada, ben := addUser(t, s), addUser(t, s)
	first, second := addSession(t, s, ada.ID), addSession(t, s, ada.ID)
	for _, want := range []session.Session{first, second} {
		wantSame(t, "Session", must[session.Session](t)(s.Session(t.Context(), ada.ID, want.ID)), want)
	}
	_, err := s.Session(t.Context(), ben.ID, first.ID)
	wantError(t, "Session of another user", err, session.ErrNotFound)
	_, err = s.Session(t.Context(), ada.ID, newSession(ada.ID).ID)
	wantError(t, "Session of an unknown id", err, session.ErrNotFound)
}

// sessionsOf returns the user's sessions in an order of its own.
func sessionsOf(t *testing.T, s storage.Store, userID int64) []session.Session {
	t.Helper()
	all := func(session.Session) bool { return true }
	found := must[page.Of[session.Session]](t)(s.Sessions(t.Context(), userID, all, page.Request{Number: 1, Size: 100})).Items
	slices.SortFunc(found, func(a, b session.Session) int { return strings.Compare(a.ID, b.ID) })
	return found
}

// listSessionPages lists sessions of the present and of a release before, which had
// random ids.
func listSessionPages(t *testing.T, s storage.Store) {
	ada, ben := addUser(t, s), addUser(t, s)
	var all []session.Session
	for i := range 24 {
		one := newSession(ada.ID)
		if i%3 > 0 {
			one.ID = "ff" + one.ID[2:]
		}
		if i%2 > 0 {
			one.LastSeenAt = one.LastSeenAt.Add(time.Minute)
		}
		wantOK(t, "CreateSession", s.CreateSession(t.Context(), one))
		all = append(all, one)
	}
	addSession(t, s, ben.ID)
	slices.SortFunc(all, func(a, b session.Session) int { return strings.Compare(b.ID, a.ID) })
	for name, keep := range map[string]func(session.Session) bool{
		"all":  func(session.Session) bool { return true },
		"some": func(s session.Session) bool { return s.LastSeenAt.After(s.CreatedAt) },
		"none": func(session.Session) bool { return false },
	} {
		list := func(r page.Request) (page.Of[session.Session], error) {
			found, err := s.Sessions(t.Context(), ada.ID, keep, r)
			found.Total = page.Count(len(kept(all, keep))) // which is not counted
			return found, err
		}
		wantListed(t, "Sessions, "+name, kept(all, keep), list)
	}
	every := func(session.Session) bool { return true }
	wantUndisturbed(t, "Sessions", all, func() error { return s.CreateSession(t.Context(), newSession(ada.ID)) },
		func(r page.Request) (page.Of[session.Session], error) {
			return s.Sessions(t.Context(), ada.ID, every, r)
		},
		func(s session.Session) any { return s.ID })
}

func kept[T any](all []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(thing T) bool { return !keep(thing) })
}

func listSessions(t *testing.T, s storage.Store) {
	ada, ben := addUser(t, s), addUser(t, s)
	bare := newSession(ada.ID)
	bare.Browser = audit.Browser{}
	wantOK(t, "CreateSession", s.CreateSession(t.Context(), bare))
	want := []session.Session{bare, addSession(t, s, ada.ID), addSession(t, s, ada.ID)}
	slices.SortFunc(want, func(a, b session.Session) int { return strings.Compare(a.ID, b.ID) })
	addSession(t, s, ben.ID)
	wantSame(t, "Sessions", sessionsOf(t, s, ada.ID), want)
	wantSame(t, "Sessions of a user without any", sessionsOf(t, s, addUser(t, s).ID), []session.Session{})
}

func endOtherSessions(t *testing.T, s storage.Store) {
	ada, ben := addUser(t, s), addUser(t, s)
	kept, bens := addSession(t, s, ada.ID), addSession(t, s, ben.ID)
	for range 20 { // more than end side by side
		addSession(t, s, ada.ID)
	}
	wantOK(t, "EndOtherSessions", s.EndOtherSessions(t.Context(), ada.ID, kept.ID))
	for range 2 {
		wantError(t, "EndOtherSessions without others", s.EndOtherSessions(t.Context(), ada.ID, kept.ID), session.ErrNotFound)
		wantSame(t, "Sessions", sessionsOf(t, s, ada.ID), []session.Session{kept})
	}
	wantSame(t, "Sessions of another user", sessionsOf(t, s, ben.ID), []session.Session{bens})
}

func expiredSession(t *testing.T, s storage.Store) {
	want := newSession(addUser(t, s).ID)
	want.CreatedAt, want.LastSeenAt = now.AddDate(0, -3, 0), now.AddDate(0, -2, 0)
	wantOK(t, "CreateSession", s.CreateSession(t.Context(), want))
	got, err := s.Session(t.Context(), want.UserID, want.ID)
	if errors.Is(err, session.ErrNotFound) {
		return // swept
	}
	wantOK(t, "Session", err)
	wantSame(t, "Session", got, want)
}

func touchSession(t *testing.T, s storage.Store) {
	want := addSession(t, s, addUser(t, s).ID)
	at := now.Add(session.TouchEvery + time.Microsecond)
	wantOK(t, "TouchSession", s.TouchSession(t.Context(), want, at))
	want.LastSeenAt = at
	wantSame(t, "Session", must[session.Session](t)(s.Session(t.Context(), want.UserID, want.ID)), want)
}

func endSession(t *testing.T, s storage.Store) {
	u := addUser(t, s)
	ended, other := addSession(t, s, u.ID), addSession(t, s, u.ID)
	wantError(t, "EndSession of another user", s.EndSession(t.Context(), u.ID+1, ended.ID), session.ErrNotFound)
	must[session.Session](t)(s.Session(t.Context(), u.ID, ended.ID))

	wantOK(t, "EndSession", s.EndSession(t.Context(), u.ID, ended.ID))
	_, err := s.Session(t.Context(), u.ID, ended.ID)
	wantError(t, "Session after its end", err, session.ErrNotFound)
	wantError(t, "EndSession again", s.EndSession(t.Context(), u.ID, ended.ID), session.ErrNotFound)
	wantSame(t, "Session", must[session.Session](t)(s.Session(t.Context(), u.ID, other.ID)), other)
}

func touchEndedSession(t *testing.T, s storage.Store) {
	ended := addSession(t, s, addUser(t, s).ID)
	wantOK(t, "EndSession", s.EndSession(t.Context(), ended.UserID, ended.ID))
	wantOK(t, "TouchSession", s.TouchSession(t.Context(), ended, now.Add(time.Hour)))
	_, err := s.Session(t.Context(), ended.UserID, ended.ID)
	wantError(t, "Session", err, session.ErrNotFound)
}
