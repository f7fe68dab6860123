package user_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

func TestCreateChecksEveryField(t *testing.T) {
	a := apptest.New(t)
	_, err := a.Users.Create(t.Context(), audit.Setup, user.Registration{Username: "api", Name: "", Email: "nobody", Password: secret.NewText("short")})
	var fields fault.Fields
	errors.As(err, &fields)
	want := fault.Fields{
		"username": {"is a reserved name"}, "name": {"can't be blank"}, "email": {"is invalid"},
		"password": {"is too short (minimum is 8 characters)"},
	}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Errorf("complaints differ (-want +got):\n%s", diff)
	}
}

func TestUsernamesAreNamesAtTheTop(t *testing.T) {
	a := apptest.New(t)
	_, err := a.Users.Create(t.Context(), audit.Setup, user.Registration{
		Username: "Login", Name: "Ada", Email: "ada@example.com", Password: secret.NewText(apptest.Password),
	})
	if diff := cmp.Diff(fault.Fields{"username": {"is a reserved name"}}, apptest.Complaints(err)); diff != "" {
		t.Errorf("Create (-want +got):\n%s", diff)
	}
}

func TestFieldLimits(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	tests := []struct {
		name   string
		change user.Change
		ok     bool
	}{
		{"name of 255 characters", user.Change{Name: new(strings.Repeat("ü", 255))}, true},
		{"name of 256 characters", user.Change{Name: new(strings.Repeat("ü", 256))}, false},
		{"password of 8 characters", user.Change{Password: new(secret.NewText("üüüüüüüü"))}, true},
		{"password of 128 characters", user.Change{Password: new(secret.NewText(strings.Repeat("ü", 128)))}, true},
		{"password of 129 characters", user.Change{Password: new(secret.NewText(strings.Repeat("x", 129)))}, false},
		{"e-mail address", user.Change{Email: new("ada.king+x@mail.example.com")}, true},
		{"e-mail address without a host", user.Change{Email: new("ada@")}, false},
		{"e-mail address with a name", user.Change{Email: new("Ada <ada@example.com>")}, false},
		{"two e-mail addresses", user.Change{Email: new("a@example.com, b@example.com")}, false},
		{"blank e-mail address", user.Change{Email: new("")}, false},
		{"the same user name", user.Change{Username: new("ada")}, true},
		{"another user name", user.Change{Username: new("Ada")}, false},
	}
	for _, test := range tests {
		_, err := a.Users.Update(t.Context(), audit.Setup, ada.ID, test.change)
		if (err == nil) != test.ok || err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: Update() = %v, want success %v", test.name, err, test.ok)
		}
	}
}

// What began with a password that is no longer the user's, or before the user
// was blocked, is over; what else changes ends nothing.
func TestSessionsEndWithThePasswordAndWithABlock(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	tests := []struct {
		name   string
		change user.Change
		ends   bool
	}{
		{"another name", user.Change{Name: new("Ada King")}, false},
		{"a new password", user.Change{Password: new(secret.NewText("difference engine"))}, true},
		{"another address", user.Change{Email: new("king@example.com")}, false},
		{"a block", user.Change{State: new(user.Blocked)}, true},
		{"the end of the sessions", user.Change{EndSessions: true}, true},
		{"the end of the block", user.Change{State: new(user.Active)}, false},
	}
	for _, test := range tests {
		before, err := a.Users.User(t.Context(), ada.ID)
		if err != nil {
			t.Fatal(err)
		}
		a.Pass(-time.Second) // another function's clock may be behind
		if _, err := a.Users.Update(t.Context(), audit.Setup, ada.ID, test.change); err != nil {
			t.Fatal(err)
		}
		u, err := a.Users.User(t.Context(), ada.ID)
		if err != nil {
			t.Fatal(err)
		}
		if u.SessionValid(before.SessionEpoch) == test.ends || !u.SessionValid(u.SessionEpoch) || u.SessionEpoch.Before(before.SessionEpoch) {
			t.Errorf("%s: SessionEpoch = %v after %v, want the change to end what was before it: %v",
				test.name, u.SessionEpoch, before.SessionEpoch, test.ends)
		}
	}
}

// Changes within one microsecond are told apart, and all stores can keep when
// they were.
func TestEveryEndOfSessionsIsAnother(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	seen := map[time.Time]bool{}
	for range 3 {
		a.Pass(time.Nanosecond)
		changed, err := a.Users.Update(t.Context(), audit.Setup, ada.ID, user.Change{Password: new(secret.NewText("difference engine"))})
		if err != nil {
			t.Fatal(err)
		}
		stored, err := a.Users.User(t.Context(), ada.ID)
		if err != nil || !stored.SessionValid(changed.SessionEpoch) || seen[stored.SessionEpoch] {
			t.Errorf("SessionEpoch = %v, stored as %v, %v, want one that was not there before", changed.SessionEpoch, stored.SessionEpoch, err)
		}
		seen[stored.SessionEpoch] = true
	}
}

// An administrator confirms the address that the page showed, and no other.
func TestConfirmedAddressIsTheOneThatWasSeen(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	if _, err := a.Users.Confirm(t.Context(), audit.Setup, ada.ID, "before@example.com"); !errors.Is(err, user.ErrChanged) {
		t.Errorf("Confirm() of an address of before = %v, want %v", err, user.ErrChanged)
	}
	if u, err := a.Users.Confirm(t.Context(), audit.Setup, ada.ID, ada.Email); err != nil || !u.ConfirmedAt.Equal(a.Now()) {
		t.Errorf("Confirm() = %v, %v, want it confirmed now", u.ConfirmedAt, err)
	}
}

func TestUpdateReturnsTheUserAsStored(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	for _, name := range []string{"Ada King", "Ada Lovelace"} {
		changed, err := a.Users.Update(t.Context(), audit.Setup, ada.ID, user.Change{Name: new(name)})
		if err != nil {
			t.Fatal(err)
		}
		stored, err := a.Users.User(t.Context(), ada.ID)
		if err != nil || stored.Name != name || changed.Version != stored.Version {
			t.Errorf("Update() = %q in version %d, stored is %q in version %d, %v", changed.Name, changed.Version, stored.Name, stored.Version, err)
		}
	}
}

func TestAuthenticate(t *testing.T) {
	a := apptest.New(t)
	a.User("Ada")
	a.Block(a.User("blocked"))
	tests := []struct {
		login, password string
		ok              bool
	}{
		{"Ada", apptest.Password, true},
		{"aDA", apptest.Password, true},
		{"ada@EXAMPLE.com", apptest.Password, true},
		{"Ada", "wrong password", false},
		{"Ada", "", false},
		{"nobody", apptest.Password, false},
		{"", apptest.Password, false},
		{"blocked", apptest.Password, false},
	}
	for _, test := range tests {
		u, err := a.Users.Authenticate(t.Context(), test.login, secret.NewText(test.password))
		switch {
		case test.ok && (err != nil || u.Username != "Ada"):
			t.Errorf("Authenticate(%q) = %q, %v, want Ada", test.login, u.Username, err)
		case !test.ok && (!fault.Is(err, fault.Unauthorized) || err.Error() != "Invalid login or password."):
			t.Errorf("Authenticate(%q, %q) = %v, want the one refusal", test.login, test.password, err)
		}
	}
}

func TestUserByUsername(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("Ada")
	for name, want := range map[string]int64{"ada": ada.ID, "ADA": ada.ID, "ada@example.com": 0, "": 0, "nobody": 0, "\xff": 0} {
		u, err := a.Users.UserByUsername(t.Context(), name)
		if u.ID != want || (want == 0) != fault.Is(err, fault.NotFound) {
			t.Errorf("UserByUsername(%q) = %d, %v, want %d", name, u.ID, err, want)
		}
	}
}

// An administrator stays one until another one takes that away.
func TestAdministratorsMayNotDisempowerThemselves(t *testing.T) {
	a := apptest.New(t)
	root, boss := a.Admin("root"), a.Admin("boss")
	tests := map[string]func(actor audit.Actor, id int64) error{
		"block": func(actor audit.Actor, id int64) error {
			_, err := a.Users.Block(t.Context(), actor, id)
			return err
		},
		"demote": func(actor audit.Actor, id int64) error {
			_, err := a.Users.Update(t.Context(), actor, id, user.Change{Admin: new(false)})
			return err
		},
		"delete": func(actor audit.Actor, id int64) error { return a.Users.Delete(t.Context(), actor, id) },
	}
	for name, do := range tests {
		asRoot := audit.Actor{ID: boss.ID, UserID: root.ID}
		for _, actor := range []audit.Actor{audit.ByUser(root.ID), asRoot} {
			if err := do(actor, root.ID); !errors.Is(err, user.ErrOneself) {
				t.Errorf("%s oneself as %+v = %v, want %v", name, actor, err, user.ErrOneself)
			}
		}
		if u, err := a.Users.User(t.Context(), root.ID); err != nil || !u.Administers() {
			t.Errorf("after %s oneself the administrator is %+v, %v", name, u, err)
		}
	}
}

// A user who is not an administrator cannot change a state.
func TestStatesAreChangedByAdministratorsOnly(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	for name, set := range map[string]func(context.Context, audit.Actor, int64) (user.User, error){"Block": a.Users.Block, "Unblock": a.Users.Unblock} {
		if _, err := set(t.Context(), audit.ByUser(ben.ID), ada.ID); !errors.Is(err, user.ErrNotAdministrator) {
			t.Errorf("%s by a user = %v, want %v", name, err, user.ErrNotAdministrator)
		}
	}
}

func TestDeedsOnUsersAreInTheTrail(t *testing.T) {
	a := apptest.New(t)
	actor := audit.ByUser(a.Admin("root").ID)
	ada, err := a.Users.Create(t.Context(), actor, user.Registration{
		Username: "ada", Name: "Ada", Email: "ada@example.com", Password: secret.NewText(apptest.Password), Admin: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []user.Change{
		{State: new(user.Blocked)}, {State: new(user.Active)}, {Admin: new(false)}, {Password: new(secret.NewText("difference engine"))},
		{Name: new("Ada King"), Email: new("king@example.com")}, {},
	} {
		if _, err := a.Users.Update(t.Context(), actor, ada.ID, change); err != nil {
			t.Fatal(err)
		}
		a.Pass(time.Millisecond)
	}
	if err := a.Users.Delete(t.Context(), actor, ada.ID); err != nil {
		t.Fatal(err)
	}
	page, err := a.Trail.Entries(t.Context(), audit.Filter{UserID: ada.ID, Size: 100})
	if err != nil {
		t.Fatal(err)
	}
	got := map[audit.Name]int{}
	for _, e := range page.Entries {
		if got[e.Name]++; e.ActorID != actor.ID || e.Event.Details["user"] != "ada" {
			t.Errorf("the entry is %+v, want root's about ada", e)
		}
	}
	want := map[audit.Name]int{
		user.EventCreated: 1, user.EventAdminGranted: 1, user.EventBlocked: 1, user.EventUnblocked: 1, user.EventAdminRevoked: 1,
		user.EventPasswordChanged: 1, user.EventChanged: 1, user.EventDeleted: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}
