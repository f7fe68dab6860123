package accountapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
)

const allApplications = "/admin/applications"

// named registers an application of the user with this name.
func named(t *testing.T, a *apptest.App, owner user.User, name string) oauth.Client {
	t.Helper()
	c, _, err := a.OAuth.Register(t.Context(), audit.ByUser(owner.ID), owner.ID, oauth.Registration{
		Name: name, RedirectURIs: "https://client.example/a?b=c d.example:/cb", Scopes: scope.Of(scope.API, scope.ReadUser), Confidential: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAdministratorsFindApplications(t *testing.T) {
	a := apptest.New(t)
	root, ada, ben := a.Admin("root"), a.User("ada"), a.User("ben")
	weather, rain := named(t, a, ada, "Weather <b>station</b>"), named(t, a, ben, "Rain gauge")
	b := signedIn(t, a, root)
	both := []string{weather.Name, rain.Name}
	for query, found := range map[string][]string{
		"": both, "?search=STATION": {weather.Name}, "?search=+gauge+": {rain.Name}, "?search=nothing": nil, "?search=%25": nil,
		"?owner=ada": {weather.Name}, "?owner=%40ben": {rain.Name}, "?owner=ben@example.com": {rain.Name}, "?owner=ada&search=rain": nil,
		"?owner=nobody": nil, "?owner=root": nil, "?search=" + rain.ClientID: {rain.Name}, "?search=" + strings.Repeat("0", 64): nil,
	} {
		text := b.Get(allApplications + query).Want(200).Text()
		for _, name := range both {
			want := strings.Contains(strings.Join(found, "/"), name)
			if got := strings.Contains(text, name); got != want {
				t.Errorf("%q shows %s: %t, want %t", query, name, got, want)
			}
		}
	}
	b.Get(allApplications+"?owner=nobody").Want(200, "No such owner")
	b.Get(allApplications+"?search=nothing").Want(200, "No application found")
	b.Get(allApplications).Want(200, "@ada", "/users/ben", "None noted")
}

// What no key leads to is searched for within the limit, and the pager goes on from there.
func TestSearchOfManyApplications(t *testing.T) {
	a := apptest.New(t)
	root, ada := a.Admin("root"), a.User("ada")
	oldest := named(t, a, ada, "The needle")
	for n := range 501 {
		if _, err := a.Store.CreateClient(t.Context(), oauth.Client{ClientID: fmt.Sprintf("%064x", n), Name: "hay", OwnerID: root.ID, CreatedAt: a.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	b := signedIn(t, a, root)
	text := b.Get(allApplications+"?search=needle").Want(200, "Searched back to", "Search further").Text()
	further := regexp.MustCompile(`href="([^"]+)" rel="next"`).FindStringSubmatch(text)
	if further == nil || !strings.Contains(further[1], "search=needle") {
		t.Fatalf("the page leads to %q, want the same search", further)
	}
	b.Get(strings.ReplaceAll(further[1], "&amp;", "&")).Want(200, oldest.Name)
}

func TestAdministratorsManageApplicationsOfOthers(t *testing.T) {
	a := apptest.New(t)
	root, ada := a.Admin("root"), a.User("ada")
	c := named(t, a, ada, "Weather")
	b, address := signedIn(t, a, root), fmt.Sprintf("%s/%d", allApplications, c.ID)
	b.Get(address).Want(200, c.ClientID, `href="/users/ada"`, address+"/edit", `href="`+allApplications+`"`)
	b.Get(address+"/edit").Want(200, `name="trusted"`)
	b.Post(address, registration("name", "", "redirect_uri", redirectURI)).Want(422, "The name can't be blank.", `action="`+address+`"`)
	b.Post(address, registration("redirect_uri", redirectURI, "trusted", "1")).WantRedirect(address)
	b.Get(address).Want(200, "Trusted: people are not asked")
	b.Post(address+"/renew_secret", nil).Want(200, "gtoas-", `href="`+address+`"`)
	if after := onlyClient(t, a, ada); !after.Trusted || after.SecretDigest == c.SecretDigest {
		t.Errorf("the application is %+v, want it trusted, with another secret", after)
	}
	b.Post(address+"/delete", nil).WantRedirect(allApplications)
	b.Get(address).Want(http.StatusNotFound)

	b.Get(allApplications+"/new").Want(200, "belongs to this instance")
	b.Post(allApplications, registration("name", "")).Want(422, "The name can't be blank.")
	b.Post(allApplications, registration()).Want(201, "gtoas-")
	b.Get(allApplications).Want(200, "This instance of Gatehouse")
}

// The page has what a developer needs, and how many people authorized the application.
func TestApplicationPageSaysHowToBegin(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	c := named(t, a, ada, "Weather")
	b, address := signedIn(t, a, ada), fmt.Sprintf("%s/%d", list, c.ID)
	text := b.Get(address).Want(200, "0 people", "None noted", apptest.BaseURL+"/.well-known/openid-configuration", ">"+apptest.BaseURL+"<").Text()
	example := regexp.MustCompile(`<code id="example">([^<]+)</code>`).FindStringSubmatch(text)
	if example == nil {
		t.Fatal("the page has no example")
	}
	asked, err := url.Parse(strings.ReplaceAll(example[1], "&amp;", "&"))
	if err != nil || asked.Query().Get("redirect_uri") != c.RedirectURIs[0] {
		t.Errorf("the example is %v, %v, want the first redirect URI in it", asked, err)
	}
	b.Get(asked.RequestURI()).Want(200, "Weather") // asks for consent

	for n, said := range []string{"1 person", "2 people"} {
		g := oauth.Grant{GrantID: oauth.GrantID{UserID: int64(n + 1), ClientID: c.ID}, Application: c.ClientID, Refreshable: true, CreatedAt: a.Now()}
		if err := a.Store.CreateGrant(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		b.Get(address).Want(200, said)
	}
	if err := a.Store.NoteUse(t.Context(), c.ID, a.Now().UTC().Truncate(24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if text := b.Get(address).Want(200).Text(); strings.Contains(text, "Never") {
		t.Error("the page says that nobody used the application")
	}
}
