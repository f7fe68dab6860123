package accountapi_test

import (
	"crypto/rand"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/user"
)

func TestSignInAndOut(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	b := newBrowser(t, a.App)
	b.Get("/user_settings/profile").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fprofile")
	b.Get("/user_settings/applications?page=2").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fapplications%3Fpage%3D2")
	page := b.Get("/users/sign_in?return_to=%2Fuser_settings%2Fapplications%3Fpage%3D2").Want(200)
	fields := page.Fields("/users/sign_in")
	fields.Set("login", "ADA@example.com")
	fields.Set("password", apptest.Password)
	signIn := b.Post("/users/sign_in", fields)
	signIn.WantRedirect("/user_settings/applications?page=2")

	cookie := signIn.Result().Cookies()[0]
	if cookie.Name != apptest.SessionCookie || !cookie.Secure || !cookie.HttpOnly || cookie.Path != "/" || cookie.Domain != "" || cookie.SameSite != http.SameSiteLaxMode {
		t.Errorf("the session's cookie is %v", cookie)
	}
	b.Get("/user_settings").WantRedirect(profile)
	b.Get("/user_settings/profile").Want(200)
	b.Get("/users/sign_in").WantRedirect("/")
	b.Get("/user_settings/applications/").Want(200, "The user ada", "@ada")

	b.Post("/users/sign_out", nil).WantRedirect("/users/sign_in")
	b.Get("/users/sign_in").Want(200, "You are signed out.")
	b.Cookies[apptest.SessionCookie] = cookie.Value
	b.Get("/user_settings/profile").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fprofile")
}

func TestSignInRefused(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	a.Block(a.User("ben"))
	var pages []string
	for _, login := range []string{"ada", "nobody", "", "ben"} {
		password := apptest.Password
		if login == "ada" {
			password = "wrong"
		}
		b := newBrowser(t, a.App)
		page := b.Post("/users/sign_in", apptest.Form("login", login, "password", password, "return_to", "/user_settings")).Want(422)
		if len(b.Cookies) != 0 {
			t.Errorf("signing in as %q set the cookies %v", login, b.Cookies)
		}
		if got := page.Fields("/users/sign_in").Get("return_to"); got != "/user_settings" {
			t.Errorf("return_to is %q after a refusal", got)
		}
		if strings.Contains(page.Text(), password) {
			t.Errorf("the page repeats the password of %q", login)
		}
		_, rest, _ := strings.Cut(page.Text(), `role="alert"`)
		said, _, _ := strings.Cut(rest, "</p>")
		pages = append(pages, said)
	}
	for _, said := range pages {
		if said == "" || said != pages[0] {
			t.Errorf("refusals differ: %q and %q", pages[0], said)
		}
	}
}

func TestSignInTakesNoCredentialsFromTheQuery(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	b := newBrowser(t, a.App)
	b.Post("/users/sign_in?"+apptest.Form("login", "ada", "password", apptest.Password).Encode(), nil).Want(422)
}

func TestSignInRepeatedField(t *testing.T) {
	b := newBrowser(t, apptest.New(t).App)
	b.Post("/users/sign_in", apptest.Form("login", "ada", "login", "ben", "password", "x")).Want(400, "more than once")
}

func TestSignInReturnsToNoOtherSite(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	for _, evil := range []string{
		"https://evil.example/", "//evil.example", `/\evil.example`, `\/evil.example`, "/\t/evil.example",
		"javascript:alert(1)", "/x\r\nX: y", "evil.example", "///evil.example", "http:evil.example",
	} {
		b := newBrowser(t, a.App)
		page := b.Get("/users/sign_in?return_to=" + url.QueryEscape(evil)).Want(200)
		if got := page.Fields("/users/sign_in").Get("return_to"); got != "/" {
			t.Errorf("the page takes %q over as %q", evil, got)
		}
		b.Post("/users/sign_in", apptest.Form("login", "ada", "password", apptest.Password, "return_to", evil)).WantRedirect("/")
		b.Get("/users/sign_in?return_to=" + url.QueryEscape(evil)).WantRedirect("/")
		b.Post("/users/sign_out", apptest.Form("return_to", evil)).WantRedirect("/users/sign_in")
	}
}

func TestSignInStartsANewSession(t *testing.T) {
	a := apptest.New(t)
	ada, mallory := a.User("ada"), a.User("mallory")
	planted := signedIn(t, a, mallory).Cookies[apptest.SessionCookie]

	b := newBrowser(t, a.App)
	b.Cookies[apptest.SessionCookie] = planted
	b.Post("/users/sign_in", apptest.Form("login", ada.Username, "password", apptest.Password)).WantRedirect("/")
	if b.Cookies[apptest.SessionCookie] == planted {
		t.Error("the planted session went on")
	}
	b.Get("/user_settings/applications").Want(200, "@ada")
	b.Cookies[apptest.SessionCookie] = planted
	b.Get("/user_settings/profile").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fprofile")
}

func TestSessionEnds(t *testing.T) {
	a := apptest.New(t)
	b := signedIn(t, a, a.User("ada"))
	a.Pass(session.IdleLimit)
	b.Get("/user_settings/applications").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fapplications")
}

func TestForgedSession(t *testing.T) {
	a := apptest.New(t)
	good := signedIn(t, a, a.User("ada")).Cookies[apptest.SessionCookie]
	for _, value := range []string{"", "1", "a.b.c", good + "0", good[:len(good)-1] + "g", "2" + good[1:], strings.Repeat("x", 5000)} {
		b := newBrowser(t, a.App)
		b.Cookies[apptest.SessionCookie] = value
		b.Get("/user_settings/profile").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fprofile")
	}
}

func TestBlockedUser(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada)
	b := signedIn(t, a, ada)
	a.Block(ada)
	b.Get("/user_settings/applications").Want(403, "Your account is blocked", "Sign out")
	b.Get(authorize(request(client))).Want(403, "Your account is blocked")
	approve := request(client)
	approve.Set("decision", "approve")
	b.Post("/oauth/authorize", approve).Want(403, "Your account is blocked")
}

// Whoever had a session before the password changed signs in with the new one,
// wherever that session is shown.
func TestSessionEndsWithThePassword(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada)
	b := signedIn(t, a, ada)
	a.Pass(time.Second)
	password := secret.NewText("difference engine")
	if _, err := a.Users.Update(t.Context(), audit.Setup, ada.ID, user.Change{Password: &password}); err != nil {
		t.Fatal(err)
	}
	wantSignedOut(t, b, client)

	fields := b.Get("/users/sign_in").Fields("/users/sign_in")
	fields.Set("login", "ada")
	fields.Set("password", "difference engine")
	b.Post("/users/sign_in", fields).WantRedirect("/")
	b.Get("/user_settings/applications").Want(200, "@ada")
}

func TestSessionEndsWithABlock(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada)
	b := signedIn(t, a, ada)
	a.Pass(time.Second)
	a.Block(ada)
	b.Get("/user_settings/applications").Want(403, "Your account is blocked", "Sign out")
	active := user.Active
	if _, err := a.Users.Update(t.Context(), audit.Setup, ada.ID, user.Change{State: &active}); err != nil {
		t.Fatal(err)
	}
	wantSignedOut(t, b, client)
}

// wantSignedOut checks every page that depends on who is signed in. The
// sign-in page shows itself, or the browser would be sent in circles.
func wantSignedOut(t *testing.T, b *apptest.Browser, c oauth.Client) {
	t.Helper()
	b.Get("/user_settings/profile").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fprofile")
	b.Get("/users/sign_in").Want(200)
	b.Get("/user_settings/applications").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fapplications")
	for decision, answer := range map[string]apptest.Page{
		"none":    b.Get(authorize(request(c))),
		"approve": b.Post("/oauth/authorize", request(c, "decision", "approve")),
		"deny":    b.Do("DELETE", "/oauth/authorize", request(c)),
	} {
		if !strings.HasPrefix(answer.Location(), "/users/sign_in?return_to=") {
			t.Errorf("decision %s answered %d to %q, want the sign-in page", decision, answer.Code, answer.Location())
		}
	}
}

func TestDeletedUser(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	if err := a.Users.Delete(t.Context(), audit.Setup, ada.ID); err != nil {
		t.Fatal(err)
	}
	b.Get("/user_settings/applications").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fapplications")
}

func TestPlainHTTPCookie(t *testing.T) {
	a := apptest.New(t)
	keys, err := secret.NewKeys(secret.Random(secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	plain := app.New(a.Store, app.Config{BaseURL: "http://127.0.0.1:3000", Keys: keys, Passwords: secret.Passwords{Time: 1, Memory: 64}, OAuth: oauth.Settings{}, Now: a.Now})
	if _, err := plain.Users.Create(t.Context(), audit.Setup, user.Registration{Username: "ada", Name: "Ada", Email: "ada@example.com", Password: secret.NewText(apptest.Password)}); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, plain)
	cookie := b.Post("/users/sign_in", apptest.Form("login", "ada", "password", apptest.Password)).Result().Cookies()[0]
	if cookie.Name != "gatehouse_session" || cookie.Secure || !cookie.HttpOnly {
		t.Errorf("the session's cookie is %v", cookie)
	}
	b.Get("/user_settings/profile").Want(200)
}

// guess sends the sign-in form from an address.
func guess(b *apptest.Browser, address, login, password string) apptest.Page {
	b.T.Helper()
	from := apptest.NewBrowser(b.T, b.Handler)
	from.Address = address + ":4711"
	from.Header.Set("X-Forwarded-For", rand.Text()) // changes nothing
	return from.Post("/users/sign_in", apptest.Form("login", login, "password", password, "return_to", "/user_settings"))
}

func TestSignInThrottlesAnAddressAtAnAccount(t *testing.T) {
	for _, login := range []string{"ada", "nobody"} {
		a := apptest.New(t)
		a.User("ada")
		b := newBrowser(t, a.App)
		for range 10 {
			guess(b, "203.0.113.7", login, "wrong").Want(422)
		}
		page := guess(b, "203.0.113.7", login, apptest.Password).Want(429, "Too many attempts", "Wait 10 minutes")
		if got := page.Header().Get("Retry-After"); got != "600" {
			t.Errorf("Retry-After is %q, want 600", got)
		}
		page.Want(429, `name="login" value="`+login+`"`)
		if got := page.Fields("/users/sign_in").Get("return_to"); got != "/user_settings" || strings.Contains(page.Text(), apptest.Password) {
			t.Errorf("the form came back with return_to %q: %s", got, page.Text())
		}
		if len(page.Result().Cookies()) > 0 {
			t.Errorf("who is throttled got the cookies %v", page.Result().Cookies())
		}
		a.Pass(9*time.Minute + 1)
		guess(b, "203.0.113.7", login, apptest.Password).Want(429, "Wait a minute")
	}
}

func TestSignInAfterAndBesideAThrottle(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	a.User("ben")
	b := newBrowser(t, a.App)
	for range 10 {
		guess(b, "203.0.113.7", "ada", "wrong").Want(422)
	}
	guess(b, "203.0.113.7", "ben", apptest.Password).WantRedirect("/user_settings")
	guess(b, "203.0.113.8", "ada", apptest.Password).WantRedirect("/user_settings")
	guess(b, "203.0.113.7", "ada", apptest.Password).Want(429)
	a.Pass(10 * time.Minute)
	guess(b, "203.0.113.7", "ada", apptest.Password).WantRedirect("/user_settings")
}

func TestSignInForgetsFailuresAtASuccess(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	b := newBrowser(t, a.App)
	for range 3 {
		for range 9 {
			guess(b, "203.0.113.7", "ada", "wrong").Want(422)
		}
		guess(b, "203.0.113.7", "ada", apptest.Password).WantRedirect("/user_settings")
	}
}

// The page and the password grant count together: they try the same password.
func TestPasswordGrantAndSignInCountTogether(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	b := newBrowser(t, a.App)
	for range 10 {
		guess(b, "203.0.113.7", "ada", "wrong").Want(422)
	}
	_, err := a.OAuth.Token(t.Context(), oauth.TokenRequest{
		GrantType: "password", Username: "ada", Password: secret.NewText(apptest.Password), Address: netip.MustParseAddr("203.0.113.7"),
	})
	if err == nil {
		t.Error("the password grant gave a token")
	}
}
