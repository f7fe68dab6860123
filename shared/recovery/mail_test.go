package recovery_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/outbox"
	"gatehouse/shared/recovery"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"

	"github.com/google/go-cmp/cmp"
)

var somewhere = netip.MustParseAddr("192.0.2.1")

// waiting returns the messages in the outbox.
func waiting(t *testing.T, a *apptest.App) (all []outbox.Message) {
	t.Helper()
	lanes, err := a.Store.DueLanes(t.Context(), outbox.Prompt, a.Now(), 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, lane := range lanes {
		messages, err := a.Store.Waiting(t.Context(), lane, 100)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, messages...)
	}
	return all
}

// read returns the data of the only message.
func read[T any](t *testing.T, a *apptest.App) (data T) {
	t.Helper()
	all := waiting(t, a)
	if len(all) != 1 {
		t.Fatalf("%d messages wait, want one", len(all))
	}
	if err := json.Unmarshal(all[0].Data, &data); err != nil {
		t.Fatal(err)
	}
	return data
}

func tokenIn(t *testing.T, link secret.Text) secret.Text {
	t.Helper()
	address, err := url.Parse(link.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	return secret.NewText(address.Query().Get("token"))
}

func TestForgottenPassword(t *testing.T) {
	tests := []struct {
		login string
		found bool
	}{{"ada", true}, {"ADA@example.com", true}, {"nobody", false}, {"nobody@example.com", false}, {"", false}, {"blocked", false}}
	for _, test := range tests {
		t.Run(test.login, func(t *testing.T) {
			a := apptest.New(t)
			ada := a.User("ada")
			a.Block(a.User("blocked"))
			if err := a.Recovery.Ask(t.Context(), test.login, somewhere); err != nil {
				t.Fatal(err)
			}
			u, link, err := a.Recovery.PasswordMail(t.Context(), read[recovery.Asked](t, a))
			if err != nil || (u.ID == ada.ID) != test.found || link.Empty() == test.found {
				t.Fatalf("the mail is for user %d, %v, want one: %t", u.ID, err, test.found)
			}
			if !test.found {
				return
			}
			a.Pass(time.Hour - time.Second)
			if _, err := a.Recovery.User(t.Context(), tokenIn(t, link)); err != nil {
				t.Errorf("the link does not work for an hour: %v", err)
			}
			a.Pass(time.Second)
			if err := a.Recovery.SetPassword(t.Context(), tokenIn(t, link), other); !errors.Is(err, recovery.ErrLink) {
				t.Errorf("SetPassword() after an hour = %v, want %v", err, recovery.ErrLink)
			}
		})
	}
}

// Nobody's mailbox is filled, and the answer tells nobody who has an account.
func TestForgottenPasswordIsThrottled(t *testing.T) {
	for _, login := range []string{"ada", "nobody"} {
		a := apptest.New(t)
		a.User("ada")
		for n := range 6 {
			from := netip.AddrFrom4([4]byte{192, 0, 2, byte(n)})
			if err := a.Recovery.Ask(t.Context(), login, from); fault.Is(err, fault.TooMany) != (n == 5) {
				t.Errorf("%s asks for mail %d: %v", login, n+1, err)
			}
		}
		if got := len(waiting(t, a)); got != 5 {
			t.Errorf("%d mails wait for %s, want 5", got, login)
		}
	}
}

func TestConfirmByMail(t *testing.T) {
	tests := map[string]struct {
		change  user.Change
		after   time.Duration
		confirm bool
	}{
		"soon":                       {user.Change{}, 0, true},
		"after a new password":       {user.Change{Password: &other}, 0, true},
		"after another address":      {user.Change{Email: new("king@example.com")}, 0, false},
		"after a block":              {user.Change{State: new(user.Blocked)}, 0, false},
		"after another confirmed it": {user.Change{Confirmed: true}, 0, false},
		"when it is too late":        {user.Change{}, 3 * 24 * time.Hour, false},
		"just before it is too late": {user.Change{}, 3*24*time.Hour - time.Second, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			ada := a.User("ada")
			if err := a.Recovery.SendConfirmation(t.Context(), ada); err != nil {
				t.Fatal(err)
			}
			about := read[recovery.NewAddress](t, a)
			_, link, err := a.Recovery.ConfirmationMail(t.Context(), about)
			if err != nil || link.Empty() {
				t.Fatalf("no mail: %v", err)
			}
			if _, err := a.Users.Update(t.Context(), audit.Setup, ada.ID, test.change); err != nil {
				t.Fatal(err)
			}
			a.Pass(test.after)
			err = a.Recovery.Confirm(t.Context(), tokenIn(t, link))
			if (err == nil) != test.confirm || err != nil && !errors.Is(err, recovery.ErrLink) {
				t.Errorf("Confirm() = %v, want success: %t", err, test.confirm)
			}
			if err := a.Recovery.Confirm(t.Context(), tokenIn(t, link)); !errors.Is(err, recovery.ErrLink) {
				t.Errorf("Confirm() again = %v, want %v", err, recovery.ErrLink)
			}
			if err := a.Recovery.SetPassword(t.Context(), tokenIn(t, link), other); !errors.Is(err, recovery.ErrLink) {
				t.Errorf("the link sets a password: %v", err)
			}
		})
	}
}

// Strangers cannot have large messages stored.
func TestForgottenPasswordOfALongName(t *testing.T) {
	a := apptest.New(t)
	for range 3 {
		if err := a.Recovery.Ask(t.Context(), strings.Repeat("é", 500_000), somewhere); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range waiting(t, a) {
		if len(m.Data) > 2000 {
			t.Errorf("a message has %d bytes", len(m.Data))
		}
	}
}

// A new address is told, one that is known to be the user's is not.
func TestNewAddressesAreConfirmed(t *testing.T) {
	a := apptest.New(t)
	var told []string
	a.Users.OnNewAddress(func(_ context.Context, u user.User) { told = append(told, u.Email) })
	ada := a.User("ada")
	for _, c := range []user.Change{
		{Name: new("Ada King")}, {Email: new("king@example.com")}, {Email: new("known@example.com"), Confirmed: true},
	} {
		if _, err := a.Users.Update(t.Context(), audit.Setup, ada.ID, c); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"ada@example.com", "king@example.com"}, told); diff != "" {
		t.Errorf("addresses to confirm (-want +got):\n%s", diff)
	}
}
