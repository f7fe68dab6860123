package project_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

// joined lists the groups with the user's roles, in their order.
func joined(j project.Joined) (all []string) {
	for _, g := range j.Groups {
		all = append(all, fmt.Sprint(g.FullPath, " ", g.Role))
	}
	return all
}

// withRoles makes groups at the top in which the user has these roles.
func withRoles(a *apptest.App, u, owner user.User, roles ...project.Role) (made []project.Group) {
	for n, role := range roles {
		g := a.Group(fmt.Sprintf("g%d", n), project.Group{}, owner, project.Private)
		a.Member(g.Place(), u, role)
		made = append(made, g)
	}
	return made
}

func TestDirect(t *testing.T) {
	a := apptest.New(t)
	ada, owner := a.User("ada"), a.User("owner")
	made := withRoles(a, ada, owner, project.Guest, project.Owner, project.Reporter, project.Guest, project.Owner)
	below := a.Group("below", made[1], owner, project.Private)
	a.Member(below.Place(), ada, project.Guest)
	a.Group("indirect", made[1], owner, project.Private)
	a.Member(a.Project("web", made[0], project.Private).Place(), ada, project.Owner)
	a.MemberUntil(a.Group("past", project.Group{}, owner, project.Private).Place(), ada, project.Owner, a.Now().Add(-time.Hour))

	all := []string{"g1 Owner", "g4 Owner", "g1/below Owner", "g2 Reporter", "g0 Guest", "g3 Guest"}
	tests := map[int]struct {
		want []string
		more bool
	}{
		1: {all[:1], true}, 2: {all[:2], true}, 4: {[]string{"g1 Owner", "g4 Owner", "g2 Reporter", "g0 Guest"}, true},
		6: {all, false}, 100: {all, false},
	}
	for most, test := range tests {
		got, err := a.Projects.Direct(t.Context(), ada.ID, most)
		if err != nil || got.More != test.more {
			t.Errorf("Direct(%d) = more %t, %v, want more %t", most, got.More, err, test.more)
		}
		if diff := cmp.Diff(test.want, joined(got)); diff != "" {
			t.Errorf("Direct(%d) (-want +got):\n%s", most, diff)
		}
	}
}

func TestJoined(t *testing.T) {
	a := apptest.New(t)
	ada, owner := a.User("ada"), a.User("owner")
	made := withRoles(a, ada, owner, project.Developer, project.Guest)
	first := a.Group("first", made[0], owner, project.Private)
	a.Group("second", first, owner, project.Private)
	a.Group("third", made[1], owner, project.Private)
	a.Member(first.Place(), ada, project.Maintainer)
	a.Group("elsewhere", project.Group{}, owner, project.Public)

	all := []string{"g0/first Maintainer", "g0/first/second Maintainer", "g0 Developer", "g1 Guest", "g1/third Guest"}
	tests := map[int]struct {
		want []string
		more bool
	}{
		1: {[]string{"g0/first Maintainer"}, true},
		3: {[]string{"g0/first Maintainer", "g0 Developer", "g1 Guest"}, true},
		4: {[]string{"g0/first Maintainer", "g0 Developer", "g1 Guest", "g1/third Guest"}, true}, // the newest of the others
		5: {all, false},
		9: {all, false},
	}
	for most, test := range tests {
		got, err := a.Projects.Joined(t.Context(), ada.ID, most)
		if err != nil || got.More != test.more {
			t.Errorf("Joined(%d) = more %t, %v, want more %t", most, got.More, err, test.more)
		}
		if diff := cmp.Diff(test.want, joined(got)); diff != "" {
			t.Errorf("Joined(%d) (-want +got):\n%s", most, diff)
		}
	}
	if got, err := a.Projects.Joined(t.Context(), a.User("loner").ID, 9); err != nil || got.Groups != nil || got.More {
		t.Errorf("Joined by nobody = %v, %v, want nothing", got, err)
	}
}

// withoutProjects is a store that refuses to read what says nothing about groups.
type withoutProjects struct{ storage.Store }

var errNotNeeded = errors.New("nobody needs that")

func (s withoutProjects) MembershipsIn(ctx context.Context, k project.Kind, userID int64) (project.Memberships, error) {
	if k != project.InGroup {
		return nil, errNotNeeded
	}
	return s.Store.MembershipsIn(ctx, k, userID)
}

func TestGroupsAreFoundWithoutMembershipsOfProjects(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	withRoles(a, ada, a.User("owner"), project.Guest)
	rules := project.NewRules(withoutProjects{a.Store}, a.Trail, nil, nil, a.Now)
	for name, find := range map[string]func(context.Context, int64, int) (project.Joined, error){"Direct": rules.Direct, "Joined": rules.Joined} {
		if got, err := find(t.Context(), ada.ID, 9); err != nil || len(got.Groups) != 1 {
			t.Errorf("%s = %v, %v, want one group", name, joined(got), err)
		}
	}
}

// withoutLists is a store that refuses to list groups.
type withoutLists struct{ storage.Store }

func (withoutLists) GroupsIn(context.Context, []int64, int) (map[int64]project.Group, bool, error) {
	return nil, false, errNotNeeded
}

func TestNothingIsLookedForBelowMoreGroupsThanAreWanted(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	withRoles(a, ada, a.User("owner"), project.Guest, project.Developer, project.Guest)
	rules := project.NewRules(withoutLists{a.Store}, a.Trail, nil, nil, a.Now)
	if got, err := rules.Joined(t.Context(), ada.ID, 2); err != nil || len(got.Groups) != 2 || !got.More {
		t.Errorf("Joined = %v, more %t, %v, want two groups and more", joined(got), got.More, err)
	}
}
