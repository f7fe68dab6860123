package project_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// overtaken is a store in which somebody else changes a member right after
// they were read.
type overtaken struct {
	project.Store
	was, next project.Member
}

func (o overtaken) MembershipsAt(ctx context.Context, userID int64, places ...project.Place) (project.Memberships, error) {
	read, err := o.Store.MembershipsAt(ctx, userID, places...)
	if err == nil {
		err = o.Store.UpdateMember(ctx, o.was, o.next)
	}
	return read, err
}

// Somebody who becomes an owner is safe from a maintainer who read otherwise
// a moment before.
func TestMembersAreJudgedByTheirRoleOfThisInstant(t *testing.T) {
	a := apptest.New(t)
	p := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	start := a.Now()
	a.Pass(time.Hour)
	tests := map[string]struct {
		was  project.Member
		call func(*project.Rules, project.Member) error
	}{
		"Expel": {project.Member{Role: project.Guest}, func(r *project.Rules, was project.Member) error {
			return r.Expel(t.Context(), audit.Setup, project.Maintainer, p, was.UserID)
		}},
		"ChangeMember": {project.Member{Role: project.Guest}, func(r *project.Rules, was project.Member) error {
			read, err := r.Member(t.Context(), was.Place, was.UserID)
			if err != nil {
				return err
			}
			next := read
			next.Role = project.Planner
			return r.ChangeMember(t.Context(), audit.Setup, project.Maintainer, p, read, next)
		}},
		"Invite": {project.Member{Role: project.Owner, ExpiresAt: start}, func(r *project.Rules, was project.Member) error {
			was.Role, was.ExpiresAt = project.Guest, time.Time{}
			return r.Invite(t.Context(), project.Inviter{Actor: audit.Setup, Role: project.Maintainer, Admin: true}, p, was)
		}},
	}
	for name, test := range tests {
		test.was.Place, test.was.UserID, test.was.CreatedAt = p.Place(), a.User("member-"+name).ID, start
		if err := a.Store.AddMember(t.Context(), test.was); err != nil {
			t.Fatal(err)
		}
		owner := test.was
		owner.Role, owner.ExpiresAt = project.Owner, time.Time{}
		late := project.NewRules(overtaken{a.Store, test.was, owner}, a.Trail, nil, nil, a.Now)
		if err := test.call(late, test.was); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s of somebody just promoted = %v, want a conflict", name, err)
		}
		if m, err := a.Projects.Member(t.Context(), p.Place(), owner.UserID); err != nil || m != owner {
			t.Errorf("%s of somebody just promoted left %+v, %v, want %+v", name, m, err, owner)
		}
	}
}

func TestMembershipThatHasEndedIsNone(t *testing.T) {
	a := apptest.New(t)
	web := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	ben := a.User("ben")
	m := project.Member{Place: web.Place(), UserID: ben.ID, Role: project.Developer, CreatedAt: a.Now(), ExpiresAt: a.Now().Add(time.Hour)}
	if err := a.Store.AddMember(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if got, err := a.Projects.Member(t.Context(), web.Place(), ben.ID); err != nil || got != m {
		t.Errorf("before the end Member = %+v, %v, want %+v", got, err, m)
	}
	a.Pass(time.Hour)
	if got, err := a.Projects.Member(t.Context(), web.Place(), ben.ID); !fault.Is(err, fault.NotFound) || got != (project.Member{}) {
		t.Errorf("after the end Member = %+v, %v, want none", got, err)
	}
}

// All pages of a long list have the same total, though it also counts members whose
// role ended.
func TestTotalOfALongListIsTheSameOnItsPages(t *testing.T) {
	a := apptest.New(t)
	acme := a.Group("acme", project.Group{}, a.User("ada"), project.Private)
	for n := range project.FewMembers + 2 {
		name := fmt.Sprintf("user%d", n)
		u, err := a.Store.CreateUser(t.Context(), user.User{Username: name, Email: name + "@example.com", State: user.Active})
		if err != nil {
			t.Fatal(err)
		}
		m := project.Member{Place: acme.Place(), UserID: u.ID, Role: project.Guest}
		if n < 2 {
			m.ExpiresAt = a.Now()
		}
		if err := a.Store.AddMember(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	for number, items := range map[int]int{1: 60, 2: 41} {
		wanted := page.Request{Number: number, Size: 60}
		found, err := a.Projects.MembersOf(t.Context(), wanted, acme.Place())
		if err != nil || len(found.Items) != items {
			t.Fatalf("page %d has %d members, %v, want %d", number, len(found.Items), err, items)
		}
		total, err := a.Projects.TotalOf(t.Context(), found, wanted, acme.Place())
		if want := project.FewMembers + 3; err != nil || total != want {
			t.Errorf("the total of page %d is %d, %v, want %d", number, total, err, want)
		}
	}
}

func TestSomeFromHaveTheRoleOrAHigherOne(t *testing.T) {
	a := apptest.New(t)
	ada, ben, cem, dan := a.User("ada"), a.User("ben"), a.User("cem"), a.User("dan")
	acme := a.Group("acme", project.Group{}, ada, project.Private)
	web := a.Project("web", acme, project.Private)
	a.Member(acme.Place(), ben, project.Reporter)
	a.Member(web.Place(), ben, project.Developer)
	a.Member(web.Place(), cem, project.Reporter)
	a.Member(web.Place(), dan, project.Maintainer)
	for n, want := range map[int][]int64{2: {ada.ID, ben.ID}, 20: {ada.ID, ben.ID, dan.ID}} {
		members, err := a.Projects.SomeFrom(t.Context(), project.Developer, n, web.Places()...)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, m := range members {
			got = append(got, m.UserID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d Developers and above (-want +got):\n%s", n, diff)
		}
	}
}

func TestWhoMayExpelWhom(t *testing.T) {
	a := apptest.New(t)
	group := a.Group("acme", project.Group{}, a.User("ada"), project.Private)
	web := a.Project("web", group, project.Private)
	tests := map[string]struct {
		at        project.GroupOrProject
		own, role project.Role
		self      bool
		want      error
	}{
		"a guest leaves":                              {web, project.Guest, project.Guest, true, nil},
		"an owner leaves":                             {group, project.Owner, project.Owner, true, nil},
		"a developer expels a guest":                  {web, project.Developer, project.Guest, false, fault.Forbidden},
		"a maintainer expels a maintainer":            {web, project.Maintainer, project.Maintainer, false, nil},
		"a maintainer expels an owner":                {web, project.Maintainer, project.Owner, false, fault.Forbidden},
		"a maintainer of a group expels a guest":      {group, project.Maintainer, project.Guest, false, fault.Forbidden},
		"an owner of a group expels another owner":    {group, project.Owner, project.Owner, false, nil},
		"a maintainer expels a user who is no member": {web, project.Maintainer, project.NoRole, false, fault.NotFound},
	}
	n := 0
	for name, test := range tests {
		n++
		u := a.User(fmt.Sprint("user-", n))
		if test.role != project.NoRole {
			a.Member(test.at.Place(), u, test.role)
		}
		by := audit.Actor{ID: 1, UserID: 1}
		if test.self {
			by = audit.ByUser(u.ID)
		}
		if err := a.Projects.Expel(t.Context(), by, test.own, test.at, u.ID); !errors.Is(err, test.want) {
			t.Errorf("%s: Expel = %v, want %v", name, err, test.want)
		}
		if _, err := a.Projects.Member(t.Context(), test.at.Place(), u.ID); fault.Is(err, fault.NotFound) != (test.want != fault.Forbidden) {
			t.Errorf("%s: the member afterwards is %v", name, err)
		}
	}
}

func TestWhoMayGiveWhichRole(t *testing.T) {
	a := apptest.New(t)
	group := a.Group("acme", project.Group{}, a.User("ada"), project.Private)
	web := a.Project("web", group, project.Private)
	tests := map[string]struct {
		at          project.GroupOrProject
		own, giving project.Role
		want        error
	}{
		"a developer":              {web, project.Developer, project.Guest, fault.Forbidden},
		"a maintainer":             {web, project.Maintainer, project.Maintainer, nil},
		"a maintainer, an owner":   {web, project.Maintainer, project.Owner, fault.Forbidden},
		"a maintainer of a group":  {group, project.Maintainer, project.Guest, fault.Forbidden},
		"an owner of a group":      {group, project.Owner, project.Owner, nil},
		"an owner, no role":        {web, project.Owner, project.NoRole, fault.Invalid},
		"an owner, an unknown one": {web, project.Owner, project.Role(35), fault.Invalid},
	}
	n := 0
	for name, test := range tests {
		n++
		invited, member := a.User(fmt.Sprint("invited-", n)), a.User(fmt.Sprint("member-", n))
		a.Member(test.at.Place(), member, project.Guest)
		next := project.Member{Place: test.at.Place(), UserID: invited.ID, Role: test.giving}
		if err := a.Projects.Invite(t.Context(), project.Inviter{Actor: audit.ByUser(1), Role: test.own}, test.at, next); !errors.Is(err, test.want) {
			t.Errorf("%s: Invite = %v, want %v", name, err, test.want)
		}
		was, err := a.Projects.Member(t.Context(), test.at.Place(), member.ID)
		if err != nil {
			t.Fatal(err)
		}
		next = was
		next.Role = test.giving
		if err := a.Projects.ChangeMember(t.Context(), audit.ByUser(1), test.own, test.at, was, next); !errors.Is(err, test.want) {
			t.Errorf("%s: ChangeMember = %v, want %v", name, err, test.want)
		}
	}
}
