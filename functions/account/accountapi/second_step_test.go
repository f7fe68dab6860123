package accountapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/secret"
	"gatehouse/shared/signin"
	"gatehouse/shared/user"
)

const secondStepPage = "/users/two_factor"

// password gives the password and expects to be asked for a code.
func password(t *testing.T, b *apptest.Browser) {
	t.Helper()
	b.Post("/users/sign_in", apptest.Form("login", "ada", "password", apptest.Password)).WantRedirect(secondStepPage + "?return_to=%2F")
}

// secondStep signs ada in with her password and this code.
func secondStep(t *testing.T, b *apptest.Browser, code string) apptest.Page {
	t.Helper()
	password(t, b)
	return b.Post(secondStepPage, apptest.Form("code", code))
}

// withTwoFactors returns an App in which ada has two factors, a second ago.
func withTwoFactors(t *testing.T) (*apptest.App, user.User, enrolled) {
	t.Helper()
	a := apptest.New(t)
	ada := a.User("ada")
	return a, ada, enrol(t, a, signedIn(t, a, ada))
}

func TestPasswordAloneOpensNothing(t *testing.T) {
	a, _, has := withTwoFactors(t)
	b := newBrowser(t, a.App)
	signIn := b.Post("/users/sign_in", apptest.Form("login", "ada", "password", apptest.Password, "return_to", "/user_settings/sessions"))
	signIn.WantRedirect(secondStepPage + "?return_to=%2Fuser_settings%2Fsessions")
	cookies := signIn.Result().Cookies()
	if len(cookies) != 1 || cookies[0].Name != pendingCookie || !cookies[0].HttpOnly || !cookies[0].Secure || cookies[0].MaxAge != 600 {
		t.Fatalf("the password gave the cookies %v", cookies)
	}
	for _, page := range []string{"/user_settings/applications", "/user_settings/sessions", twoFactorPage} {
		if at := b.Get(page).Location(); !strings.HasPrefix(at, "/users/sign_in?") {
			t.Errorf("GET %s leads to %q, want the sign-in", page, at)
		}
	}
	b.Cookies[apptest.SessionCookie] = cookies[0].Value
	b.Get("/user_settings/profile").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fprofile")
	delete(b.Cookies, apptest.SessionCookie)

	page := b.Get(secondStepPage+"?return_to=%2Fuser_settings%2Fsessions").Want(200, "Code from your app", `inputmode="numeric"`, `autocomplete="one-time-code"`)
	fields := page.Fields(secondStepPage)
	fields.Set("code", has.seed.Code(a.Now()))
	b.Post(secondStepPage, fields).WantRedirect("/user_settings/sessions")
	b.Get("/user_settings/sessions").Want(200, "@ada")
	if _, left := b.Cookies[pendingCookie]; left {
		t.Error("the pending sign-in is left in the browser")
	}
}

func TestCodeIsReplayedInVain(t *testing.T) {
	a, _, has := withTwoFactors(t)
	code := has.seed.Code(a.Now())
	b := newBrowser(t, a.App)
	password(t, b)
	pending := b.Cookies[pendingCookie]
	b.Post(secondStepPage, apptest.Form("code", code)).WantRedirect("/")

	thief := newBrowser(t, a.App)
	thief.Cookies[pendingCookie] = pending
	thief.Post(secondStepPage, apptest.Form("code", code)).WantRedirect("/users/sign_in?return_to=%2F")
	a.Pass(30 * time.Second)
	thief.Cookies[pendingCookie] = pending
	thief.Post(secondStepPage, apptest.Form("code", has.seed.Code(a.Now()))).WantRedirect("/users/sign_in?return_to=%2F")
	thief.Get("/users/sign_in").Want(200, "That took too long. Sign in again.")
	secondStep(t, thief, code).Want(422, "The code is not right, or it was used before.")
	secondStep(t, thief, has.seed.Code(a.Now())).WantRedirect("/")
}

func TestSignInWithARecoveryCode(t *testing.T) {
	a, _, has := withTwoFactors(t)
	b := newBrowser(t, a.App)
	password(t, b)
	page := b.Get(secondStepPage+"?return_to=%2Fuser_settings%2Fsessions&recovery=1").Want(200, "Recovery code", "Use the app instead")
	fields := page.Fields(secondStepPage)
	fields.Set("code", "abcd-efgh-ijkl-mnop")
	b.Post(secondStepPage, fields).Want(422, "none of your recovery codes")
	fields.Set("code", " "+strings.ToUpper(strings.ReplaceAll(has.codes[3], "-", " ")))
	b.Post(secondStepPage, fields).WantRedirect("/user_settings/sessions")
	b.Get(twoFactorPage).Want(200, "You signed in with a recovery code", "9")
	a.Pass(time.Second)
	secondStep(t, newBrowser(t, a.App), has.codes[3]).Want(422)
}

func TestSecondStepReturnsToNoOtherSite(t *testing.T) {
	a, _, has := withTwoFactors(t)
	b := newBrowser(t, a.App)
	for i, evil := range []string{"https://evil.example/", "//evil.example", `/\evil.example`} {
		b.Post("/users/sign_in", apptest.Form("login", "ada", "password", apptest.Password, "return_to", evil)).WantRedirect(secondStepPage + "?return_to=%2F")
		b.Post(secondStepPage, apptest.Form("code", has.codes[i], "return_to", evil)).WantRedirect("/")
		a.Pass(time.Second)
	}
}

func TestSecondStepNeedsAPendingSignIn(t *testing.T) {
	a, ada, has := withTwoFactors(t)
	for name, cookie := range map[string]string{
		"none": "", "made up": "x", "a session": signedInBy(t, a, has.codes[0]).Cookies[apptest.SessionCookie],
		"one of another purpose": a.TwoFactor.Begin(ada, "sign-in").Ticket.Reveal(),
	} {
		b := newBrowser(t, a.App)
		b.Cookies[pendingCookie] = cookie
		for _, answer := range []apptest.Page{
			b.Get(secondStepPage + "?return_to=%2Fuser_settings"), b.Post(secondStepPage, apptest.Form("code", has.codes[1], "return_to", "/user_settings")),
		} {
			if answer.Location() != "/users/sign_in?return_to=%2Fuser_settings" {
				t.Errorf("%s: %s answered %d to %q, want the sign-in", name, answer.Call, answer.Code, answer.Location())
			}
		}
	}
	b := newBrowser(t, a.App)
	password(t, b)
	a.Pass(signin.PendingLifetime)
	b.Post(secondStepPage, apptest.Form("code", has.codes[1])).WantRedirect("/users/sign_in?return_to=%2F")
}

func signedInBy(t *testing.T, a *apptest.App, code string) *apptest.Browser {
	t.Helper()
	b := newBrowser(t, a.App)
	secondStep(t, b, code).WantRedirect("/")
	a.Pass(time.Second)
	return b
}

func TestPendingSignInEndsWithThePassword(t *testing.T) {
	a, ada, has := withTwoFactors(t)
	b := newBrowser(t, a.App)
	password(t, b)
	next := secret.NewText("difference engine")
	a.Pass(time.Second)
	if _, err := a.Users.Update(t.Context(), audit.Setup, ada.ID, user.Change{Password: &next}); err != nil {
		t.Fatal(err)
	}
	b.Post(secondStepPage, apptest.Form("code", has.codes[0])).WantRedirect("/users/sign_in?return_to=%2F")
}

// An address that guesses waits, others do not, and what is no code at all does
// not count.
func TestSecondStepThrottlesAnAddressAtAnAccount(t *testing.T) {
	a, _, has := withTwoFactors(t)
	b := newBrowser(t, a.App)
	password(t, b)
	for range 11 {
		b.Post(secondStepPage, apptest.Form("code", "12345")).Want(422)
	}
	wrong := "000000"
	if wrong == has.seed.Code(a.Now()) {
		wrong = "000001"
	}
	for range 10 {
		b.Post(secondStepPage, apptest.Form("code", wrong)).Want(422)
	}
	page := b.Post(secondStepPage, apptest.Form("code", has.codes[0], "return_to", "/user_settings")).Want(429, "Too many wrong codes", "Wait 10 minutes")
	if got := page.Header().Get("Retry-After"); got != "600" {
		t.Errorf("Retry-After is %q, want 600", got)
	}
	password(t, b) // is not guessed any worse for it
	b.Post(secondStepPage, apptest.Form("code", has.codes[0])).Want(429)
	a.Pass(10 * time.Minute)
	secondStep(t, b, has.codes[0]).WantRedirect("/")
}

func TestSecondStepWithoutGuessesLeft(t *testing.T) {
	a, _, has := withTwoFactors(t)
	a.Pass(time.Hour)
	b := newBrowser(t, a.App)
	password(t, b)
	used := has.seed.Code(a.Now().Add(-time.Hour))
	for n := range 100 {
		b.Address = fmt.Sprintf("198.51.100.%d:4711", n/10)
		b.Post(secondStepPage, apptest.Form("code", used)).Want(422)
	}
	b.Address = "198.51.100.99:4711"
	page := b.Post(secondStepPage, apptest.Form("code", has.seed.Code(a.Now()))).Want(429, "Too many wrong codes", "Wait 24 hours", "Use a recovery code")
	if got := page.Header().Get("Retry-After"); got != "86400" {
		t.Errorf("Retry-After is %q, want 86400", got)
	}
	b.Post(secondStepPage, apptest.Form("code", has.codes[0])).WantRedirect("/")
}

// A client that wants a fresh sign-in gets one with both factors, and the
// pages on the way may lead to it.
func TestFreshSignInTakesBothFactors(t *testing.T) {
	a, ada, has := withTwoFactors(t)
	client := register(t, a, ada, trusted, openID)
	b := signedInBy(t, a, has.codes[0])
	a.Pass(time.Second)
	again := b.Get(authorize(request(client, "scope", "openid", "prompt", "login")))
	if !strings.HasPrefix(again.Location(), "/users/sign_in?again=1&") {
		t.Fatalf("the request leads to %q", again.Location())
	}
	fields := b.Get(again.Location()).Want(200).Fields("/users/sign_in")
	fields.Set("login", "ada")
	fields.Set("password", apptest.Password)
	step := b.Post("/users/sign_in", fields)
	if !strings.HasPrefix(step.Location(), secondStepPage) {
		t.Fatalf("the password leads to %q", step.Location())
	}
	if at := b.Get(fields.Get("return_to")).Location(); !strings.HasPrefix(at, "/users/sign_in") {
		t.Errorf("with the password alone the request leads to %q", at)
	}
	page := b.Get(step.Location()).Want(200, "Weather station")
	if policy := page.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' https:") {
		t.Errorf("Content-Security-Policy is %q", policy)
	}
	fields = page.Fields(secondStepPage)
	fields.Set("code", has.codes[1])
	b.Post(secondStepPage, fields).Want(303)
	if code := b.Get(fields.Get("return_to")).ToClient(redirectURI).Get("code"); code == "" {
		t.Error("the client got no code")
	}
}
