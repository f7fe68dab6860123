package signin_test

import (
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/passkey"
	"gatehouse/shared/passkey/ceremony"
	"gatehouse/shared/passkey/passkeytest"
	"gatehouse/shared/signin"
	"gatehouse/shared/user"
)

var party = ceremony.New(apptest.BaseURL)

// addPasskey gives the user a passkey.
func (f *fixture) addPasskey(u user.User, d *passkeytest.Device) {
	f.t.Helper()
	q := f.Passkeys.Ask(passkey.ForAdding(u, "session"))
	options, err := party.ToCreate(q, u, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	answer, err := party.Creation(d.Create(string(options)))
	if err == nil {
		err = f.Passkeys.Add(f.t.Context(), audit.Setup, u, q, answer, "phone")
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// ask asks a second after everything before.
func (f *fixture) ask() passkey.Question {
	f.Pass(time.Second)
	return f.Passkeys.Ask(passkey.ForSignIn)
}

// passkey has the device answer the question from home.
func (f *fixture) passkey(q passkey.Question, d *passkeytest.Device) (signin.Result, error) {
	f.t.Helper()
	return f.passkeyFrom(origin(home), q, d)
}

func (f *fixture) passkeyFrom(from signin.Origin, q passkey.Question, d *passkeytest.Device) (signin.Result, error) {
	f.t.Helper()
	options, err := party.ToUse(q)
	if err != nil {
		f.t.Fatal(err)
	}
	answer, err := party.Assertion(d.Use(string(options)))
	if err != nil {
		f.t.Fatal(err)
	}
	return f.SignIn.Passkey(f.t.Context(), signin.PasskeyAttempt{Ticket: q.Ticket.Reveal(), Answer: answer, Origin: from})
}

// ben has a second factor, which a passkey takes the place of.
func TestPasskeySignsInWithoutCode(t *testing.T) {
	f := newFixture(t)
	d := passkeytest.New(t, apptest.BaseURL)
	f.addPasskey(f.ben, d)
	f.log.take()
	with := []string{"passkey=phone", "with=passkey"}
	q := f.ask()
	f.want(signin.SignedIn)(f.passkey(q, d))
	f.wantTrail(event(signin.EventSignIn, audit.Done, f.ben, f.ben, with...))
	f.wantSessions(f.ben, 1)
	f.want(signin.Over)(f.passkey(q, d))
	f.wantTrail()

	unverified := *d
	unverified.Unverified = true
	f.want(signin.Refused)(f.passkey(f.ask(), &unverified))
	f.wantTrail(event(signin.EventFailed, audit.Refused, nobody, f.ben, "with=passkey"))
	f.Block(f.ben)
	f.log.take()
	f.want(signin.Refused)(f.passkey(f.ask(), d))
	f.wantTrail(event(signin.EventFailed, audit.Refused, nobody, f.ben, "with=passkey"))
	f.update(f.ben, user.Change{State: new(user.Active)})
	f.want(signin.SignedIn)(f.passkey(f.ask(), d))
	f.want(signin.NeedsSecondFactor)(f.password("ben", apptest.Password)) // as before
}

func TestPasskeyOfNoUserIsRefused(t *testing.T) {
	f := newFixture(t)
	d := passkeytest.New(t, apptest.BaseURL)
	for _, handle := range [][]byte{nil, {1}, make([]byte, 8), {0, 0, 0, 0, 0, 0, 9, 9}, {255, 0, 0, 0, 0, 0, 0, 1}} {
		d.Handle = handle
		f.want(signin.Refused)(f.passkey(f.ask(), d))
		f.wantTrail(event(signin.EventFailed, audit.Refused, nobody, nobody, "with=passkey"))
	}
}

func TestPasskeyThatMayExistTwiceIsRefused(t *testing.T) {
	f := newFixture(t)
	d := passkeytest.New(t, apptest.BaseURL)
	d.Counts = true
	f.addPasskey(f.ada, d)
	copied := *d
	f.want(signin.SignedIn)(f.passkey(f.ask(), d))
	f.log.take()
	f.want(signin.Copied)(f.passkey(f.ask(), &copied))
	f.wantTrail(
		event(passkey.EventCopied, audit.Done, f.ada, f.ada, "passkey=phone", "user=ada"),
		event(signin.EventFailed, audit.Refused, nobody, f.ada, "passkey=phone", "with=passkey"),
	)
	f.wantSessions(f.ada, 1)
}

func TestPasskeysAreThrottled(t *testing.T) {
	f := newFixture(t)
	d := passkeytest.New(t, apptest.BaseURL)
	f.addPasskey(f.ada, d)
	wrong := *d
	wrong.BadSignature = true
	for range 10 {
		f.want(signin.Refused)(f.passkey(f.ask(), &wrong))
	}
	f.log.take()
	f.want(signin.Throttled)(f.passkey(f.ask(), d))
	f.wantTrail(event(signin.EventThrottled, audit.Refused, nobody, f.ada))
	f.want(signin.SignedIn)(f.passkeyFrom(origin(elsewhere), f.ask(), d))
	f.want(signin.SignedIn)(f.password("ada", apptest.Password)) // counts by itself
}

func TestQuestionOfAPasskeyLastsFiveMinutes(t *testing.T) {
	f := newFixture(t)
	d := passkeytest.New(t, apptest.BaseURL)
	f.addPasskey(f.ada, d)
	q := f.ask()
	f.Pass(passkey.Lifetime)
	f.want(signin.Over)(f.passkey(q, d))
	q.Ticket = f.Passkeys.Ask(passkey.ForAdding(f.ada, "session")).Ticket
	f.want(signin.Over)(f.passkey(q, d))
}
