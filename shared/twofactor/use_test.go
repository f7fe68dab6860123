package twofactor_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

func answer(t *testing.T, typed string) twofactor.Answer {
	t.Helper()
	given, ok := twofactor.ParseAnswer(typed)
	if !ok {
		t.Fatalf("%q is no answer", typed)
	}
	return given
}

// use answers as the user, for a sign-in that begins a second after everything
// before, and checks how that ends.
func use(t *testing.T, a *apptest.App, rules *twofactor.Rules, u user.User, typed string, want error) {
	t.Helper()
	a.Pass(time.Second)
	f, err := rules.Factor(t.Context(), u.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := rules.Use(t.Context(), f, answer(t, typed), a.Now()); !errors.Is(err, want) {
		t.Errorf("Use of %q = %v, want %v", typed, err, want)
	}
	after, err := rules.Factor(t.Context(), u.ID)
	if err != nil {
		t.Fatal(err)
	}
	if used := want == nil; used != after.LastSignIn.Equal(a.Now()) || used == (after.Mark == f.Mark) {
		t.Errorf("Use of %q = %v changed the factor from %+v to %+v", typed, err, f, after)
	}
}

// nextStep lets the app show another code.
func nextStep(a *apptest.App) { a.Pass(30 * time.Second) }

func TestCodeWorksOnceAndWithinOneStepOfTheClock(t *testing.T) {
	a := apptest.New(t)
	ada := enrol(t, a, a.User("ada"))
	try := func(code string, want error) {
		t.Helper()
		use(t, a, a.TwoFactor, ada.User, code, want)
	}
	try(ada.seed.Code(a.Now()), twofactor.ErrWrongCode) // it enabled the factor
	a.Pass(10 * time.Minute)
	for _, off := range []time.Duration{-time.Minute, time.Minute, time.Hour} {
		try(ada.seed.Code(a.Now().Add(time.Second+off)), twofactor.ErrWrongCode)
	}
	a.Pass(30*time.Second - time.Duration(a.Now().UnixNano())%(30*time.Second)) // a step begins
	slow, right, fast := ada.seed.Code(a.Now().Add(-30*time.Second)), ada.seed.Code(a.Now()), ada.seed.Code(a.Now().Add(30*time.Second))
	try(slow, nil)
	try(slow, twofactor.ErrWrongCode)
	try(fast, nil)
	try(right, twofactor.ErrWrongCode) // its step is before the last one
	try(fast, twofactor.ErrWrongCode)
}

func TestRecoveryCodesWorkOnceEach(t *testing.T) {
	a := apptest.New(t)
	ada, ben := enrol(t, a, a.User("ada")), enrol(t, a, a.User("ben"))
	for i, code := range ada.codes {
		f, err := a.TwoFactor.Factor(t.Context(), ada.ID)
		if err != nil || f.Recovery.Left() != 10-i {
			t.Errorf("%d codes are left, %v, want %d", f.Recovery.Left(), err, 10-i)
		}
		use(t, a, a.TwoFactor, ben.User, code.Reveal(), twofactor.ErrWrongCode)
		use(t, a, a.TwoFactor, ada.User, strings.ToUpper(code.Reveal()), nil)
		use(t, a, a.TwoFactor, ada.User, code.Reveal(), twofactor.ErrWrongCode)
	}
	nextStep(a)
	use(t, a, a.TwoFactor, ada.User, ada.seed.Code(a.Now()), nil)
}

func TestRenewedRecoveryCodesReplaceTheOldOnes(t *testing.T) {
	a := apptest.New(t)
	ada := enrol(t, a, a.User("ada"))
	use(t, a, a.TwoFactor, ada.User, ada.codes[0].Reveal(), nil)
	codes, err := a.TwoFactor.RenewRecoveryCodes(t.Context(), ada.User)
	if err != nil || len(codes) != 10 {
		t.Fatalf("RenewRecoveryCodes = %d codes, %v, want 10", len(codes), err)
	}
	for _, code := range ada.codes {
		use(t, a, a.TwoFactor, ada.User, code.Reveal(), twofactor.ErrWrongCode)
	}
	use(t, a, a.TwoFactor, ada.User, codes[9].Reveal(), nil)
	if _, err := a.TwoFactor.RenewRecoveryCodes(t.Context(), a.User("ben")); !errors.Is(err, twofactor.ErrOver) {
		t.Errorf("RenewRecoveryCodes without a factor = %v, want ErrOver", err)
	}
}

// Whoever used the factor as it was read loses to the first who did.
func TestFactorIsUsedAsItWasRead(t *testing.T) {
	a := apptest.New(t)
	ada := enrol(t, a, a.User("ada"))
	f, err := a.TwoFactor.Factor(t.Context(), ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, true} {
		if err := a.TwoFactor.Use(t.Context(), f, answer(t, ada.codes[i].Reveal()), a.Now()); fault.Is(err, fault.Conflict) != want || !want && err != nil {
			t.Errorf("Use %d = %v, want a conflict: %t", i, err, want)
		}
	}
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
		use(t, a, rules, ada, typed, want)
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
	return twofactor.NewRules(a.Store, a.Trail, a.Passkeys, keys, a.Now)
}
