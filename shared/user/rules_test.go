package user_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

func TestCreateChecksEveryField(t *testing.T) {
	a := apptest.New(t)
	_, err := a.Users.Create(t.Context(), user.Registration{Username: "api", Name: "", Email: "nobody", Password: secret.NewText("short")})
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
		_, err := a.Users.Update(t.Context(), ada.ID, test.change)
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
		{"the end of the block", user.Change{State: new(user.Active)}, false},
	}
	for _, test := range tests {
		before, err := a.Users.User(t.Context(), ada.ID)
		if err != nil {
			t.Fatal(err)
		}
		a.Pass(-time.Second) // another function's clock may be behind
		if _, err := a.Users.Update(t.Context(), ada.ID, test.change); err != nil {
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
		changed, err := a.Users.Update(t.Context(), ada.ID, user.Change{Password: new(secret.NewText("difference engine"))})
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
