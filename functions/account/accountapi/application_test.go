package accountapi_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"gatehouse/shared/apptest"
	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

const list = "/user_settings/applications"

func registration(pairs ...string) url.Values {
	values := apptest.Form("name", "Weather station", "redirect_uri", "https://client.example/callback\r\nhttps://client.example/other",
		"scopes[]", "api", "scopes[]", "read_user", "confidential", "1")
	for name, all := range apptest.Form(pairs...) {
		values[name] = all
	}
	return values
}

var secretForm = regexp.MustCompile(`gtoas-[0-9a-f]{64}`)

// onlyClient returns the one client that the user has.
func onlyClient(t *testing.T, a *apptest.App, u user.User) oauth.Client {
	t.Helper()
	clients, err := a.Store.ClientsOf(t.Context(), u.ID, page.First)
	if err != nil || len(clients.Items) != 1 {
		t.Fatalf("the user's clients are %v, %v, want one", clients.Items, err)
	}
	return clients.Items[0]
}

func TestRegisterApplication(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	b.Get(list).Want(200, "No applications yet")
	b.Get(list+"/new").Want(200, "Register")

	created := b.Post(list, registration("require_secret", "1")).Want(201, "Copy the secret now")
	if created.Header().Get("Cache-Control") != "no-store, no-transform" || len(created.Result().Cookies()) != 0 || created.Location() != "" {
		t.Errorf("the answer with the secret has the header %v", created.Header())
	}
	shown := secretForm.FindString(created.Text())
	client := onlyClient(t, a, ada)
	if !client.SecretDigest.Matches(secret.NewText(shown)) {
		t.Errorf("%q is not the secret", shown)
	}
	want := oauth.Client{Name: "Weather station", Confidential: true, RequireSecret: true}
	if client.Name != want.Name || !client.Confidential || !client.RequireSecret || client.PasswordGrant || client.Trusted ||
		strings.Join(client.RedirectURIs, " ") != "https://client.example/callback https://client.example/other" ||
		!client.Scopes.Equal(scope.Of("api", "read_user")) {
		t.Errorf("the client is %+v", client)
	}
	address := fmt.Sprintf("%s/%d", list, client.ID)
	for _, target := range []string{list, address, address + "/edit"} {
		if secretForm.MatchString(b.Get(target).Want(200, "Weather station").Text()) {
			t.Errorf("GET %s shows the secret again", target)
		}
	}
	b.Get(address).Want(200, client.ClientID, "https://client.example/other", apptest.BaseURL+"/oauth/token")
}

func TestRegisterApplicationComplains(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	b.Post(list, nil).Want(422, "The name can't be blank.", "The list of redirect URIs can't be blank.", "The list of scopes can't be blank.")
	tests := []struct {
		pairs []string
		says  string
	}{
		{[]string{"name", "  "}, "The name can't be blank."},
		{[]string{"name", strings.Repeat("x", 256)}, "The name is too long (maximum is 255 characters)."},
		{[]string{"name", "a\u202eb"}, "The name contains a control character."},
		{[]string{"redirect_uri", "https://"}, "The redirect URI in line 1, “https://”, must be a valid URI."},
		{[]string{"redirect_uri", "client.example/callback"}, "The redirect URI in line 1, “client.example/callback”, must be an absolute URI."},
		{[]string{"redirect_uri", "javascript:alert(1)"}, "The redirect URI in line 1, “javascript:alert(1)”, is forbidden by the server."},
		{[]string{"redirect_uri", "https://client.example/#x"}, "The redirect URI in line 1, “https://client.example/#x”, cannot contain a fragment."},
		{[]string{"redirect_uri", "http://client.example/"}, "The redirect URI in line 1, “http://client.example/”, must use https, except for loopback addresses."},
		{[]string{"redirect_uri", "https://client.example/\r\n\r\nhttps://other.example/#x"}, "The redirect URI in line 3, “https://other.example/#x”, cannot contain a fragment."},
		{[]string{"redirect_uri", strings.Repeat("x", 300)}, "in line 1, “" + strings.Repeat("x", 80) + "…”, must be an absolute URI."},
		{[]string{"redirect_uri", strings.Repeat("https://client.example/ ", 21)}, "The list of redirect URIs has more than 20 entries."},
		{[]string{"refresh_retry", "31"}, "The time must be between 0 and 30."},
		{[]string{"refresh_retry", "soon"}, "The time must be between 0 and 30."},
		{[]string{"scopes[]", "sudo"}, "The list of scopes doesn't match configured on the server."},
	}
	for _, test := range tests {
		got := b.Post(list, registration(test.pairs...)).Want(422, test.says, `aria-describedby`)
		if test.pairs[0] != "scopes[]" {
			got.Want(422, "autofocus")
		}
		if test.pairs[0] == "redirect_uri" {
			got.Want(422, strings.Fields(test.pairs[1])[0], "Weather station") // the input is kept
		}
	}
	b.Post(list, registration("name", "one", "name", "two")).Want(400, "more than once")
	if clients, err := a.Store.ClientsOf(t.Context(), ada.ID, page.First); err != nil || len(clients.Items) != 0 {
		t.Errorf("there are the clients %v, %v, want none", clients.Items, err)
	}
}

func TestEditApplication(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	before := register(t, a, ada)
	b := signedIn(t, a, ada)
	address := fmt.Sprintf("%s/%d", list, before.ID)
	b.Get(address+"/edit").Want(200, redirectURI, `value="read_user" checked`)

	b.Post(address, registration("name", "", "redirect_uri", redirectURI)).Want(422, "The name can't be blank.")
	b.Post(address, apptest.Form("name", "Rain gauge", "redirect_uri", "com.example.rain:/cb", "scopes[]", "email", "password_grant", "1", "trusted", "1", "refresh_retry", "10")).WantRedirect(address)
	b.Get(address).Want(200, "The application was saved.", "Rain gauge", "May repeat a refresh for 10 seconds")
	b.Get(address+"/edit").Want(200, `name="refresh_retry" min="0" max="30" value="10"`)
	after := onlyClient(t, a, ada)
	if after.Name != "Rain gauge" || after.Confidential || !after.PasswordGrant || after.RequireSecret ||
		after.Scopes.String() != "email" || after.SecretDigest != before.SecretDigest || after.ClientID != before.ClientID {
		t.Errorf("the client is %+v", after)
	}
	if after.Trusted {
		t.Error("somebody who is no administrator made the application trusted")
	}
}

func TestOnlyAdministratorsTrust(t *testing.T) {
	a := apptest.New(t)
	root := a.Admin("root")
	b := signedIn(t, a, root)
	b.Get(list+"/new").Want(200, `name="trusted"`)
	b.Post(list, registration("trusted", "1")).Want(201)
	if !onlyClient(t, a, root).Trusted {
		t.Error("the administrator's application is not trusted")
	}
	ada := a.User("ada")
	b = signedIn(t, a, ada)
	if strings.Contains(b.Get(list+"/new").Text(), `name="trusted"`) {
		t.Error("everybody is offered to trust")
	}
	b.Post(list, registration("trusted", "1")).Want(201)
	if onlyClient(t, a, ada).Trusted {
		t.Error("somebody who is no administrator registered a trusted application")
	}
}

// Whoever leads a trusted application's redirects gets tokens of everybody who
// follows a link.
func TestTrustEndsWithTheAdministrator(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, trusted) // in days when she was an administrator
	b, address := signedIn(t, a, ada), fmt.Sprintf("%s/%d", list, client.ID)
	b.Get(address+"/edit").Want(200, "only an administrator can trust one")
	b.Post(address, registration("redirect_uri", "https://evil.example/cb", "trusted", "1")).WantRedirect(address)
	if onlyClient(t, a, ada).Trusted {
		t.Error("the application is still trusted")
	}
}

func TestRenewSecret(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	before := register(t, a, ada)
	b := signedIn(t, a, ada)
	address := fmt.Sprintf("%s/%d", list, before.ID)
	renewed := b.Post(address+"/renew_secret", nil).Want(200, "Copy the secret now")
	after := onlyClient(t, a, ada)
	if after.SecretDigest == before.SecretDigest || !after.SecretDigest.Matches(secret.NewText(secretForm.FindString(renewed.Text()))) {
		t.Error("the page does not show the new secret")
	}
	if secretForm.MatchString(b.Get(address).Text()) {
		t.Error("the secret is shown again")
	}
}

func TestDeleteApplication(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada)
	b := signedIn(t, a, ada)
	address := fmt.Sprintf("%s/%d", list, client.ID)
	b.Get(address).Want(200, "This cannot be undone.")
	b.Post(address+"/delete", nil).WantRedirect(list)
	b.Get(list).Want(200, "The application was deleted", "No applications yet")
	b.Get(address).Want(404)
	b.Get(authorize(request(client))).Want(401, "invalid_client")
}

func TestApplicationsOfOthersDoNotExist(t *testing.T) {
	a := apptest.New(t)
	ada, ben, root := a.User("ada"), a.User("ben"), a.Admin("root")
	client := register(t, a, ada)
	instance := register(t, a, user.User{})
	reach := func(b *apptest.Browser, id any, status int) {
		t.Helper()
		address := fmt.Sprintf("%s/%v", list, id)
		b.Get(address).Want(status)
		b.Get(address + "/edit").Want(status)
		if status == 404 {
			b.Post(address, registration()).Want(404)
			b.Post(address+"/renew_secret", nil).Want(404)
			b.Post(address+"/delete", nil).Want(404)
		}
	}
	asBen, asRoot := signedIn(t, a, ben), signedIn(t, a, root)
	reach(asBen, client.ID, 404)
	reach(asBen, instance.ID, 404)
	reach(asRoot, client.ID, 404)
	reach(asRoot, instance.ID, 200)
	for _, id := range []string{"0", "-1", "999", "x", "99999999999999999999", "1%2F2"} {
		reach(asBen, id, 404)
	}
	if onlyClient(t, a, ada).Version != client.Version {
		t.Error("somebody else changed the application")
	}
	asBen.Get(list).Want(200, "No applications yet")
}

func TestApplicationsAreListedInPages(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	for i := range page.DefaultSize + 1 {
		register(t, a, ada, func(r *oauth.Registration) { r.Name = fmt.Sprintf("Number %02d.", i) })
	}
	b := signedIn(t, a, ada)
	first := b.Get(list).Want(200, "Number 20.", "Number 01.", `href="`+list+`?page=2`).Text()
	if strings.Contains(first, "Number 00.") || strings.Index(first, "Number 20.") > strings.Index(first, "Number 01.") {
		t.Errorf("the first page is not the newest twenty: %s", first)
	}
	b.Get(list+"?page=2").Want(200, "Number 00.", `href="`+list+`?page=1"`)
	b.Get(list+"?page=3").Want(200, "The list ends before this page")
	b.Get(list+"?page=x").Want(200, "Number 20.")
}

func TestMethodsThatPagesDoNotHave(t *testing.T) {
	b := newBrowser(t, apptest.New(t).App)
	for _, target := range []string{"/users/sign_out", "/user_settings/applications/1/delete", "/user_settings/applications/1/renew_secret"} {
		b.Get(target).Want(405)
	}
	b.Do("PUT", list, nil).Want(405)
}

// Nobody but administrators offers sudo, and they do only where the instance lets them.
func TestWhoIsOfferedSudoForApplications(t *testing.T) {
	a := apptest.New(t)
	root, ada := a.Admin("root"), a.User("ada")
	for name, test := range map[string]struct {
		on      *apptest.App
		u       user.User
		offered bool
	}{
		"an administrator":                        {a, root, false},
		"an administrator where the switch is on": {a.WithSudo(), root, true},
		"somebody else where it is on":            {a.WithSudo(), ada, false},
	} {
		form := signedIn(t, test.on, test.u).Get("/user_settings/applications/new").Want(200).Text()
		if got := strings.Contains(form, `value="sudo"`); got != test.offered {
			t.Errorf("%s is offered sudo: %t, want %t", name, got, test.offered)
		}
	}
}
