package accountapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
)

const membershipList = "/user_settings/memberships"

func TestMembershipsAreListed(t *testing.T) {
	a := apptest.New(t)
	ada, owner := a.User("ada"), a.User("owner")
	b := signedIn(t, a, ada)
	b.Get(membershipList).WantRedirect(membershipList + "/groups")
	b.Get(membershipList+"/groups").Want(200, "You are in no group as a member")
	b.Get(membershipList + "/people").Want(404)

	acme := a.Group("acme", project.Group{}, owner, project.Private)
	a.Member(acme.Place(), ada, project.Guest)
	a.Group("below", acme, owner, project.Private)
	a.MemberUntil(a.Group("past", project.Group{}, owner, project.Private).Place(), ada, project.Owner, a.Now().Add(-time.Hour))
	a.Member(a.Project("web", acme, project.Private).Place(), ada, project.Maintainer)

	groups := b.Get(membershipList+"/groups").Want(200, "acme", "Guest", "past", "Ended").Text()
	if strings.Contains(groups, "acme/") || strings.Index(groups, "past") > strings.Index(groups, "acme") {
		t.Errorf("want the groups of ada alone, the newest first: %s", groups)
	}
	if got := strings.Count(groups, "/leave\""); got != 1 {
		t.Errorf("%d memberships can be ended, want the one that has not ended", got)
	}
	b.Get(membershipList+"/projects").Want(200, "acme/web", "Maintainer")
}

func TestMembershipsComeInPages(t *testing.T) {
	a := apptest.New(t)
	ada, owner := a.User("ada"), a.User("owner")
	for n := range 21 {
		a.Member(a.Group(fmt.Sprintf("team-%02d", n), project.Group{}, owner, project.Private).Place(), ada, project.Guest)
	}
	b := signedIn(t, a, ada)
	first := b.Get(membershipList+"/groups").Want(200, "team-20", "team-01", membershipList+"/groups?page=2").Text()
	if strings.Contains(first, "team-00") {
		t.Error("the first page has what belongs on the second")
	}
	b.Get(membershipList+"/groups?page=2").Want(200, "team-00")
	b.Get(membershipList+"/groups?page=3").Want(200, "The list ends before this page")
}

func TestLeave(t *testing.T) {
	a := apptest.New(t)
	ada, owner := a.User("ada"), a.User("owner")
	acme := a.Group("acme", project.Group{}, owner, project.Private)
	web := a.Project("web", acme, project.Private)
	b := signedIn(t, a, ada)
	for _, at := range []project.Place{acme.Place(), web.Place()} {
		list := fmt.Sprintf("%s/%ss", membershipList, at.Kind)
		leave := fmt.Sprintf("%s/%d/leave", list, at.ID)
		b.Post(leave, nil).Want(404)
		a.Member(at, ada, project.Guest)
		b.Get(list).Want(200, leave)
		b.Post(leave, nil).WantRedirect(list)
		b.Get(list).Want(200, "You left", "as a member")
		if _, err := a.Projects.Member(t.Context(), at, ada.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("after leaving, Member = %v, want none", err)
		}
	}
	b.Get("/user_settings/audit").Want(200, "Membership ended", "acme/web")
	if _, err := a.Projects.Member(t.Context(), acme.Place(), owner.ID); err != nil {
		t.Errorf("the owner is no member any more: %v", err)
	}
	for _, address := range []string{"/groups/x/leave", "/groups/999/leave", "/projects/999/leave", "/people/1/leave"} {
		b.Post(membershipList+address, nil).Want(404)
	}
}
