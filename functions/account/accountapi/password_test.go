package accountapi_test

import (
	"strings"
	"testing"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/recovery"
	"gatehouse/shared/user"
)

// linkFor returns the path and query of a link that sets the user's password.
func linkFor(t *testing.T, a *apptest.App, u user.User) (address, token string) {
	t.Helper()
	u, err := a.Users.User(t.Context(), u.ID)
	if err != nil {
		t.Fatal(err)
	}
	link, err := a.Recovery.Link(t.Context(), audit.Setup, u)
	if err != nil {
		t.Fatal(err)
	}
	address, found := strings.CutPrefix(link.Address.Reveal(), apptest.BaseURL)
	if !found {
		t.Fatalf("the link leads to %s", link.Address.Reveal())
	}
	return address, strings.TrimPrefix(address, recovery.PasswordPath+"?token=")
}

// Whoever reads a person's mails has the password by them, and nothing else.
func TestLinkDoesNotPassTheSecondFactor(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	own := enrol(t, a, signedIn(t, a, ada))
	b, waiting := newBrowser(t, a.App), newBrowser(t, a.App)
	waiting.Post("/users/sign_in", apptest.Form("login", "ada", "password", apptest.Password)).WantRedirect("/users/two_factor?return_to=%2F")
	_, token := linkFor(t, a, ada)
	b.Post("/users/password", apptest.Form("token", token, "password", "difference engine")).WantRedirect("/users/sign_in")
	b.Get(profile).WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fprofile")
	b.Post("/users/sign_in", apptest.Form("login", "ada", "password", "difference engine")).WantRedirect("/users/two_factor?return_to=%2F")
	b.Get(profile).WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fprofile")
	waiting.Post("/users/two_factor", apptest.Form("code", own.seed.Code(a.Now()))).WantRedirect("/users/sign_in?return_to=%2F")
	b.Post("/users/two_factor", apptest.Form("code", own.seed.Code(a.Now()))).WantRedirect("/")
}

// No cache keeps the pages behind links, and no other site hears of their addresses or
// sends their forms.
func TestPagesBehindLinksKeepThem(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	password, token := linkFor(t, a, ada)
	_, mailed, err := a.Recovery.ConfirmationMail(t.Context(), recovery.NewAddress{UserID: ada.ID, Email: ada.Email})
	if err != nil {
		t.Fatal(err)
	}
	confirmation := strings.TrimPrefix(mailed.Reveal(), apptest.BaseURL)
	b := newBrowser(t, a.App)
	b.Header.Set("X-Forwarded-Host", "evil.example")
	for _, page := range []string{password, confirmation} {
		answer := b.Get(page).Want(200)
		answer.WantNot("evil.example")
		for name, want := range map[string]string{"Cache-Control": "no-store, no-transform", "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY"} {
			if got := answer.Header().Get(name); got != want {
				t.Errorf("%s has %s %q, want %q", page, name, got, want)
			}
		}
	}
	b.Header.Set("Sec-Fetch-Site", "cross-site")
	b.Post("/users/password", apptest.Form("token", token, "password", "difference engine")).Want(403)
	b.Post("/users/confirmation", apptest.Form("token", strings.TrimPrefix(confirmation, "/users/confirmation?token="))).Want(403)
	b.Post("/users/password/new", apptest.Form("login", "ada")).Want(403)
}

func TestLinksSetThePasswordThriceADay(t *testing.T) {
	a := apptest.New(t)
	ada, b := a.User("ada"), newBrowser(t, a.App)
	for range 3 {
		_, token := linkFor(t, a, ada)
		b.Post("/users/password", apptest.Form("token", token, "password", "difference engine")).WantRedirect("/users/sign_in")
	}
	address, token := linkFor(t, a, ada)
	refused := b.Post("/users/password", apptest.Form("token", token, "password", "difference engine")).Want(429, "three times a day")
	if refused.Header().Get("Retry-After") == "" {
		t.Error("429 without Retry-After")
	}
	b.Get(address).Want(200, "Choose a new password") // it works later
}
