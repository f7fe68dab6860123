package functions_test

import (
	"fmt"
	"os"
	"testing"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/dynamodb"
)

// Every caller makes every call with every form of a project's name, through the
// gateway, which knows two functions for them.
func TestWhoMayMonitor(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { whoMayMonitor(t, apptest.New(t)) })
	if os.Getenv("AWS_ENDPOINT_URL_DYNAMODB") != "" {
		t.Run("dynamodb", func(t *testing.T) { whoMayMonitor(t, apptest.Over(t, dynamodb.New(emulated(t)))) })
	}
}

func whoMayMonitor(t *testing.T, a *apptest.App) {
	top := a.Group("acme", project.Group{}, a.User("ada"), project.Private)
	team := a.Group("team", top, a.User("ben"), project.Private)
	m := &monitored{App: a, t: t, namespace: team}
	callers := a.Callers(top.Place())
	h := functions.Gateway(a.App)
	apptest.CheckAccess(t, h, callers, aboutProjects, m.project)
	apptest.CheckAccess(t, h, callers, aboutIntegrations, m.integration)
	apptest.CheckAccess(t, h, callers, aboutAlerts, m.alert)
	apptest.CheckAccess(t, h, callers, aboutEnvironments, m.project)
	apptest.CheckAccess(t, h, callers, deletingEnvironments, m.environment)
}

type params = map[string]any

const below = "/api/v4/projects/{id}/monitor"

var (
	webhook = params{"name": "Uptime", "type": "http", "active": true}
	nothing = params{"payload": params{}}

	aboutProjects = []apptest.Access{
		{Method: "GET", Path: below + "/integrations", Needs: project.Maintainer, Status: 200},
		{Method: "POST", Path: below + "/integrations", Params: webhook, Needs: project.Maintainer, Status: 201},
		{Method: "POST", Path: below + "/integrations", Needs: project.Maintainer, Status: 400},
		{Method: "POST", Path: below + "/integrations/preview", Params: nothing, Needs: project.Maintainer, Status: 200},
		{Method: "GET", Path: below + "/integrations/1000000", Needs: project.Maintainer, Status: 404},
		{Method: "GET", Path: below + "/alerts", Needs: project.Developer, Status: 200},
		{Method: "GET", Path: below + "/alerts?status=x", Needs: project.Developer, Status: 400},
		{Method: "GET", Path: below + "/alerts/1", Needs: project.Developer, Status: 404},
		{Method: "GET", Path: below + "/settings", Needs: project.Maintainer, Status: 200},
		{Method: "PUT", Path: below + "/settings/", Params: params{"generic_alert_fingerprinting": false}, Needs: project.Maintainer, Status: 200},
		{Method: "PUT", Path: below + "/settings", Needs: project.Maintainer, Status: 400},
	}
	// {id} stands for the project with what follows, as far as the integration.
	aboutIntegrations = []apptest.Access{
		{Method: "GET", Path: "/api/v4/projects/{id}", Needs: project.Maintainer, Status: 200},
		{Method: "PUT", Path: "/api/v4/projects/{id}", Params: webhook, Needs: project.Maintainer, Status: 200},
		{Method: "PATCH", Path: "/api/v4/projects/{id}", Params: params{"active": false}, Needs: project.Maintainer, Status: 200},
		{Method: "DELETE", Path: "/api/v4/projects/{id}", Needs: project.Maintainer, Status: 204},
		{Method: "POST", Path: "/api/v4/projects/{id}/reset_key", Needs: project.Maintainer, Status: 200},
		{Method: "GET", Path: "/api/v4/projects/{id}/last_payload", Needs: project.Maintainer, Status: 200},
		{Method: "POST", Path: "/api/v4/projects/{id}/preview", Params: nothing, Needs: project.Maintainer, Status: 200},
		{Method: "POST", Path: "/api/v4/projects/{id}/test", Params: nothing, Needs: project.Developer, Status: 200},
		{Method: "POST", Path: "/api/v4/projects/{id}/test", Needs: project.Developer, Status: 400},
	}
	aboutAlerts = []apptest.Access{
		{Method: "GET", Path: "/api/v4/projects/{id}", Needs: project.Developer, Status: 200},
		{Method: "HEAD", Path: "/api/v4/projects/{id}", Needs: project.Developer, Status: 200},
		{Method: "PUT", Path: "/api/v4/projects/{id}", Params: params{"status": "resolved"}, Needs: project.Developer, Status: 200},
		{Method: "PUT", Path: "/api/v4/projects/{id}", Needs: project.Developer, Status: 400},
	}
	aboutEnvironments = []apptest.Access{
		{Method: "GET", Path: "/api/v4/projects/{id}/environments", Needs: project.Developer, Status: 200},
		{Method: "POST", Path: "/api/v4/projects/{id}/environments", Params: params{"name": "production"}, Needs: project.Developer, Status: 201},
		{Method: "POST", Path: "/api/v4/projects/{id}/environments", Needs: project.Developer, Status: 400},
	}
	deletingEnvironments = []apptest.Access{
		{Method: "DELETE", Path: "/api/v4/projects/{id}", Needs: project.Developer, Status: 204},
	}
)

// monitored arranges projects with what is called about, and names that below
// each form of the project's name.
type monitored struct {
	*apptest.App
	t         *testing.T
	namespace project.Group
	made      int
}

func (m *monitored) add() project.Project {
	m.made++
	return m.Project(fmt.Sprintf("web-%d", m.made), m.namespace, project.Private)
}

func (m *monitored) project() []string {
	p := m.add()
	return apptest.Forms(p.ID, p.FullPath)
}

// integration adds one that has received a payload.
func (m *monitored) integration() []string {
	p := m.add()
	return behind(apptest.Forms(p.ID, p.FullPath), fmt.Sprintf("monitor/integrations/%d", m.receive(p).ID))
}

func (m *monitored) alert() []string {
	p := m.add()
	m.receive(p)
	return behind(apptest.Forms(p.ID, p.FullPath), "monitor/alerts/1")
}

func (m *monitored) environment() []string {
	p := m.add()
	e, err := m.Integrations.AddEnvironment(m.t.Context(), p, "production")
	if err != nil {
		m.t.Fatal(err)
	}
	return behind(apptest.Forms(p.ID, p.FullPath), fmt.Sprintf("environments/%d", e.ID))
}

func (m *monitored) receive(p project.Project) integration.Integration {
	i, err := m.Integrations.Create(m.t.Context(), p, integration.Draft{Name: "Uptime", Type: integration.HTTP, Active: true})
	if err != nil {
		m.t.Fatal(err)
	}
	if _, err := m.Intake.Test(m.t.Context(), p, i, []byte("{}")); err != nil {
		m.t.Fatal(err)
	}
	return i
}

func behind(forms []string, path string) []string {
	for i := range forms {
		forms[i] += "/" + path
	}
	return forms
}
