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
		byID, byPath := fmt.Sprintf("/api/v4/projects/%d", web.ID), "/api/v4/projects/"+url.PathEscape(web.FullPath)
		for _, call := range []struct {
			target        string
			status, steps int
		}{
			{byID + "/environments?per_page=0", 400, 2}, {byPath + "/environments?per_page=0", 400, 3}, // is refused after it is allowed
			{byID, 200, 3}, {byPath, 200, 4}, // reads the name of the group
		} {
			get := func() int {
				r := httptest.NewRequest(http.MethodGet, call.target, nil)
				r.Header.Set("Authorization", "Bearer "+token)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				return w.Code
			}
			get() // notes the use of the token
			status := 0
			if got := counter.during(func() { status = get() }); got.steps != call.steps+test.more || status != call.status {
				t.Errorf("GET %s by a user with %d memberships is %d in %d steps, want %d in %d",
					call.target, test.memberships, status, got.steps, call.status, call.steps+test.more)
			}
		}
	}
}
