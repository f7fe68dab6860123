package main

import (
	"context"
	"strings"

	"gatehouse/shared/app"
	"gatehouse/shared/audit"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// demoAccount is what to print about the demonstration's data.
type demoAccount struct{ password, users, project, application, clientID string }

const demoPassword = "gatehouse-demo"

// demoPeople are the members of the demonstration's group, one for each role.
var demoPeople = []struct {
	username, name string
	role           project.Role
}{
	{"olivia", "Olivia Owner", project.Owner},
	{"marco", "Marco Maintainer", project.Maintainer},
	{"dana", "Dana Developer", project.Developer},
	{"ravi", "Ravi Reporter", project.Reporter},
	{"pat", "Pat Planner", project.Planner},
	{"gwen", "Gwen Guest", project.Guest},
}

var demoProjects = []project.Draft{
	{Name: "Web shop", Path: "web-shop", Visibility: project.Private},
	{Name: "Payments", Path: "payments", Visibility: project.Private},
}

// loadDemo adds a group with two projects and their monitoring, members of each role
// and an application, unless they exist.
func loadDemo(ctx context.Context, a *app.App) (*demoAccount, error) {
	people, err := demoUsers(ctx, a)
	if err != nil {
		return nil, err
	}
	group, err := demoGroup(ctx, a, people)
	if err != nil {
		return nil, err
	}
	for _, draft := range demoProjects {
		if err := demoProject(ctx, a, draft, group, people[1], people[2]); err != nil {
			return nil, err
		}
	}
	client, err := demoClient(ctx, a, people[0].ID)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(people))
	for i, u := range people {
		names[i] = u.Username
	}
	return &demoAccount{
		password: demoPassword, users: strings.Join(names, ", "), project: group.FullPath + "/" + demoProjects[0].Path,
		application: client.Name, clientID: client.ClientID,
	}, nil
}

// demoProject makes a project with error tracking, a client key and alerts.
func demoProject(ctx context.Context, a *app.App, draft project.Draft, group project.Group, maintainer, developer user.User) error {
	by := audit.ByUser(maintainer.ID)
	p, err := a.Projects.CreateProject(ctx, by, draft, group)
	switch {
	case fault.Is(err, fault.Invalid):
		return nil // it exists
	case err != nil:
		return err
	}
	integrated := true
	change := errortracking.Change{Create: true, Active: true, Integrated: &integrated}
	if _, err := a.Tracking.Change(ctx, by, p, change, nil); err != nil {
		return err
	}
	if _, err = a.Tracking.CreateKey(ctx, by, p); err != nil {
		return err
	}
	if err := demoAlerts(ctx, a, p, by, developer); err != nil {
		return err
	}
	return demoDuty(ctx, a, p, by, maintainer, developer)
}

func demoUsers(ctx context.Context, a *app.App) ([]user.User, error) {
	var people []user.User
	for _, p := range demoPeople {
		u, err := a.Users.UserByLogin(ctx, p.username)
		if fault.Is(err, fault.NotFound) {
			u, err = a.Users.Create(ctx, audit.Setup, user.Registration{
				Username: p.username, Name: p.name, Email: p.username + "@example.com", Password: secret.NewText(demoPassword),
				Confirmed: true, // so that applications that want a verified address let them in
			})
		}
		if err != nil {
			return nil, err
		}
		people = append(people, u)
	}
	return people, nil
}

func demoGroup(ctx context.Context, a *app.App, people []user.User) (project.Group, error) {
	owner := audit.ByUser(people[0].ID)
	group, err := a.Projects.GroupByPath(ctx, "acme")
	if fault.Is(err, fault.NotFound) {
		draft := project.Draft{Name: "Acme", Path: "acme", Visibility: project.Private}
		group, err = a.Projects.CreateGroup(ctx, owner, draft, project.Group{})
	}
	by := project.Inviter{Actor: owner, Role: project.Owner}
	for i := 1; i < len(people) && err == nil; i++ {
		member := project.Member{UserID: people[i].ID, Role: demoPeople[i].role}
		if err = a.Projects.Invite(ctx, by, group, member); fault.Is(err, fault.Conflict) {
			err = nil // is a member already
		}
	}
	return group, err
}

// demoClient is public, so that it works without a secret.
func demoClient(ctx context.Context, a *app.App, ownerID int64) (oauth.Client, error) {
	clients, err := a.OAuth.ClientsOf(ctx, ownerID, page.First)
	if err != nil || len(clients.Items) > 0 {
		return append(clients.Items, oauth.Client{})[0], err
	}
	client, _, err := a.OAuth.Register(ctx, audit.Setup, ownerID, oauth.Registration{
		Name: "Acme dashboard", RedirectURIs: "http://127.0.0.1:8080/callback", Scopes: scope.Of(scope.ReadUser, scope.ReadAPI),
	})
	return client, err
}
