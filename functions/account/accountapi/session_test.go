package accountapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/page"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/user"
)

const sessionList = "/user_settings/sessions"

const (
	firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	safari  = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1"
)

// signedInWith returns a browser that names itself so, in which the user
// signed in.
func signedInWith(t *testing.T, a *apptest.App, u user.User, userAgent string) *apptest.Browser {
	t.Helper()
	b := newBrowser(t, a.App)
	b.Header.Set("User-Agent", userAgent)
	b.Post("/users/sign_in", apptest.Form("login", u.Username, "password", apptest.Password)).WantRedirect("/")
	return b
}

var endForm = regexp.MustCompile(`action="(/user_settings/sessions/[0-9a-f]{32}/end)"`)

func TestSessionsAreListed(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	phone := signedInWith(t, a, ada, safari)
	signedInWith(t, a, a.User("ben"), "curl/8")
	signedInAt := a.Now()
	a.Pass(50 * time.Hour)
	desk := signedInWith(t, a, ada, firefox)
	page := desk.Get(sessionList).Want(200, "Firefox on Linux", "This browser", "Safari on iPhone", "192.0.2.1",
		signedInAt.Format("2 Jan 2006, 15:04 UTC"), "just now", "Sign out everywhere else").Text()
	own, others, _ := strings.Cut(page, "Safari on iPhone")
	if strings.Contains(page, "curl") || !strings.Contains(own, "This browser") || strings.Contains(others, "This browser") {
		t.Errorf("want ada's sessions, this one first and marked: %s", page)
	}
	if ends := endForm.FindAllString(page, -1); len(ends) != 1 {
		t.Errorf("%q can be ended, want the other session alone", ends)
	}
	for _, cookie := range []string{phone.Cookies[apptest.SessionCookie], desk.Cookies[apptest.SessionCookie]} {
		if _, text, _ := strings.Cut(cookie, "."); strings.Contains(page, text[33:]) {
			t.Error("the page shows the secret of a session")
		}
	}
	if page := phone.Get(sessionList).Want(200, "Firefox on Linux").Text(); !strings.Contains(page, "Safari on iPhone <span class=\"badge accent\">This browser") {
		t.Errorf("the phone is not marked on the phone: %s", page)
	}
}

func TestSessionsAreListedInPages(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	for range 30 {
		if _, err := a.Sessions.Start(t.Context(), ada, audit.Browser{}); err != nil {
			t.Fatal(err)
		}
		a.Pass(time.Second)
	}
	desk := signedIn(t, a, ada)
	listed := map[string]bool{}
	older := regexp.MustCompile(`href="([^"]*)" rel="next"`)
	for address, pages := sessionList, 1; ; pages++ {
		page := desk.Get(address).Want(200, "This browser", "Sign out everywhere else").Text()
		for _, end := range endForm.FindAllString(page, -1) {
			listed[end] = true
		}
		next := older.FindStringSubmatch(page)
		if next == nil {
			if pages != 2 || len(listed) != 30 {
				t.Errorf("%d pages list %d other sessions, want 2 with 30", pages, len(listed))
			}
			return
		}
		address = next[1]
	}
}

func TestSessionsThatAreOverAreNotListed(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	signedInWith(t, a, ada, safari)
	a.Pass(session.IdleLimit)
	signedInWith(t, a, ada, "curl/8")
	a.Pass(time.Second)
	password := secret.NewText(apptest.Password)
	if _, err := a.Users.Update(t.Context(), audit.Setup, ada.ID, user.Change{Password: &password}); err != nil {
		t.Fatal(err)
	}
	page := signedInWith(t, a, ada, firefox).Get(sessionList).Want(200, "Firefox on Linux").Text()
	if strings.Contains(page, "iPhone") || strings.Contains(page, "curl") || strings.Contains(page, "everywhere else") {
		t.Errorf("the page lists sessions that are over: %s", page)
	}
}

func TestEndASession(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	desk, phone, bens := signedInWith(t, a, ada, firefox), signedInWith(t, a, ada, safari), signedIn(t, a, ben)
	address := endForm.FindStringSubmatch(desk.Get(sessionList).Text())[1]

	newBrowser(t, a.App).Post(address, nil).WantRedirect("/users/sign_in?return_to=%2F")
	bens.Post(address, nil).Want(404) // none of ben's
	wantEvents(t, a, ben, session.EventRevoked, 0)
	phone.Get(sessionList).Want(200)
	desk.Get(address).Want(405)

	desk.Post(address, nil).WantRedirect(sessionList)
	if page := desk.Get(sessionList).Want(200, "The session was ended.").Text(); strings.Contains(page, "iPhone") {
		t.Errorf("the session is still listed: %s", page)
	}
	phone.Get("/user_settings/profile").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fprofile")
	desk.Post(address, nil).Want(404)
	wantEvents(t, a, ada, session.EventRevoked, 1)
	for _, id := range []string{"x", strings.Repeat("g", 32), strings.Repeat("0", 33), strings.Repeat("0", 5000)} {
		desk.Post(sessionList+"/"+id+"/end", nil).Want(404)
	}
}

func TestSignOutEverywhereElse(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	desk, bens := signedInWith(t, a, ada, firefox), signedIn(t, a, a.User("ben"))
	others := []*apptest.Browser{signedInWith(t, a, ada, safari), signedInWith(t, a, ada, safari), signedInWith(t, a, ada, "")}
	desk.Get(sessionList).Want(200, `action="`+sessionList+`/end_others"`, "Every other browser has to sign in again.")
	desk.Post(sessionList+"/end_others", nil).WantRedirect(sessionList)
	desk.Get(sessionList).Want(200, "You are signed out everywhere else.")
	bens.Get(sessionList).Want(200)
	for _, b := range others {
		b.Get("/user_settings/profile").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fprofile")
	}
	desk.Post(sessionList+"/end_others", nil).WantRedirect(sessionList)
	wantEvents(t, a, ada, session.EventOthersRevoked, 1)
}

// wantEvents checks how many entries with the name the trail of the user has.
func wantEvents(t *testing.T, a *apptest.App, u user.User, name audit.Name, want int) {
	t.Helper()
	found, err := a.Trail.Entries(t.Context(), audit.Filter{UserID: u.ID, Name: name, Size: 100})
	if err != nil || len(found.Entries) != want {
		t.Errorf("the trail of %s has %d entries %s, %v, want %d", u.Username, len(found.Entries), name, err, want)
	}
}

// Over https no other host and no plain http can plant the cookie, no script
// reads it, and no form of another site sends it along.
func TestSessionCookieIsHostOnlySecureAndLax(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	cookie := newBrowser(t, a.App).Post("/users/sign_in", apptest.Form("login", "ada", "password", apptest.Password)).Result().Cookies()[0]
	want := &http.Cookie{
		Name: "__Host-gatehouse_session", Path: "/", MaxAge: int(session.AbsoluteLimit.Seconds()),
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	if got := *cookie; cookie.Value == "" || got.Domain != "" || got.Name != want.Name || got.Path != want.Path || got.MaxAge != want.MaxAge ||
		!got.Secure || !got.HttpOnly || got.SameSite != want.SameSite {
		t.Errorf("the session's cookie is %v, want the likes of %v", cookie, want)
	}
	if found, err := a.Sessions.Of(t.Context(), ada, page.First); err != nil || len(found.Items) != 1 {
		t.Errorf("there are the sessions %v, %v, want one", found, err)
	}
}

func TestSignOutEndsTheSessionForWhoeverHasItsCookie(t *testing.T) {
	a := apptest.New(t)
	b := signedIn(t, a, a.User("ada"))
	stolen := b.Cookies[apptest.SessionCookie]
	b.Post("/users/sign_out", nil).WantRedirect("/users/sign_in")
	b.Cookies[apptest.SessionCookie] = stolen
	b.Get(sessionList).WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fsessions")
}
