package participant_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/participant"
	"gatehouse/shared/project"
)

const stranger = "has users who are not members of the project"

func TestFindAndCheck(t *testing.T) {
	a := apptest.New(t)
	owner := a.User("owner")
	top := a.Group("acme", project.Group{}, owner, project.Private)
	web := a.Project("web", a.Group("team", top, owner, project.Private), project.Private)
	other := a.Project("other", top, project.Private)

	boss := a.Admin("boss")
	a.Member(web.Place(), boss, project.Reporter)
	above, both, ended, blocked, elsewhere := a.User("above"), a.User("both"), a.User("ended"), a.User("blocked"), a.User("elsewhere")
	a.Member(top.Place(), above, project.Reporter)
	a.Member(top.Place(), both, project.Guest)
	a.Member(web.Place(), both, project.Maintainer)
	a.MemberUntil(web.Place(), ended, project.Owner, a.Now().Add(-time.Hour))
	a.Member(web.Place(), blocked, project.Developer)
	a.Block(blocked)
	a.Member(other.Place(), elsewhere, project.Owner)
	tests := map[string]struct {
		id   int64
		role project.Role
	}{
		"the owner of a group above": {owner.ID, project.Owner},
		"a member of a group above":  {above.ID, project.Reporter},
		"a member of both":           {both.ID, project.Maintainer},
		"a former member":            {ended.ID, project.NoRole},
		"a blocked member":           {blocked.ID, project.NoRole},
		"a member of another":        {elsewhere.ID, project.NoRole},
		"an administrator":           {a.Admin("root").ID, project.NoRole},
		"one who is a member":        {boss.ID, project.Reporter},
		"nobody":                     {99, project.NoRole},
	}
	want, ids := map[int64]project.Role{}, []int64{owner.ID} // one comes twice
	for name, test := range tests {
		complaint, err := participant.Check(t.Context(), a.Store, web, []int64{owner.ID, test.id}, a.Now())
		if err != nil || (complaint == stranger) != (test.role == project.NoRole) || complaint != "" && complaint != stranger {
			t.Errorf("Check of %s = %q, %v", name, complaint, err)
		}
		ids = append(ids, test.id)
		if test.id != 99 {
			want[test.id] = test.role
		}
	}
	found, err := participant.Find(t.Context(), a.Store, web, ids, a.Now())
	got := map[int64]project.Role{}
	for id, p := range found {
		got[id] = p.Role
		if p.ID != id {
			t.Errorf("Find has the user %d as %d", p.ID, id)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Find = %v, the roles differ (-want +got):\n%s", err, diff)
	}
}

// reading counts the memberships that are read.
type reading struct {
	participant.Store
	read atomic.Int64
}

func (r *reading) MembershipsAmong(ctx context.Context, userIDs []int64, places ...project.Place) (project.Memberships, error) {
	r.read.Add(int64(len(userIDs) * len(places)))
	return r.Store.MembershipsAmong(ctx, userIDs, places...)
}

func (r *reading) SomeMemberships(ctx context.Context, userID int64, n int) (project.Memberships, error) {
	found, err := r.Store.SomeMemberships(ctx, userID, n)
	r.read.Add(int64(max(len(found), 1)))
	return found, err
}

// Deep below many groups most people have few memberships, which are read rather than
// one in each of the groups.
func TestBudgetOfManyDeepBelow(t *testing.T) {
	a := apptest.New(t)
	owner := a.User("owner")
	var g project.Group
	for n := range 10 {
		g = a.Group(fmt.Sprint("level-", n), g, owner, project.Private)
	}
	p := a.Project("web", g, project.Private)
	ids, want := []int64{}, map[int64]project.Role{}
	for n := range 40 {
		u := a.User(fmt.Sprint("user-", n))
		a.Member(p.Place(), u, project.Reporter)
		ids, want[u.ID] = append(ids, u.ID), project.Reporter
	}
	busy, stranger := a.User("busy"), a.User("stranger")
	for n := range 30 {
		a.Member(a.Group(fmt.Sprint("other-", n), project.Group{}, owner, project.Private).Place(), busy, project.Guest)
	}
	a.Member(p.Place(), busy, project.Developer)
	want[busy.ID], want[stranger.ID] = project.Developer, project.NoRole
	for name, test := range map[string]struct {
		ids  []int64
		most int64
	}{
		"few":         {ids[:9], 9 * 11},
		"many":        {ids, 40},
		"one is busy": {append(ids, busy.ID, stranger.ID), 40 + 1 + 26 + 11},
	} {
		counted := &reading{Store: a.Store}
		found, err := participant.Find(t.Context(), counted, p, test.ids, a.Now())
		if got := counted.read.Load(); err != nil || got > test.most {
			t.Errorf("%s: Find reads %d memberships, %v, want at most %d", name, got, err, test.most)
		}
		for _, id := range test.ids {
			if found[id].Role != want[id] {
				t.Errorf("%s: the user %d has the role %s, want %s", name, id, found[id].Role, want[id])
			}
		}
	}
}

func TestNobodyTakesNoRead(t *testing.T) {
	found, err := participant.Find(t.Context(), nil, project.Project{}, nil, time.Time{})
	if len(found) != 0 || err != nil {
		t.Errorf("Find of nobody = %v, %v", found, err)
	}
}

// The owner of a user's namespace is no member of the projects there.
func TestTheOwnerOfANamespaceTakesPart(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	p := a.Project("web", a.Namespace(ada), project.Private)
	found, err := participant.Find(t.Context(), a.Store, p, []int64{ada.ID}, a.Now())
	if err != nil || found[ada.ID].Role != project.Owner {
		t.Errorf("Find of the owner = %+v, %v, want the role Owner", found, err)
	}
}
