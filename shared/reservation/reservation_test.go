package reservation_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/reservation"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

const reserved = "is reserved, because something that had it was deleted within a year"

// create creates a top-level group.
func create(t *testing.T, a *apptest.App, by audit.Actor, path string) (project.Group, error) {
	return a.Projects.CreateGroup(t.Context(), by, project.Draft{Name: path, Path: path, Visibility: project.Private}, project.Group{})
}

func createUser(t *testing.T, a *apptest.App, by audit.Actor, name string) (user.User, error) {
	return a.Users.Create(t.Context(), by, user.Registration{
		Username: name, Name: name, Email: name + "@example.org", Password: secret.NewText("correct horse"),
	})
}

func wantReserved(t *testing.T, call string, err error, field string) {
	t.Helper()
	if diff := cmp.Diff(fault.Fields{field: {reserved}}, apptest.Complaints(err)); diff != "" {
		t.Errorf("%s = %v (-want +got):\n%s", call, err, diff)
	}
}

// freed returns who freed which path, the latest first.
func freed(t *testing.T, a *apptest.App) (all []audit.Event) {
	t.Helper()
	found, err := a.Trail.Entries(t.Context(), audit.Filter{Everybody: true, Name: reservation.EventFreed, From: a.Now().AddDate(0, 0, -1), Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found.Entries {
		all = append(all, e.Event)
	}
	return all
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

func TestADeletedGroupsPathIsForItsOwners(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	g := a.Group("acme", project.Group{}, ada, project.Public)
	web := a.Project("web", g, project.Public)
	if err := a.Projects.DeleteProject(t.Context(), audit.ByUser(ada.ID), web); err != nil {
		t.Fatal(err)
	}
	if err := a.Projects.DeleteGroup(t.Context(), audit.ByUser(ada.ID), g); err != nil {
		t.Fatal(err)
	}
	_, err := create(t, a, audit.ByUser(ben.ID), "Acme")
	wantReserved(t, "CreateGroup by a stranger", err, "path")
	sudo := audit.Actor{ID: a.Admin("root").ID, UserID: ben.ID}
	_, err = create(t, a, sudo, "acme")
	wantReserved(t, "CreateGroup by an administrator in the name of a stranger", err, "path")
	_, err = create(t, a, audit.Actor{ID: sudo.ID, UserID: sudo.ID, Bound: true}, "acme")
	wantReserved(t, "CreateGroup by an administrator's token without the rights", err, "path")

	g = must[project.Group](t)(create(t, a, audit.ByUser(ada.ID), "acme"))
	a.Project("web", g, project.Private)
	if got := freed(t, a); len(got) > 0 {
		t.Errorf("the trail has %+v, want nothing about a path that its owner took", got)
	}
}

func TestADeletedUsersNameIsForAdministrators(t *testing.T) {
	a := apptest.New(t)
	root, ada, ben := a.Admin("root"), a.User("ada"), a.User("ben")
	byRoot := audit.ByUser(root.ID)
	if err := a.Users.Delete(t.Context(), byRoot, ada.ID); err != nil {
		t.Fatal(err)
	}
	_, err := create(t, a, audit.ByUser(ben.ID), "ada")
	wantReserved(t, "CreateGroup by a stranger", err, "path")
	_, err = createUser(t, a, audit.ByUser(ben.ID), "ada")
	wantReserved(t, "Create by a stranger", err, "username")
	must[user.User](t)(createUser(t, a, byRoot, "Ada"))
	want := byRoot.Event(reservation.EventFreed, audit.Details{"path": "Ada"})
	want.Outcome = audit.Done
	if diff := cmp.Diff([]audit.Event{want}, freed(t, a)); diff != "" {
		t.Errorf("the trail (-want +got):\n%s", diff)
	}
}

func TestAdministratorsTakeReservedPaths(t *testing.T) {
	a := apptest.New(t)
	root, ada := a.Admin("root"), a.User("ada")
	for _, by := range []audit.Actor{audit.ByUser(root.ID), audit.CommandLine} {
		g := must[project.Group](t)(create(t, a, audit.ByUser(ada.ID), "acme"))
		if err := a.Projects.DeleteGroup(t.Context(), audit.ByUser(ada.ID), g); err != nil {
			t.Fatal(err)
		}
		u := must[user.User](t)(createUser(t, a, by, "acme"))
		if err := a.Store.DeleteUser(t.Context(), u.ID, 0, a.Now().Add(-reservation.Lasts)); err != nil {
			t.Fatal(err)
		}
		a.Pass(time.Second)
	}
	if got := freed(t, a); len(got) != 2 || got[0].ActorID != audit.CommandLine.ID || got[1].ActorID != root.ID {
		t.Errorf("the trail has %+v, want one by the command line and one by root", got)
	}
}

func TestAPathIsFreeAfterAYear(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	g := a.Group("acme", project.Group{}, ada, project.Public)
	if err := a.Projects.DeleteGroup(t.Context(), audit.ByUser(ada.ID), g); err != nil {
		t.Fatal(err)
	}
	a.Pass(364 * 24 * time.Hour)
	_, err := create(t, a, audit.ByUser(ben.ID), "acme")
	wantReserved(t, "CreateGroup after 364 days", err, "path")
	a.Pass(24 * time.Hour)
	must[project.Group](t)(create(t, a, audit.ByUser(ben.ID), "acme"))
}
