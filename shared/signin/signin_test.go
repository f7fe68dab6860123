package signin_test

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/secret"
	"gatehouse/shared/signin"
	"gatehouse/shared/user"
)

func TestPassword(t *testing.T) {
	f := newFixture(t)
	signedIn := event(signin.EventSignIn, audit.Done, f.ada, f.ada)
	failed := func(of user.User) string { return event(signin.EventFailed, audit.Refused, nobody, of) }
	tests := []struct {
		name, login, password string
		want                  signin.Outcome
		events                []string
	}{
		{"right", "ada", apptest.Password, signin.SignedIn, []string{signedIn}},
		{"by e-mail address, in capitals", "ADA@example.com", apptest.Password, signin.SignedIn, []string{signedIn}},
		{"wrong", "ada", "wrong", signin.Refused, []string{failed(f.ada)}},
		{"empty", "ada", "", signin.Refused, []string{failed(f.ada)}},
		{"another user's", "nobody", apptest.Password, signin.Refused, []string{failed(nobody)}},
		{"without a login", "", apptest.Password, signin.Refused, []string{failed(nobody)}},
		{"of a blocked user", "cleo", apptest.Password, signin.Refused, []string{failed(f.cleo)}},
		{"wrong, of a blocked user", "cleo", "wrong", signin.Refused, []string{failed(f.cleo)}},
		{"right, before a second factor", "ben", apptest.Password, signin.NeedsSecondFactor, nil},
		{"wrong, before a second factor", "ben", "wrong", signin.Refused, []string{failed(f.ben)}},
	}
	sessions := 0
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f.t = t
			f.want(test.want)(f.password(test.login, test.password))
			f.wantTrail(test.events...)
			if test.want == signin.SignedIn {
				sessions++
			}
			f.wantSessions(f.ada, sessions)
			f.wantSessions(f.ben, 0)
			f.wantSessions(f.cleo, 0)
		})
	}
}

func TestSignInStartsASessionAndEndsTheBrowsersOwn(t *testing.T) {
	f := newFixture(t)
	first, err := f.password("cleo", apptest.Password)
	f.want(signin.Refused)(first, err)
	planted, err := f.Sessions.Start(t.Context(), f.ben, audit.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	from := origin(home)
	from.Session = planted.Reveal()
	result, err := f.passwordFrom(from, "ada", apptest.Password)
	f.want(signin.SignedIn)(result, err)
	f.wantSessions(f.ben, 0)
	got, err := f.Sessions.Recognise(t.Context(), result.Cookie.Reveal())
	if err != nil || got.UserID != f.ada.ID || got.Browser != from.Browser || !got.CreatedAt.Equal(f.Now()) {
		t.Errorf("the session is %+v, %v, want one of ada in %v", got, err, from.Browser)
	}
	from.Session = "made up"
	f.want(signin.SignedIn)(f.passwordFrom(from, "ada", apptest.Password))
	f.wantSessions(f.ada, 2)
}

// A change that ends sessions ends one as well whose password it overtook.
func TestSessionRemembersTheUserAsReadWithThePassword(t *testing.T) {
	f := newFixture(t)
	f.store.before["CreateSession"] = func() error {
		f.update(f.ada, user.Change{Password: new(secret.NewText("difference engine"))})
		return nil
	}
	f.want(signin.SignedIn)(f.password("ada", apptest.Password))
	u, err := f.Users.User(t.Context(), f.ada.ID)
	if started := f.wantSessions(f.ada, 1)[0]; err != nil || u.SessionValid(started.SessionEpoch) {
		t.Errorf("the session with the old password goes on (%v)", err)
	}
}

func TestPasswordIsThrottled(t *testing.T) {
	f := newFixture(t)
	for range 10 {
		f.want(signin.Refused)(f.password("ada", "wrong"))
	}
	f.log.take()
	f.Pass(time.Minute)
	tests := []struct {
		name, address, login, password string
		want                           signin.Outcome
	}{
		{"the account from the address", home, "ada", apptest.Password, signin.Throttled},
		{"in capitals", home, "ADA", apptest.Password, signin.Throttled},
		{"with a wrong password", home, "ada", "wrong", signin.Throttled},
		{"the account by its other name", home, "ada@example.com", apptest.Password, signin.SignedIn},
		{"the account from elsewhere", elsewhere, "ada", apptest.Password, signin.SignedIn},
		{"another account from the address", home, "ben", apptest.Password, signin.NeedsSecondFactor},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f.t = t
			result, err := f.passwordFrom(origin(test.address), test.login, test.password)
			f.want(test.want)(result, err)
			if test.want == signin.Throttled {
				if result.Wait != 9*time.Minute {
					t.Errorf("the wait is %s, want 9m", result.Wait)
				}
				f.wantTrail(event(signin.EventThrottled, audit.Refused, nobody, nobody))
			}
			f.log.take()
		})
	}
	f.t = t
	f.Pass(9*time.Minute - time.Microsecond)
	f.want(signin.Throttled)(f.password("ada", apptest.Password))
	f.Pass(time.Microsecond)
	f.want(signin.SignedIn)(f.password("ada", apptest.Password))
}

// An account that does not exist is throttled like one that does.
func TestUnknownLoginIsThrottled(t *testing.T) {
	f := newFixture(t)
	for range 10 {
		f.want(signin.Refused)(f.password("nobody", "wrong"))
	}
	f.want(signin.Throttled)(f.password("nobody", "wrong"))
}

func TestRightPasswordForgetsFailures(t *testing.T) {
	f := newFixture(t)
	for login, want := range map[string]signin.Outcome{"ada": signin.SignedIn, "ben": signin.NeedsSecondFactor} {
		for range 3 {
			for range 9 {
				f.want(signin.Refused)(f.password(login, "wrong"))
			}
			f.want(want)(f.password(login, apptest.Password))
		}
	}
}

func TestConfirm(t *testing.T) {
	f := newFixture(t)
	confirm := func(password, from string) (signin.Result, error) {
		return f.SignIn.Confirm(t.Context(), f.ada, secret.NewText(password), netip.MustParseAddr(from))
	}
	for range 3 {
		for range 9 {
			f.want(signin.Refused)(confirm("wrong", home))
			f.wantTrail(event(user.EventPasswordRefused, audit.Refused, nobody, f.ada))
		}
		f.want(signin.Confirmed)(confirm(apptest.Password, home))
		f.wantTrail()
	}
	f.wantSessions(f.ada, 0)

	// The sign-in page and the settings count together.
	for range 5 {
		f.want(signin.Refused)(confirm("wrong", home))
		f.want(signin.Refused)(f.password("ada", "wrong"))
	}
	f.log.take()
	result, err := confirm(apptest.Password, home)
	f.want(signin.Throttled)(result, err)
	if result.Wait != 10*time.Minute {
		t.Errorf("the wait is %s, want 10m", result.Wait)
	}
	f.wantTrail(event(signin.EventThrottled, audit.Refused, nobody, f.ada))
	f.want(signin.Throttled)(f.password("ada", apptest.Password))
	f.want(signin.Confirmed)(confirm(apptest.Password, elsewhere))
}

func TestConfirmReturnsTheErrorsOfTheStore(t *testing.T) {
	for _, method := range []string{"CountAttempt", "ForgetAttempts"} {
		f := newFixture(t)
		away := f.fail(method)
		f.wantError(away)(f.SignIn.Confirm(t.Context(), f.ada, secret.NewText(apptest.Password), netip.MustParseAddr(home)))
		f.wantTrail()
	}
}

// fail makes a method of the store fail with the error that it returns.
func (f *fixture) fail(method string) error {
	away := errors.New("the store is away")
	f.store.before[method] = func() error { return away }
	return away
}

func TestPasswordReturnsTheErrorsOfTheStore(t *testing.T) {
	tests := []struct {
		method, login string
		recorded      bool // as a sign-in that failed
	}{
		{"UserByLogin", "ada", false},
		{"CountAttempt", "ada", false},
		{"ForgetAttempts", "ada", true},
		{"Session", "ada", true},
		{"EndSession", "ada", true},
		{"CreateSession", "ada", true},
		{"ForgetAttempts", "ben", false},
	}
	for _, test := range tests {
		t.Run(test.method+" of "+test.login, func(t *testing.T) {
			f := newFixture(t)
			planted, err := f.Sessions.Start(t.Context(), f.cleo, audit.Browser{})
			if err != nil {
				t.Fatal(err)
			}
			away, from := f.fail(test.method), origin(home)
			from.Session = planted.Reveal()
			f.wantError(away)(f.passwordFrom(from, test.login, apptest.Password))
			if test.recorded {
				f.wantTrail(event(signin.EventSignIn, audit.Failed, f.ada, f.ada))
			} else {
				f.wantTrail()
			}
			if test.method != "ForgetAttempts" { // which fails beside the start of the session
				f.wantSessions(f.ada, 0)
			}
			f.wantSessions(f.ben, 0)
		})
	}
}
