package signin_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/secret"
	"gatehouse/shared/signin"
	"gatehouse/shared/throttle"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

// In each row the code is the one that the app shows, or another one.
func TestSecondFactor(t *testing.T) {
	tests := []struct {
		name     string
		code     func(*fixture) string
		want     signin.Outcome
		recovery bool
		counted  bool // as a failure
	}{
		{"code", func(f *fixture) string { return f.seed.Code(f.Now()) }, signin.SignedIn, false, false},
		{"code in groups", func(f *fixture) string { code := f.seed.Code(f.Now()); return " " + code[:3] + " " + code[3:] }, signin.SignedIn, false, false},
		{"recovery code", func(f *fixture) string { return f.codes[3].Reveal() }, signin.SignedIn, true, false},
		{"recovery code in capitals", func(f *fixture) string { return strings.ToUpper(f.codes[9].Reveal()) }, signin.SignedIn, true, false},
		{"wrong code", (*fixture).wrong, signin.Refused, false, true},
		{"used code", func(f *fixture) string { return f.use(f.seed.Code(f.Now())) }, signin.Refused, false, true},
		{"wrong recovery code", func(*fixture) string { return "abcd-efgh-ijkl-mnop" }, signin.Refused, false, true},
		{"used recovery code", func(f *fixture) string { return f.use(f.codes[0].Reveal()) }, signin.Refused, false, true},
		{"no code", func(*fixture) string { return "12345" }, signin.Refused, false, false},
		{"nothing", func(*fixture) string { return "" }, signin.Refused, false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			code := test.code(f)
			pending := f.pend()
			f.log.take()
			before, counted := len(f.sessions()), f.store.count("CountAttempt")
			result, err := f.code(pending, code)
			f.want(test.want)(result, err)
			if result.RecoveryCode != test.recovery {
				t.Errorf("RecoveryCode = %t, want %t", result.RecoveryCode, test.recovery)
			}
			f.wantTrail(f.secondStepEvents(test.want, test.recovery, test.counted)...)
			want := before
			if test.want == signin.SignedIn {
				want++
			}
			f.wantSessions(f.ben, want)
			if got := f.store.count("CountAttempt") > counted; got != (test.counted || test.want == signin.SignedIn) {
				t.Errorf("the attempt was counted: %t", got)
			}
		})
	}
}

func (f *fixture) secondStepEvents(outcome signin.Outcome, recovery, failed bool) (events []string) {
	if recovery {
		events = append(events, event(twofactor.EventRecoveryCodeUsed, audit.Done, f.ben, f.ben, "user=ben"))
	}
	if outcome == signin.SignedIn {
		events = append(events, event(signin.EventSignIn, audit.Done, f.ben, f.ben))
	}
	if failed {
		events = append(events, event(signin.EventFailed, audit.Refused, nobody, f.ben, "after=the right password"))
	}
	return events
}

// use signs ben in with the code and returns it.
func (f *fixture) use(code string) string {
	f.t.Helper()
	f.want(signin.SignedIn)(f.code(f.pend(), code))
	return code
}

// sessions returns ben's.
func (f *fixture) sessions() []string {
	f.t.Helper()
	var ids []string
	for _, s := range f.sessionsOf(f.ben) {
		ids = append(ids, s.ID)
	}
	return ids
}

func TestSessionOfASecondFactor(t *testing.T) {
	f := newFixture(t)
	planted, err := f.Sessions.Start(t.Context(), f.ada, audit.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	from := origin(elsewhere)
	from.Session = planted.Reveal()
	result, err := f.codeFrom(from, f.pend(), f.codes[0].Reveal())
	f.want(signin.SignedIn)(result, err)
	f.wantSessions(f.ada, 0)
	got, err := f.Sessions.Recognise(t.Context(), result.Cookie.Reveal())
	if err != nil || got.UserID != f.ben.ID || got.Browser != from.Browser {
		t.Errorf("the session is %+v, %v, want one of ben in %v", got, err, from.Browser)
	}
}

// wantOver checks that the sign-in cannot be completed with any code, and that
// trying leaves no trace.
func (f *fixture) wantOver(pending string) {
	f.t.Helper()
	f.log.take()
	before := len(f.sessions())
	for _, code := range []string{f.codes[9].Reveal(), f.seed.Code(f.Now()), f.wrong()} {
		f.want(signin.Over)(f.code(pending, code))
	}
	f.wantTrail()
	f.wantSessions(f.ben, before)
}

func TestForgedPendingSignIn(t *testing.T) {
	f := newFixture(t)
	good, stranger := f.pend(), newFixture(t)
	for name, forged := range map[string]string{
		"none": "", "no base64": "%", "made up": "x", "cut at the front": good[1:], "cut at the end": good[:len(good)-4], "continued": good + "AAAA",
		"of another instance": stranger.pend(), "of another purpose": f.TwoFactor.Begin(f.ben, "sign-in").Ticket.Reveal(),
	} {
		t.Run(name, func(t *testing.T) {
			f.t = t
			if f.SignIn.Pending(forged) {
				t.Error("the sign-in is pending")
			}
			f.want(signin.Over)(f.code(forged, "12345"))
			f.wantOver(forged)
		})
	}
	f.t = t
	f.want(signin.SignedIn)(f.code(good, f.codes[0].Reveal()))
}

func TestPendingSignInLastsTenMinutes(t *testing.T) {
	f := newFixture(t)
	pending := f.pend()
	f.Pass(10*time.Minute - time.Microsecond)
	if !f.SignIn.Pending(pending) {
		t.Error("the sign-in is over within its time")
	}
	f.want(signin.Refused)(f.code(pending, f.wrong()))
	f.Pass(time.Microsecond)
	if f.SignIn.Pending(pending) {
		t.Error("the sign-in is pending after its time")
	}
	f.wantOver(pending)
}

func TestPendingSignInIsCompletedInItsLastInstant(t *testing.T) {
	f := newFixture(t)
	pending := f.pend()
	f.Pass(10*time.Minute - time.Microsecond)
	f.want(signin.SignedIn)(f.code(pending, f.codes[0].Reveal()))
}

// A sign-in ends every one that began before it or at the same time.
func TestSignInIsCompletedOnce(t *testing.T) {
	f := newFixture(t)
	before, pending := f.pend(), f.pend()
	same, err := f.password("ben", apptest.Password)
	f.want(signin.NeedsSecondFactor)(same, err)
	f.Pass(time.Microsecond)
	after, err := f.password("ben", apptest.Password)
	f.want(signin.NeedsSecondFactor)(after, err)
	f.want(signin.SignedIn)(f.code(pending, f.codes[0].Reveal()))
	for _, over := range []string{pending, before, same.Cookie.Reveal()} {
		f.wantOver(over)
	}
	f.want(signin.SignedIn)(f.code(after.Cookie.Reveal(), f.codes[1].Reveal()))
}

func TestWhatEndsSessionsEndsPendingSignIns(t *testing.T) {
	ctx := t.Context()
	tests := map[string]func(*fixture) error{
		"a new password": func(f *fixture) error {
			f.update(f.ben, user.Change{Password: new(secret.NewText("difference engine"))})
			return nil
		},
		"a block": func(f *fixture) error { f.Block(f.ben); return nil },
		"a block that ended": func(f *fixture) error {
			f.Block(f.ben)
			f.update(f.ben, user.Change{State: new(user.Active)})
			return nil
		},
		"a reset": func(f *fixture) error { _, err := f.TwoFactor.Reset(ctx, audit.Setup, f.ben); return err },
		"another second factor": func(f *fixture) error {
			u, err := f.TwoFactor.Disable(ctx, f.ben)
			if err == nil {
				_, f.seed, f.codes = f.enrol(u)
			}
			return err
		},
		"the end of the account": func(f *fixture) error { return f.Users.Delete(ctx, audit.Setup, f.ben.ID) },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			pending := f.pend()
			if err := change(f); err != nil {
				t.Fatal(err)
			}
			if !f.SignIn.Pending(pending) {
				t.Error("Pending asks more than the cookie")
			}
			f.wantOver(pending)
		})
	}
}

func TestOtherChangesDoNotEndPendingSignIns(t *testing.T) {
	f := newFixture(t)
	pending := f.pend()
	f.update(f.ben, user.Change{Name: new("Ben King")})
	f.want(signin.SignedIn)(f.code(pending, f.codes[0].Reveal()))
}

func TestSecondFactorIsThrottled(t *testing.T) {
	f := newFixture(t)
	pending := f.pend()
	for range 11 {
		f.want(signin.Refused)(f.code(pending, "12345")) // cannot be a code
	}
	for range 10 {
		f.want(signin.Refused)(f.code(pending, f.wrong()))
	}
	f.log.take()
	result, err := f.code(pending, f.codes[0].Reveal())
	f.want(signin.Throttled)(result, err)
	if result.Wait != 10*time.Minute {
		t.Errorf("the wait is %s, want 10m", result.Wait)
	}
	f.wantTrail(event(signin.EventThrottled, audit.Refused, nobody, f.ben))
	f.wantSessions(f.ben, 0)
	f.pend() // the password is counted by itself
	f.want(signin.SignedIn)(f.codeFrom(origin(elsewhere), pending, f.codes[0].Reveal()))
	f.Pass(10*time.Minute - time.Second - time.Microsecond)
	f.want(signin.Throttled)(f.code(f.pendNow(), f.codes[1].Reveal()))
	f.Pass(time.Microsecond)
	f.want(signin.SignedIn)(f.code(f.pendNow(), f.codes[1].Reveal()))
}

// exhaust fails so often that no address may guess any more, and returns a pending
// sign-in.
func (f *fixture) exhaust() (pending string) {
	f.t.Helper()
	pending = f.pend()
	for n := range 100 {
		f.want(signin.Refused)(f.codeFrom(address(100+n/10), pending, f.wrong()))
	}
	return pending
}

// address returns a browser at the n-th address of a network.
func address(n int) signin.Origin { return origin(fmt.Sprintf("198.51.100.%d", n)) }

func TestHundredWrongCodesThrottleAllAddresses(t *testing.T) {
	f := newFixture(t)
	pending := f.exhaust()
	for range 5 {
		result, err := f.codeFrom(address(20), pending, f.seed.Code(f.Now()))
		f.want(signin.Throttled)(result, err)
		if result.Wait != 24*time.Hour {
			t.Errorf("the wait is %s, want 24h", result.Wait)
		}
	}
	f.Pass(24*time.Hour - time.Second - time.Microsecond)
	pending = f.pend()
	f.want(signin.Throttled)(f.codeFrom(address(20), pending, f.seed.Code(f.Now())))
	f.Pass(time.Microsecond)
	f.want(signin.SignedIn)(f.codeFrom(address(20), pending, f.seed.Code(f.Now())))
}

// Nobody guesses a recovery code, so whoever has one is let in.
func TestRecoveryCodeOpensAnAccountWithoutGuessesLeft(t *testing.T) {
	f := newFixture(t)
	f.want(signin.SignedIn)(f.codeFrom(address(20), f.exhaust(), f.codes[0].Reveal()))
	f.want(signin.Throttled)(f.codeFrom(address(20), f.pend(), f.seed.Code(f.Now())))
}

func TestNewPasswordBeginsNewGuesses(t *testing.T) {
	f := newFixture(t)
	f.exhaust()
	f.update(f.ben, user.Change{Password: new(secret.NewText("difference engine"))})
	f.Pass(time.Second)
	result, err := f.password("ben", "difference engine")
	f.want(signin.NeedsSecondFactor)(result, err)
	f.want(signin.SignedIn)(f.code(result.Cookie.Reveal(), f.seed.Code(f.Now())))
}

// What was not looked at is not among the hundred.
func TestOnlyCodesThatWereLookedAtAreAmongTheHundred(t *testing.T) {
	f := newFixture(t)
	over := f.pend()
	f.use(f.codes[0].Reveal())
	pending := f.pend()
	for range 11 { // the address is refused the last one
		f.codeFrom(address(0), pending, f.wrong())
	}
	for n := range 120 {
		f.want(signin.Over)(f.codeFrom(address(20+n/10), over, f.wrong()))
		f.want(signin.Refused)(f.codeFrom(address(20+n/10), pending, "12345"))
	}
	for n := range 89 {
		f.want(signin.Refused)(f.codeFrom(address(40+n/10), pending, f.wrong()))
	}
	f.want(signin.SignedIn)(f.codeFrom(address(60), pending, f.seed.Code(f.Now())))
	f.exhaust()
}

func (f *fixture) pendNow() string {
	f.t.Helper()
	result, err := f.password("ben", apptest.Password)
	f.want(signin.NeedsSecondFactor)(result, err)
	return result.Cookie.Reveal()
}

func TestRightSecondFactorForgetsFailures(t *testing.T) {
	f := newFixture(t)
	for i := range 3 {
		pending := f.pend()
		for range 9 {
			f.want(signin.Refused)(f.code(pending, f.wrong()))
		}
		f.want(signin.SignedIn)(f.code(pending, f.codes[i].Reveal()))
	}
}

// The code of a sign-in that is over was not looked at, so it does not count.
func TestSignInThatIsOverDoesNotCount(t *testing.T) {
	f := newFixture(t)
	over := f.pend()
	f.use(f.codes[0].Reveal())
	pending := f.pend()
	for range 9 {
		f.want(signin.Refused)(f.code(pending, f.wrong()))
	}
	for range 3 {
		f.wantOver(over)
	}
	f.want(signin.SignedIn)(f.code(pending, f.codes[1].Reveal()))
}

func TestCodeUsedByManyAtOnceWorksOnce(t *testing.T) {
	f := newFixture(t)
	for _, code := range []string{f.seed.Code(f.Now()), f.codes[0].Reveal()} {
		var pendings []string
		for range 8 {
			f.Pass(time.Millisecond)
			pendings = append(pendings, f.pendNow())
		}
		if won := f.race(pendings, func(int) string { return code }); won != 1 {
			t.Errorf("%d uses of one code at once won, want 1", won)
		}
		f.Pass(throttle.DefaultLimit.Window) // those that came after the success count as failures
	}
	f.wantSessions(f.ben, 2)
}

func TestPendingSignInUsedByManyAtOnceWorksOnce(t *testing.T) {
	f := newFixture(t)
	pending := f.pend()
	pendings := []string{pending, pending, pending, pending, pending, pending, pending, pending}
	if won := f.race(pendings, func(i int) string { return f.codes[i].Reveal() }); won != 1 {
		t.Errorf("%d uses of one pending sign-in won, want 1", won)
	}
	f.wantSessions(f.ben, 1)
}

// race completes the sign-ins at once, which must win, be refused or be over,
// and returns how many won.
func (f *fixture) race(pendings []string, code func(int) string) (won int) {
	f.t.Helper()
	results, errs := make([]signin.Result, len(pendings)), make([]error, len(pendings))
	var callers sync.WaitGroup
	for i, pending := range pendings {
		callers.Go(func() { results[i], errs[i] = f.code(pending, code(i)) })
	}
	callers.Wait()
	for i, result := range results {
		switch {
		case errs[i] != nil:
			f.t.Error(errs[i])
		case result.Outcome == signin.SignedIn:
			won++
		case result.Outcome != signin.Refused && result.Outcome != signin.Over:
			f.t.Errorf("the race ended with %q", result.Outcome)
		}
	}
	return won
}

// A sign-in whose factor changes while its code is checked tries again with
// what is stored then, and is one attempt all the same.
func TestSecondFactorChangedMeanwhile(t *testing.T) {
	tests := []struct {
		name string
		// meanwhile happens before the code is used up.
		meanwhile func(f *fixture, before, after string)
		want      signin.Outcome
	}{
		{"an earlier sign-in with another code", func(f *fixture, before, _ string) {
			f.want(signin.SignedIn)(f.code(before, f.codes[1].Reveal()))
		}, signin.SignedIn},
		{"an earlier sign-in with the same code", func(f *fixture, before, _ string) {
			f.want(signin.SignedIn)(f.code(before, f.codes[0].Reveal()))
		}, signin.Refused},
		{"a later sign-in", func(f *fixture, _, after string) {
			f.want(signin.SignedIn)(f.code(after, f.codes[1].Reveal()))
		}, signin.Over},
		{"new recovery codes", func(f *fixture, _, _ string) {
			if _, err := f.TwoFactor.RenewRecoveryCodes(f.t.Context(), f.ben); err != nil {
				f.t.Error(err)
			}
		}, signin.Refused},
		{"a block", func(f *fixture, _, _ string) {
			f.Block(f.ben)
			if _, err := f.TwoFactor.RenewRecoveryCodes(f.t.Context(), f.ben); err != nil {
				f.t.Error(err)
			}
		}, signin.Over},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			before, pending, after := f.pend(), f.pend(), f.pend()
			counted := 0
			f.store.before["ReplaceSecondFactor"] = func() error {
				delete(f.store.before, "ReplaceSecondFactor")
				test.meanwhile(f, before, after)
				counted = f.store.count("CountAttempt")
				return nil
			}
			f.want(test.want)(f.code(pending, f.codes[0].Reveal()))
			if got := f.store.count("CountAttempt"); got != counted {
				t.Errorf("the second try was counted as an attempt of its own")
			}
		})
	}
}

func TestSecondFactorReturnsTheErrorsOfTheStore(t *testing.T) {
	tests := map[string]bool{ // whether the code is used up, and the sign-in recorded as failed
		"CountAttempt": false, "User": false, "SecondFactor": false, "ReplaceSecondFactor": false,
		"ForgetAttempts": true, "Session": true, "CreateSession": true,
	}
	for method, used := range tests {
		t.Run(method, func(t *testing.T) {
			f := newFixture(t)
			planted, err := f.Sessions.Start(t.Context(), f.ada, audit.Browser{})
			if err != nil {
				t.Fatal(err)
			}
			from, pending := origin(home), f.pend()
			from.Session = planted.Reveal()
			f.wantError(f.fail(method))(f.codeFrom(from, pending, f.codes[0].Reveal()))
			if used {
				f.wantTrail(
					event(twofactor.EventRecoveryCodeUsed, audit.Done, f.ben, f.ben, "user=ben"),
					event(signin.EventSignIn, audit.Failed, f.ben, f.ben),
				)
			} else {
				f.wantTrail()
			}
			if method != "ForgetAttempts" { // which fails beside the start of the session
				f.wantSessions(f.ben, 0)
			}
			delete(f.store.before, method)
			want := signin.SignedIn
			if used {
				want = signin.Over
			}
			f.want(want)(f.code(pending, f.codes[0].Reveal()))
		})
	}
}

func TestWithdrawalThatFailsIsReturned(t *testing.T) {
	f := newFixture(t)
	over := f.pend()
	f.use(f.codes[0].Reveal())
	f.wantError(f.fail("WithdrawAttempt"))(f.code(over, f.codes[1].Reveal()))
}
