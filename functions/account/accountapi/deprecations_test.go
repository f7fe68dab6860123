package accountapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/oauth"
)

const usesPage = "/admin/deprecations"

func TestEverybodyMayReadWhatIsDeprecated(t *testing.T) {
	a := apptest.New(t)
	page := newBrowser(t, a.App).Get("/-/deprecations").Want(200, "Gatehouse-Api-Preview: v5", "Release 17.7")
	for _, e := range deprecation.Table {
		page.Want(200, `id="`+e.ID+`"`, e.Subject, e.Old+".", e.New+".", e.Before, e.After)
		for _, p := range e.Places {
			page.Want(200, p.Call, p.Name)
		}
		for _, v := range e.Values {
			page.Want(200, v.Old, v.New)
		}
	}
}

// use counts uses of an entry, some days ago.
func use(t *testing.T, a *apptest.App, id string, by deprecation.Caller, ago int) {
	t.Helper()
	if err := a.Store.AddDeprecatedUse(t.Context(), id, by, a.Now().AddDate(0, 0, -ago)); err != nil {
		t.Fatal(err)
	}
}

func callerOf(c oauth.Client, userID int64) deprecation.Caller {
	return deprecation.Caller{Client: c.ID, ApplicationID: c.ClientID, UserID: userID}
}

func TestAdministratorsSeeWhoUsesWhatIsDeprecated(t *testing.T) {
	a := apptest.New(t)
	root, ada := a.Admin("root"), a.User("ada")
	c := register(t, a, ada)
	b := signedIn(t, a, root)
	b.Get(usesPage).Want(200, "Nobody used it", "REST v4 has deprecated")
	use(t, a, "geo-nodes", callerOf(c, ada.ID), 0)
	use(t, a, "geo-nodes", callerOf(c, ada.ID), 0)
	use(t, a, "merged-by", deprecation.Caller{TokenID: 12, UserID: 999}, 1)
	use(t, a, "gone-since", deprecation.Caller{UserID: root.ID}, 1)
	use(t, a, "merged-by", deprecation.Caller{Client: 99, ApplicationID: "x", UserID: ada.ID}, 89)
	use(t, a, "approvers", deprecation.Caller{TokenID: 12, UserID: 1}, 91)

	all := b.Get(usesPage).Want(200, "“"+c.Name+"”", "@ada", `href="/-/deprecations#geo-nodes"`, "Access token 12", "A deleted user",
		"A deleted application", "A password, without an application", "gone-since")
	if rows := strings.Count(all.Text(), "<tr>"); rows != 5 { // with the head of the table
		t.Errorf("the page has %d rows, want 5: %s", rows, all.Text())
	}
	b.Get(usesPage+"?row=merged-by").Want(200, "Access token 12", "A deleted application", `value="merged-by" selected`).WantNot(c.Name)
	b.Get(usesPage+"?application_id="+c.ClientID).Want(200, c.Name).WantNot("Access token 12")
	b.Get(usesPage+"?application_id=+nobody+").Want(200, "There is no such application", `value="nobody"`)
	b.Get(usesPage+"?row=nothing").Want(200, c.Name)
	signedIn(t, a, ada).Get(usesPage).Want(404)
}

func TestUsesAreListedInPages(t *testing.T) {
	a := apptest.New(t)
	b := signedIn(t, a, a.Admin("root"))
	for n := range 25 {
		use(t, a, "geo-nodes", deprecation.Caller{TokenID: int64(n + 1), UserID: 1}, 0)
	}
	first := b.Get(usesPage+"?row=geo-nodes").Want(200, "Access token 25", "Access token 6", `rel="next"`)
	first.WantNot("Access token 5<")
	_, rest, _ := strings.Cut(first.Text(), `<a class="button quiet" href="`+usesPage+`?row=geo-nodes&page=2`)
	cursor, _, _ := strings.Cut(rest, `"`)
	b.Get(usesPage+"?row=geo-nodes&page=2"+cursor).Want(200, "Access token 5<", "Access token 1<").WantNot("Access token 6<", `rel="next"`)
	b.Get(usesPage+"?page=9").Want(200, "The list ends before this page")
}

func TestOwnersSeeWhatTheirApplicationUses(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	c, other := register(t, a, ada), register(t, a, ada)
	b := signedIn(t, a, ada)
	address := func(c oauth.Client) string { return fmt.Sprintf("%s/%d", list, c.ID) }
	use(t, a, "merge-status", callerOf(other, ada.ID), 0)
	b.Get(address(c)).Want(200, "None of its requests of the last 90 days").WantNot("#merge-status")
	use(t, a, "geo-nodes", callerOf(c, ada.ID), 0)
	use(t, a, "geo-nodes", callerOf(c, ada.ID), 0)
	b.Get(address(c)).Want(200, "Deprecated names that it uses", `href="/-/deprecations#geo-nodes"`, "Geo sites", `data-label="Requests">2<`).WantNot("#merge-status")
	a.Pass(30 * time.Minute)
	signedIn(t, a, a.User("ben")).Get(address(c)).Want(404)
}
