package accountapi_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/functions/account/accountapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/passkey/passkeytest"
)

const (
	passkeysPage = "/user_settings/passkeys"
	passkeyStep  = "/users/sign_in/passkey"
)

var askedOf = regexp.MustCompile(`data-options="([^"]+)"`)

// options returns what the page asks the browser.
func options(t *testing.T, page apptest.Page) string {
	t.Helper()
	found := askedOf.FindStringSubmatch(page.Body.String())
	if found == nil {
		t.Fatalf("the page asks for no passkey: %s", page.Text())
	}
	return html.UnescapeString(found[1])
}

// addPasskey has the device make a key in a browser in which its user is signed in.
func addPasskey(t *testing.T, b *apptest.Browser, d *passkeytest.Device, name string) apptest.Page {
	t.Helper()
	page := b.Post(passkeysPage+"/begin", apptest.Form("password", apptest.Password)).Want(200, "New passkey", "Passkeys need JavaScript")
	fields := page.Fields(passkeysPage)
	fields.Set("name", name)
	fields.Set("answer", d.Create(options(t, page)))
	return b.Post(passkeysPage, fields)
}

// usePasskey has the device sign in.
func usePasskey(t *testing.T, b *apptest.Browser, d *passkeytest.Device) apptest.Page {
	t.Helper()
	page := b.Get(passkeyStep + "?return_to=" + url.QueryEscape(passkeysPage))
	fields := page.Want(200, "Sign in with a passkey", "data-start").Fields(passkeyStep)
	fields.Set("answer", d.Use(options(t, page)))
	return b.Post(passkeyStep, fields)
}

func TestPasskeyIsAddedUsedAndRemoved(t *testing.T) {
	a := apptest.New(t)
	b, d := signedIn(t, a, a.User("ada")), passkeytest.New(t, apptest.BaseURL)
	b.Get(passkeysPage).Want(200, "You have no passkey yet", "Your password alone signs you in too.")
	b.Post(passkeysPage+"/begin", apptest.Form("password", "x")).Want(422, "The password is not right.")
	addPasskey(t, b, d, "My phone").WantRedirect(passkeysPage)
	b.Get(passkeysPage).Want(200, "The passkey is added.", "My phone", "last used never", "Add another passkey")

	other := newBrowser(t, a.App)
	other.Get("/users/sign_in").Want(200, "Sign in with a passkey")
	usePasskey(t, other, d).WantRedirect(passkeysPage)
	other.Get(passkeysPage).Want(200, "My phone").WantNot("last used never")
	other.Get(securityLog).Want(200, "Signed in", "<dt>passkey</dt><dd><bdi>My phone</bdi></dd>")

	b.Post(passkeysPage+"/1/rename", apptest.Form("name", " ")).Want(422, "The name can't be blank.")
	b.Post(passkeysPage+"/1/rename", apptest.Form("name", "Old phone")).WantRedirect(passkeysPage)
	b.Get(passkeysPage).Want(200, "The passkey is renamed.", "Old phone")
	signedIn(t, a, a.User("ben")).Post(passkeysPage+"/1/remove", nil).Want(404)
	b.Post(passkeysPage+"/1/remove", nil).WantRedirect(passkeysPage)
	b.Get(passkeysPage).Want(200, "The passkey was removed.", "You have no passkey yet")
	b.Post(passkeysPage+"/1/remove", nil).Want(404)
	usePasskey(t, newBrowser(t, a.App), d).Want(422, "The passkey is not known here").WantNot("data-start")
}

func TestPasskeyTakesThePlaceOfTwoFactors(t *testing.T) {
	a, ada, codes := withTwoFactors(t)
	b, d := newBrowser(t, a.App), passkeytest.New(t, apptest.BaseURL)
	has := signedInBy(t, a, codes.codes[0])
	addPasskey(t, has, d, "key").WantRedirect(passkeysPage)
	has.Get(passkeysPage).Want(200, "Your password together with a code from your app signs you in too.")
	usePasskey(t, b, d).WantRedirect(passkeysPage)

	root := signedIn(t, a, a.Admin("root"))
	adas := fmt.Sprintf("%s/%d", usersPage, ada.ID)
	root.Post(adas+"/reset_two_factor", nil).WantRedirect(adas)
	root.Get(adas).Want(200, "without passkeys")
	b.Get(passkeysPage).WantRedirect("/users/sign_in?return_to=" + url.QueryEscape(passkeysPage))
	usePasskey(t, b, d).Want(422, "The passkey is not known here")
	signedIn(t, a, ada).Get(securityLog).Want(200, "All passkeys removed", "Two-factor authentication turned off")
}

// A user without an app can have lost a device too.
func TestResetRemovesPasskeysAlone(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	addPasskey(t, b, passkeytest.New(t, apptest.BaseURL), "key").WantRedirect(passkeysPage)
	root := signedIn(t, a, a.Admin("root"))
	adas := fmt.Sprintf("%s/%d", usersPage, ada.ID)
	root.Post(adas+"/reset_two_factor", nil).WantRedirect(adas)
	root.Get(adas).Want(200, "without passkeys")
	b.Get(passkeysPage).WantRedirect("/users/sign_in?return_to=" + url.QueryEscape(passkeysPage))
	again := signedIn(t, a, ada)
	again.Get(securityLog).Want(200, "All passkeys removed", "@root")
	again.Get(securityLog + "?event=two_factor.disabled").Want(200).WantNot("@root")
}

func TestPasskeyAnswersThatAreNotTaken(t *testing.T) {
	a := apptest.New(t)
	b, d := signedIn(t, a, a.User("ada")), passkeytest.New(t, apptest.BaseURL)
	page := b.Post(passkeysPage+"/begin", apptest.Form("password", apptest.Password))
	fields := page.Fields(passkeysPage)
	fields.Set("name", "My phone")
	b.Post(passkeysPage, fields).Want(422, "It needs JavaScript", `value="My phone"`)
	fields.Set("answer", d.Create(options(t, page)))
	fields.Set("name", " ")
	b.Post(passkeysPage, fields).Want(422, "The name can't be blank.")
	fields.Set("name", "My phone")
	b.Post(passkeysPage, fields).WantRedirect(passkeysPage)
	b.Post(passkeysPage, fields).Want(422, "You have this passkey already.")
	a.Pass(5 * time.Minute)
	b.Post(passkeysPage, fields).WantRedirect(passkeysPage)
	b.Get(passkeysPage).Want(200, "Nothing was changed.")

	other := newBrowser(t, a.App)
	other.Post(passkeyStep, apptest.Form("return_to", "/")).Want(422, "The passkey is not known here")
	asked := options(t, other.Get(passkeyStep))
	stranger := newBrowser(t, a.App)
	stranger.Post(passkeyStep, apptest.Form("answer", d.Use(asked))).WantRedirect("/users/sign_in?return_to=%2F") // was not asked
	stranger.Get("/users/sign_in").Want(200, "That took too long. Sign in again.")
	unverified := *d
	unverified.Unverified = true
	usePasskey(t, other, &unverified).Want(422, "The passkey is not known here")
}

func TestPasskeysAreThrottledOnThePage(t *testing.T) {
	a := apptest.New(t)
	d := passkeytest.New(t, apptest.BaseURL)
	addPasskey(t, signedIn(t, a, a.User("ada")), d, "key")
	wrong := *d
	wrong.BadSignature = true
	b := newBrowser(t, a.App)
	for range 10 {
		usePasskey(t, b, &wrong).Want(422)
	}
	usePasskey(t, b, d).Want(429, "Wait 10 minutes, or sign in with your password.")
}

// Browsers have no passkeys for an IP address.
func TestInstanceWithoutPasskeys(t *testing.T) {
	a := apptest.New(t)
	moved := a.Moved(a.Store)
	moved.BaseURL = "http://127.0.0.1:3000"
	b := apptest.NewBrowser(t, accountapi.New(moved.App))
	if page := b.Get("/users/sign_in").Want(200).Text(); strings.Contains(page, passkeyStep) {
		t.Errorf("the page offers passkeys: %s", page)
	}
	b.Get(passkeyStep).Want(404)
	b.Post(passkeyStep, apptest.Form("answer", "{}")).Want(404)
}
