package accountapi_test

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/user"
)

func TestSignInAndOut(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	b := newBrowser(t, a.App)
	b.get("/").wantRedirect("/users/sign_in")
	b.get("/user_settings/applications?page=2").wantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fapplications%3Fpage%3D2")
	page := b.get("/users/sign_in?return_to=%2Fuser_settings%2Fapplications%3Fpage%3D2").want(200)
	fields := page.fields("/users/sign_in")
	fields.Set("login", "ADA@example.com")
	fields.Set("password", apptest.Password)
	signIn := b.post("/users/sign_in", fields)
	signIn.wantRedirect("/user_settings/applications?page=2")

	cookie := signIn.Result().Cookies()[0]
	if cookie.Name != sessionCookie || !cookie.Secure || !cookie.HttpOnly || cookie.Path != "/" || cookie.Domain != "" || cookie.SameSite != http.SameSiteLaxMode {
		t.Errorf("the session's cookie is %v", cookie)
	}
	b.get("/").wantRedirect("/user_settings/applications")
	b.get("/user_settings").wantRedirect("/user_settings/applications")
	b.get("/users/sign_in").wantRedirect("/")
	b.get("/user_settings/applications/").want(200, "The user ada", "@ada")

	b.post("/users/sign_out", nil).wantRedirect("/users/sign_in")
	b.get("/users/sign_in").want(200, "You are signed out.")
	b.cookies[sessionCookie] = cookie.Value
	b.get("/").wantRedirect("/users/sign_in")
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
		page := b.post("/users/sign_in", form("login", login, "password", password, "return_to", "/user_settings")).want(422)
		if len(b.cookies) != 0 {
			t.Errorf("signing in as %q set the cookies %v", login, b.cookies)
		}
		if got := page.fields("/users/sign_in").Get("return_to"); got != "/user_settings" {
			t.Errorf("return_to is %q after a refusal", got)
		}
		if strings.Contains(page.page(), password) {
			t.Errorf("the page repeats the password of %q", login)
		}
		_, rest, _ := strings.Cut(page.page(), `role="alert"`)
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
	b.post("/users/sign_in?"+form("login", "ada", "password", apptest.Password).Encode(), nil).want(422)
}

func TestSignInRepeatedField(t *testing.T) {
	b := newBrowser(t, apptest.New(t).App)
	b.post("/users/sign_in", form("login", "ada", "login", "ben", "password", "x")).want(400, "more than once")
}

func TestSignInReturnsToNoOtherSite(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	for _, evil := range []string{
		"https://evil.example/", "//evil.example", `/\evil.example`, `\/evil.example`, "/\t/evil.example",
		"javascript:alert(1)", "/x\r\nX: y", "evil.example", "///evil.example", "http:evil.example",
	} {
		b := newBrowser(t, a.App)
		page := b.get("/users/sign_in?return_to=" + url.QueryEscape(evil)).want(200)
		if got := page.fields("/users/sign_in").Get("return_to"); got != "/" {
			t.Errorf("the page takes %q over as %q", evil, got)
		}
		b.post("/users/sign_in", form("login", "ada", "password", apptest.Password, "return_to", evil)).wantRedirect("/")
		b.get("/users/sign_in?return_to=" + url.QueryEscape(evil)).wantRedirect("/")
		b.post("/users/sign_out", form("return_to", evil)).wantRedirect("/users/sign_in")
	}
}

func TestSignInStartsANewSession(t *testing.T) {
	a := apptest.New(t)
	ada, mallory := a.User("ada"), a.User("mallory")
	planted := signedIn(t, a, mallory).cookies[sessionCookie]

	b := newBrowser(t, a.App)
	b.cookies[sessionCookie] = planted
	b.post("/users/sign_in", form("login", ada.Username, "password", apptest.Password)).wantRedirect("/")
	if b.cookies[sessionCookie] == planted {
		t.Error("the planted session went on")
	}
	b.get("/user_settings/applications").want(200, "@ada")
	b.cookies[sessionCookie] = planted
	b.get("/").wantRedirect("/users/sign_in")
}

func TestSessionEnds(t *testing.T) {
	a := apptest.New(t)
	b := signedIn(t, a, a.User("ada"))
	a.Pass(session.IdleLimit)
	b.get("/user_settings/applications").wantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fapplications")
}

func TestForgedSession(t *testing.T) {
	a := apptest.New(t)
	good := signedIn(t, a, a.User("ada")).cookies[sessionCookie]
	for _, value := range []string{"", "1", "a.b.c", good + "0", good[:len(good)-1] + "g", "2" + good[1:], strings.Repeat("x", 5000)} {
		b := newBrowser(t, a.App)
		b.cookies[sessionCookie] = value
		b.get("/").wantRedirect("/users/sign_in")
	}
}

func TestBlockedUser(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada)
	b := signedIn(t, a, ada)
	a.Block(ada)
	b.get("/user_settings/applications").want(403, "Your account is blocked", "Sign out")
	b.get(authorize(request(client))).want(403, "Your account is blocked")
	approve := request(client)
	approve.Set("decision", "approve")
	b.post("/oauth/authorize", approve).want(403, "Your account is blocked")
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
	if _, err := a.Users.Update(t.Context(), ada.ID, user.Change{Password: &password}); err != nil {
		t.Fatal(err)
	}
	wantSignedOut(t, b, client)

	fields := b.get("/users/sign_in").fields("/users/sign_in")
	fields.Set("login", "ada")
	fields.Set("password", "difference engine")
	b.post("/users/sign_in", fields).wantRedirect("/")
	b.get("/user_settings/applications").want(200, "@ada")
}

func TestSessionEndsWithABlock(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada)
	b := signedIn(t, a, ada)
	a.Pass(time.Second)
	a.Block(ada)
	b.get("/user_settings/applications").want(403, "Your account is blocked", "Sign out")
	b.get("/").wantRedirect("/user_settings/applications")
	active := user.Active
	if _, err := a.Users.Update(t.Context(), ada.ID, user.Change{State: &active}); err != nil {
		t.Fatal(err)
	}
	wantSignedOut(t, b, client)
}

// wantSignedOut checks every page that depends on who is signed in. The
// sign-in page shows itself, or the browser would be sent in circles.
func wantSignedOut(t *testing.T, b *browser, c oauth.Client) {
	t.Helper()
	b.get("/").wantRedirect("/users/sign_in")
	b.get("/users/sign_in").want(200)
	b.get("/user_settings/applications").wantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fapplications")
	for decision, answer := range map[string]answer{
		"none":    b.get(authorize(request(c))),
		"approve": b.post("/oauth/authorize", request(c, "decision", "approve")),
		"deny":    b.do("DELETE", "/oauth/authorize", request(c)),
	} {
		if !strings.HasPrefix(answer.location(), "/users/sign_in?return_to=") {
			t.Errorf("decision %s answered %d to %q, want the sign-in page", decision, answer.Code, answer.location())
		}
	}
}

func TestDeletedUser(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	if err := a.Users.DeleteUser(t.Context(), ada.ID, 0); err != nil {
		t.Fatal(err)
	}
	b.get("/user_settings/applications").wantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fapplications")
}

func TestPlainHTTPCookie(t *testing.T) {
	a := apptest.New(t)
	keys, err := secret.NewKeys(secret.Random(secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	plain := app.New(a.Store, app.Config{BaseURL: "http://127.0.0.1:3000", Keys: keys, Passwords: secret.Passwords{Time: 1, Memory: 64}, OAuth: oauth.Settings{}, Now: a.Now})
	if _, err := plain.Users.Create(t.Context(), user.Registration{Username: "ada", Name: "Ada", Email: "ada@example.com", Password: secret.NewText(apptest.Password)}); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, plain)
	cookie := b.post("/users/sign_in", form("login", "ada", "password", apptest.Password)).Result().Cookies()[0]
	if cookie.Name != "gatehouse_session" || cookie.Secure || !cookie.HttpOnly {
		t.Errorf("the session's cookie is %v", cookie)
	}
	b.get("/").wantRedirect("/user_settings/applications")
}

// guess sends the sign-in form from an address.
func (b *browser) guess(address, login, password string) answer {
	b.t.Helper()
	r := httptest.NewRequest("POST", "/users/sign_in",
		strings.NewReader(form("login", login, "password", password, "return_to", "/user_settings").Encode()))
	r.RemoteAddr = address + ":4711"
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("X-Forwarded-For", rand.Text()) // changes nothing
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	return answer{b.t, "POST /users/sign_in from " + address, w}
}

func TestSignInThrottlesAnAddressAtAnAccount(t *testing.T) {
	for _, login := range []string{"ada", "nobody"} {
		a := apptest.New(t)
		a.User("ada")
		b := newBrowser(t, a.App)
		for range 10 {
			b.guess("203.0.113.7", login, "wrong").want(422)
		}
		page := b.guess("203.0.113.7", login, apptest.Password).want(429, "Too many attempts", "Wait 10 minutes")
		if got := page.Header().Get("Retry-After"); got != "600" {
			t.Errorf("Retry-After is %q, want 600", got)
		}
		page.want(429, `name="login" value="`+login+`"`)
		if got := page.fields("/users/sign_in").Get("return_to"); got != "/user_settings" || strings.Contains(page.page(), apptest.Password) {
			t.Errorf("the form came back with return_to %q: %s", got, page.page())
		}
		if len(page.Result().Cookies()) > 0 {
			t.Errorf("who is throttled got the cookies %v", page.Result().Cookies())
		}
		a.Pass(9*time.Minute + 1)
		b.guess("203.0.113.7", login, apptest.Password).want(429, "Wait a minute")
	}
}

func TestSignInAfterAndBesideAThrottle(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	a.User("ben")
	b := newBrowser(t, a.App)
	for range 10 {
		b.guess("203.0.113.7", "ada", "wrong").want(422)
	}
	b.guess("203.0.113.7", "ben", apptest.Password).wantRedirect("/user_settings")
	b.guess("203.0.113.8", "ada", apptest.Password).wantRedirect("/user_settings")
	b.guess("203.0.113.7", "ada", apptest.Password).want(429)
	a.Pass(10 * time.Minute)
	b.guess("203.0.113.7", "ada", apptest.Password).wantRedirect("/user_settings")
}

func TestSignInForgetsFailuresAtASuccess(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	b := newBrowser(t, a.App)
	for range 3 {
		for range 9 {
			b.guess("203.0.113.7", "ada", "wrong").want(422)
		}
		b.guess("203.0.113.7", "ada", apptest.Password).wantRedirect("/user_settings")
	}
}

// The page and the password grant count together: they try the same password.
func TestPasswordGrantAndSignInCountTogether(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	b := newBrowser(t, a.App)
	for range 10 {
		b.guess("203.0.113.7", "ada", "wrong").want(422)
	}
	_, err := a.OAuth.Token(t.Context(), oauth.TokenRequest{
		GrantType: "password", Username: "ada", Password: secret.NewText(apptest.Password), Address: netip.MustParseAddr("203.0.113.7"),
	})
	if err == nil {
		t.Error("the password grant gave a token")
	}
}
