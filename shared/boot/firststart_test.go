package boot_test

import (
	"context"
	"testing"

	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/boot"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// wantRoot checks that the credentials open the administrator's account.
func wantRoot(t *testing.T, a *app.App, root boot.Root) {
	t.Helper()
	if u, err := a.Users.Authenticate(t.Context(), boot.RootName, root.Password); err != nil || !u.Admin {
		t.Errorf("sign-in with the password: admin %t, %v", u.Admin, err)
	}
	c, err := a.Auth.Recognise(t.Context(), root.Token)
	if err != nil || c.Scopes.String() != "api sudo" || !c.Token.ExpiresAt.IsZero() {
		t.Errorf("token: scopes %q, expires %v, %v", c.Scopes, c.Token.ExpiresAt, err)
	}
}

func TestFirstStartMakesUpCredentialsOnce(t *testing.T) {
	a := apptest.New(t).App
	root, made, err := boot.FirstStart(t.Context(), a, boot.Env{})
	if err != nil || !made {
		t.Fatalf("made %t, %v", made, err)
	}
	wantRoot(t, a, root)
	if _, made, err := boot.FirstStart(t.Context(), a, boot.Env{}); err != nil || made {
		t.Errorf("second start: made %t, %v", made, err)
	}
	wantRoot(t, a, root)
}

// Nobody has the first administrator's address.
func TestFirstStartHasNoAddressConfirmed(t *testing.T) {
	a := apptest.New(t).App
	a.Users.OnNewAddress(func(_ context.Context, u user.User) { t.Errorf("%s is to be confirmed", u.Email) })
	if _, _, err := boot.FirstStart(t.Context(), a, boot.Env{}); err != nil {
		t.Fatal(err)
	}
}

func TestFirstStartTakesCredentialsAsGiven(t *testing.T) {
	a := apptest.New(t).App
	given := boot.Env{RootPassword: secret.NewText("a password"), RootToken: secret.NewText("any 20 printable characters!")}
	root, _, err := boot.FirstStart(t.Context(), a, given)
	if err != nil {
		t.Fatal(err)
	}
	if root.Password != given.RootPassword || root.Token != given.RootToken {
		t.Error("the credentials are not those given")
	}
	wantRoot(t, a, root)
}

func TestFirstStartRefusesABadToken(t *testing.T) {
	for _, token := range []string{"too short", " twenty characters with a space in front", "zwanzig-zeichen-mit-ümlaut"} {
		a := apptest.New(t).App
		if _, made, err := boot.FirstStart(t.Context(), a, boot.Env{RootToken: secret.NewText(token)}); err == nil || made {
			t.Errorf("token %q: made %t, %v, want an error", token, made, err)
		}
	}
}

// A start is the first only once: whoever removed the administrator of that day
// does not get the account back with the next start.
func TestRemovedRootStaysRemoved(t *testing.T) {
	a := apptest.New(t)
	given := boot.Env{RootToken: secret.NewText("any-20-printable-characters!")}
	if _, _, err := boot.FirstStart(t.Context(), a.App, given); err != nil {
		t.Fatal(err)
	}
	root, err := a.Users.UserByLogin(t.Context(), boot.RootName)
	if err != nil {
		t.Fatal(err)
	}
	a.Admin("ada")
	if err := a.Users.Delete(t.Context(), audit.Setup, root.ID); err != nil {
		t.Fatal(err)
	}
	if _, made, err := boot.FirstStart(t.Context(), a.App, given); err != nil || made {
		t.Errorf("next start: made %t, %v", made, err)
	}
}

func TestFirstStartThatWasCutOffIsDoneAgain(t *testing.T) {
	a := apptest.New(t).App
	_, err := a.Users.Create(t.Context(), audit.Setup, user.Registration{
		Username: boot.RootName, Name: "Administrator", Email: "root@localhost.localdomain", Password: secret.NewText("lost on the way"), Admin: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	root, made, err := boot.FirstStart(t.Context(), a, boot.Env{})
	if err != nil || !made {
		t.Fatalf("made %t, %v", made, err)
	}
	wantRoot(t, a, root)
}
