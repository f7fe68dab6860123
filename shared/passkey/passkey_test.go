package passkey_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/passkey"
	"gatehouse/shared/passkey/ceremony"
	"gatehouse/shared/passkey/passkeytest"
	"gatehouse/shared/user"
)

// fixture is an App with its party, and ada, who has no passkey yet.
type fixture struct {
	*apptest.App
	t     *testing.T
	party *ceremony.Party
	ada   user.User
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	a := apptest.New(t)
	return &fixture{a, t, ceremony.New(apptest.BaseURL), a.User("ada")}
}

func (f *fixture) keys(u user.User) []passkey.Passkey {
	f.t.Helper()
	found, err := f.Passkeys.Of(f.t.Context(), u.ID)
	if err != nil {
		f.t.Fatal(err)
	}
	return found.Keys()
}

// add has the device make a key for ada.
func (f *fixture) add(d *passkeytest.Device, name string) error {
	f.t.Helper()
	return f.answer(f.Passkeys.Ask(passkey.ForAdding(f.ada, "session")), d, name)
}

func (f *fixture) answer(q passkey.Question, d *passkeytest.Device, name string) error {
	f.t.Helper()
	options, err := f.party.ToCreate(q, f.ada, f.keys(f.ada))
	if err != nil {
		f.t.Fatal(err)
	}
	answer, err := f.party.Creation(d.Create(string(options)))
	if err != nil {
		return err
	}
	return f.Passkeys.Add(f.t.Context(), audit.ByUser(f.ada.ID), f.ada, q, answer, name)
}

// use has the device sign in to the question.
func (f *fixture) use(q passkey.Question, d *passkeytest.Device) (passkey.Passkey, error) {
	f.t.Helper()
	options, err := f.party.ToUse(q)
	if err != nil {
		f.t.Fatal(err)
	}
	answer, err := f.party.Assertion(d.Use(string(options)))
	if err != nil {
		return passkey.Passkey{}, err
	}
	has, err := f.Passkeys.Of(f.t.Context(), answer.UserID())
	if err != nil {
		f.t.Fatal(err)
	}
	return f.Passkeys.Use(f.t.Context(), f.ada, has, q, answer)
}

// ask asks a second after everything before.
func (f *fixture) ask() passkey.Question {
	f.Pass(time.Second)
	return f.Passkeys.Ask(passkey.ForSignIn)
}

// wrong are answers that nobody may take, by what is wrong with them.
var wrong = map[string]func(*passkeytest.Device){
	"another site":              func(d *passkeytest.Device) { d.Origin = "https://gatehouse.example.evil.example" },
	"a name below the site":     func(d *passkeytest.Device) { d.Origin = "https://x.gatehouse.example" },
	"plain http":                func(d *passkeytest.Device) { d.Origin = "http://gatehouse.example" },
	"a key of another site":     func(d *passkeytest.Device) { d.Party = "evil.example" },
	"nobody verified":           func(d *passkeytest.Device) { d.Unverified = true },
	"nobody there":              func(d *passkeytest.Device) { d.Absent = true },
	"another challenge":         func(d *passkeytest.Device) { d.Challenge = base64.RawURLEncoding.EncodeToString(make([]byte, 32)) },
	"an answer to another kind": func(d *passkeytest.Device) { d.Kind = "payment.get" },
}

func TestAddPasskey(t *testing.T) {
	f := newFixture(t)
	for name, spoil := range wrong {
		d := passkeytest.New(t, apptest.BaseURL)
		spoil(d)
		if err := f.add(d, "phone"); !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("Add with %s = %v, want ErrRefused", name, err)
		}
	}
	d := passkeytest.New(t, apptest.BaseURL)
	for name, complaint := range map[string]string{" ": "can't be blank", strings.Repeat("é", 101): "is too long (maximum is 100 characters)"} {
		apptest.WantComplaints(t, "Add", f.add(d, name), fault.Fields{"name": {complaint}})
	}
	if len(f.keys(f.ada)) > 0 {
		t.Fatalf("passkeys were added: %v", f.keys(f.ada))
	}
	d.Syncable = true
	if err := f.add(d, strings.Repeat("é", 100)); err != nil {
		t.Fatal(err)
	}
	if err := f.add(d, "again"); !errors.Is(err, passkey.ErrKnown) {
		t.Errorf("Add of a known key = %v, want ErrKnown", err)
	}
	if has := f.keys(f.ada); len(has) != 1 || !has[0].UsedAt.IsZero() || !has[0].CreatedAt.Equal(f.Now()) || !has[0].Key.Syncable {
		t.Errorf("ada has %+v", has)
	}
}

func TestQuestionOfAnAdditionIsForItsSession(t *testing.T) {
	f := newFixture(t)
	q := f.Passkeys.Ask(passkey.ForAdding(f.ada, "session"))
	changed := f.ada
	changed.Version++
	for _, purpose := range []string{passkey.ForSignIn, passkey.ForAdding(f.ada, "another"), passkey.ForAdding(f.User("ben"), "session"), passkey.ForAdding(changed, "session")} {
		if _, err := f.Passkeys.Resume(purpose, q.Ticket.Reveal()); !errors.Is(err, passkey.ErrOver) {
			t.Errorf("Resume(%q) = %v, want ErrOver", purpose, err)
		}
	}
	f.Pass(passkey.Lifetime - time.Second)
	if got, err := f.Passkeys.Resume(passkey.ForAdding(f.ada, "session"), q.Ticket.Reveal()); err != nil || string(got.Challenge) != string(q.Challenge) {
		t.Errorf("Resume in the last second = %v, %v", got, err)
	}
	f.Pass(time.Second)
	for _, ticket := range []string{q.Ticket.Reveal(), "", "?", q.Ticket.Reveal()[1:]} {
		if _, err := f.Passkeys.Resume(passkey.ForAdding(f.ada, "session"), ticket); !errors.Is(err, passkey.ErrOver) {
			t.Errorf("Resume of %q after five minutes = %v, want ErrOver", ticket, err)
		}
	}
}

func TestUsePasskey(t *testing.T) {
	f := newFixture(t)
	d := passkeytest.New(t, apptest.BaseURL)
	if err := f.add(d, "phone"); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range wrong {
		broken := *d
		spoil(&broken)
		if _, err := f.use(f.ask(), &broken); !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("Use with %s = %v, want ErrRefused", name, err)
		}
	}
	for name, spoil := range map[string]func(*passkeytest.Device){
		"another signature":      func(d *passkeytest.Device) { d.BadSignature = true },
		"the name of no user":    func(d *passkeytest.Device) { d.Handle = []byte("ada") },
		"no name of a user":      func(d *passkeytest.Device) { d.Handle = nil },
		"another user's name":    func(d *passkeytest.Device) { d.Handle = []byte{0, 0, 0, 0, 0, 0, 0, 99} },
		"a key that now is kept": func(d *passkeytest.Device) { d.Syncable = true },
		"an unknown key":         func(d *passkeytest.Device) { *d = *passkeytest.New(t, apptest.BaseURL); d.Handle = make([]byte, 8) },
	} {
		broken := *d
		spoil(&broken)
		if _, err := f.use(f.ask(), &broken); !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("Use with %s = %v, want ErrRefused", name, err)
		}
	}
	if has := f.keys(f.ada); !has[0].UsedAt.IsZero() {
		t.Errorf("a refused answer counts as use: %+v", has)
	}
	if used, err := f.use(f.ask(), d); err != nil || used.Name != "phone" || !f.keys(f.ada)[0].UsedAt.Equal(f.Now()) {
		t.Errorf("Use = %+v, %v", used, err)
	}
}

func TestQuestionWorksOnce(t *testing.T) {
	f := newFixture(t)
	d, other := passkeytest.New(t, apptest.BaseURL), passkeytest.New(t, apptest.BaseURL)
	if err := errors.Join(f.add(d, "phone"), f.add(other, "key")); err != nil {
		t.Fatal(err)
	}
	earlier, q := f.ask(), f.ask()
	if _, err := f.use(q, d); err != nil {
		t.Fatal(err)
	}
	for name, again := range map[string]passkey.Question{"the question": q, "an earlier one": earlier} {
		if _, err := f.use(again, d); !errors.Is(err, passkey.ErrOver) {
			t.Errorf("Use of %s after a sign-in = %v, want ErrOver", name, err)
		}
	}
	if _, err := f.use(f.ask(), d); err != nil {
		t.Errorf("Use of the next question = %v", err)
	}
	if _, err := f.use(f.ask(), other); err != nil {
		t.Errorf("Use of another passkey = %v", err)
	}
}

func TestPasskeyThatMayExistTwice(t *testing.T) {
	f := newFixture(t)
	d := passkeytest.New(t, apptest.BaseURL)
	d.Counts = true
	if err := f.add(d, "key"); err != nil {
		t.Fatal(err)
	}
	copied := *d
	for range 2 {
		if _, err := f.use(f.ask(), d); err != nil {
			t.Fatal(err)
		}
	}
	used := f.keys(f.ada)[0].UsedAt
	if _, err := f.use(f.ask(), &copied); !errors.Is(err, passkey.ErrCopied) {
		t.Errorf("Use of a copy = %v, want ErrCopied", err)
	}
	if has := f.keys(f.ada); !has[0].Copied || !has[0].UsedAt.Equal(used) {
		t.Errorf("after the use of a copy: %+v", has)
	}
	if _, err := f.use(f.ask(), d); err != nil || f.keys(f.ada)[0].Copied {
		t.Errorf("Use of the one with the higher count = %v, %+v", err, f.keys(f.ada))
	}
}

func TestRenameAndRemovePasskeys(t *testing.T) {
	f := newFixture(t)
	by := audit.ByUser(f.ada.ID)
	for range passkey.Most {
		if err := f.add(passkeytest.New(t, apptest.BaseURL), "phone"); err != nil {
			t.Fatal(err)
		}
	}
	d := passkeytest.New(t, apptest.BaseURL)
	if err := f.add(d, "one more"); !errors.Is(err, passkey.ErrFull) {
		t.Errorf("Add of one more = %v, want ErrFull", err)
	}
	if err := f.Passkeys.Remove(t.Context(), by, f.ada, passkey.Most); err != nil {
		t.Fatal(err)
	}
	if err := f.add(d, "one more"); err != nil || f.keys(f.ada)[passkey.Most-1].Number != passkey.Most+1 {
		t.Errorf("Add after Remove = %v, %+v", err, f.keys(f.ada)[passkey.Most-1])
	}
	if err := f.Passkeys.Rename(t.Context(), by, f.ada, passkey.Most+1, "key"); err != nil || f.keys(f.ada)[passkey.Most-1].Name != "key" {
		t.Errorf("Rename = %v", err)
	}
	apptest.WantComplaints(t, "Rename", f.Passkeys.Rename(t.Context(), by, f.ada, 1, ""), fault.Fields{"name": {"can't be blank"}})
	for _, err := range []error{
		f.Passkeys.Rename(t.Context(), by, f.ada, passkey.Most, "gone"), f.Passkeys.Remove(t.Context(), by, f.ada, passkey.Most),
		f.Passkeys.Remove(t.Context(), by, f.User("ben"), 1),
	} {
		if !errors.Is(err, passkey.ErrNotFound) {
			t.Errorf("a change of a passkey that is gone = %v, want ErrNotFound", err)
		}
	}
	if err := errors.Join(f.Passkeys.Reset(t.Context(), by, f.ada), f.Passkeys.Reset(t.Context(), by, f.ada)); err != nil || len(f.keys(f.ada)) > 0 {
		t.Errorf("Reset = %v", err)
	}
	if _, err := f.use(f.ask(), d); !errors.Is(err, passkey.ErrRefused) {
		t.Errorf("Use after Reset = %v, want ErrRefused", err)
	}
}

func TestPasskeysNeedAHostName(t *testing.T) {
	for address, want := range map[string]bool{
		"https://gatehouse.example": true, "https://gatehouse.example:8443": true, "http://localhost:3000": true,
		"http://127.0.0.1:3000": false, "https://[::1]": false, "http://gatehouse.example": false, "": false, ":": false,
	} {
		if got := ceremony.New(address) != nil; got != want {
			t.Errorf("New(%q) has passkeys: %t, want %t", address, got, want)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	party := ceremony.New(apptest.BaseURL)
	f.Add(`{"id":"YQ","rawId":"YQ","type":"public-key","response":{"clientDataJSON":"e30","authenticatorData":"YQ","attestationObject":"oA"}}`)
	f.Fuzz(func(t *testing.T, answer string) {
		if a, err := party.Assertion(answer); err == nil {
			if _, _, err := a.Check(make([]byte, 32), passkey.Key{ID: a.KeyID()}); err == nil {
				t.Errorf("an answer without a key was taken: %q", answer)
			}
		}
		if c, err := party.Creation(answer); err == nil {
			if _, err := c.Check(make([]byte, 32), user.User{ID: 1}); err == nil {
				t.Errorf("an answer to another challenge was taken: %q", answer)
			}
		}
	})
}
