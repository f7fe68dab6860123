package accountapi_test

import (
	"context"
	"encoding/base32"
	"errors"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
	"gatehouse/shared/twofactor"
)

const (
	twoFactorPage = "/user_settings/two_factor"
	pendingCookie = "__Host-gatehouse_pending"
)

// enrolled is what a user has after setting up two factors.
type enrolled struct {
	seed  twofactor.Seed
	codes []string
}

var (
	shownSecret   = regexp.MustCompile(`<code id="two-factor-secret">([A-Z2-7 ]+)</code>`)
	shownRecovery = regexp.MustCompile(`<li><code>([a-z2-7-]{19})</code></li>`)
)

func recoveryCodes(page string) (codes []string) {
	for _, m := range shownRecovery.FindAllStringSubmatch(page, -1) {
		codes = append(codes, m[1])
	}
	return codes
}

// begin asks for the page with the secret and returns its form and its seed.
func begin(t *testing.T, b *apptest.Browser) (url.Values, twofactor.Seed) {
	t.Helper()
	page := b.Post(twoFactorPage+"/begin", apptest.Form("password", apptest.Password)).Want(200, "Scan this", "<svg class=\"qr\"")
	m := shownSecret.FindStringSubmatch(page.Text())
	if m == nil {
		t.Fatalf("the page shows no secret: %s", page.Text())
	}
	seed, err := base32Seed(strings.ReplaceAll(m[1], " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return page.Fields(twoFactorPage), seed
}

// enrol sets up two factors in a browser in which the user is signed in.
func enrol(t *testing.T, a *apptest.App, b *apptest.Browser) enrolled {
	t.Helper()
	fields, seed := begin(t, b)
	fields.Set("code", seed.Code(a.Now()))
	page := b.Post(twoFactorPage, fields).Want(200, "Two-factor authentication is on", "Keep these codes now").Text()
	codes := recoveryCodes(page)
	if len(codes) != 10 {
		t.Fatalf("%d recovery codes are shown: %s", len(codes), page)
	}
	a.Pass(30 * time.Second) // the app shows the next code
	return enrolled{seed, codes}
}

func TestSetUpTwoFactors(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b, elsewhere := signedIn(t, a, ada), signedIn(t, a, ada)
	b.Get(twoFactorPage).Want(200, "Off", `autocomplete="current-password"`)
	fields, seed := begin(t, b)
	b.Get(twoFactorPage).Want(200, "Off")

	fields.Set("code", "000000")
	page := b.Post(twoFactorPage, fields).Want(422, "The code is not right", "@ada", `inputmode="numeric"`, `autocomplete="one-time-code"`)
	if again := page.Fields(twoFactorPage).Get("ticket"); again != fields.Get("ticket") {
		t.Error("after a wrong code the app would need another secret")
	}
	elsewhere.Get("/user_settings/profile").Want(200)
	before := b.Cookies[apptest.SessionCookie]
	a.Pass(time.Second)
	fields.Set("code", seed.Code(a.Now()))
	codes := recoveryCodes(b.Post(twoFactorPage, fields).Want(200, "Keep these codes now").Text())
	on := b.Get(twoFactorPage).Want(200, "On since", "10").Text()
	if len(codes) != 10 || strings.Contains(on, codes[0]) || b.Cookies[apptest.SessionCookie] == before {
		t.Errorf("%d codes, shown again: %t; the session went on: %t", len(codes), strings.Contains(on, codes[0]), b.Cookies[apptest.SessionCookie] == before)
	}
	elsewhere.Get("/user_settings/profile").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fprofile")
	b.Post(twoFactorPage, fields).WantRedirect(twoFactorPage)
	b.Get(twoFactorPage).Want(200, "Nothing was changed.")
}

func TestTwoFactorFormsNeedThePassword(t *testing.T) {
	a := apptest.New(t)
	b := signedIn(t, a, a.User("ada"))
	for _, password := range []string{"", "wrong"} {
		b.Post(twoFactorPage+"/begin", apptest.Form("password", password)).Want(422, "The password is not right.", `data-address="`+twoFactorPage+`"`)
	}
	enrol(t, a, b)
	for _, what := range []string{"disable", "recovery_codes"} {
		page := b.Post(twoFactorPage+"/"+what, apptest.Form("password", "wrong")).Want(422, "The password is not right.", "<details open>").Text()
		if strings.Count(page, "<details open>") != 1 || len(recoveryCodes(page)) > 0 {
			t.Errorf("a wrong password answers %s", page)
		}
		newBrowser(t, a.App).Post(twoFactorPage+"/"+what, apptest.Form("password", apptest.Password)).WantRedirect("/users/sign_in?return_to=%2F")
	}
	b.Get(twoFactorPage).Want(200, "On since")
}

// The password cannot be guessed here more often than on the sign-in page.
func TestTwoFactorFormsAreThrottledWithTheSignIn(t *testing.T) {
	a := apptest.New(t)
	b := signedIn(t, a, a.User("ada"))
	enrol(t, a, b)
	for range 10 {
		b.Post(twoFactorPage+"/disable", apptest.Form("password", "wrong")).Want(422)
	}
	page := b.Post(twoFactorPage+"/disable", apptest.Form("password", apptest.Password)).Want(429, "Wait 10 minutes")
	if got := page.Header().Get("Retry-After"); got != "600" {
		t.Errorf("Retry-After is %q, want 600", got)
	}
	guess(b, "192.0.2.1", "ada", apptest.Password).Want(429)
	a.Pass(10 * time.Minute)
	b.Post(twoFactorPage+"/disable", apptest.Form("password", apptest.Password)).WantRedirect(twoFactorPage)
}

func TestTurnOffTwoFactors(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	has := enrol(t, a, b)
	elsewhere := newBrowser(t, a.App)
	secondStep(t, elsewhere, has.codes[0]).WantRedirect("/")
	a.Pass(time.Second)
	b.Post(twoFactorPage+"/disable", apptest.Form("password", apptest.Password)).WantRedirect(twoFactorPage)
	b.Get(twoFactorPage).Want(200, "Off", "Two-factor authentication is off.")
	elsewhere.Get("/user_settings/profile").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fprofile")
	signedIn(t, a, ada)
	b.Post(twoFactorPage+"/disable", apptest.Form("password", apptest.Password)).WantRedirect(twoFactorPage)
	b.Post(twoFactorPage+"/recovery_codes", apptest.Form("password", apptest.Password)).WantRedirect(twoFactorPage)
}

func TestNewRecoveryCodes(t *testing.T) {
	a := apptest.New(t)
	b := signedIn(t, a, a.User("ada"))
	has := enrol(t, a, b)
	codes := recoveryCodes(b.Post(twoFactorPage+"/recovery_codes", apptest.Form("password", apptest.Password)).Want(200).Text())
	if len(codes) != 10 {
		t.Fatalf("%d codes are shown", len(codes))
	}
	other := newBrowser(t, a.App)
	secondStep(t, other, has.codes[0]).Want(422)
	secondStep(t, other, codes[0]).WantRedirect("/")
	b.Get(twoFactorPage).Want(200, "9")
}

// The address of the QR code is what the page shows besides.
func TestQRCodeIsDrawnInTheSite(t *testing.T) {
	a := apptest.New(t)
	b := signedIn(t, a, a.User(strings.Repeat("long-name-", 20)))
	page := b.Post(twoFactorPage+"/begin", apptest.Form("password", apptest.Password)).Want(200)
	if !regexp.MustCompile(`<path fill="#000" d="(M\d+ \d+h\d+v1h-\d+z){300,}"/>`).MatchString(html.UnescapeString(page.Body.String())) {
		t.Errorf("the page draws no QR code: %s", page.Text())
	}
	if policy := page.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'; style-src 'self'; script-src 'self'") {
		t.Errorf("Content-Security-Policy is %q", policy)
	}
}

// A sign-in whose password is looked at while two factors are set up gives
// nothing.
func TestSignInUnderWayEndsWithTwoFactors(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := newBrowser(t, app.New(&meanwhile{a.Store, func() {
		e := a.TwoFactor.Begin(ada, "")
		if _, _, err := a.TwoFactor.Enable(context.WithoutCancel(t.Context()), ada, e, e.Seed.Code(a.Now())); err != nil {
			t.Error(err)
		}
	}}, app.Config{BaseURL: apptest.BaseURL, Keys: a.Keys, Passwords: secret.Passwords{Time: 1, Memory: 64}, Now: a.Now}))
	b.Post("/users/sign_in", apptest.Form("login", "ada", "password", apptest.Password)).WantRedirect("/")
	b.Get("/user_settings/profile").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fprofile")
}

func TestPasswordGrantIsOffWithTwoFactors(t *testing.T) {
	a := apptest.New(t)
	enrol(t, a, signedIn(t, a, a.User("ada")))
	_, err := a.OAuth.Token(t.Context(), oauth.TokenRequest{GrantType: "password", Username: "ada", Password: secret.NewText(apptest.Password)})
	var refused *oauth.Error
	if !errors.As(err, &refused) || refused.Code != oauth.InvalidGrant {
		t.Errorf("the password grant gave %v, want invalid_grant", err)
	}
}

func base32Seed(text string) (twofactor.Seed, error) {
	seed, err := base32.StdEncoding.DecodeString(text)
	return seed, err
}

// The codes can be kept, and the app be opened, without a script.
func TestRecoveryCodesCanBeDownloaded(t *testing.T) {
	a := apptest.New(t)
	b := signedIn(t, a, a.User("ada"))
	page := b.Post(twoFactorPage+"/begin", apptest.Form("password", apptest.Password))
	fields := page.Fields(twoFactorPage)
	m := shownSecret.FindStringSubmatch(page.Text())
	page.Want(200, `href="otpauth://totp/Gatehouse:ada?issuer=Gatehouse&secret=`+strings.ReplaceAll(m[1], " ", ""))
	seed, err := base32Seed(strings.ReplaceAll(m[1], " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	fields.Set("code", seed.Code(a.Now()))
	kept := b.Post(twoFactorPage, fields).Want(200, "data-copy", "data-print").Text()
	file := regexp.MustCompile(`href="data:text/plain;charset=utf-8,([^"]+)" download="gatehouse-recovery-codes.txt"`).FindStringSubmatch(kept)
	if file == nil {
		t.Fatalf("there is no download: %s", kept)
	}
	text, err := url.PathUnescape(file[1])
	if codes := recoveryCodes(kept); err != nil || len(codes) != 10 || !strings.HasSuffix(text, strings.Join(codes, "\r\n")+"\r\n") {
		t.Errorf("the download is %q, %v, want the codes %v", text, err, codes)
	}
}
