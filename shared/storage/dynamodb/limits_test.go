package dynamodb_test

import (
	"strings"
	"testing"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

// A key of DynamoDB has 2,048 bytes. A path can have more, and what a stranger
// sends can have any number.
func TestLongKeys(t *testing.T) {
	s := open(t)
	u := addUser(t, s)
	g := project.Group{}
	for range 10 {
		g = addGroup(t, s, g, unique(strings.Repeat("g", 245)), u.ID)
	}
	if got, err := s.GroupByPath(t.Context(), strings.ToUpper(g.FullPath)); err != nil || got.ID != g.ID {
		t.Errorf("GroupByPath of %d bytes = group %d, %v, want group %d", len(g.FullPath), got.ID, err, g.ID)
	}
	_, err := s.CreateGroup(t.Context(), newGroup(project.Group{}, g.FullPath), u.ID)
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("CreateGroup with a long path that is taken = %v, want a complaint", err)
	}

	long := strings.Repeat("x", 5000)
	_, byName := s.UserByLogin(t.Context(), long)
	_, byAddress := s.UserByLogin(t.Context(), long+"@example.com")
	_, client := s.Client(t.Context(), long)
	_, session := s.Session(t.Context(), u.ID, long)
	_, project := s.ProjectByPath(t.Context(), long)
	for name, err := range map[string]error{
		"UserByLogin": byName, "UserByLogin with @": byAddress, "Client": client, "Session": session,
		"ProjectByPath": project,
	} {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%s with 5,000 bytes = %v, want not found", name, err)
		}
	}
}

// A transaction has room for a hundred changes, and a group for any number of
// members.
func TestGroupWithManyMembersIsRemoved(t *testing.T) {
	s := open(t)
	owner := addUser(t, s)
	g := addGroup(t, s, project.Group{}, unique("group"), owner.ID)
	for range 45 {
		m := project.Member{Place: g.Place(), UserID: addUser(t, s).ID, Role: project.Guest, CreatedAt: now}
		if err := s.AddMember(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	all := page.Request{Number: 1, Size: page.MaxSize}
	before := must[page.Of[project.Member]](t)(s.Members(t.Context(), now, all, g.Place())).Items
	if err := s.DeleteGroup(t.Context(), g.ID, now); err != nil || len(before) != 46 {
		t.Fatalf("DeleteGroup with %d members = %v, want no error", len(before), err)
	}
	if got := must[page.Of[project.Member]](t)(s.Members(t.Context(), now, all, g.Place())).Items; len(got) > 0 {
		t.Errorf("%d members are left", len(got))
	}
	for _, m := range before {
		if got := must[project.Memberships](t)(s.SomeMemberships(t.Context(), m.UserID, 100)); len(got) > 0 {
			t.Errorf("user %d still has memberships: %v", m.UserID, got)
		}
	}
}
