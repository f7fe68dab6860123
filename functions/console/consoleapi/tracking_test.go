package consoleapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

const (
	tracking   = "/console/acme/web/settings/error_tracking"
	trackerAPI = "https://errors.example.com/api/0/projects/acme/web-shop/"
)

// newProject adds the project acme/web and returns it with the browser of a
// maintainer of it.
func newProject(t *testing.T, a *apptest.App) (project.Project, *apptest.Browser) {
	t.Helper()
	owner, maintainer := a.User("olivia"), a.User("marco")
	web := a.Project("web", a.Group("acme", project.Group{}, owner, project.Private), project.Private)
	a.Member(web.Place(), maintainer, project.Maintainer)
	return web, signedIn(t, a, maintainer)
}

func wantSettings(t *testing.T, a *apptest.App, p project.Project, want errortracking.Settings) []byte {
	t.Helper()
	got, err := a.Tracking.Settings(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	token := got.External.SealedToken
	got.External.SealedToken, want.ProjectID = nil, p.ID
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	return token
}

func TestSwitchErrorTrackingOnAndOff(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	b.Get(tracking).Want(200, "Monitor settings", "Off", `value="integrated" checked`)
	if _, err := a.Tracking.Settings(t.Context(), web.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("looking at the page made settings: %v", err)
	}
	b.Post(tracking, apptest.Form("active", "1", "tracker", "integrated")).WantRedirect(tracking)
	b.Get(tracking).Want(200, "Error tracking is on.", "On, integrated", `name="active" value="1" checked`)
	wantSettings(t, a, web, errortracking.Settings{Active: true, Integrated: true})

	b.Post(tracking, apptest.Form("tracker", "integrated")).WantRedirect(tracking)
	b.Get(tracking).Want(200, "Error tracking is off.").WantNot("On, integrated")
	wantSettings(t, a, web, errortracking.Settings{Integrated: true})
}

func TestUseAnExternalTracker(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	external := apptest.Form("active", "1", "tracker", "external", "api_url", " "+trackerAPI+" ", "token", "s3cret-token")
	b.Post(tracking, external).WantRedirect(tracking)
	want := errortracking.Settings{Active: true, External: errortracking.External{APIURL: trackerAPI}}
	token := wantSettings(t, a, web, want)
	shown := b.Get(tracking).Want(200, "with the external tracker", "On, at Web Shop", `href="https://errors.example.com/acme/web-shop"`, "One is kept", trackerAPI)
	shown.WantNot("s3cret-token")

	// Without a token the one that is there stays.
	b.Post(tracking, apptest.Form("active", "1", "tracker", "external", "api_url", trackerAPI, "project_name", "Shop", "tracker_external_url", "https://errors.example.com/shop")).WantRedirect(tracking)
	want.External.ProjectName, want.External.TrackerURL = "Shop", "https://errors.example.com/shop"
	if kept := wantSettings(t, a, web, want); len(token) == 0 || string(kept) != string(token) {
		t.Errorf("the sealed token is %x, want the same as before: %x", kept, token)
	}
	b.Get(tracking).Want(200, "On, at Shop", `href="https://errors.example.com/shop"`)

	// The integrated tracker leaves the external one as it is.
	b.Post(tracking, apptest.Form("active", "1", "tracker", "integrated", "api_url", "", "token", "")).WantRedirect(tracking)
	want.Integrated = true
	wantSettings(t, a, web, want)
	b.Get(tracking).Want(200, "On, integrated", trackerAPI)
}

func TestErrorTrackingComplains(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	tests := []struct {
		pairs []string
		says  []string
	}{
		{nil, []string{"The API address can't be blank.", "The token can't be blank."}},
		{[]string{"api_url", trackerAPI}, []string{"The token can't be blank."}},
		{[]string{"api_url", "https://localhost/api/0/projects/acme/web/", "token", "t"}, []string{"The API address must have a public host."}},
		{[]string{"api_url", `"><script>`, "token", "t"}, []string{"The API address must be an http or https URL.", `value=""><script>"`}},
		{[]string{"api_url", trackerAPI, "token", strings.Repeat("x", 2000)}, []string{"The token is too long"}},
		{[]string{"api_url", trackerAPI, "token", "t", "project_name", "a\u202eb"}, []string{"The name contains a control character."}},
		{[]string{"api_url", trackerAPI, "token", "t", "tracker_external_url", "javascript:alert(1)"}, []string{"The address must be an http or https URL."}},
	}
	for _, test := range tests {
		sent := apptest.Form(append(test.pairs, "active", "1", "tracker", "external")...)
		got := b.Post(tracking, sent).Want(422, test.says...).Want(422, "Nothing was saved yet", `aria-invalid="true"`, "autofocus", `id="external" checked`)
		if sent.Get("token") != "" {
			got.WantNot(`value="` + sent.Get("token"))
		}
		if strings.Contains(got.Body.String(), "<script>") {
			t.Errorf("%q is not escaped: %s", sent, got.Body)
		}
	}
	b.Post(tracking, apptest.Form("active", "1", "active", "1")).Want(400, "more than once")
	if _, err := a.Tracking.Settings(t.Context(), web.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a form with a mistake made settings: %v", err)
	}
}

// Whoever enters another address does not get the token sent there.
func TestATokenStaysWithItsAddress(t *testing.T) {
	a := apptest.New(t)
	_, b := newProject(t, a)
	b.Post(tracking, apptest.Form("active", "1", "tracker", "external", "api_url", trackerAPI, "token", "t")).WantRedirect(tracking)
	b.Post(tracking, apptest.Form("active", "1", "tracker", "external", "api_url", "https://evil.example/api/0/projects/a/b/")).Want(422, "The token can't be blank.")
}

func keysOf(t *testing.T, a *apptest.App, p project.Project) []errortracking.ClientKey {
	t.Helper()
	keys, err := a.Tracking.Keys(t.Context(), p.ID, page.First)
	if err != nil {
		t.Fatal(err)
	}
	return keys.Items
}

func keyAddress(k errortracking.ClientKey) string {
	return fmt.Sprintf("%s/client_keys/%d", tracking, k.ID)
}

func TestCreateAndDeleteAClientKey(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	b.Get(tracking).Want(200, "No client keys yet", `dsn: "https://<client key>@gatehouse.example/api/v4/error_tracking/collector/`)
	b.Post(tracking+"/client_keys", nil).WantRedirect(tracking)
	keys := keysOf(t, a, web)
	if len(keys) != 1 {
		t.Fatalf("there are the keys %v, want one", keys)
	}
	dsn := fmt.Sprintf("https://%s@gatehouse.example/api/v4/error_tracking/collector/%d", keys[0].PublicKey, web.ID)
	b.Get(tracking).Want(200, "The client key was created.", ">"+dsn+"<", `dsn: "`+dsn+`"`, "Active", "Error tracking is off: switch it on")
	b.Post(tracking, apptest.Form("active", "1", "tracker", "integrated")).WantRedirect(tracking)
	b.Get(tracking).Want(200, "Set up an application").WantNot("Error tracking is off")

	b.Get(keyAddress(keys[0]) + "/delete").Want(405)
	b.Post(keyAddress(keys[0])+"/delete", nil).WantRedirect(tracking)
	b.Get(tracking).Want(200, "The client key was deleted.", "No client keys yet").WantNot(keys[0].PublicKey)
	b.Post(keyAddress(keys[0])+"/delete", nil).Want(404)
}

func TestClientKeysAreListedInPages(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	for range page.DefaultSize + 1 {
		if _, err := a.Tracking.CreateKey(t.Context(), audit.Setup, web); err != nil {
			t.Fatal(err)
		}
	}
	first := b.Get(tracking).Want(200, `href="`+tracking+`?page=2`)
	if got := strings.Count(first.Text(), `class="remove"`); got != page.DefaultSize {
		t.Errorf("the first page shows %d keys, want %d", got, page.DefaultSize)
	}
	b.Get(tracking+"?page=2").Want(200, `href="`+tracking+`?page=1"`, "Set up an application")
	b.Get(tracking+"?page=3").Want(200, "The list ends before this page")
}

func TestKeysOfOtherProjectsDoNotExist(t *testing.T) {
	a := apptest.New(t)
	_, b := newProject(t, a)
	other := a.Project("web", a.Namespace(a.User("ben")), project.Public)
	key, err := a.Tracking.CreateKey(t.Context(), audit.Setup, other)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{fmt.Sprint(key.ID), "0", "-1", "x", "99999999999999999999", "%00"} {
		b.Post(tracking+"/client_keys/"+id+"/delete", nil).Want(404)
	}
	if keys := keysOf(t, a, other); len(keys) != 1 {
		t.Errorf("the other project has the keys %v, want the one it had", keys)
	}
}

func TestOnlyMaintainersChangeErrorTracking(t *testing.T) {
	a := apptest.New(t)
	web, _ := newProject(t, a)
	key, err := a.Tracking.CreateKey(t.Context(), audit.Setup, web)
	if err != nil {
		t.Fatal(err)
	}
	dana, sid := a.User("dana"), a.User("sid")
	a.Member(web.Place(), dana, project.Developer)
	for b, status := range map[*apptest.Browser]int{signedIn(t, a, dana): 403, signedIn(t, a, sid): 404, stranger(t, a): 303} {
		b.Post(tracking, apptest.Form("active", "1")).Want(status)
		b.Post(tracking+"/client_keys", nil).Want(status)
		b.Post(keyAddress(key)+"/delete", nil).Want(status)
		if got := b.Get(tracking); strings.Contains(got.Text(), key.PublicKey) || got.Code == 200 {
			t.Errorf("GET %s answered %d %s", tracking, got.Code, got.Text())
		}
	}
	if keys := keysOf(t, a, web); len(keys) != 1 {
		t.Errorf("the keys are %v, want the one", keys)
	}
	if _, err := a.Tracking.Settings(t.Context(), web.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("somebody else made settings: %v", err)
	}
}

func TestFormsInEveryFormOfTheAddress(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	for _, form := range apptest.Forms(web.ID, web.FullPath) {
		b.Post("/console/"+form+"/settings/error_tracking", url.Values{"active": {"1"}}).WantRedirect(tracking)
		b.Post("/console/"+form+"/Settings/error_tracking/client_keys", nil).Want(404)
		b.Post("/console/"+form+"/settings/error_tracking/client_keys", nil).WantRedirect(tracking)
	}
}
