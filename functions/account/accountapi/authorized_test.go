package accountapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

const authorizedList = "/user_settings/authorized_applications"

// allow lets the signed-in user allow the client these scopes and returns its
// tokens.
func allow(t *testing.T, a *apptest.App, b *apptest.Browser, c oauth.Client, scopes string) oauth.Tokens {
	t.Helper()
	tokens, err := a.OAuth.Token(t.Context(), exchange(c, code(b, c, scopes)))
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// code lets the signed-in user allow the client these scopes and returns the
// outstanding code.
func code(b *apptest.Browser, c oauth.Client, scopes string) string {
	b.T.Helper()
	return b.Post("/oauth/authorize", request(c, "scope", scopes, "decision", "approve")).ToClient(redirectURI).Get("code")
}

func exchange(c oauth.Client, code string) oauth.TokenRequest {
	return oauth.TokenRequest{
		GrantType: "authorization_code", Client: oauth.Credentials{ClientID: c.ClientID},
		Code: secret.NewText(code), RedirectURI: redirectURI, CodeVerifier: verifier,
	}
}

func TestAuthorizedApplicationsSayWhatEachMayDo(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	station, instance := register(t, a, ada), register(t, a, user.User{}, func(r *oauth.Registration) { r.Name = "Calendar" })
	b := signedIn(t, a, ben)
	b.Get(authorizedList).Want(200, "No application can act for you")
	code(b, station, "api")
	b.Get(authorizedList).Want(200, "No application can act for you") // until it uses the code

	since := a.Now()
	tokens := allow(t, a, b, station, "read_user")
	a.Pass(48 * time.Hour)
	if _, err := a.OAuth.Token(t.Context(), oauth.TokenRequest{
		GrantType: "refresh_token", Client: oauth.Credentials{ClientID: station.ClientID}, RefreshToken: tokens.Refresh, CodeVerifier: verifier,
	}); err != nil {
		t.Fatal(err)
	}
	allow(t, a, b, instance, "api")
	page := b.Get(authorizedList).Want(200, "Weather station", "The user ada (@ada)", "Read your profile",
		"Calendar", "this instance of Gatehouse", "Read and change everything",
		since.Format("2 Jan 2006"), `title="`+a.Now().UTC().Format("2006-01-02 15:04:05 UTC")).Text()
	if strings.Count(page, "Read and change everything") != 1 {
		t.Error("the page names a scope for an application that has it not")
	}
	allow(t, a, b, station, "api")
	if page := b.Get(authorizedList).Text(); strings.Count(page, "Read and change everything") != 2 || strings.Count(page, "Weather station</bdi>") != 1 {
		t.Errorf("two grants of one application are not shown as one: %s", page)
	}
	signedIn(t, a, ada).Get(authorizedList).Want(200, "No application can act for you")
}

func TestAuthorizedApplicationsAreListedInPages(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	for i := range 21 {
		allow(t, a, b, register(t, a, ada, func(r *oauth.Registration) { r.Name = fmt.Sprintf("Number %02d.", i) }), "api")
	}
	first := b.Get(authorizedList).Want(200, "Number 20.</bdi>", "Number 01.</bdi>", `rel="next"`).Text()
	_, next, _ := strings.Cut(first, `class="button quiet" href="`+authorizedList)
	next, _, _ = strings.Cut(next, `"`)
	if strings.Contains(first, "Number 00.") {
		t.Error("the first page has more than twenty applications")
	}
	second := b.Get(authorizedList+next).Want(200, "Number 00.</bdi>", `rel="prev"`).Text()
	if strings.Contains(second, "Number 01.") || strings.Contains(second, `rel="next"`) {
		t.Errorf("the second page has more than the last application: %s", second)
	}
}

// Revoking asks first, and then all of it is over at once.
func TestRevokeAuthorizedApplication(t *testing.T) {
	for name, revoke := range map[string]func(b *apptest.Browser, id int64) apptest.Page{
		"the page's form": func(b *apptest.Browser, id int64) apptest.Page {
			return b.Post(fmt.Sprintf("%s/%d/revoke", authorizedList, id), nil)
		},
		"DELETE, as others": func(b *apptest.Browser, id int64) apptest.Page {
			return b.Do("DELETE", fmt.Sprintf("/oauth/authorized_applications/%d", id), nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			ada := a.User("ada")
			station, other := register(t, a, ada), register(t, a, ada)
			b := signedIn(t, a, ada)
			first, second, kept := allow(t, a, b, station, "read_user"), allow(t, a, b, station, "api"), allow(t, a, b, other, "api")
			pending := code(b, station, "api")
			b.Get(authorizedList).Want(200, fmt.Sprintf(`action="%s/%d/revoke"`, authorizedList, station.ID), "It stops working for you at once")

			revoke(b, station.ID).WantRedirect(authorizedList)
			page := b.Get(authorizedList).Want(200, "The application cannot act for you any more.").Text()
			if strings.Count(page, "Weather station</bdi>") != 1 {
				t.Errorf("want the other application alone: %s", page)
			}
			for _, tokens := range []oauth.Tokens{first, second} {
				if _, err := a.Auth.Recognise(t.Context(), tokens.Access); err == nil {
					t.Error("an access token still works")
				}
			}
			if _, err := a.OAuth.Token(t.Context(), exchange(station, pending)); err == nil {
				t.Error("the outstanding code still works")
			}
			if _, err := a.Auth.Recognise(t.Context(), kept.Access); err != nil {
				t.Errorf("the other application's token: %v", err)
			}
			b.Get(authorize(request(station))).Want(200, "asks for access") // again
			revoke(b, station.ID).Want(404)
			wantEvents(t, a, ada, oauth.EventAuthorizationRevoked, 1)
		})
	}
}

func TestRevokeAuthorizedApplicationIsOnesOwn(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	client := register(t, a, ada)
	bens := signedIn(t, a, ben)
	tokens := allow(t, a, bens, client, "api")
	address := fmt.Sprintf("%s/%d/revoke", authorizedList, client.ID)
	newBrowser(t, a.App).Post(address, nil).WantRedirect("/users/sign_in?return_to=%2F")
	signedIn(t, a, ada).Post(address, nil).Want(404) // ada allowed nothing
	wantEvents(t, a, ada, oauth.EventAuthorizationRevoked, 0)
	for _, id := range []string{"0", "-1", "x", "99999999999999999999"} {
		bens.Post(authorizedList+"/"+id+"/revoke", nil).Want(404)
	}
	bens.Get(address).Want(405)
	if _, err := a.Auth.Recognise(t.Context(), tokens.Access); err != nil {
		t.Errorf("somebody else took back what ben allowed: %v", err)
	}
}

func TestAuthorizedApplicationsAreEscaped(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, func(r *oauth.Registration) { r.Name = `"><script>alert(1)</script>`; r.Scopes = scope.Of(scope.API) })
	b := signedIn(t, a, ada)
	allow(t, a, b, client, "api")
	if page := b.Get(authorizedList).Want(200, "alert(1)").Body.String(); strings.Contains(page, "<script>alert") {
		t.Errorf("the page is not escaped: %s", page)
	}
}
