package accountapi_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
)

const (
	securityLog = "/user_settings/audit"
	auditTrail  = "/admin/audit"
	usersPage   = "/admin/users"
)

// People see what happened to their own account, whatever the address says, and
// of others who did something only who they are.
func TestSecurityLogIsAboutOneself(t *testing.T) {
	a := apptest.New(t)
	root, ada := a.Admin("root"), a.User("ada")
	signedInWith(t, a, a.User("ben"), "curl/8")
	newBrowser(t, a.App).Post("/users/sign_in", apptest.Form("login", "ada", "password", "wrong")).Want(422)
	boss := signedInWith(t, a, root, safari)
	for _, deed := range []string{"block", "unblock"} {
		boss.Post(fmt.Sprintf("%s/%d/%s", usersPage, ada.ID, deed), nil).WantRedirect(fmt.Sprintf("%s/%d", usersPage, ada.ID))
	}
	b := signedInWith(t, a, ada, firefox)
	for _, address := range []string{securityLog, securityLog + "?user=ben", securityLog + "?user=root&event=&from=x&before=y"} {
		page := b.Get(address).Want(200, "Signed in", "Sign-in failed", "Account blocked", "@root", "Firefox on Linux", "192.0.2.1").Text()
		if strings.Contains(page, "curl") || strings.Contains(page, "iPhone") || strings.Contains(page, "ben") {
			t.Errorf("%s tells of others: %s", address, page)
		}
	}
}

func TestAdministrationIsForAdministrators(t *testing.T) {
	a := apptest.New(t)
	root, ada := a.Admin("root"), a.User("ada")
	b := signedIn(t, a, ada)
	block := fmt.Sprintf("%s/%d/block", usersPage, root.ID)
	for _, address := range []string{"/admin", usersPage, usersPage + "?search=root", auditTrail, auditTrail + "?user=ada"} {
		b.Get(address).Want(404)
		if at := newBrowser(t, a.App).Get(address).Location(); !strings.HasPrefix(at, "/users/sign_in?return_to=%2Fadmin") {
			t.Errorf("GET %s leads a stranger to %q", address, at)
		}
	}
	b.Post(block, nil).Want(404)
	newBrowser(t, a.App).Post(block, nil).WantRedirect("/users/sign_in?return_to=%2F")
	if u, err := a.Users.User(t.Context(), root.ID); err != nil || u.Blocked() {
		t.Errorf("the administrator is %v, %v", u.State, err)
	}
}

func TestAdministratorsBlockOthers(t *testing.T) {
	a := apptest.New(t)
	root, ada := a.Admin("root"), a.User("ada")
	boss, b := signedIn(t, a, root), signedIn(t, a, ada)
	for _, id := range []string{"x", "-1", "999", "9223372036854775808"} {
		boss.Post(usersPage+"/"+id+"/block", nil).Want(404)
	}
	page := fmt.Sprintf("%s/%d", usersPage, ada.ID)
	boss.Post(fmt.Sprintf("%s/%d/block", usersPage, root.ID), nil).Want(400, "cannot block themselves")
	boss.Post(page+"/block", nil).WantRedirect(page)
	b.Get(securityLog).Want(403, "Your account is blocked")
	boss.Get(page).Want(200, "The user is blocked.", "Unblock")
	boss.Post(page+"/unblock", nil).WantRedirect(page)
	b.Get(securityLog).WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Faudit")
}

func TestAdministratorsResetTwoFactorsOfOthers(t *testing.T) {
	a, ada, _ := withTwoFactors(t)
	root := a.Admin("root")
	boss, b := signedIn(t, a, root), newBrowser(t, a.App)
	adas := fmt.Sprintf("%s/%d", usersPage, ada.ID)
	reset := adas + "/reset_two_factor"
	signedIn(t, a, a.User("ben")).Post(reset, nil).Want(404)
	for _, id := range []string{"x", "-1", "999"} {
		boss.Post(usersPage+"/"+id+"/reset_two_factor", nil).Want(404)
	}
	boss.Post(fmt.Sprintf("%s/%d/reset_two_factor", usersPage, root.ID), nil).Want(400, "in your settings")
	password(t, b)

	fields := boss.Get(adas).Want(200, "Reset two-factor of ada").Fields(reset)
	boss.Post(reset, fields).WantRedirect(adas)
	boss.Get(adas).Want(200, "signs in with the password alone now")
	boss.Post(reset, nil).WantRedirect(adas)
	boss.Get(adas).Want(200, "Nothing was changed.")
	signedIn(t, a, ada).Get(securityLog+"?event=two_factor.disabled").Want(200, "Two-factor authentication turned off", "@root")
}

// Who sees that knows that somebody else has the password.
func TestWrongCodeTellsThatThePasswordWasRight(t *testing.T) {
	a, _, has := withTwoFactors(t)
	secondStep(t, newBrowser(t, a.App), "000000").Want(422)
	signedInBy(t, a, has.codes[0]).Get(securityLog).Want(200, "Sign-in failed", "<dt>after</dt><dd><bdi>the right password</bdi></dd>", "Recovery code used", "Signed in")
}

func TestAdministratorsSearchTheTrail(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	root := a.Admin("root")
	web := project.ProjectDraft("Web", "web", project.Private)
	if _, err := a.Projects.CreateProject(t.Context(), audit.ByUser(root.ID), web, a.Namespace(root)); err != nil {
		t.Fatal(err)
	}
	boss := signedInWith(t, a, root, firefox)
	newBrowser(t, a.App).Post("/users/sign_in", apptest.Form("login", "ada", "password", "wrong")).Want(422)
	newBrowser(t, a.App).Post("/users/sign_in", apptest.Form("login", "nobody", "password", "wrong")).Want(422)
	tests := map[string]struct{ shown, hidden string }{
		"":                                    {"None that exists", ""},
		"user=ada":                            {"@ada", "None that exists"},
		"user=@ADA":                           {"@ada", "None that exists"},
		"user=ada@example.com":                {"@ada", "None that exists"},
		"nobody=1":                            {"None that exists", "@ada"},
		"nobody=1&user=ada":                   {"None that exists", "@ada"},
		"nobody=1&event=user.sign_in":         {"Nothing of this kind", "<table>"},
		"user=eve":                            {"No user has this user name", "<table>"},
		"event=user.sign_in":                  {"@root", "@ada"},
		"project=root/web":                    {"<bdi>root/web</bdi>", "@ada"},
		"project=/Root/Web/":                  {"<bdi>root/web</bdi>", "@ada"},
		"project=1":                           {"<bdi>root/web</bdi>", "@ada"},
		"project=root/app":                    {"no project has this path", "<table>"},
		"project=root/web&user=ada":           {"Nothing of this kind", "<table>"},
		"project=root/web&user=root":          {"<bdi>root/web</bdi>", "@ada"},
		"actor=root":                          {"<bdi>root/web</bdi>", "@ada"},
		"actor=@root&project=root/web":        {"<bdi>root/web</bdi>", "@ada"},
		"actor=ada&project=root/web":          {"Nothing of this kind", "<table>"},
		"actor=root&event=user.sign_in":       {"@root", "<bdi>root/web</bdi>"},
		"actor=root&user=ada":                 {"Nothing of this kind", "<table>"},
		"actor=eve":                           {"No user has this user name", "<table>"},
		"project=root/web&event=user.sign_in": {"Nothing of this kind", "<table>"},
		"event=user.sign_in_failed":           {"@ada", "<bdi>@root</bdi>"},
		"event=nonsense":                      {"None that exists", ""},
		"from=9999-12-31":                     {"Nothing of this kind", "<table>"},
		"until=0001-01-01":                    {"Nothing of this kind", "<table>"},
		"from=0001-01-01":                     {"None that exists", ""},
		"before=" + oldest:                    {"Nothing of this kind", "<table>"},
		"before=" + newest:                    {"None that exists", ""},
		"before=x&from=2026-13-01&page=":      {"None that exists", ""},
	}
	for query, test := range tests {
		page := boss.Get(auditTrail+"?"+query).Want(200, test.shown).Text()
		if test.hidden != "" && strings.Contains(page, test.hidden) {
			t.Errorf("?%s shows %q: %s", query, test.hidden, page)
		}
	}
}

// What comes before and after every ID there is.
var oldest, newest = strings.Repeat("0", 32), strings.Repeat("f", 32)

// Whatever an application is called, nobody takes its deeds for those of a
// person, nor its name for a part of the page.
func TestApplicationsDoNotPoseAsPeople(t *testing.T) {
	for _, name := range []string{"@root", "You", "Unknown", "<script>alert(1)</script>"} {
		a := apptest.New(t)
		ada := a.User("ada")
		client := register(t, a, ada, func(r *oauth.Registration) { r.Name = name })
		b := signedIn(t, a, ada)
		allow(t, a, b, client, "read_user")
		page := b.Get(securityLog).Want(200, "Application got access", "<td data-label=\"By\"><bdi>Application “"+name+"”</bdi></td>")
		if strings.Contains(page.Body.String(), "<script>alert") {
			t.Errorf("the name is a part of the page: %s", page.Body)
		}
	}
}

// Nor does a name read like a detail of another kind.
func TestNamesDoNotPoseAsDetails(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	name := "Mail · scopes: api</bdi></dd><dt>scopes</dt>"
	client := register(t, a, ada, func(r *oauth.Registration) { r.Name = name })
	b := signedIn(t, a, ada)
	allow(t, a, b, client, "read_user")
	page := b.Get(securityLog+"?event="+string(oauth.EventConsent)).Want(200,
		"<dt>application</dt><dd><bdi>"+name+"</bdi></dd><dt>scopes</dt><dd><bdi>read_user</bdi></dd></dl>")
	if got := strings.Count(page.Body.String(), "<dt>"); got != 2 {
		t.Errorf("the entry has %d details, want 2: %s", got, page.Body)
	}
}

// Attempts at nobody's account are shown although there is nobody to name.
func TestEntriesOfNobodyAreShown(t *testing.T) {
	a := apptest.New(t)
	boss := signedIn(t, a, a.Admin("root"))
	newBrowser(t, a.App).Post("/users/sign_in", apptest.Form("login", "nobody", "password", "wrong")).Want(422)
	boss.Get(auditTrail+"?event=user.sign_in_failed").Want(200, "None that exists", "Unknown")
}
