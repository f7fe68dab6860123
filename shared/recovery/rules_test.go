package recovery_test

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/recovery"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/user"
)

// tokenOf returns the token of a link.
func tokenOf(t *testing.T, l recovery.Link) secret.Text {
	t.Helper()
	address, err := url.Parse(l.Address.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	return secret.NewText(address.Query().Get("token"))
}

// link returns the token of a link that an administrator made for the user.
func link(t *testing.T, a *apptest.App, id int64) secret.Text {
	t.Helper()
	u, err := a.Users.User(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	l, err := a.Recovery.Link(t.Context(), audit.Setup, u)
	if err != nil {
		t.Fatal(err)
	}
	return tokenOf(t, l)
}

var other = secret.NewText("difference engine")

func TestLinkSetsThePasswordOnce(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	token, second := link(t, a, ada.ID), link(t, a, ada.ID)
	if err := a.Recovery.SetPassword(t.Context(), token, secret.NewText("short")); !fault.Is(err, fault.Invalid) {
		t.Errorf("SetPassword() to a short one = %v, want a complaint", err)
	}
	if err := a.Recovery.SetPassword(t.Context(), token, other); err != nil {
		t.Fatal(err)
	}
	if u, err := a.Users.Authenticate(t.Context(), "ada", other); err != nil || u.SessionValid(ada.SessionEpoch) {
		t.Errorf("the new password does not work, or the sessions before it do: %v", err)
	}
	for _, used := range []secret.Text{token, second} {
		if err := a.Recovery.SetPassword(t.Context(), used, other); !errors.Is(err, recovery.ErrLink) {
			t.Errorf("SetPassword() again = %v, want %v", err, recovery.ErrLink)
		}
	}
}

// A new password begins a new count of wrong second factors. Whoever reads the user's mails
// must not have that any number of times.
func TestLinksSetThePasswordThriceADay(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	set := func(password string) error {
		return a.Recovery.SetPassword(t.Context(), link(t, a, ada.ID), secret.NewText(password))
	}
	for range 5 { // which count nothing
		if err := set("short"); !fault.Is(err, fault.Invalid) {
			t.Fatalf("SetPassword() to a short one = %v, want a complaint", err)
		}
	}
	for n := range 4 {
		if err := set("difference engine"); fault.Is(err, fault.TooMany) != (n == 3) || n < 3 && err != nil {
			t.Errorf("password %d by a link: %v", n+1, err)
		}
	}
	a.Pass(24 * time.Hour)
	if err := set("analytical engine"); err != nil {
		t.Errorf("a day later: %v", err)
	}
}

func TestLinkEndsWithWhatItWasMadeFor(t *testing.T) {
	change := func(c user.Change) func(*testing.T, *apptest.App, int64) {
		return func(t *testing.T, a *apptest.App, id int64) {
			if _, err := a.Users.Update(t.Context(), audit.Setup, id, c); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := map[string]struct {
		spoil func(*testing.T, *apptest.App, int64)
		works bool
	}{
		"nothing":         {func(*testing.T, *apptest.App, int64) {}, true},
		"almost a day":    {func(_ *testing.T, a *apptest.App, _ int64) { a.Pass(recovery.LinkLifetime - time.Second) }, true},
		"a day":           {func(_ *testing.T, a *apptest.App, _ int64) { a.Pass(recovery.LinkLifetime) }, false},
		"another name":    {change(user.Change{Name: new("Ada King")}), true},
		"another address": {change(user.Change{Email: new("king@example.com")}), false},
		"a new password":  {change(user.Change{Password: &other}), false},
		"a block": {func(t *testing.T, a *apptest.App, id int64) {
			change(user.Change{State: new(user.Blocked)})(t, a, id)
			change(user.Change{State: new(user.Active)})(t, a, id)
		}, false},
		"deletion": {func(t *testing.T, a *apptest.App, id int64) {
			if err := a.Users.Delete(t.Context(), audit.Setup, id); err != nil {
				t.Fatal(err)
			}
		}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			ada := a.User("ada")
			token := link(t, a, ada.ID)
			test.spoil(t, a, ada.ID)
			if err := a.Recovery.SetPassword(t.Context(), token, other); (err == nil) != test.works || err != nil && !errors.Is(err, recovery.ErrLink) {
				t.Errorf("SetPassword() = %v, want success: %t", err, test.works)
			}
		})
	}
}

func TestLinksThatAreNotOurs(t *testing.T) {
	a := apptest.New(t)
	good := link(t, a, a.User("ada").ID).Reveal()
	for _, text := range []string{"", "x", "%", good[:len(good)-2], "A" + good[1:]} {
		if _, err := a.Recovery.User(t.Context(), secret.NewText(text)); !errors.Is(err, recovery.ErrLink) {
			t.Errorf("User(%.10q) = %v, want %v", text, err, recovery.ErrLink)
		}
	}
	blocked := a.User("blocked")
	blocked.State = user.Blocked
	if _, err := a.Recovery.Link(t.Context(), audit.Setup, blocked); !errors.Is(err, recovery.ErrBlocked) {
		t.Errorf("Link() for a blocked user = %v, want %v", err, recovery.ErrBlocked)
	}
}

// changing is a store in which something happens just before a user is changed, once.
type changing struct {
	storage.Store
	happens func()
}

func (c *changing) UpdateUser(ctx context.Context, u user.User, by int64) error {
	if then := c.happens; then != nil {
		c.happens = nil
		then()
	}
	return c.Store.UpdateUser(ctx, u, by)
}

// A link works although something else of the account changes meanwhile.
func TestLinkMeetsAnotherChange(t *testing.T) {
	tests := map[string]struct {
		change user.Change
		want   error
	}{
		"another name":    {user.Change{Name: new("Ada King")}, nil},
		"another address": {user.Change{Email: new("king@example.com")}, recovery.ErrLink},
		"a new password":  {user.Change{Password: &other}, recovery.ErrLink},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			store := &changing{Store: sqlitetest.Open(t)}
			a := apptest.Over(t, store)
			ada := a.User("ada")
			token := link(t, a, ada.ID)
			store.happens = func() {
				if _, err := a.Users.Update(t.Context(), audit.Setup, ada.ID, test.change); err != nil {
					t.Error(err)
				}
			}
			if err := a.Recovery.SetPassword(t.Context(), token, secret.NewText("analytical engine")); !errors.Is(err, test.want) {
				t.Errorf("SetPassword() = %v, want %v", err, test.want)
			}
		})
	}
}

func TestOneOfManySetsThePassword(t *testing.T) {
	a := apptest.New(t)
	token := link(t, a, a.User("ada").ID)
	var won atomic.Int32
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			if a.Recovery.SetPassword(t.Context(), token, other) == nil {
				won.Add(1)
			}
		})
	}
	callers.Wait()
	if won.Load() != 1 {
		t.Errorf("%d of 4 set the password, want 1", won.Load())
	}
}
