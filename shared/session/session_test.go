package session_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/session"
	"gatehouse/shared/user"
)

func start(t *testing.T, a *apptest.App) string {
	t.Helper()
	cookie, err := a.Sessions.Start(t.Context(), a.User("ada"), audit.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	return cookie.Reveal()
}

func wantSession(t *testing.T, a *apptest.App, cookie string, want bool) {
	t.Helper()
	_, err := a.Sessions.Recognise(t.Context(), cookie)
	if want && err != nil || !want && !fault.Is(err, fault.Unauthorized) {
		t.Errorf("Recognise(%q) = %v, want recognised %v", cookie, err, want)
	}
}

func TestSessionIsRecognisedByItsWholeCookie(t *testing.T) {
	a := apptest.New(t)
	cookie := start(t, a)
	user, rest, _ := strings.Cut(cookie, ".")
	id, text, _ := strings.Cut(rest, ".")
	other := strings.Repeat("0", 64)
	wantSession(t, a, cookie, true)
	for _, wrong := range []string{
		"", user, user + "." + id, user + "." + id + "." + other, user + "." + other[:32] + "." + text,
		"0" + "." + rest, "-" + cookie, "x." + rest, cookie + "0", cookie + ".", user + "9." + rest,
	} {
		wantSession(t, a, wrong, false)
	}
}

func TestSessionEndsWhenIdle(t *testing.T) {
	a := apptest.New(t)
	cookie := start(t, a)
	a.Pass(session.IdleLimit - time.Second)
	wantSession(t, a, cookie, true) // and is used, which begins the time anew
	a.Pass(session.IdleLimit - time.Second)
	wantSession(t, a, cookie, true)
	a.Pass(session.IdleLimit)
	wantSession(t, a, cookie, false)
}

func TestSessionEndsAfterAMonthInAnyCase(t *testing.T) {
	a := apptest.New(t)
	cookie := start(t, a)
	for range 4 {
		a.Pass(6 * 24 * time.Hour)
		wantSession(t, a, cookie, true)
	}
	a.Pass(session.AbsoluteLimit - 4*6*24*time.Hour)
	wantSession(t, a, cookie, false)
}

func TestEndedSessionIsNotRecognised(t *testing.T) {
	a := apptest.New(t)
	cookie := start(t, a)
	for _, c := range []string{"no cookie", cookie, cookie} {
		if err := a.Sessions.SignOut(t.Context(), c); err != nil {
			t.Errorf("SignOut(%q) = %v, want no error", c, err)
		}
	}
	wantSession(t, a, cookie, false)
}

// userOf returns the user of the session.
func userOf(t *testing.T, a *apptest.App, s session.Session) user.User {
	t.Helper()
	u, err := a.Users.User(t.Context(), s.UserID)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestSessionsAreListedInPagesByTheirSignIn(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	for range 21 {
		if _, err := a.Sessions.Start(t.Context(), ada, audit.Browser{}); err != nil {
			t.Fatal(err)
		}
		a.Pass(time.Second)
	}
	first, err := a.Sessions.Of(t.Context(), ada, page.First)
	if err != nil || len(first.Items) != 20 || !first.Items[0].CreatedAt.Equal(a.Now().Add(-time.Second)) {
		t.Errorf("the first page has %d sessions, %v, want 20 from the newest on", len(first.Items), err)
	}
	second, err := a.Sessions.Of(t.Context(), ada, page.Request{Number: 2, Size: 20, After: first.Next})
	if err != nil || second.More || len(second.Items) != 1 || !second.Items[0].CreatedAt.Equal(a.Now().Add(-21*time.Second)) {
		t.Errorf("the second page has %d sessions, %v, want the oldest", len(second.Items), err)
	}
	a.Pass(session.IdleLimit - 10*time.Second)
	if found, err := a.Sessions.Of(t.Context(), ada, page.First); err != nil || len(found.Items) != 9 || found.More {
		t.Errorf("%d sessions are listed, %v, want the 9 that have not ended", len(found.Items), err)
	}
}

func TestUseIsRecordedOnceAnHour(t *testing.T) {
	a := apptest.New(t)
	cookie, begun := start(t, a), a.Now()
	tests := []struct {
		pass, recorded time.Duration // since the last use, since the session began
	}{
		{session.TouchEvery - time.Second, 0},
		{time.Second, session.TouchEvery},
		{session.TouchEvery - time.Second, session.TouchEvery},
		{2 * time.Second, 2*session.TouchEvery + time.Second},
	}
	for _, test := range tests {
		a.Pass(test.pass)
		used, err := a.Sessions.Recognise(t.Context(), cookie)
		if err != nil {
			t.Fatal(err)
		}
		sessions, err := a.Sessions.Of(t.Context(), userOf(t, a, used), page.First)
		if err != nil || len(sessions.Items) != 1 {
			t.Fatalf("the sessions are %v, %v, want one", sessions, err)
		}
		if got := sessions.Items[0].LastSeenAt.Sub(begun); got != test.recorded {
			t.Errorf("%v after its beginning the session was last used after %v, want %v", a.Now().Sub(begun), got, test.recorded)
		}
	}
}
