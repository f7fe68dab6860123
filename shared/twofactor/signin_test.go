package twofactor_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/secret"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

// pend begins a sign-in a second after everything before.
func pend(t *testing.T, a *apptest.App, u user.User) twofactor.Pending {
	t.Helper()
	a.Pass(time.Second)
	p, err := a.TwoFactor.Pending(a.TwoFactor.Pend(u).Reveal())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func answer(t *testing.T, typed string) twofactor.Answer {
	t.Helper()
	given, ok := twofactor.ParseAnswer(typed)
	if !ok {
		t.Fatalf("%q is no answer", typed)
	}
	return given
}

// complete answers a sign-in and checks how that ends.
func complete(t *testing.T, a *apptest.App, p twofactor.Pending, typed string, want error) {
	t.Helper()
	u, err := a.TwoFactor.Complete(t.Context(), p, answer(t, typed))
	if !errors.Is(err, want) || want == nil && u.ID != p.UserID || want != nil && u.ID != 0 {
		t.Errorf("Complete with %q = user %d, %v, want %v", typed, u.ID, err, want)
	}
}

// nextStep lets the app show another code.
func nextStep(a *apptest.App) { a.Pass(30 * time.Second) }

func TestCodeWorksOnceAndWithinOneStepOfTheClock(t *testing.T) {
	a := apptest.New(t)
	ada := enrol(t, a, a.User("ada"))
	complete(t, a, pend(t, a, ada.User), ada.seed.Code(a.Now()), twofactor.ErrWrongCode) // enabled it
	a.Pass(10 * time.Minute)
	for _, off := range []time.Duration{-time.Minute, time.Minute, time.Hour} {
		complete(t, a, pend(t, a, ada.User), ada.seed.Code(a.Now().Add(off)), twofactor.ErrWrongCode)
	}
	p := pend(t, a, ada.User)
	slow, right, fast := ada.seed.Code(a.Now().Add(-30*time.Second)), ada.seed.Code(a.Now()), ada.seed.Code(a.Now().Add(30*time.Second))
	complete(t, a, p, slow, nil)
	complete(t, a, pend(t, a, ada.User), slow, twofactor.ErrWrongCode)
	complete(t, a, pend(t, a, ada.User), fast, nil)
	complete(t, a, pend(t, a, ada.User), right, twofactor.ErrWrongCode) // of a step before the last one
	complete(t, a, pend(t, a, ada.User), fast, twofactor.ErrWrongCode)
}

func TestRecoveryCodesWorkOnceEach(t *testing.T) {
	a := apptest.New(t)
	ada, ben := enrol(t, a, a.User("ada")), enrol(t, a, a.User("ben"))
	for i, code := range ada.codes {
		f, err := a.TwoFactor.Factor(t.Context(), ada.User)
		if err != nil || f.Recovery.Left() != 10-i {
			t.Errorf("%d codes are left, %v, want %d", f.Recovery.Left(), err, 10-i)
		}
		complete(t, a, pend(t, a, ben.User), code.Reveal(), twofactor.ErrWrongCode)
		complete(t, a, pend(t, a, ada.User), strings.ToUpper(code.Reveal()), nil)
		complete(t, a, pend(t, a, ada.User), code.Reveal(), twofactor.ErrWrongCode)
	}
	nextStep(a)
	complete(t, a, pend(t, a, ada.User), ada.seed.Code(a.Now()), nil)
}

func TestRenewedRecoveryCodesReplaceTheOldOnes(t *testing.T) {
	a := apptest.New(t)
	ada := enrol(t, a, a.User("ada"))
	complete(t, a, pend(t, a, ada.User), ada.codes[0].Reveal(), nil)
	codes, err := a.TwoFactor.RenewRecoveryCodes(t.Context(), ada.User)
	if err != nil || len(codes) != 10 {
		t.Fatalf("RenewRecoveryCodes = %d codes, %v, want 10", len(codes), err)
	}
	for _, code := range ada.codes {
		complete(t, a, pend(t, a, ada.User), code.Reveal(), twofactor.ErrWrongCode)
	}
	complete(t, a, pend(t, a, ada.User), codes[9].Reveal(), nil)
	if _, err := a.TwoFactor.RenewRecoveryCodes(t.Context(), a.User("ben")); !errors.Is(err, twofactor.ErrOver) {
		t.Errorf("RenewRecoveryCodes without a factor = %v, want ErrOver", err)
	}
}

// Of any number of uses of one code at once one wins, whatever sign-ins they
// are for.
func TestCodeUsedByManyAtOnceWorksOnce(t *testing.T) {
	a := apptest.New(t)
	ada := enrol(t, a, a.User("ada"))
	nextStep(a)
	for _, typed := range []string{ada.seed.Code(a.Now()), ada.codes[0].Reveal()} {
		given, pending := answer(t, typed), []twofactor.Pending{}
		for range 16 {
			a.Pass(time.Millisecond)
			p, err := a.TwoFactor.Pending(a.TwoFactor.Pend(ada.User).Reveal())
			if err != nil {
				t.Fatal(err)
			}
			pending = append(pending, p)
		}
		errs := make([]error, len(pending))
		var callers sync.WaitGroup
		for i, p := range pending {
			callers.Go(func() { _, errs[i] = a.TwoFactor.Complete(t.Context(), p, given) })
		}
		callers.Wait()
		won := 0
		for _, err := range errs {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, twofactor.ErrWrongCode) && !errors.Is(err, twofactor.ErrOver):
				t.Errorf("Complete = %v, want ErrWrongCode or ErrOver", err)
			}
		}
		if won != 1 {
			t.Errorf("%d of %d uses of one code won, want 1", won, len(errs))
		}
	}
}

// Two codes at once are both looked at, and none is lost to the other.
func TestDifferentCodesAtOnceAreEachUsed(t *testing.T) {
	a := apptest.New(t)
	ada := enrol(t, a, a.User("ada"))
	var callers sync.WaitGroup
	for _, code := range ada.codes {
		p, given := pend(t, a, ada.User), answer(t, code.Reveal())
		callers.Go(func() {
			if _, err := a.TwoFactor.Complete(t.Context(), p, given); err != nil && !errors.Is(err, twofactor.ErrOver) {
				t.Errorf("Complete = %v, want success or a sign-in that began too early", err)
			}
		})
	}
	callers.Wait()
}

func TestSignInIsCompletedOnce(t *testing.T) {
	a := apptest.New(t)
	ada := enrol(t, a, a.User("ada"))
	before, p, after := pend(t, a, ada.User), pend(t, a, ada.User), pend(t, a, ada.User)
	complete(t, a, p, ada.codes[0].Reveal(), nil)
	complete(t, a, p, ada.codes[1].Reveal(), twofactor.ErrOver)
	complete(t, a, before, ada.codes[1].Reveal(), twofactor.ErrOver)
	complete(t, a, after, ada.codes[1].Reveal(), nil)
}

func TestPendingSignInEnds(t *testing.T) {
	a := apptest.New(t)
	ada, ben := enrol(t, a, a.User("ada")), a.User("ben")
	cookie := a.TwoFactor.Pend(ada.User).Reveal()
	stranger := under(t, a, secret.Random(secret.KeySize))
	for _, forged := range []string{
		"", "x", "%", cookie[1:], cookie + "A", stranger.Pend(ada.User).Reveal(),
		a.TwoFactor.Begin(ada.User, "sign-in").Ticket.Reveal(),
	} {
		if _, err := a.TwoFactor.Pending(forged); !errors.Is(err, twofactor.ErrOver) {
			t.Errorf("Pending(%q) = %v, want ErrOver", forged, err)
		}
	}
	complete(t, a, pend(t, a, ben), ada.codes[0].Reveal(), twofactor.ErrOver) // has no second factor
	cookie = a.TwoFactor.Pend(ada.User).Reveal()
	a.Pass(10*time.Minute - time.Millisecond)
	if _, err := a.TwoFactor.Pending(cookie); err != nil {
		t.Errorf("Pending within its time = %v", err)
	}
	a.Pass(time.Millisecond)
	if _, err := a.TwoFactor.Pending(cookie); !errors.Is(err, twofactor.ErrOver) {
		t.Errorf("Pending after its time = %v, want ErrOver", err)
	}
}

func TestWhatEndsSessionsEndsPendingSignIns(t *testing.T) {
	blocked, active := user.Blocked, user.Active
	password := secret.NewText("difference engine")
	tests := map[string]func(a *apptest.App, ada person) error{
		"a new password": func(a *apptest.App, ada person) error {
			_, err := a.Users.Update(context.Background(), ada.ID, user.Change{Password: &password})
			return err
		},
		"a block": func(a *apptest.App, ada person) error {
			_, err := a.Users.Update(context.Background(), ada.ID, user.Change{State: &blocked})
			return err
		},
		"a block that ended": func(a *apptest.App, ada person) error {
			_, err := a.Users.Update(context.Background(), ada.ID, user.Change{State: &blocked})
			if err == nil {
				_, err = a.Users.Update(context.Background(), ada.ID, user.Change{State: &active})
			}
			return err
		},
		"a reset": func(a *apptest.App, ada person) error { return a.TwoFactor.Reset(context.Background(), ada.User, 0) },
		"the end of the account": func(a *apptest.App, ada person) error {
			return a.Users.DeleteUser(context.Background(), ada.ID, 0)
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			ada := enrol(t, a, a.User("ada"))
			p := pend(t, a, ada.User)
			a.Pass(time.Second)
			if err := change(a, ada); err != nil {
				t.Fatal(err)
			}
			complete(t, a, p, ada.codes[0].Reveal(), twofactor.ErrOver)
		})
	}
}

func TestConditionsComeBeforeTheCode(t *testing.T) {
	a := apptest.New(t)
	ada := enrol(t, a, a.User("ada"))
	p, full := pend(t, a, ada.User), errors.New("too many")
	_, err := a.TwoFactor.Complete(t.Context(), p, answer(t, ada.codes[0].Reveal()), func(context.Context) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("Complete = %v, want the condition's error", err)
	}
	complete(t, a, p, ada.codes[0].Reveal(), nil)
}

// A seed is sealed anew when its user signs in after a new key came, be it with
// a recovery code, when the codes are renewed and when somebody sees to it;
// without its key only the recovery codes are left.
func TestInstanceKeyRotation(t *testing.T) {
	a := apptest.New(t)
	first, second := secret.Random(secret.KeySize), secret.Random(secret.KeySize)
	before, during, after := under(t, a, first), under(t, a, second, first), under(t, a, second)
	ada := a.User("ada")
	e := before.Begin(ada, "session")
	ada, codes, err := before.Enable(t.Context(), ada, e, e.Seed.Code(a.Now()))
	if err != nil {
		t.Fatal(err)
	}
	try := func(rules *twofactor.Rules, typed string, want error) {
		t.Helper()
		a.Pass(time.Second)
		p, err := rules.Pending(rules.Pend(ada).Reveal())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rules.Complete(t.Context(), p, answer(t, typed)); !errors.Is(err, want) {
			t.Errorf("Complete with %q = %v, want %v", typed, err, want)
		}
	}
	nextStep(a)
	try(after, e.Seed.Code(a.Now()), twofactor.ErrWrongCode)
	try(after, codes[0].Reveal(), nil)
	stored, err := a.Store.SecondFactor(t.Context(), ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	for name, meanwhile := range map[string]func(){
		"a code":          func() { try(during, e.Seed.Code(a.Now()), nil) },
		"a recovery code": func() { try(during, codes[1].Reveal(), nil) },
		"new recovery codes": func() {
			if _, err := during.RenewRecoveryCodes(t.Context(), ada); err != nil {
				t.Error(err)
			}
		},
		"sealing it anew": func() {
			for _, want := range []bool{true, false} {
				if done, err := during.Reseal(t.Context(), ada.ID); done != want || err != nil {
					t.Errorf("Reseal = %t, %v, want %t", done, err, want)
				}
			}
		},
	} {
		now, err := a.Store.SecondFactor(t.Context(), ada.ID)
		if err != nil {
			t.Fatal(err)
		}
		stored.LastStep, stored.LastSignIn = now.LastStep, now.LastSignIn
		if err := a.Store.ReplaceSecondFactor(t.Context(), now.Mark, stored); err != nil {
			t.Fatal(err)
		}
		if done, err := after.Reseal(t.Context(), ada.ID); done || !errors.Is(err, secret.ErrSealed) {
			t.Errorf("before %s: Reseal without the old key = %t, %v, want ErrSealed", name, done, err)
		}
		nextStep(a)
		meanwhile()
		nextStep(a)
		try(after, e.Seed.Code(a.Now()), nil)
	}
	if done, err := during.Reseal(t.Context(), ada.ID+1); done || err != nil {
		t.Errorf("Reseal of no factor = %t, %v", done, err)
	}
}

// under returns the rules of an instance with these keys.
func under(t *testing.T, a *apptest.App, current []byte, previous ...[]byte) *twofactor.Rules {
	t.Helper()
	keys, err := secret.NewKeys(current, previous...)
	if err != nil {
		t.Fatal(err)
	}
	return twofactor.NewRules(a.Store, a.Users, keys, a.Now)
}
