package storagetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

var members = []promise{
	{"are added once to a place", addMemberOnce},
	{"racing to be added are added once", addMemberRace},
	{"need a place and a user", memberOfNothing},
	{"change", updateMember},
	{"change and go only as they were read", memberChangedInBetween},
	{"wanted by many at once change once", raceMember},
	{"go while others stay", leaveOthersStaying},
	{"are removed", removeMember},
	{"are listed by user with their highest role", listMembers},
	{"know all their places, also those that ended", listMemberships},
	{"know their places of one kind", listMembershipsIn},
	{"know them by page", pageMemberships},
	{"know some of their places", someMemberships},
	{"are found by user and place", membershipsAt},
	{"are found by users and places", membershipsAmong},
}

func addMemberOnce(t *testing.T, s storage.Store) {
	owner, u := addUser(t, s), addUser(t, s)
	g := addGroup(t, s, owner.ID)
	want := addMember(t, s, g.Place(), u.ID, project.Reporter)
	again := want
	again.Role = project.Maintainer
	wantError(t, "AddMember again", s.AddMember(t.Context(), again), project.ErrMemberExists)
	wantMembers(t, s, g.Place(), owner.ID, want)
}

// wantMembers checks the members of a place besides its owner.
func wantMembers(t *testing.T, s storage.Store, place project.Place, ownerID int64, want ...project.Member) {
	t.Helper()
	var got []project.Member
	for _, m := range allMembers(t, s, place) {
		if m.UserID != ownerID {
			got = append(got, m)
		}
	}
	wantSame(t, "Members", got, want)
}

// allMembers returns the members of these places, also those whose role ended.
func allMembers(t *testing.T, s storage.Store, places ...project.Place) []project.Member {
	t.Helper()
	longAgo := time.Time{}
	all := page.Request{Number: 1, Size: page.MaxSize}
	return must[page.Of[project.Member]](t)(s.Members(t.Context(), longAgo, all, places...)).Items
}

func addMemberRace(t *testing.T, s storage.Store) {
	owner, u := addUser(t, s), addUser(t, s)
	m := project.Member{
		Place: addGroup(t, s, owner.ID).Place(), UserID: u.ID, Role: project.Planner, CreatedAt: now,
	}
	errs := race(8, func(int) error { return s.AddMember(t.Context(), m) })
	wantOneWinner(t, "AddMember", errs, is(project.ErrMemberExists))
	wantMembers(t, s, m.Place, owner.ID, m)
}

func memberOfNothing(t *testing.T, s storage.Store) {
	owner, gone := addUser(t, s), addUser(t, s)
	g, goneGroup := addGroup(t, s, owner.ID), addGroup(t, s, owner.ID)
	goneProject := addProject(t, s, g)
	wantOK(t, "DeleteUser", s.DeleteUser(t.Context(), gone.ID, 0, now))
	wantOK(t, "DeleteGroup", s.DeleteGroup(t.Context(), goneGroup.ID, now))
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), goneProject.ID))

	u := addUser(t, s)
	tests := map[string]struct {
		place project.Place
		user  int64
		want  error
	}{
		"a user that is gone":    {g.Place(), gone.ID, user.ErrNotFound},
		"a group that is gone":   {goneGroup.Place(), u.ID, project.ErrGroupNotFound},
		"a project that is gone": {goneProject.Place(), u.ID, project.ErrNotFound},
	}
	for name, test := range tests {
		m := project.Member{Place: test.place, UserID: test.user, Role: project.Guest, CreatedAt: now}
		wantError(t, "AddMember with "+name, s.AddMember(t.Context(), m), test.want)
		wantMembers(t, s, m.Place, owner.ID)
	}
	memberships := must[project.Memberships](t)(s.SomeMemberships(t.Context(), u.ID, 100))
	wantSame(t, "Memberships", memberships, project.Memberships{})
}

func updateMember(t *testing.T, s storage.Store) {
	owner, u := addUser(t, s), addUser(t, s)
	p := addProject(t, s, addGroup(t, s, owner.ID))
	want := addMember(t, s, p.Place(), u.ID, project.Guest)
	changed := want
	changed.Role, changed.ExpiresAt = project.Maintainer, now.AddDate(0, 1, 0)
	changed.CreatedAt = now.Add(time.Hour)
	wantOK(t, "UpdateMember", s.UpdateMember(t.Context(), want, changed))
	want.Role, want.ExpiresAt = changed.Role, changed.ExpiresAt
	wantMembers(t, s, p.Place(), owner.ID, want)

	want.ExpiresAt = time.Time{}
	wantOK(t, "UpdateMember to no end", s.UpdateMember(t.Context(), changed, want))
	wantMembers(t, s, p.Place(), owner.ID, want)

	want.UserID = owner.ID
	wantError(t, "UpdateMember of no member", s.UpdateMember(t.Context(), want, want), project.ErrMemberNotFound)
	wantSame(t, "Members", allMembers(t, s, p.Place()),
		[]project.Member{{Place: p.Place(), UserID: u.ID, Role: project.Maintainer, CreatedAt: now}})
}

func memberChangedInBetween(t *testing.T, s storage.Store) {
	owner, u := addUser(t, s), addUser(t, s)
	g := addGroup(t, s, owner.ID)
	guest := addMember(t, s, g.Place(), u.ID, project.Guest)
	developer, ending, other := guest, guest, guest
	developer.Role = project.Developer
	ending.ExpiresAt = now.AddDate(0, 1, 0)
	other.Role = project.Planner
	was := guest
	for _, stored := range []project.Member{developer, ending, guest} {
		wantOK(t, "UpdateMember", s.UpdateMember(t.Context(), was, stored))
		was = stored
		for _, read := range []project.Member{guest, developer, ending} {
			if read == stored {
				continue
			}
			wantError(t, "UpdateMember of what was read before", s.UpdateMember(t.Context(), read, other), project.ErrMemberChanged)
			wantError(t, "RemoveMember of what was read before", s.RemoveMember(t.Context(), read), project.ErrMemberChanged)
		}
		wantMembers(t, s, g.Place(), owner.ID, stored)
		memberships := must[project.Memberships](t)(s.SomeMemberships(t.Context(), u.ID, 100))
		wantSame(t, "Memberships", memberships, project.Memberships{stored})
	}
}

func raceMember(t *testing.T, s storage.Store) {
	owner, u := addUser(t, s), addUser(t, s)
	for range 8 {
		g := addGroup(t, s, owner.ID)
		guest := addMember(t, s, g.Place(), u.ID, project.Guest)
		promoted, demoted := guest, guest
		promoted.Role, demoted.Role = project.Owner, project.Planner
		calls := []func() error{
			func() error { return s.UpdateMember(t.Context(), guest, promoted) },
			func() error { return s.UpdateMember(t.Context(), guest, demoted) },
			func() error { return s.RemoveMember(t.Context(), guest) },
		}
		errs := race(len(calls), func(i int) error { return calls[i]() })
		winner := wantOneWinner(t, "UpdateMember and RemoveMember", errs, is(project.ErrMemberChanged, project.ErrMemberNotFound))
		left := [][]project.Member{{promoted}, {demoted}, nil}
		wantMembers(t, s, g.Place(), owner.ID, left[winner]...)
	}
}

// Of two owners who both go while the other one stays, one stays.
func leaveOthersStaying(t *testing.T, s storage.Store) {
	ada, ben := addUser(t, s), addUser(t, s)
	g := addGroup(t, s, ada.ID)
	owner := allMembers(t, s, g.Place())[0]
	second := addMember(t, s, g.Place(), ben.ID, project.Owner)
	guest, gone := second, second
	guest.Role, gone.UserID = project.Guest, addUser(t, s).ID
	for _, stays := range []project.Member{guest, gone} {
		wantError(t, "UpdateMember beside another role", s.UpdateMember(t.Context(), owner, guest, stays), project.ErrMemberChanged)
		wantError(t, "RemoveMember beside another role", s.RemoveMember(t.Context(), owner, stays), project.ErrMemberChanged)
	}
	for range 4 {
		demoted := second
		demoted.Role = project.Maintainer
		errs := race(2, func(i int) error {
			if i == 0 {
				return s.RemoveMember(t.Context(), owner, second)
			}
			return s.UpdateMember(t.Context(), second, demoted, owner)
		})
		if winner := wantOneWinner(t, "RemoveMember and UpdateMember", errs, is(project.ErrMemberChanged)); winner == 0 {
			wantSame(t, "Members", allMembers(t, s, g.Place()), []project.Member{second})
			wantOK(t, "AddMember", s.AddMember(t.Context(), owner))
		} else {
			wantSame(t, "Members", allMembers(t, s, g.Place()), []project.Member{owner, demoted})
			wantOK(t, "UpdateMember", s.UpdateMember(t.Context(), demoted, second))
		}
	}
}

func removeMember(t *testing.T, s storage.Store) {
	owner, u := addUser(t, s), addUser(t, s)
	g := addGroup(t, s, owner.ID)
	m := addMember(t, s, g.Place(), u.ID, project.Guest)
	stranger := m
	stranger.UserID = unknownID
	wantError(t, "RemoveMember of no member", s.RemoveMember(t.Context(), stranger), project.ErrMemberNotFound)
	wantOK(t, "RemoveMember", s.RemoveMember(t.Context(), m))
	wantMembers(t, s, g.Place(), owner.ID)
	wantError(t, "RemoveMember again", s.RemoveMember(t.Context(), m), project.ErrMemberNotFound)
	memberships := must[project.Memberships](t)(s.SomeMemberships(t.Context(), u.ID, 100))
	wantSame(t, "Memberships", memberships, project.Memberships{})
	wantOK(t, "AddMember after removal", s.AddMember(t.Context(), m))
}

func listMembers(t *testing.T, s storage.Store) {
	owner, a, b, c := addUser(t, s), addUser(t, s), addUser(t, s), addUser(t, s)
	g := addGroup(t, s, owner.ID)
	p := addProject(t, s, g)
	ownerInGroup := project.Member{Place: g.Place(), UserID: owner.ID, Role: project.Owner, CreatedAt: g.CreatedAt}
	bInGroup := addMember(t, s, g.Place(), b.ID, project.Developer)
	aInGroup := addMember(t, s, g.Place(), a.ID, project.Guest)
	bInProject := addMember(t, s, p.Place(), b.ID, project.Maintainer)
	aInProject := addMember(t, s, p.Place(), a.ID, project.Guest)
	ending := project.Member{Place: p.Place(), UserID: c.ID, Role: project.Reporter, ExpiresAt: now.Add(time.Hour), CreatedAt: now}
	ended := project.Member{Place: p.Place(), UserID: owner.ID, Role: project.Owner, ExpiresAt: now, CreatedAt: now}
	for _, m := range []project.Member{ending, ended} {
		wantOK(t, "AddMember", s.AddMember(t.Context(), m))
	}
	tests := map[string]struct {
		places []project.Place
		want   []project.Member
	}{
		"a group":                 {[]project.Place{g.Place()}, []project.Member{ownerInGroup, aInGroup, bInGroup}},
		"a project":               {[]project.Place{p.Place()}, []project.Member{aInProject, bInProject, ending}},
		"a project and above":     {p.Places(), []project.Member{ownerInGroup, aInGroup, bInProject, ending}},
		"the project comes first": {[]project.Place{p.Place(), g.Place()}, []project.Member{ownerInGroup, aInProject, bInProject, ending}},
		"a place that is gone":    {[]project.Place{{Kind: project.InProject, ID: unknownID}}, nil},
		"nothing":                 {nil, nil},
	}
	for name, test := range tests {
		wantWalk(t, "Members of "+name, test.want, func(r page.Request) (page.Of[project.Member], error) {
			return s.Members(t.Context(), now, r, test.places...)
		})
		if got, err := s.CountMembers(t.Context(), now, test.places...); got != len(test.want) || err != nil {
			t.Errorf("CountMembers of %s = %d, %v, want %d", name, got, err, len(test.want))
		}
	}
}

func listMemberships(t *testing.T, s storage.Store) {
	owner, u := addUser(t, s), addUser(t, s)
	g := addGroup(t, s, owner.ID)
	p := addProject(t, s, g)
	inGroup := addMember(t, s, g.Place(), u.ID, project.Guest)
	inProject := addMember(t, s, p.Place(), u.ID, project.Developer)
	ended := project.Member{
		Place: addGroup(t, s, owner.ID).Place(), UserID: u.ID, Role: project.Owner,
		ExpiresAt: now.AddDate(0, 0, -2), CreatedAt: now.AddDate(0, -1, 0),
	}
	wantOK(t, "AddMember", s.AddMember(t.Context(), ended))
	got := must[project.Memberships](t)(s.SomeMemberships(t.Context(), u.ID, 100))
	anyOrder := cmpopts.SortSlices(func(a, b project.Member) bool { return a.Role < b.Role })
	wantSame(t, "SomeMemberships", got, project.Memberships{inGroup, inProject, ended}, anyOrder)
	wantMembers(t, s, ended.Place, owner.ID, ended)
}

func listMembershipsIn(t *testing.T, s storage.Store) {
	owner, u := addUser(t, s), addUser(t, s)
	inGroups, inProjects := project.Memberships{}, project.Memberships{}
	for range 3 {
		g := addGroup(t, s, owner.ID)
		inGroups = append(inGroups, addMember(t, s, g.Place(), u.ID, project.Guest))
		inProjects = append(inProjects, addMember(t, s, addProject(t, s, g).Place(), u.ID, project.Developer))
	}
	ended := project.Member{
		Place: addGroup(t, s, owner.ID).Place(), UserID: u.ID, Role: project.Owner,
		ExpiresAt: now.AddDate(0, 0, -2), CreatedAt: now.AddDate(0, -1, 0),
	}
	wantOK(t, "AddMember", s.AddMember(t.Context(), ended))
	in := func(k project.Kind, userID int64) project.Memberships {
		return must[project.Memberships](t)(s.MembershipsIn(t.Context(), k, userID))
	}
	wantSame(t, "MembershipsIn groups", in(project.InGroup, u.ID), append(inGroups, ended))
	wantSame(t, "MembershipsIn projects", in(project.InProject, u.ID), inProjects)
	wantSame(t, "MembershipsIn projects of a member of groups", in(project.InProject, owner.ID), project.Memberships{})
}

func pageMemberships(t *testing.T, s storage.Store) {
	owner, u := addUser(t, s), addUser(t, s)
	var newest []project.Member
	for range 5 {
		g := addGroup(t, s, owner.ID)
		addMember(t, s, addProject(t, s, g).Place(), u.ID, project.Developer)
		newest = append([]project.Member{addMember(t, s, g.Place(), u.ID, project.Guest)}, newest...)
	}
	wantWalk(t, "MembershipPage", newest, func(r page.Request) (page.Of[project.Member], error) {
		return s.MembershipPage(t.Context(), project.InGroup, u.ID, r)
	})
	got := must[page.Of[project.Member]](t)(s.MembershipPage(t.Context(), project.InProject, owner.ID, page.First))
	wantSame(t, "MembershipPage of a member of groups", got, page.Of[project.Member]{Total: -1})
}

var byPlace = cmpopts.SortSlices(func(a, b project.Member) bool { return a.ID < b.ID })

func someMemberships(t *testing.T, s storage.Store) {
	owner, u := addUser(t, s), addUser(t, s)
	var all project.Memberships
	for range 4 {
		all = append(all, addMember(t, s, addGroup(t, s, owner.ID).Place(), u.ID, project.Guest))
	}
	for n, want := range map[int]int{1: 1, 3: 3, 4: 4, 5: 4, 100: 4} {
		got := must[project.Memberships](t)(s.SomeMemberships(t.Context(), u.ID, n))
		if len(got) != want {
			t.Errorf("SomeMemberships, %d of 4 = %d memberships, want %d", n, len(got), want)
		}
		if want == 4 {
			wantSame(t, "SomeMemberships", got, all, byPlace)
		}
	}
	got := must[project.Memberships](t)(s.SomeMemberships(t.Context(), unknownID, 3))
	wantSame(t, "SomeMemberships of nobody", got, project.Memberships{})
}

func membershipsAt(t *testing.T, s storage.Store) {
	owner, u := addUser(t, s), addUser(t, s)
	top := addGroup(t, s, owner.ID)
	team := addSubgroup(t, s, top, owner.ID)
	p, elsewhere := addProject(t, s, team), addProject(t, s, top)
	inTop := addMember(t, s, top.Place(), u.ID, project.Guest)
	inProject := project.Member{
		Place: p.Place(), UserID: u.ID, Role: project.Owner, ExpiresAt: now.AddDate(0, 0, -2), CreatedAt: now.AddDate(0, -1, 0),
	}
	wantOK(t, "AddMember", s.AddMember(t.Context(), inProject))
	addMember(t, s, elsewhere.Place(), u.ID, project.Developer)
	addMember(t, s, team.Place(), addUser(t, s).ID, project.Developer)

	tests := map[string]struct {
		places []project.Place
		want   project.Memberships
	}{
		"one place":            {[]project.Place{top.Place()}, project.Memberships{inTop}},
		"a place of others":    {[]project.Place{team.Place()}, nil},
		"a project":            {p.Places(), project.Memberships{inTop, inProject}},
		"a place that is gone": {[]project.Place{{Kind: project.InGroup, ID: unknownID}, p.Place()}, project.Memberships{inProject}},
		"no place":             {nil, nil},
	}
	for name, test := range tests {
		got := must[project.Memberships](t)(s.MembershipsAt(t.Context(), u.ID, test.places...))
		wantSame(t, "MembershipsAt "+name, got, test.want, byPlace)
	}
	got := must[project.Memberships](t)(s.MembershipsAt(t.Context(), unknownID, p.Places()...))
	wantSame(t, "MembershipsAt of nobody", got, project.Memberships{})
}

func membershipsAmong(t *testing.T, s storage.Store) {
	owner, u, other, stranger := addUser(t, s), addUser(t, s), addUser(t, s), addUser(t, s)
	top := addGroup(t, s, owner.ID)
	p, elsewhere := addProject(t, s, top), addProject(t, s, top)
	inTop := addMember(t, s, top.Place(), u.ID, project.Guest)
	inProject := addMember(t, s, p.Place(), u.ID, project.Developer)
	others := addMember(t, s, p.Place(), other.ID, project.Reporter)
	addMember(t, s, elsewhere.Place(), stranger.ID, project.Owner)

	inOrder := cmpopts.SortSlices(func(a, b project.Member) bool { return a.UserID < b.UserID || a.UserID == b.UserID && a.Kind < b.Kind })
	tests := map[string]struct {
		userIDs []int64
		want    project.Memberships
	}{
		"members and others": {[]int64{unknownID, stranger.ID, other.ID, u.ID}, project.Memberships{inTop, inProject, others}},
		"one user":           {[]int64{other.ID}, project.Memberships{others}},
		"nobody":             {nil, nil},
	}
	for name, test := range tests {
		got := must[project.Memberships](t)(s.MembershipsAmong(t.Context(), test.userIDs, p.Places()...))
		wantSame(t, "MembershipsAmong "+name, got, test.want, inOrder)
	}
}
