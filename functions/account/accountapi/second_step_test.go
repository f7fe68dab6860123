package accountapi_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/secret"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

const secondStepPage = "/users/two_factor"

// password gives the password and expects to be asked for a code.
func password(t *testing.T, b *browser) {
	t.Helper()
	b.post("/users/sign_in", form("login", "ada", "password", apptest.Password)).wantRedirect(secondStepPage + "?return_to=%2F")
}

// secondStep signs ada in with her password and this code.
func secondStep(t *testing.T, b *browser, code string) answer {
	t.Helper()
	password(t, b)
	return b.post(secondStepPage, form("code", code))
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
	signIn := b.post("/users/sign_in", form("login", "ada", "password", apptest.Password, "return_to", "/user_settings/sessions"))
	signIn.wantRedirect(secondStepPage + "?return_to=%2Fuser_settings%2Fsessions")
	cookies := signIn.Result().Cookies()
	if len(cookies) != 1 || cookies[0].Name != pendingCookie || !cookies[0].HttpOnly || !cookies[0].Secure || cookies[0].MaxAge != 600 {
		t.Fatalf("the password gave the cookies %v", cookies)
	}
	for _, page := range []string{"/user_settings/applications", "/user_settings/sessions", twoFactorPage} {
		if at := b.get(page).location(); !strings.HasPrefix(at, "/users/sign_in?") {
			t.Errorf("GET %s leads to %q, want the sign-in", page, at)
		}
	}
	b.cookies[sessionCookie] = cookies[0].Value
	b.get("/").wantRedirect("/users/sign_in")
	delete(b.cookies, sessionCookie)

	page := b.get(secondStepPage+"?return_to=%2Fuser_settings%2Fsessions").want(200, "Code from your app", `inputmode="numeric"`, `autocomplete="one-time-code"`)
	fields := page.fields(secondStepPage)
	fields.Set("code", has.seed.Code(a.Now()))
	b.post(secondStepPage, fields).wantRedirect("/user_settings/sessions")
	b.get("/user_settings/sessions").want(200, "@ada")
	if _, left := b.cookies[pendingCookie]; left {
		t.Error("the pending sign-in is left in the browser")
	}
}

func TestCodeIsReplayedInVain(t *testing.T) {
	a, _, has := withTwoFactors(t)
	code := has.seed.Code(a.Now())
	b := newBrowser(t, a.App)
	password(t, b)
	pending := b.cookies[pendingCookie]
	b.post(secondStepPage, form("code", code)).wantRedirect("/")

	thief := newBrowser(t, a.App)
	thief.cookies[pendingCookie] = pending
	thief.post(secondStepPage, form("code", code)).wantRedirect("/users/sign_in?return_to=%2F")
	a.Pass(30 * time.Second)
	thief.cookies[pendingCookie] = pending
	thief.post(secondStepPage, form("code", has.seed.Code(a.Now()))).wantRedirect("/users/sign_in?return_to=%2F")
	thief.get("/users/sign_in").want(200, "That took too long. Sign in again.")
	secondStep(t, thief, code).want(422, "The code is not right, or it was used before.")
	secondStep(t, thief, has.seed.Code(a.Now())).wantRedirect("/")
}

func TestSignInWithARecoveryCode(t *testing.T) {
	a, _, has := withTwoFactors(t)
	b := newBrowser(t, a.App)
	password(t, b)
	page := b.get(secondStepPage+"?return_to=%2Fuser_settings%2Fsessions&recovery=1").want(200, "Recovery code", "Use the app instead")
	fields := page.fields(secondStepPage)
	fields.Set("code", "abcd-efgh-ijkl-mnop")
	b.post(secondStepPage, fields).want(422, "none of your recovery codes")
	fields.Set("code", " "+strings.ToUpper(strings.ReplaceAll(has.codes[3], "-", " ")))
	b.post(secondStepPage, fields).wantRedirect("/user_settings/sessions")
	b.get(twoFactorPage).want(200, "You signed in with a recovery code", "9")
	a.Pass(time.Second)
	secondStep(t, newBrowser(t, a.App), has.codes[3]).want(422)
}

func TestSecondStepReturnsToNoOtherSite(t *testing.T) {
	a, _, has := withTwoFactors(t)
	b := newBrowser(t, a.App)
	for i, evil := range []string{"https://evil.example/", "//evil.example", `/\evil.example`} {
		b.post("/users/sign_in", form("login", "ada", "password", apptest.Password, "return_to", evil)).wantRedirect(secondStepPage + "?return_to=%2F")
		b.post(secondStepPage, form("code", has.codes[i], "return_to", evil)).wantRedirect("/")
		a.Pass(time.Second)
	}
}

func TestSecondStepNeedsAPendingSignIn(t *testing.T) {
	a, ada, has := withTwoFactors(t)
	for name, cookie := range map[string]string{
		"none": "", "made up": "x", "a session": signedInBy(t, a, has.codes[0]).cookies[sessionCookie],
		"one of another purpose": a.TwoFactor.Begin(ada, "sign-in").Ticket.Reveal(),
	} {
		b := newBrowser(t, a.App)
		b.cookies[pendingCookie] = cookie
		for _, answer := range []answer{
			b.get(secondStepPage + "?return_to=%2Fuser_settings"), b.post(secondStepPage, form("code", has.codes[1], "return_to", "/user_settings")),
		} {
			if answer.location() != "/users/sign_in?return_to=%2Fuser_settings" {
				t.Errorf("%s: %s answered %d to %q, want the sign-in", name, answer.call, answer.Code, answer.location())
			}
		}
	}
	b := newBrowser(t, a.App)
	password(t, b)
	a.Pass(twofactor.PendingLifetime)
	b.post(secondStepPage, form("code", has.codes[1])).wantRedirect("/users/sign_in?return_to=%2F")
}

func signedInBy(t *testing.T, a *apptest.App, code string) *browser {
	t.Helper()
	b := newBrowser(t, a.App)
	secondStep(t, b, code).wantRedirect("/")
	a.Pass(time.Second)
	return b
}

func TestPendingSignInEndsWithThePassword(t *testing.T) {
	a, ada, has := withTwoFactors(t)
	b := newBrowser(t, a.App)
	password(t, b)
	next := secret.NewText("difference engine")
	a.Pass(time.Second)
	if _, err := a.Users.Update(t.Context(), ada.ID, user.Change{Password: &next}); err != nil {
		t.Fatal(err)
	}
	b.post(secondStepPage, form("code", has.codes[0])).wantRedirect("/users/sign_in?return_to=%2F")
}

// An address that guesses waits, others do not, and what is no code at all does
// not count.
func TestSecondStepThrottlesAnAddressAtAnAccount(t *testing.T) {
	a, _, has := withTwoFactors(t)
	b := newBrowser(t, a.App)
	password(t, b)
	for range 11 {
		b.post(secondStepPage, form("code", "12345")).want(422)
	}
	wrong := "000000"
	if wrong == has.seed.Code(a.Now()) {
		wrong = "000001"
	}
	for range 10 {
		b.post(secondStepPage, form("code", wrong)).want(422)
	}
	page := b.post(secondStepPage, form("code", has.codes[0], "return_to", "/user_settings")).want(429, "Too many wrong codes", "Wait 10 minutes")
	if got := page.Header().Get("Retry-After"); got != "600" {
		t.Errorf("Retry-After is %q, want 600", got)
	}
	password(t, b) // is not guessed any worse for it
	b.post(secondStepPage, form("code", has.codes[0])).want(429)
	a.Pass(10 * time.Minute)
	secondStep(t, b, has.codes[0]).wantRedirect("/")
}

// A client that wants a fresh sign-in gets one with both factors, and the
// pages on the way may lead to it.
func TestFreshSignInTakesBothFactors(t *testing.T) {
	a, ada, has := withTwoFactors(t)
	client := register(t, a, ada, trusted, openID)
	b := signedInBy(t, a, has.codes[0])
	a.Pass(time.Second)
	again := b.get(authorize(request(client, "scope", "openid", "prompt", "login")))
	if !strings.HasPrefix(again.location(), "/users/sign_in?again=1&") {
		t.Fatalf("the request leads to %q", again.location())
	}
	fields := b.get(again.location()).want(200).fields("/users/sign_in")
	fields.Set("login", "ada")
	fields.Set("password", apptest.Password)
	step := b.post("/users/sign_in", fields)
	if !strings.HasPrefix(step.location(), secondStepPage) {
		t.Fatalf("the password leads to %q", step.location())
	}
	if at := b.get(fields.Get("return_to")).location(); !strings.HasPrefix(at, "/users/sign_in") {
		t.Errorf("with the password alone the request leads to %q", at)
	}
	page := b.get(step.location()).want(200, "Weather station")
	if policy := page.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' https:") {
		t.Errorf("Content-Security-Policy is %q", policy)
	}
	fields = page.fields(secondStepPage)
	fields.Set("code", has.codes[1])
	b.post(secondStepPage, fields).want(303)
	if code := b.get(fields.Get("return_to")).toClient(redirectURI).Get("code"); code == "" {
		t.Error("the client got no code")
	}
}
