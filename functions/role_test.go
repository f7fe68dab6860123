package functions_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/dynamodb"
)

// A call on a project costs a user with a few memberships what the scenarios say,
// and one with many a single step more, however many they are.
func TestStepsOfARole(t *testing.T) {
	needEmulator(t)
	options, counter := emulated(t), &steps{}
	options.HTTPClient = counter
	a := apptest.Over(t, dynamodb.New(options))
	h := functions.Gateway(a.App)
	ada := a.User("ada")
	top := a.Group("acme", project.Group{}, ada, project.Private)
	web := a.Project("web", a.Group("team", top, ada, project.Private), project.Private)
	tests := []struct {
		username    string
		memberships int
		more        int // steps
	}{
		{"few", 25, 0},
		{"many", 26, 1},
		{"more", 60, 1},
	}
	for _, test := range tests {
		u := a.User(test.username)
		a.Member(top.Place(), u, project.Developer)
		for n := range test.memberships - 1 {
			a.Group(fmt.Sprintf("%s-%d", test.username, n), project.Group{}, u, project.Private)
		}
		token := a.OAuthToken(u)
		for reference, want := range map[string]int{fmt.Sprint(web.ID): 2, url.PathEscape(web.FullPath): 3} {
			get := func() int {
				r := httptest.NewRequest(http.MethodGet, "/api/v4/projects/"+reference, nil)
				r.Header.Set("Authorization", "Bearer "+token)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				return w.Code
			}
			get() // notes the use of the token
			status := 0
			if got := counter.during(func() { status = get() }); got.steps != want+test.more || status != 200 {
				t.Errorf("GET %s by a user with %d memberships is %d in %d steps, want 200 in %d",
					reference, test.memberships, status, got.steps, want+test.more)
			}
		}
	}
}
