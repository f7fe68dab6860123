package project_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/project"
)

// events returns what the trail has, the oldest first.
func events(t *testing.T, a *apptest.App) []audit.Event {
	t.Helper()
	found, err := a.Trail.Entries(t.Context(), audit.Filter{Everybody: true, Size: 100})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]audit.Event, len(found.Entries))
	for i, e := range found.Entries {
		all[len(all)-1-i] = e.Event
	}
	return all
}

// broken is a store that deletes nothing and adds no environment.
type broken struct{ project.Store }

var errDisk = errors.New("disk full")

func (broken) DeleteGroup(context.Context, int64, time.Time) error { return errDisk }
func (broken) DeleteProject(context.Context, int64) error          { return errDisk }
func (broken) CreateEnvironment(context.Context, project.Project, project.Environment) (project.Environment, error) {
	return project.Environment{}, errDisk
}
func (broken) DeleteEnvironment(context.Context, project.Project, int64) error { return errDisk }

func TestEachDeedIsInTheTrail(t *testing.T) {
	a := apptest.New(t)
	ben := a.User("ben")
	by := audit.Actor{ID: a.Admin("root").ID, UserID: a.User("ada").ID}
	failing := project.NewRules(broken{a.Store}, a.Trail, nil, nil, a.Now)
	acme := must[project.Group](t)(a.Projects.CreateGroup(t.Context(), by, project.Draft{Name: "Acme", Path: "acme", Visibility: project.Public}, project.Group{}))
	a.Pass(time.Second)
	web := must[project.Project](t)(a.Projects.CreateProject(t.Context(), by, project.ProjectDraft("Web", "web", project.Private), acme))
	a.Pass(time.Second)
	production := must[project.Environment](t)(a.Projects.AddEnvironment(t.Context(), by, web, "production"))
	member := project.Member{Place: web.Place(), UserID: ben.ID, Role: project.Reporter}
	promoted := member
	promoted.Role, promoted.ExpiresAt = project.Developer, a.Now().AddDate(1, 0, 0)

	of := func(name audit.Name, d audit.Details) audit.Event {
		e := by.Event(name, d)
		e.Outcome = audit.Done
		if d["in"] == "acme/web" || d["in"] == "ada/web" {
			e.ProjectID = web.ID
		}
		return e
	}
	outcome := func(e audit.Event, o audit.Outcome, reason string) audit.Event {
		e.Outcome, e.Reason = o, reason
		return e
	}
	ofBen := func(name audit.Name, d audit.Details) audit.Event {
		e := of(name, d)
		e.UserID = ben.ID
		return e
	}
	inAcme, inWeb := audit.Details{"in": "acme", "visibility": "public"}, audit.Details{"in": "acme/web", "visibility": "private"}
	inProduction := audit.Details{"in": "acme/web", "environment": "production"}
	if diff := cmp.Diff([]audit.Event{
		of(project.EventGroupCreated, inAcme), of(project.EventProjectCreated, inWeb), of(project.EventEnvironmentCreated, inProduction),
	}, events(t, a)); diff != "" {
		t.Errorf("events of what was created (-want +got):\n%s", diff)
	}

	steps := []struct {
		name string
		deed func() error
		want []audit.Event
	}{
		{"a project stays as it is", func() (err error) {
			web, err = a.Projects.ChangeProject(t.Context(), by, web, project.Change{Name: new("Web"), Visibility: new(project.Private)})
			return err
		}, nil},
		{"a project is renamed", func() (err error) {
			web, err = a.Projects.ChangeProject(t.Context(), by, web, project.Change{Name: new("App")})
			return err
		}, []audit.Event{of(project.EventProjectChanged, audit.Details{"in": "acme/web", "visibility": "private", "changed": "name"})}},
		{"a project is seen by more people", func() (err error) {
			web, err = a.Projects.ChangeProject(t.Context(), by, web, project.Change{Visibility: new(project.Internal)})
			return err
		}, []audit.Event{of(project.EventProjectChanged,
			audit.Details{"in": "acme/web", "visibility": "internal", "formerly": "private", "changed": "visibility"})}},
		{"a group changes altogether", func() (err error) {
			acme, err = a.Projects.ChangeGroup(t.Context(), by, acme, project.Change{Name: new("Top"), Visibility: new(project.Internal)})
			return err
		}, []audit.Event{of(project.EventGroupChanged,
			audit.Details{"in": "acme", "visibility": "internal", "formerly": "public", "changed": "name, visibility"})}},

		{"a member comes", func() error {
			return a.Projects.Invite(t.Context(), project.Inviter{Actor: by, Role: project.Owner}, web, member)
		}, []audit.Event{ofBen(project.EventMemberAdded, audit.Details{"in": "acme/web", "role": "Reporter"})}},
		{"a member comes twice", func() error {
			return a.Projects.Invite(t.Context(), project.Inviter{Actor: by, Role: project.Owner}, web, member)
		}, nil},
		{"a member is promoted", func() error {
			return a.Projects.ChangeMember(t.Context(), by, project.Owner, web, member, promoted)
		}, []audit.Event{ofBen(project.EventMemberChanged, audit.Details{
			"in": "acme/web", "role": "Developer", "formerly": "Reporter", "until": promoted.ExpiresAt.Format(time.DateOnly),
		})}},
		{"a member goes", func() error {
			return a.Projects.Expel(t.Context(), by, project.Owner, web, ben.ID)
		}, []audit.Event{ofBen(project.EventMemberRemoved, audit.Details{"in": "acme/web"})}},
		{"a member goes twice", func() error { return a.Projects.Expel(t.Context(), by, project.Owner, web, ben.ID) }, nil},

		{"an environment has a bad name", func() error {
			_, err := a.Projects.AddEnvironment(t.Context(), by, web, "")
			return err
		}, nil},
		{"an environment is there already", func() error {
			_, err := a.Projects.AddEnvironment(t.Context(), by, web, "production")
			return err
		}, []audit.Event{outcome(of(project.EventEnvironmentCreated, inProduction), audit.Refused, "invalid")}},
		{"an environment cannot be added", func() error {
			_, err := failing.AddEnvironment(t.Context(), by, web, "staging")
			return err
		}, []audit.Event{outcome(of(project.EventEnvironmentCreated, audit.Details{"in": "acme/web", "environment": "staging"}), audit.Failed, "error")}},
		{"an environment cannot be deleted", func() error {
			return failing.DeleteEnvironment(t.Context(), by, web, production.ID)
		}, []audit.Event{outcome(of(project.EventEnvironmentDeleted, inProduction), audit.Failed, "error")}},
		{"an environment is deleted", func() error {
			return a.Projects.DeleteEnvironment(t.Context(), by, web, production.ID)
		}, []audit.Event{of(project.EventEnvironmentDeleted, inProduction)}},
		{"an environment is not there", func() error {
			return a.Projects.DeleteEnvironment(t.Context(), by, web, production.ID)
		}, nil},

		{"a group is not empty", func() error {
			return a.Projects.DeleteGroup(t.Context(), by, acme)
		}, []audit.Event{outcome(of(project.EventGroupDeleted, audit.Details{"in": "acme", "visibility": "internal"}), audit.Refused, "conflict")}},
		{"a project cannot be deleted", func() error {
			return failing.DeleteProject(t.Context(), by, web)
		}, []audit.Event{outcome(of(project.EventProjectDeleted, audit.Details{"in": "acme/web", "visibility": "internal"}), audit.Failed, "error")}},
		{"a project is deleted", func() error {
			return a.Projects.DeleteProject(t.Context(), by, web)
		}, []audit.Event{of(project.EventProjectDeleted, audit.Details{"in": "acme/web", "visibility": "internal"})}},
		{"a group is deleted", func() error {
			return a.Projects.DeleteGroup(t.Context(), by, acme)
		}, []audit.Event{of(project.EventGroupDeleted, audit.Details{"in": "acme", "visibility": "internal"})}},
	}
	for _, step := range steps {
		known := len(events(t, a))
		err := step.deed()
		got := events(t, a)[known:]
		if diff := cmp.Diff(step.want, append([]audit.Event(nil), got...)); diff != "" {
			t.Errorf("%s: %v; events (-want +got):\n%s", step.name, err, diff)
		}
		a.Pass(time.Second)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
