package accountapi_test

import (
	"net/url"
	"strings"
	"testing"

	"gatehouse/shared/apptest"
)

const settingsPage = "/admin/settings"

// settingsForm returns the form with these values and nothing else, of the version that the
// page shows.
func settingsForm(b *apptest.Browser, pairs ...string) url.Values {
	form := b.Get(settingsPage).Want(200).Fields(settingsPage)
	for name, values := range apptest.Form(pairs...) {
		form[name] = values
	}
	return form
}

func TestSettingsChangedMeanwhileAreShown(t *testing.T) {
	a := apptest.New(t)
	b := signedIn(t, a, a.Admin("root"))
	stale := settingsForm(b, "sign_in_text", "Mine")
	b.Post(settingsPage, settingsForm(b, "sign_in_text", "Theirs")).WantRedirect(settingsPage)
	b.Post(settingsPage, stale).Want(409, "Someone else changed the settings meanwhile", "Theirs", `role="alert" tabindex="-1" autofocus`)
	if text := b.Get("/users/sign_in").Text(); strings.Contains(text, "Mine") {
		t.Error("the form that came too late changed the text")
	}
	b.Post(settingsPage, settingsForm(b, "sign_in_text", "Mine")).WantRedirect(settingsPage)
}

func TestSettingsWithAMistakeKeepWhatWasTyped(t *testing.T) {
	a := apptest.New(t)
	b := signedIn(t, a, a.Admin("root"))
	b.Post(settingsPage, settingsForm(b, "sign_in_text", "Hello", "help_page_support_url", "javascript:alert(1)")).
		Want(422, "The address must be", "Hello", `value="javascript:alert(1)"`, "autofocus")
	b.Get(settingsPage).Want(200).WantNot("Hello")
}

func TestTextOfTheSignInPageIsNoMarkup(t *testing.T) {
	a := apptest.New(t)
	b := signedIn(t, a, a.Admin("root"))
	b.Post(settingsPage, settingsForm(b, "sign_in_text", "<script>alert(1)</script>\r\n<b>Ask</b> & \"listen\"")).WantRedirect(settingsPage)
	page := newBrowser(t, a.App).Get("/users/sign_in").Want(200).Body.String()
	if !strings.Contains(page, "&lt;script&gt;alert(1)&lt;/script&gt;\n&lt;b&gt;Ask&lt;/b&gt; &amp; &#34;listen&#34;</p>") {
		t.Errorf("the text is not shown as it was written: %s", page)
	}
}

func TestLostPasswordSaysWhoHelps(t *testing.T) {
	a := apptest.New(t)
	b, anyone := signedIn(t, a, a.Admin("root")), newBrowser(t, a.App)
	const lost = "/users/password/new"
	anyone.Get(lost).Want(200, "Ask an administrator").WantNot("You find help")
	for sent, link := range map[string]string{
		"help@example.com":               `<a href="mailto:help@example.com">help@example.com</a>`,
		"https://help.example/a?b=c&d=e": `<a href="https://help.example/a?b=c&d=e">help.example/a?b=c&d=e</a>`,
	} {
		b.Post(settingsPage, settingsForm(b, "help_page_support_url", sent)).WantRedirect(settingsPage)
		anyone.Get(lost).Want(200, "You find help here: "+link)
	}
}
