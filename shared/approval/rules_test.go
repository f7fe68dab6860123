package approval_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/approval"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

func (a arranged) scope() approval.Scope { return approval.Scope{Project: a.web} }

// ofMerge is the scope of a merge request.
func (a arranged) ofMerge() approval.Scope {
	return approval.Scope{Project: a.web, MergeRequest: 1, AuthorID: a.owner.ID}
}

func (a arranged) add(t *testing.T, at approval.Scope, rule approval.Rule, sourceID int64) approval.Rule {
	t.Helper()
	if rule.Type == "" {
		rule.Type = approval.Regular
	}
	made, err := a.Approvals.Create(t.Context(), a.by(), at, rule, sourceID)
	if err != nil {
		t.Fatalf("Create(%+v) = %v", rule, err)
	}
	return made
}

func (a arranged) wantRules(t *testing.T, at approval.Scope, want ...approval.Rule) {
	t.Helper()
	got, err := a.Approvals.List(t.Context(), at)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Errorf("List = %v, differs (-want +got):\n%s", err, diff)
	}
}

func TestRulesOfAProject(t *testing.T) {
	a := arrange(t)
	ben := a.User("ben")
	a.Member(a.web.Place(), ben, project.Guest)
	a.wantRules(t, a.scope())
	first := a.add(t, a.scope(), approval.Rule{
		ID: 77, Name: "Security", Required: 2, UserIDs: []int64{ben.ID, a.owner.ID, ben.ID}, GroupIDs: []int64{a.acme.ID, a.acme.ID}, ProtectedBranchIDs: []int64{9, 3, 9},
	}, 0)
	want := approval.Rule{
		ID: 1, Name: "Security", Type: approval.Regular, Required: 2, UserIDs: []int64{a.owner.ID, ben.ID}, GroupIDs: []int64{a.acme.ID}, ProtectedBranchIDs: []int64{3, 9},
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("Create differs (-want +got):\n%s", diff)
	}
	second := a.add(t, a.scope(), approval.Rule{Name: "Everybody", Type: approval.Any, Required: 100}, 0)
	third := a.add(t, a.scope(), approval.Rule{Name: "Coverage", Type: approval.Report, Report: "code_coverage", AllProtectedBranches: true, ProtectedBranchIDs: []int64{1}}, 0)
	if third.ProtectedBranchIDs != nil {
		t.Errorf("a rule for all protected branches names %v", third.ProtectedBranchIDs)
	}
	a.wantRules(t, a.scope(), first, second, third)
	if got, err := a.Approvals.Rule(t.Context(), a.scope(), 2); err != nil || !cmp.Equal(got, second) {
		t.Errorf("Rule(2) = %+v, %v, want %+v", got, err, second)
	}

	if err := a.Approvals.Delete(t.Context(), a.by(), a.scope(), 3); err != nil {
		t.Errorf("Delete = %v", err)
	}
	if fourth := a.add(t, a.scope(), approval.Rule{Name: "Coverage"}, 0); fourth.ID != 4 {
		t.Errorf("the rule after a deleted one has the id %d, want 4", fourth.ID)
	}
	if err := a.Approvals.Delete(t.Context(), a.by(), a.scope(), 1); err != nil {
		t.Errorf("Delete = %v", err)
	}
	a.wantRules(t, a.scope(), second, approval.Rule{ID: 4, Name: "Coverage", Type: approval.Regular})
	for call, err := range map[string]error{
		"Rule":   func() error { _, err := a.Approvals.Rule(t.Context(), a.scope(), 1); return err }(),
		"Delete": a.Approvals.Delete(t.Context(), a.by(), a.scope(), 1),
		"Change": func() error {
			_, err := a.Approvals.Change(t.Context(), a.by(), a.scope(), 1, approval.Change{})
			return err
		}(),
	} {
		if !errors.Is(err, approval.ErrNotFound) {
			t.Errorf("%s of a deleted rule = %v, want not found", call, err)
		}
	}
	want4 := map[audit.Name]int{approval.EventCreated: 4, approval.EventDeleted: 2}
	if diff := cmp.Diff(want4, a.events(t)); diff != "" {
		t.Errorf("the trail differs (-want +got):\n%s", diff)
	}
}

func TestRulesChangeFieldByField(t *testing.T) {
	a := arrange(t)
	ben, gone := a.User("ben"), a.User("gone")
	a.Member(a.web.Place(), ben, project.Guest)
	a.Member(a.web.Place(), gone, project.Guest)
	a.add(t, a.scope(), approval.Rule{Name: "Other"}, 0)
	want := a.add(t, a.scope(), approval.Rule{Name: "Security", UserIDs: []int64{gone.ID}, GroupIDs: []int64{a.acme.ID}, ProtectedBranchIDs: []int64{3}}, 0)
	if err := a.Projects.Leave(t.Context(), audit.ByUser(gone.ID), a.web.Place()); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		change approval.Change
		apply  func(*approval.Rule)
	}{
		{approval.Change{}, func(*approval.Rule) {}},
		{approval.Change{Name: ptr("SECURITY")}, func(r *approval.Rule) { r.Name = "SECURITY" }},
		{approval.Change{Required: ptr[int64](3)}, func(r *approval.Rule) { r.Required = 3 }},
		// Whom the rule names already stays, also as no member.
		{approval.Change{UserIDs: []int64{gone.ID, ben.ID}}, func(r *approval.Rule) { r.UserIDs = []int64{ben.ID, gone.ID} }},
		{approval.Change{UserIDs: []int64{ben.ID}}, func(r *approval.Rule) { r.UserIDs = []int64{ben.ID} }},
		{approval.Change{GroupIDs: []int64{}}, func(r *approval.Rule) { r.GroupIDs = nil }},
		{approval.Change{ProtectedBranchIDs: []int64{5, 4}}, func(r *approval.Rule) { r.ProtectedBranchIDs = []int64{4, 5} }},
		{approval.Change{AllProtectedBranches: ptr(true)}, func(r *approval.Rule) { r.AllProtectedBranches, r.ProtectedBranchIDs = true, nil }},
		{approval.Change{UserIDs: []int64{}}, func(r *approval.Rule) { r.UserIDs = nil }},
	} {
		step.apply(&want)
		slices.Sort(want.UserIDs)
		got, err := a.Approvals.Change(t.Context(), a.by(), a.scope(), want.ID, step.change)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("Change(%+v) = %v, differs (-want +got):\n%s", step.change, err, diff)
		}
		a.wantRules(t, a.scope(), approval.Rule{ID: 1, Name: "Other", Type: approval.Regular}, want)
	}
	_, err := a.Approvals.Change(t.Context(), a.by(), a.scope(), want.ID, approval.Change{UserIDs: []int64{gone.ID}})
	apptest.WantComplaints(t, "Change to somebody who left", err, fault.Fields{"user_ids": {stranger}})
	if got := a.events(t)[approval.EventChanged]; got != 9 {
		t.Errorf("the trail has %d changes, want 9", got)
	}
}

const stranger = "has users who are not members of the project"

func TestRulesThatAreRefused(t *testing.T) {
	a := arrange(t)
	elsewhere := a.Group("elsewhere", project.Group{}, a.owner, project.Public)
	below := a.Group("below", a.acme, a.owner, project.Private)
	a.add(t, a.scope(), approval.Rule{Name: "Security"}, 0)
	a.add(t, a.scope(), approval.Rule{Name: "Everybody", Type: approval.Any}, 0)
	const groups, report, number = "has groups that the project is not in", "belongs to a rule of the type report_approver", "must be between 0 and 100"
	numbers := func(n int) (all []int64) {
		for i := range n {
			all = append(all, int64(i+1))
		}
		return all
	}
	for _, test := range []struct {
		rule approval.Rule
		want fault.Fields
	}{
		{approval.Rule{Name: " "}, fault.Fields{"name": {"can't be blank"}}},
		{approval.Rule{Name: "security"}, fault.Fields{"name": {fault.Taken}}},
		{approval.Rule{Name: "x", Required: -1}, fault.Fields{"approvals_required": {number}}},
		{approval.Rule{Name: "x", Required: 101}, fault.Fields{"approvals_required": {number}}},
		{approval.Rule{Name: "x", Type: approval.Any}, fault.Fields{"rule_type": {fault.Taken}}},
		{approval.Rule{Name: "x", Type: approval.Report}, fault.Fields{"report_type": {report}}},
		{approval.Rule{Name: "x", Report: "code_coverage"}, fault.Fields{"report_type": {report}}},
		{approval.Rule{Name: "x", GroupIDs: []int64{a.acme.ID, elsewhere.ID}}, fault.Fields{"group_ids": {groups}}},
		{approval.Rule{Name: "x", GroupIDs: []int64{below.ID}}, fault.Fields{"group_ids": {groups}}},
		{approval.Rule{Name: "x", GroupIDs: []int64{99}}, fault.Fields{"group_ids": {groups}}},
		{approval.Rule{Name: "x", UserIDs: []int64{a.owner.ID, 99}}, fault.Fields{"user_ids": {stranger}}},
		{approval.Rule{Name: "x", UserIDs: []int64{a.User("ben").ID}}, fault.Fields{"user_ids": {stranger}}},
		{approval.Rule{Name: "x", UserIDs: numbers(101)}, fault.Fields{"user_ids": {"has too many (all rules together may name 100 users)"}}},
		{approval.Rule{Name: "x", ProtectedBranchIDs: numbers(101)}, fault.Fields{"protected_branch_ids": {"has too many (maximum is 100)"}}},
		{approval.Rule{Name: "x", ProtectedBranchIDs: []int64{0}}, fault.Fields{"protected_branch_ids": {"is invalid"}}},
		{approval.Rule{Name: "x", ProtectedBranchIDs: numbers(100)}, nil},
	} {
		if test.rule.Type == "" {
			test.rule.Type = approval.Regular
		}
		_, err := a.Approvals.Create(t.Context(), a.by(), a.scope(), test.rule, 0)
		apptest.WantComplaints(t, fmt.Sprintf("Create(%+v)", test.rule), err, test.want)
	}
	const alone = "any_approver names neither users nor groups"
	for _, change := range []approval.Change{{UserIDs: []int64{a.owner.ID}}, {GroupIDs: []int64{a.acme.ID}}} {
		_, err := a.Approvals.Change(t.Context(), a.by(), a.scope(), 2, change)
		apptest.WantComplaints(t, fmt.Sprintf("Change(%+v) of a rule for everybody", change), err, fault.Fields{"rule_type": {alone}})
	}
	_, err := a.Approvals.Change(t.Context(), a.by(), a.scope(), 2, approval.Change{Name: ptr("Security")})
	apptest.WantComplaints(t, "Change to a taken name", err, fault.Fields{"name": {fault.Taken}})
	if got := a.events(t); got[approval.EventCreated] != 3 || got[approval.EventChanged] != 0 {
		t.Errorf("the trail has %v, want the three rules that were made", got)
	}
}

// A user's own namespace is no group, though projects are in it.
func TestANamespaceApprovesNothing(t *testing.T) {
	a := arrange(t)
	p := a.Project("own", a.Namespace(a.owner), project.Private)
	_, err := a.Approvals.Create(t.Context(), a.by(), approval.Scope{Project: p}, approval.Rule{Name: "x", Type: approval.Regular, GroupIDs: []int64{a.owner.NamespaceID}}, 0)
	apptest.WantComplaints(t, "Create", err, fault.Fields{"group_ids": {"has groups that the project is not in"}})
}

func TestRulesHaveLimits(t *testing.T) {
	a := arrange(t)
	var ids []int64
	for n := range 100 {
		u := a.User(fmt.Sprint("user-", n))
		a.Member(a.web.Place(), u, project.Developer)
		ids = append(ids, u.ID)
	}
	a.add(t, a.scope(), approval.Rule{Name: "First", UserIDs: ids[:60]}, 0)
	a.add(t, a.scope(), approval.Rule{Name: "Second", UserIDs: ids[40:]}, 0)
	_, err := a.Approvals.Change(t.Context(), a.by(), a.scope(), 1, approval.Change{UserIDs: []int64{a.owner.ID}})
	if err != nil {
		t.Errorf("Change to 61 users = %v", err)
	}
	_, err = a.Approvals.Change(t.Context(), a.by(), a.scope(), 1, approval.Change{UserIDs: append(ids[:40:40], a.owner.ID)})
	apptest.WantComplaints(t, "Change to 101 users", err, fault.Fields{"user_ids": {"has too many (all rules together may name 100 users)"}})
	for n := range 28 {
		a.add(t, a.scope(), approval.Rule{Name: fmt.Sprint("Rule ", n)}, 0)
	}
	if _, err = a.Approvals.Create(t.Context(), a.by(), a.scope(), approval.Rule{Name: "x", Type: approval.Regular}, 0); !errors.Is(err, approval.ErrTooMany) {
		t.Errorf("Create of the 31st rule = %v, want %v", err, approval.ErrTooMany)
	}
	a.add(t, a.ofMerge(), approval.Rule{Name: "x"}, 0) // has limits of its own
}

// The largest set of rules fits into an item of DynamoDB, which has 400 KiB.
func TestTheLargestRulesFit(t *testing.T) {
	a := arrange(t)
	var branches []int64
	for n := range 100 {
		branches = append(branches, 1<<62+int64(n))
	}
	for n := range 30 {
		name := strings.Repeat("\U0001F600", 253) + fmt.Sprintf("%02d", n)
		a.add(t, a.scope(), approval.Rule{Name: name, UserIDs: []int64{a.owner.ID}, GroupIDs: []int64{a.acme.ID}, ProtectedBranchIDs: branches}, 0)
	}
	r, err := a.Store.Record(t.Context(), "approval_rules", a.web.Place(), 0)
	if err != nil || len(r.Data) > 350<<10 {
		t.Errorf("the rules take %d bytes, %v, want at most 350 KiB", len(r.Data), err)
	}
}

func TestRulesOfAMergeRequest(t *testing.T) {
	a := arrange(t)
	ben := a.User("ben")
	a.Member(a.web.Place(), ben, project.Developer)
	a.add(t, a.scope(), approval.Rule{Name: "Everybody", Type: approval.Any}, 0)
	source := a.add(t, a.scope(), approval.Rule{
		Name: "Coverage", Type: approval.Report, Report: "code_coverage", Required: 1, UserIDs: []int64{ben.ID}, GroupIDs: []int64{a.acme.ID}, ProtectedBranchIDs: []int64{1},
	}, 0)
	a.wantRules(t, a.ofMerge())
	copied := &approval.Source{ID: source.ID, Name: "Coverage", Type: approval.Report, Required: 1}
	first := a.add(t, a.ofMerge(), approval.Rule{Required: 2}, source.ID)
	want := approval.Rule{ID: 1, Name: "Coverage", Type: approval.Report, Report: "code_coverage", Required: 2, UserIDs: []int64{ben.ID}, GroupIDs: []int64{a.acme.ID}, Source: copied}
	if diff := cmp.Diff(want, first, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the copy of a rule differs (-want +got):\n%s", diff)
	}
	second := a.add(t, a.ofMerge(), approval.Rule{Name: "Mine", UserIDs: []int64{a.owner.ID}}, source.ID)
	want = approval.Rule{ID: 2, Name: "Mine", Type: approval.Report, Report: "code_coverage", UserIDs: []int64{a.owner.ID}, Source: copied}
	if diff := cmp.Diff(want, second, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the copy of a rule with users of its own differs (-want +got):\n%s", diff)
	}
	third := a.add(t, a.ofMerge(), approval.Rule{Name: "Group", GroupIDs: []int64{}}, source.ID)
	if third.UserIDs != nil || len(third.GroupIDs) != 0 {
		t.Errorf("the copy of a rule without groups names %v and %v", third.UserIDs, third.GroupIDs)
	}
	a.wantRules(t, a.ofMerge(), first, second, third)
	a.wantRules(t, approval.Scope{Project: a.web, MergeRequest: 2})
	_, err := a.Approvals.Create(t.Context(), a.by(), a.ofMerge(), approval.Rule{Name: "x"}, 99)
	apptest.WantComplaints(t, "Create as a copy of nothing", err, fault.Fields{"approval_project_rule_id": {"does not exist"}})

	_, err = a.Approvals.ChangeSettings(t.Context(), a.by(), a.web, approval.SettingsChange{NoOverriding: ptr(true)})
	if err != nil {
		t.Fatal(err)
	}
	_, creating := a.Approvals.Create(t.Context(), a.by(), a.ofMerge(), approval.Rule{Name: "x", Type: approval.Regular}, 0)
	_, changing := a.Approvals.Change(t.Context(), a.by(), a.ofMerge(), 1, approval.Change{Name: ptr("x")})
	for call, err := range map[string]error{"Create": creating, "Change": changing, "Delete": a.Approvals.Delete(t.Context(), a.by(), a.ofMerge(), 1)} {
		if !errors.Is(err, approval.ErrNoOverriding) {
			t.Errorf("%s for a merge request = %v, want %v", call, err, approval.ErrNoOverriding)
		}
	}
	a.wantRules(t, a.ofMerge(), first, second, third)
	a.add(t, a.scope(), approval.Rule{Name: "x"}, 0) // of the project there are more
}

// Everybody adds a rule to what all of them have read, and all rules are kept.
func TestNoConcurrentRuleIsLost(t *testing.T) {
	a := arrange(t)
	var callers sync.WaitGroup
	for n := range 8 {
		callers.Go(func() {
			_, err := a.Approvals.Create(t.Context(), a.by(), a.scope(), approval.Rule{Name: fmt.Sprint("Rule ", n), Type: approval.Regular}, 0)
			if err != nil {
				t.Errorf("Create = %v", err)
			}
		})
	}
	callers.Wait()
	rules, err := a.Approvals.List(t.Context(), a.scope())
	ids := map[int64]bool{}
	for _, rule := range rules {
		ids[rule.ID] = true
	}
	if err != nil || len(ids) != 8 {
		t.Errorf("after 8 rules were added there are %+v, %v", rules, err)
	}
}

func TestPeopleOfRules(t *testing.T) {
	a := arrange(t)
	join := func(name string, at project.Place, role project.Role) user.User {
		u := a.User(name)
		a.Member(at, u, role)
		return u
	}
	developer, reporter := join("developer", a.web.Place(), project.Developer), join("reporter", a.web.Place(), project.Reporter)
	inGroup, guest := join("in-group", a.acme.Place(), project.Developer), join("guest", a.acme.Place(), project.Guest)
	blocked, left := join("blocked", a.acme.Place(), project.Maintainer), join("left", a.web.Place(), project.Maintainer)
	gone := join("gone", a.web.Place(), project.Maintainer)
	everyone := []int64{developer.ID, reporter.ID, inGroup.ID, guest.ID, blocked.ID, left.ID, gone.ID}
	named := a.add(t, a.scope(), approval.Rule{Name: "Users", UserIDs: everyone}, 0)
	group := a.add(t, a.scope(), approval.Rule{Name: "Group", UserIDs: []int64{inGroup.ID}, GroupIDs: []int64{a.acme.ID}}, 0)
	anybody := a.add(t, a.scope(), approval.Rule{Name: "Everybody", Type: approval.Any}, 0)
	a.Block(blocked)
	if err := errors.Join(a.Projects.Leave(t.Context(), audit.ByUser(left.ID), a.web.Place()), a.Users.Delete(t.Context(), audit.Setup, gone.ID)); err != nil {
		t.Fatal(err)
	}
	who, err := a.Approvals.People(t.Context(), a.scope(), named, group, anybody)
	if err != nil {
		t.Fatal(err)
	}
	wantNames(t, "Users", who.Users(named), "developer", "reporter", "in-group", "guest", "blocked", "left")
	wantNames(t, "Eligible", who.Eligible(named), "developer", "in-group")
	wantNames(t, "Users of a group", who.Users(group), "in-group")
	wantNames(t, "Eligible of a group", who.Eligible(group), "in-group", "owner")
	wantNames(t, "Eligible of everybody", who.Eligible(anybody))
	if groups := who.Groups(group); len(groups) != 1 || groups[0].FullPath != "acme" {
		t.Errorf("Groups = %+v, want acme", groups)
	}
	if groups := who.Groups(named); len(groups) != 0 {
		t.Errorf("Groups = %+v, want none", groups)
	}

	at := a.ofMerge()
	who, err = a.Approvals.People(t.Context(), at, named, group)
	wantNames(t, "Eligible beside the author", who.Eligible(group), "in-group")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Approvals.ChangeSettings(t.Context(), a.by(), a.web, approval.SettingsChange{ByAuthors: ptr(true)}); err != nil {
		t.Fatal(err)
	}
	who, err = a.Approvals.People(t.Context(), at, named, group)
	wantNames(t, "Eligible with the author", who.Eligible(group), "in-group", "owner")
	if err != nil {
		t.Fatal(err)
	}
}

// Of many who can approve an answer has the first.
func TestEligibleHasALimit(t *testing.T) {
	a := arrange(t)
	var ids []int64
	for n := range 100 {
		u := a.User(fmt.Sprintf("user-%03d", n))
		a.Member(a.web.Place(), u, project.Developer)
		ids = append(ids, u.ID)
	}
	for want, named := range map[int][]int64{100: ids, 99: ids[:98]} { // and owner, from the group
		rule := a.add(t, a.scope(), approval.Rule{Name: fmt.Sprint("Rule ", want), UserIDs: named, GroupIDs: []int64{a.acme.ID}}, 0)
		who, err := a.Approvals.People(t.Context(), a.scope(), rule)
		if got := who.Eligible(rule); len(got) != want || err != nil {
			t.Errorf("Eligible = %d users, %v, want %d", len(got), err, want)
		}
	}
}

// reading counts the users who are read, and does not find one of them.
type reading struct {
	approval.Store
	users atomic.Int64
	gone  int64
}

func (r *reading) UsersByID(ctx context.Context, ids []int64) (map[int64]user.User, error) {
	r.users.Add(int64(len(ids)))
	found, err := r.Store.UsersByID(ctx, ids)
	delete(found, r.gone)
	return found, err
}

// Of the members of groups those alone are read whom an answer can show, each once.
func TestPeopleAreReadAsTheyAreShown(t *testing.T) {
	a := arrange(t)
	var named []int64
	for n := range 101 {
		u := a.User(fmt.Sprintf("user-%03d", n))
		a.Member(a.acme.Place(), u, project.Developer)
		if n < 99 { // and owner
			named = append(named, u.ID)
		}
	}
	team := a.Group("team", a.acme, a.owner, project.Private)
	a.web = a.Project("app", team, project.Private)
	for n := range 40 {
		a.Member(team.Place(), a.User(fmt.Sprint("reporter-", n)), project.Reporter)
	}
	for _, test := range []struct {
		rule      approval.Rule
		want, all int // read of groups, and shown
	}{
		{approval.Rule{Name: "Reporters", GroupIDs: []int64{team.ID}}, 1, 1}, // owner
		{approval.Rule{Name: "Developers", GroupIDs: []int64{a.acme.ID, team.ID}}, 100, 100},
		{approval.Rule{Name: "Both", UserIDs: named, GroupIDs: []int64{a.acme.ID}}, 1, 100},
	} {
		rule := a.add(t, a.scope(), test.rule, 0)
		counted := &reading{Store: a.Store}
		who, err := approval.NewRules(counted, a.Trail, a.Now).People(t.Context(), a.scope(), rule)
		if got := len(who.Eligible(rule)); err != nil || got != test.all {
			t.Errorf("%s: Eligible has %d users, %v, want %d", rule.Name, got, err, test.all)
		}
		if got := int(counted.users.Load()) - len(rule.UserIDs); got != test.want {
			t.Errorf("%s: %d members are read, want %d", rule.Name, got, test.want)
		}
	}
}

// The members of a group are read before the users that they are, who can be gone then.
func TestEligibleLeavesOutWhoIsGone(t *testing.T) {
	a := arrange(t)
	gone := a.User("gone")
	a.Member(a.acme.Place(), gone, project.Developer)
	rule := a.add(t, a.scope(), approval.Rule{Name: "Group", GroupIDs: []int64{a.acme.ID}}, 0)
	who, err := approval.NewRules(&reading{Store: a.Store, gone: gone.ID}, a.Trail, a.Now).People(t.Context(), a.scope(), rule)
	wantNames(t, "Eligible", who.Eligible(rule), "owner")
	if err != nil {
		t.Fatal(err)
	}
}

func wantNames(t *testing.T, call string, users []user.User, want ...string) {
	t.Helper()
	var got []string
	for _, u := range users {
		got = append(got, u.Username)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", call, diff)
	}
}

// The trail says which rule it was, and of which merge request.
func TestTheTrailNamesTheRule(t *testing.T) {
	a := arrange(t)
	a.add(t, a.scope(), approval.Rule{Name: "Security", Required: 2}, 0)
	a.add(t, a.ofMerge(), approval.Rule{Name: "Mine", Required: 1}, 0)
	found, err := a.Trail.Entries(t.Context(), audit.Filter{ProjectID: a.web.ID, Name: approval.EventCreated, Size: 9})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]audit.Details{}
	for _, e := range found.Entries {
		got[e.Details["rule"]] = e.Details
	}
	want := map[string]audit.Details{
		"Security": {"in": "acme/web", "rule": "Security", "approvals_required": "2"},
		"Mine":     {"in": "acme/web", "rule": "Mine", "approvals_required": "1", "merge_request": "1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the trail differs (-want +got):\n%s", diff)
	}
}
