package consoleapi_test

import (
	"testing"

	"gatehouse/functions/console/consoleapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/user"
)

// stranger returns a browser in which nobody is signed in.
func stranger(t *testing.T, a *apptest.App) *apptest.Browser {
	t.Helper()
	return apptest.NewBrowser(t, consoleapi.New(a.App))
}

// signedIn returns a browser in which the user is signed in.
func signedIn(t *testing.T, a *apptest.App, u user.User) *apptest.Browser {
	t.Helper()
	b := stranger(t, a)
	value, err := a.Sessions.Start(t.Context(), u, audit.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	b.Cookies[apptest.SessionCookie] = value.Reveal()
	return b
}
