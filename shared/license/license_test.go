package license_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/license"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

// arranged is an instance with a project.
type arranged struct {
	*apptest.App
	by       audit.Actor
	p, other project.Project
}

func arrange(t *testing.T) arranged {
	t.Helper()
	a := apptest.New(t)
	ada := a.User("ada")
	in := a.Namespace(ada)
	return arranged{a, audit.ByUser(ada.ID), a.Project("web", in, project.Private), a.Project("other", in, project.Private)}
}

func (a arranged) add(t *testing.T, name string, status license.Status) license.StoredPolicy {
	t.Helper()
	made, err := a.Licenses.Create(t.Context(), a.by, a.p, license.Policy{Name: name, Status: status})
	if err != nil || made.Thing != (license.Policy{Name: name, Status: status}) || made.ID == 0 || !made.CreatedAt.Equal(a.Now()) {
		t.Fatalf("Create(%q) = %+v, %v", name, made, err)
	}
	return made
}

func TestPoliciesAreKept(t *testing.T) {
	a := arrange(t)
	mit, gpl := a.add(t, "MIT", license.Allowed), a.add(t, "GPL", license.Denied)
	changed, err := a.Licenses.Change(t.Context(), a.by, a.p, mit, license.Denied)
	if want := (license.Policy{Name: "MIT", Status: license.Denied}); err != nil || changed.Thing != want || changed.ID != mit.ID {
		t.Errorf("Change = %+v, %v, want %+v", changed, err, want)
	}
	list, err := a.Licenses.Policies(t.Context(), a.p, page.First)
	if err != nil || len(list.Items) != 2 || list.Items[0].ID != gpl.ID || list.Items[1].Thing.Status != license.Denied || list.Total != 2 {
		t.Errorf("Policies = %+v, %v, want both, the newest first", list, err)
	}
	if err := a.Licenses.Delete(t.Context(), a.by, a.p, mit); err != nil { // as it is now
		t.Errorf("Delete = %v", err)
	}
	_, changing := a.Licenses.Change(t.Context(), a.by, a.p, mit, license.Allowed)
	_, finding := a.Licenses.Policy(t.Context(), a.p, "MIT")
	for call, err := range map[string]error{"Change": changing, "Policy": finding, "Delete": a.Licenses.Delete(t.Context(), a.by, a.p, mit)} {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%s of a deleted policy = %v, want not found", call, err)
		}
	}
	a.add(t, "mit", license.Allowed)
}

// An id counts before a name, and a name that is a number is found if no policy has it
// as its id.
func TestPolicyByIDOrName(t *testing.T) {
	a := arrange(t)
	first := a.add(t, "MIT", license.Allowed)
	second, third := a.add(t, strconv.FormatInt(first.ID, 10), license.Allowed), a.add(t, "2001", license.Allowed)
	for _, test := range []struct {
		p        project.Project
		idOrName string
		want     int64 // zero: none
	}{
		{a.p, strconv.FormatInt(first.ID, 10), first.ID},
		{a.p, strconv.FormatInt(second.ID, 10), second.ID},
		{a.p, "mit", first.ID},
		{a.p, "2001", third.ID},
		{a.p, "2002", 0},
		{a.p, "BSD", 0},
		{a.p, "99999999999999999999", 0},
		{a.other, strconv.FormatInt(first.ID, 10), 0},
		{a.other, "MIT", 0},
	} {
		got, err := a.Licenses.Policy(t.Context(), test.p, test.idOrName)
		if got.ID != test.want || (err == nil) != (test.want != 0) || err != nil && !fault.Is(err, fault.NotFound) {
			t.Errorf("Policy(%s, %q) = %+v, %v, want %d", test.p.FullPath, test.idOrName, got, err, test.want)
		}
	}
}

func TestPoliciesThatAreRefused(t *testing.T) {
	a := arrange(t)
	a.add(t, "MIT", license.Allowed)
	for name, want := range map[string]string{"": "can't be blank", "a\nb": "contains a control character", "mit": fault.Taken} {
		_, err := a.Licenses.Create(t.Context(), a.by, a.p, license.Policy{Name: name, Status: license.Denied})
		var complaints fault.Fields
		if errors.As(err, &complaints); !cmp.Equal(complaints, fault.Fields{"name": {want}}) {
			t.Errorf("Create(%q) = %v, want %s", name, err, want)
		}
	}
}

func TestTheTrailHasEveryDeed(t *testing.T) {
	a := arrange(t)
	mit := a.add(t, "MIT", license.Allowed)
	if _, err := a.Licenses.Change(t.Context(), a.by, a.p, mit, license.Denied); err != nil {
		t.Fatal(err)
	}
	if err := a.Licenses.Delete(t.Context(), a.by, a.p, mit); err != nil {
		t.Fatal(err)
	}
	found, err := a.Trail.Entries(t.Context(), audit.Filter{ProjectID: a.p.ID, Size: 9})
	if err != nil {
		t.Fatal(err)
	}
	type told struct {
		name    audit.Name
		status  string
		license string
	}
	got := map[told]bool{}
	for _, e := range found.Entries {
		if e.ActorID == a.by.ID {
			got[told{e.Name, e.Details["approval_status"], e.Details["license"]}] = true
		}
	}
	want := map[told]bool{
		{license.EventCreated, "allowed", "MIT"}: true, {license.EventChanged, "denied", "MIT"}: true, {license.EventDeleted, "allowed", "MIT"}: true,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(told{})); diff != "" {
		t.Errorf("the trail differs (-want +got):\n%s", diff)
	}
}
