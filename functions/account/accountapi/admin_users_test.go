package accountapi_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/listing"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

var listed = regexp.MustCompile(`<span class="path">@([^<]+)</span>`)

// usersOn returns the user names in the list, in its order.
func usersOn(page string) []string {
	names := []string{}
	for _, found := range listed.FindAllStringSubmatch(page, -1) {
		names = append(names, found[1])
	}
	return names
}

func TestUsersAreFoundByAnyPart(t *testing.T) {
	a := apptest.New(t)
	root := a.Admin("root")
	ada, _ := a.User("ada"), a.User("adamant")
	if _, err := a.Users.Update(t.Context(), audit.Setup, ada.ID, user.Change{Name: new("Lovelace"), Confirmed: true}); err != nil {
		t.Fatal(err)
	}
	a.User("zoe")
	if _, err := a.Users.Block(t.Context(), audit.Setup, a.User("carl").ID); err != nil {
		t.Fatal(err)
	}
	a.Pass(24 * time.Hour)
	boss := signedIn(t, a, root)
	if err := a.Users.SignedIn(t.Context(), ada.ID); err != nil {
		t.Fatal(err)
	}
	tomorrow := a.Now().Add(24 * time.Hour).Format(time.DateOnly)
	today := a.Now().Format(time.DateOnly)
	for query, want := range map[string][]string{
		"":                            {"carl", "zoe", "adamant", "ada", "root"},
		"?search=LOVE":                {"ada"},
		"?search=ada":                 {"ada", "adamant"}, // who has just this name comes first
		"?search=@ada":                {"ada", "adamant"},
		"?search=zoe@exam":            {"zoe"},
		"?search=ADA@example.com":     {"ada"},
		"?search=nobody":              {},
		"?show=blocked":               {"carl"},
		"?show=admins":                {"root"},
		"?show=nonsense&since=x":      {"carl", "zoe", "adamant", "ada", "root"},
		"?show=active&search=ad":      {"adamant", "ada"},
		"?show=never&search=ada":      {"adamant"},
		"?order=oldest":               {"root", "ada", "adamant", "zoe", "carl"},
		"?order=username&search=ad":   {"ada", "adamant"},
		"?order=sign_in&search=ada":   {"ada", "adamant"},
		"?since=" + tomorrow:          {"carl", "zoe", "adamant", "ada", "root"},
		"?search=ada&since=" + today:  {"adamant"},
		"?show=unconfirmed&search=ad": {"adamant"},
	} {
		got := usersOn(boss.Get(usersPage + query).Want(200).Text())
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s lists (-want +got):\n%s", query, diff)
		}
	}
}

// Whoever has just the user name is found beyond what a search looks at, and the search goes
// on by a link.
func TestSearchSaysHowFarItLooked(t *testing.T) {
	a := apptest.New(t)
	root := a.Admin("root")
	ada, old := a.User("ada"), a.User("old-adamant")
	for n := range listing.Limit {
		name := fmt.Sprintf("bot-%d", n)
		if _, err := a.Store.CreateUser(t.Context(), user.User{Username: name, Name: name, Email: name + "@mail.test", State: user.Active, CreatedAt: a.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	boss := signedIn(t, a, root)
	page := boss.Get(usersPage+"?search=ada").Want(200, "Searched back to", "Search further").Text()
	if diff := cmp.Diff([]string{ada.Username}, usersOn(page)); diff != "" {
		t.Errorf("the first page (-want +got):\n%s", diff)
	}
	further := regexp.MustCompile(`href="([^"]+)" rel="next"`).FindStringSubmatch(page)
	if len(further) != 2 {
		t.Fatalf("no link leads on: %s", page)
	}
	if diff := cmp.Diff([]string{old.Username}, usersOn(boss.Get(further[1]).Want(200).Text())); diff != "" {
		t.Errorf("the next page (-want +got):\n%s", diff)
	}
}

func TestAdministratorInvites(t *testing.T) {
	a := apptest.New(t)
	boss := signedIn(t, a, a.Admin("root"))
	form := func(pairs ...string) map[string][]string {
		return apptest.Form(append([]string{"name", "Ada", "username", "ada", "email", "ada@example.com"}, pairs...)...)
	}
	boss.Get(usersPage+"/new").Want(200, "New user", "Make the user")
	boss.Post(usersPage, apptest.Form("name", "Ada", "username", "ad a", "start", "password", "password", "short")).
		Want(422, "Nobody was made yet", "The address can't be blank.", "The password is too short", `value="ad a"`)
	found := copied.FindStringSubmatch(boss.Post(usersPage, form("start", "link")).Want(201, "Invitation for", "@ada").Text())
	if len(found) != 2 {
		t.Fatal("the page shows no link")
	}
	_, token, _ := strings.Cut(found[1], "?token=")
	ada := mustFind(t, a, "ada")
	page := fmt.Sprintf("%s/%d", usersPage, ada.ID)
	boss.Get(page).Want(200, "None yet", "Invite by a link")
	b := newBrowser(t, a.App)
	b.Post("/users/password", apptest.Form("token", token, "password", "difference engine")).WantRedirect("/users/sign_in")
	b.Post("/users/sign_in", apptest.Form("login", "ada", "password", "difference engine")).WantRedirect("/")
	if text := boss.Get(page).Want(200, "Link for a new password").Text(); strings.Contains(text, "Not signed in anywhere") {
		t.Error("the page of the user shows no session")
	}
	if got := mustFind(t, a, "ada").LastSignInAt; !got.Equal(a.Now()) {
		t.Errorf("the last sign-in was %v, want %v", got, a.Now())
	}
	boss.Post(usersPage, form("start", "link")).Want(422, "The user name has already been taken.", "The address has already been taken.")
}

func mustFind(t *testing.T, a *apptest.App, username string) user.User {
	t.Helper()
	u, err := a.Users.UserByUsername(t.Context(), username)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestAdministratorEdits(t *testing.T) {
	a := apptest.New(t)
	root, ada := a.Admin("root"), a.User("ada")
	boss := signedIn(t, a, root)
	page := fmt.Sprintf("%s/%d", usersPage, ada.ID)
	fields := boss.Get(page+"/edit").Want(200, "Edit @ada").Fields(page)
	fields.Set("name", "Countess")
	fields.Set("email", "nobody")
	boss.Post(page, fields).Want(422, "The address is invalid.", `value="Countess"`)
	fields.Set("email", "countess@example.com")
	fields.Set("admin", "1")
	boss.Post(page, fields).WantRedirect(page)
	boss.Get(page).Want(200, "The user is saved.", "Countess", "Administrator", "countess@example.com")
	fields.Set("name", "Too late")
	boss.Post(page, fields).Want(409, "Someone else changed this user meanwhile", `value="Countess"`)

	boss.Post(page+"/password", apptest.Form("password", "short")).Want(422, "The password is too short")
	boss.Post(page+"/password", apptest.Form("password", "difference engine")).WantRedirect(page)
	if _, err := a.Users.Authenticate(t.Context(), "ada", secret.NewText("difference engine")); err != nil {
		t.Errorf("the password does not open the account: %v", err)
	}
}

func TestAdministratorsDoNotLockThemselvesOut(t *testing.T) {
	a := apptest.New(t)
	root := a.Admin("root")
	boss := signedIn(t, a, root)
	page := fmt.Sprintf("%s/%d", usersPage, root.ID)
	if text := boss.Get(page).Want(200, "This is you.").Text(); strings.Contains(text, page+"/block") || strings.Contains(text, page+"/delete") {
		t.Errorf("the page offers what cannot be done: %s", text)
	}
	fields := boss.Get(page + "/edit").Want(200).Fields(page)
	fields.Set("name", "Root")
	fields.Set("email", root.Email)
	boss.Post(page, fields).WantRedirect(page)
	boss.Post(page+"/delete", apptest.Form("username", "root")).Want(400, "cannot delete themselves")
	boss.Post(page+"/sign_out", nil).Want(400, "in your settings")
	boss.Post(page+"/password", apptest.Form("password", "difference engine")).Want(400, "in your settings")
	if u := mustFind(t, a, "root"); !u.Administers() {
		t.Error("the administrator is one no more")
	}
	boss.Get(page).Want(200)
}

func TestAdministratorSignsOutAndDeletes(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	boss, b := signedIn(t, a, a.Admin("root")), signedIn(t, a, ada)
	page := fmt.Sprintf("%s/%d", usersPage, ada.ID)
	boss.Post(page+"/sign_out", nil).WantRedirect(page)
	boss.Get(page).Want(200, "The user is signed out everywhere.", "Not signed in anywhere.")
	b.Get(securityLog).WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Faudit")

	p := a.Project("web", a.Namespace(ada), project.Private)
	a.Token(ada)
	boss.Get(page+"/access").Want(200, "Access of", "Active", "registered none")
	boss.Post(page+"/delete", apptest.Form("username", "Ada")).Want(422, "Write the user name ada", "<details open>", `value="Ada"`)
	boss.Post(page+"/delete", apptest.Form("username", "ada")).Want(409, "Projects are in the namespace of @ada.")
	if err := a.Projects.DeleteProject(t.Context(), audit.Setup, p); err != nil {
		t.Fatal(err)
	}
	boss.Post(page+"/delete", apptest.Form("username", "ada")).WantRedirect(usersPage)
	boss.Get(usersPage).Want(200, "The user is deleted.")
	if _, err := a.Users.User(t.Context(), ada.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("the user is still there: %v", err)
	}
}
