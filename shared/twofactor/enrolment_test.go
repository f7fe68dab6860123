package twofactor_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

// person is a user with a second factor, the app that shows its codes and the
// recovery codes.
type person struct {
	user.User
	seed  twofactor.Seed
	codes []secret.Text
}

func stored(t *testing.T, a *apptest.App, u user.User) user.User {
	t.Helper()
	u, err := a.Users.User(t.Context(), u.ID)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func enrol(t *testing.T, a *apptest.App, u user.User) person {
	t.Helper()
	e := a.TwoFactor.Begin(u, "session")
	u, codes, err := a.TwoFactor.Enable(t.Context(), u, e, e.Seed.Code(a.Now()))
	if err != nil {
		t.Fatal(err)
	}
	return person{u, e.Seed, codes}
}

func wantFactor(t *testing.T, a *apptest.App, u user.User, want bool) {
	t.Helper()
	if got := stored(t, a, u).TwoFactorEnabled; got != want {
		t.Errorf("TwoFactorEnabled = %t, want %t", got, want)
	}
	if _, err := a.TwoFactor.Factor(t.Context(), u.ID); (err == nil) != want || err != nil && !fault.Is(err, fault.NotFound) {
		t.Errorf("Factor = %v, want one: %t", err, want)
	}
}

func TestEnrolmentTakesEffectWithTheFirstRightCodeAlone(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	e := a.TwoFactor.Begin(ada, "session")
	wantFactor(t, a, ada, false)
	stranger := a.TwoFactor.Begin(ada, "session").Seed
	for _, code := range []string{"", "1234", stranger.Code(a.Now()), e.Seed.Code(a.Now().Add(time.Hour))} {
		if _, _, err := a.TwoFactor.Enable(t.Context(), ada, e, code); !errors.Is(err, twofactor.ErrWrongCode) {
			t.Errorf("Enable with %q = %v, want ErrWrongCode", code, err)
		}
	}
	wantFactor(t, a, ada, false)
	enabled, codes, err := a.TwoFactor.Enable(t.Context(), ada, e, e.Seed.Code(a.Now()))
	if err != nil || len(codes) != 10 {
		t.Fatalf("Enable = %d codes, %v, want 10", len(codes), err)
	}
	wantFactor(t, a, ada, true)
	if now := stored(t, a, ada); now != enabled || now.SessionValid(ada.SessionEpoch) {
		t.Errorf("Enable returned %+v and stored %+v, want the sessions before it ended", enabled, now)
	}
}

func TestStoreKeepsNeitherSeedNorCodes(t *testing.T) {
	a := apptest.New(t)
	ada := enrol(t, a, a.User("ada"))
	f, err := a.TwoFactor.Factor(t.Context(), ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(f.Sealed, ada.seed[:4]) {
		t.Error("the seed can be read")
	}
	for _, code := range ada.codes {
		if bytes.Contains(f.Recovery.Digests, []byte(code.Reveal()[:4])) {
			t.Error("a recovery code can be read")
		}
	}
}

func TestTicketIsForItsSessionAndUserWithinItsTime(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	e := a.TwoFactor.Begin(ada, "session")
	resume := func(u user.User, session, ticket string, want bool) {
		t.Helper()
		got, err := a.TwoFactor.Resume(u, session, ticket)
		if want && (err != nil || !bytes.Equal(got.Seed, e.Seed)) || !want && !errors.Is(err, twofactor.ErrOver) {
			t.Errorf("Resume(%s, %s) = %v, want success %t", u.Username, session, err, want)
		}
	}
	ticket := e.Ticket.Reveal()
	resume(ada, "session", ticket, true)
	resume(ben, "session", ticket, false)
	resume(ada, "another", ticket, false)
	for _, forged := range []string{"", "x", "%", ticket[1:], ticket + "A", strings.ToUpper(ticket)} {
		resume(ada, "session", forged, false)
	}
	a.Pass(15*time.Minute - time.Microsecond)
	resume(ada, "session", ticket, true)
	a.Pass(time.Microsecond)
	resume(ada, "session", ticket, false)
}

// Whoever kept a ticket cannot bring its seed back without the password.
func TestTicketWorksOnce(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	e := a.TwoFactor.Begin(ada, "session")
	enabled, _, err := a.TwoFactor.Enable(t.Context(), ada, e, e.Seed.Code(a.Now()))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.TwoFactor.Enable(t.Context(), ada, e, e.Seed.Code(a.Now())); !fault.Is(err, fault.Conflict) {
		t.Errorf("Enable again = %v, want a conflict", err)
	}
	disabled, err := a.TwoFactor.Disable(t.Context(), enabled)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []user.User{enabled, disabled} {
		if _, err := a.TwoFactor.Resume(u, "session", e.Ticket.Reveal()); !errors.Is(err, twofactor.ErrOver) {
			t.Errorf("Resume = %v, want ErrOver", err)
		}
	}
}

func TestDisableAndReset(t *testing.T) {
	a := apptest.New(t)
	root := a.Admin("root")
	ada, ben := enrol(t, a, a.User("ada")), enrol(t, a, a.User("ben"))
	if u, err := a.TwoFactor.Disable(t.Context(), ada.User); err != nil || u != stored(t, a, ada.User) {
		t.Errorf("Disable = %+v, %v", u, err)
	}
	if _, err := a.TwoFactor.Reset(t.Context(), audit.ByUser(ada.ID), ben.User); !fault.Is(err, fault.Forbidden) {
		t.Errorf("Reset by no administrator = %v, want it forbidden", err)
	}
	wantFactor(t, a, ben.User, true)
	for _, want := range []bool{true, false} {
		if did, err := a.TwoFactor.Reset(t.Context(), audit.ByUser(root.ID), stored(t, a, ben.User)); err != nil || did != want {
			t.Errorf("Reset = %t, %v, want %t", did, err, want)
		}
	}
	for _, p := range []person{ada, ben} {
		wantFactor(t, a, p.User, false)
		if stored(t, a, p.User).SessionValid(p.SessionEpoch) {
			t.Errorf("the sessions of %s go on", p.Username)
		}
	}
}

func TestURI(t *testing.T) {
	e := twofactor.Enrolment{Seed: twofactor.Seed("12345678901234567890")}
	want := "otpauth://totp/Gatehouse:ada?issuer=Gatehouse&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	if got := e.URI(user.User{Username: "ada"}); got != want {
		t.Errorf("URI = %s, want %s", got, want)
	}
}
