package functions_test

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"gatehouse/functions"
	"gatehouse/functions/errortracking/errortrackingapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/dynamodb"
)

// Every caller makes every call with every form of a project's name: at the
// function itself and through the gateway, which knows two functions for them.
func TestWhoMayTrackErrors(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { whoMayTrackErrors(t, apptest.New(t)) })
	if os.Getenv("AWS_ENDPOINT_URL_DYNAMODB") != "" {
		t.Run("dynamodb", func(t *testing.T) { whoMayTrackErrors(t, apptest.Over(t, dynamodb.New(emulated(t)))) })
	}
}

func whoMayTrackErrors(t *testing.T, a *apptest.App) {
	const below = "/api/v4/projects/{id}/error_tracking"
	const maintainer = project.Maintainer
	integrated := map[string]any{"active": true, "integrated": true}
	calls := []apptest.Access{
		{Method: "GET", Path: below + "/settings", Needs: maintainer, Status: 200},
		{Method: "PUT", Path: below + "/settings", Params: integrated, Needs: maintainer, Status: 200},
		{Method: "PATCH", Path: below + "/settings/", Params: integrated, Needs: maintainer, Status: 200},
		{Method: "PATCH", Path: below + "/settings", Needs: maintainer, Status: 400},
		{Method: "GET", Path: below + "/client_keys", Needs: maintainer, Status: 200},
		{Method: "POST", Path: below + "/client_keys", Needs: maintainer, Status: 201},
		{Method: "DELETE", Path: below + "/client_keys/x", Needs: maintainer, Status: 400},
	}
	deletion := []apptest.Access{{Method: "DELETE", Path: "/api/v4/projects/{id}", Needs: maintainer, Status: 200}}
	top := a.Group("acme", project.Group{}, a.User("ada"), project.Private)
	team := a.Group("team", top, a.User("ben"), project.Private)
	callers := a.Callers(top.Place())
	made := 0
	arrange := func() (forms []string, p project.Project) {
		made++
		p = a.Project(fmt.Sprintf("web-%d", made), team, project.Private)
		return apptest.Forms(p.ID, p.FullPath), p
	}
	withSettings := func() []string {
		forms, p := arrange()
		trackErrors(t, a, p)
		return forms
	}
	withKey := func() []string {
		forms, p := arrange()
		return keyPaths(t, a, forms, p)
	}
	for name, h := range map[string]http.Handler{"function": errortrackingapi.New(a.App), "gateway": functions.Gateway(a.App)} {
		t.Run(name, func(t *testing.T) {
			apptest.CheckAccess(t, h, callers, calls, withSettings)
			apptest.CheckAccess(t, h, callers, deletion, withKey)
		})
	}
}

// trackErrors sets up error tracking in the project, switched off.
func trackErrors(t *testing.T, a *apptest.App, p project.Project) {
	t.Helper()
	off := errortracking.Change{Create: true, Integrated: new(bool)}
	if _, err := a.Tracking.Change(t.Context(), audit.Actor{}, p, off, nil); err != nil {
		t.Fatal(err)
	}
}

// keyPaths adds a client key and returns its path below each of the project's.
func keyPaths(t *testing.T, a *apptest.App, projects []string, p project.Project) []string {
	t.Helper()
	k, err := a.Tracking.CreateKey(t.Context(), audit.Actor{}, p)
	if err != nil {
		t.Fatal(err)
	}
	paths := make([]string, len(projects))
	for i, path := range projects {
		paths[i] = fmt.Sprintf("%s/error_tracking/client_keys/%d", path, k.ID)
	}
	return paths
}
