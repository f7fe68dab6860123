package mergerequest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/mergerequest"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// arranged is a project of ada, in which ben is a Developer.
type arranged struct {
	*apptest.App
	ada, ben user.User
	p        project.Project
}

func arrange(t *testing.T) arranged {
	t.Helper()
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	p := a.Project("web", a.Namespace(ada), project.Private)
	a.Member(p.Place(), ben, project.Developer)
	return arranged{a, ada, ben, p}
}

func by(u user.User) audit.Actor { return audit.ByUser(u.ID) }

// draft is a merge request that can be made.
func draft() mergerequest.Draft {
	return mergerequest.Draft{Title: "Fix it", Description: "All of it", SourceBranch: "fix", TargetBranch: "main"}
}

func (a arranged) add(t *testing.T, d mergerequest.Draft) mergerequest.Stored {
	t.Helper()
	m, err := a.Merges.Create(t.Context(), by(a.ada), a.p, d)
	if err != nil {
		t.Fatalf("Create(%+v) = %v", d, err)
	}
	return m
}

func (a arranged) change(t *testing.T, m mergerequest.Stored, c mergerequest.Change) mergerequest.Stored {
	t.Helper()
	next, err := a.Merges.Change(t.Context(), by(a.ben), a.p, m, c)
	if err != nil {
		t.Fatalf("Change(%+v) = %v", c, err)
	}
	return next
}

func (a arranged) report(t *testing.T, m mergerequest.Stored, r mergerequest.Report) mergerequest.Stored {
	t.Helper()
	next, err := a.Merges.Report(t.Context(), a.p, m, r)
	if err != nil {
		t.Fatalf("Report = %v", err)
	}
	return next
}

func (a arranged) want(t *testing.T, number int64, want mergerequest.MergeRequest) {
	t.Helper()
	got, err := a.Merges.One(t.Context(), a.p, number)
	if diff := cmp.Diff(want, got.Thing, cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Errorf("One(%d) = %v, differs (-want +got):\n%s", number, err, diff)
	}
}

func ptr[T any](v T) *T { return &v }

// mergeable is the report that nothing is in the way.
func mergeable() mergerequest.Report {
	return mergerequest.Report{MergeStatus: ptr(mergerequest.CanBeMerged), BlockingReason: ptr(mergerequest.BlockingReason(""))}
}

// now is the present in the precision of the stores.
func (a arranged) now() time.Time { return a.Now().UTC().Truncate(time.Microsecond) }

func TestCreate(t *testing.T) {
	a := arrange(t)
	want := mergerequest.MergeRequest{
		Title: "Fix it", Description: "All of it", SourceBranch: "fix", TargetBranch: "main", State: mergerequest.Opened, AuthorID: a.ada.ID,
		MergeStatus: mergerequest.Unchecked, UpdatedAt: a.now(),
	}
	first := a.add(t, draft())
	if first.Number != 1 || !first.CreatedAt.Equal(a.now()) {
		t.Errorf("Create = %+v, want the number 1 and the present", first.Record)
	}
	a.want(t, 1, want)
	for name, d := range map[string]mergerequest.Draft{
		"another source":        {Title: "x", SourceBranch: "Fix", TargetBranch: "main"},
		"another target":        {Title: "x", SourceBranch: "fix", TargetBranch: "Main"},
		"the other way round":   {Title: "x", SourceBranch: "main", TargetBranch: "fix"},
		"letters moved between": {Title: "x", SourceBranch: "fixm", TargetBranch: "ain"},
	} {
		if _, err := a.Merges.Create(t.Context(), by(a.ada), a.p, d); err != nil {
			t.Errorf("Create with %s = %v", name, err)
		}
	}
	if _, err := a.Merges.Create(t.Context(), by(a.ben), a.p, draft()); !errors.Is(err, mergerequest.ErrOpenAlready) {
		t.Errorf("Create with the same branches = %v, want %v", err, mergerequest.ErrOpenAlready)
	}
	a.change(t, first, mergerequest.Change{Event: mergerequest.Close})
	a.add(t, draft())
	if _, err := a.Merges.One(t.Context(), a.p, 9); !fault.Is(err, fault.NotFound) {
		t.Errorf("One of nothing = %v, want not found", err)
	}
}

const (
	noBranch = "is not the name of a branch"
	stranger = "has users who are not members of the project"
)

func TestDraftsThatAreRefused(t *testing.T) {
	a := arrange(t)
	numbers := func(n int) (ids []int64) {
		for i := range n {
			ids = append(ids, int64(1000+i))
		}
		return ids
	}
	labels := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprint("label ", i))
		}
		return all
	}
	for _, test := range []struct {
		edit func(*mergerequest.Draft)
		want fault.Fields
	}{
		{func(d *mergerequest.Draft) { d.Title = " " }, fault.Fields{"title": {"can't be blank"}}},
		{func(d *mergerequest.Draft) { d.SourceBranch = "" }, fault.Fields{"source_branch": {"can't be blank"}}},
		{func(d *mergerequest.Draft) { d.TargetBranch = "a..b" }, fault.Fields{"target_branch": {noBranch}}},
		{func(d *mergerequest.Draft) { d.SourceBranch = "-a" }, fault.Fields{"source_branch": {noBranch}}},
		{func(d *mergerequest.Draft) { d.SourceBranch = "main" }, fault.Fields{"source_branch": {"must differ from the target branch"}}},
		{func(d *mergerequest.Draft) { d.Title, d.SourceBranch = "", "main" }, fault.Fields{"title": {"can't be blank"}}},
		{func(d *mergerequest.Draft) { d.Description = strings.Repeat("x", 64<<10+1) }, fault.Fields{"description": {"is too long (maximum is 65536 bytes)"}}},
		{func(d *mergerequest.Draft) { d.Attributes.AssigneeIDs = []int64{a.ben.ID, 99} }, fault.Fields{"assignee_ids": {stranger}}},
		{func(d *mergerequest.Draft) { d.Attributes.ReviewerIDs = []int64{99} }, fault.Fields{"reviewer_ids": {stranger}}},
		{func(d *mergerequest.Draft) { d.Attributes.AssigneeIDs = numbers(21) }, fault.Fields{"assignee_ids": {"has too many (maximum is 20)"}}},
		{func(d *mergerequest.Draft) { d.Attributes.AssigneeIDs = numbers(20) }, fault.Fields{"assignee_ids": {stranger}}},
		{func(d *mergerequest.Draft) { d.Attributes.ReviewerIDs = numbers(21) }, fault.Fields{"reviewer_ids": {"has too many (maximum is 20)"}}},
		{func(d *mergerequest.Draft) { d.Attributes.ReviewerIDs = numbers(20) }, fault.Fields{"reviewer_ids": {stranger}}},
		{func(d *mergerequest.Draft) { d.Attributes.Labels = labels(101) }, fault.Fields{"labels": {"has too many (maximum is 100)"}}},
		{func(d *mergerequest.Draft) { d.Attributes.Labels = []string{"a,b", "c,d"} }, fault.Fields{"labels": {"contains a comma"}}},
		{func(d *mergerequest.Draft) { d.Attributes.Labels = []string{" "} }, fault.Fields{"labels": {"can't be blank"}}},
		{func(d *mergerequest.Draft) {
			d.Description, d.Attributes.Labels = strings.Repeat("x", 64<<10), labels(100)
		}, nil},
	} {
		d := draft()
		test.edit(&d)
		_, err := a.Merges.Create(t.Context(), by(a.ada), a.p, d)
		apptest.WantComplaints(t, fmt.Sprintf("Create(%.200v)", d), err, test.want)
	}
	for _, name := range []string{"a b", "a~", "a^b", "a:b", "a?", "a*", "a[b", `a\b`} {
		_, err := a.Merges.Create(t.Context(), by(a.ada), a.p, mergerequest.Draft{Title: "x", SourceBranch: name, TargetBranch: "next"})
		apptest.WantComplaints(t, "Create from "+name, err, fault.Fields{"source_branch": {noBranch}})
	}
}

func TestChange(t *testing.T) {
	a := arrange(t)
	m := a.report(t, a.add(t, draft()), mergeable())
	want := m.Thing
	a.Pass(time.Minute)
	for _, step := range []struct {
		change mergerequest.Change
		apply  func(*mergerequest.MergeRequest)
	}{
		{mergerequest.Change{}, func(*mergerequest.MergeRequest) {}},
		{mergerequest.Change{Title: ptr("New")}, func(m *mergerequest.MergeRequest) { m.Title = "New" }},
		{mergerequest.Change{Description: ptr("")}, func(m *mergerequest.MergeRequest) { m.Description = "" }},
		{mergerequest.Change{Event: mergerequest.Reopen}, func(*mergerequest.MergeRequest) {}}, // is open
		{mergerequest.Change{TargetBranch: ptr("next")}, func(m *mergerequest.MergeRequest) { m.TargetBranch, m.MergeStatus = "next", mergerequest.Unchecked }},
		{mergerequest.Change{Event: mergerequest.Close}, func(m *mergerequest.MergeRequest) {
			m.State, m.ClosedAt, m.ClosedByID = mergerequest.Closed, a.now(), a.ben.ID
		}},
		{mergerequest.Change{Event: mergerequest.Close}, func(*mergerequest.MergeRequest) {}}, // is closed
		{mergerequest.Change{Event: mergerequest.Reopen}, func(m *mergerequest.MergeRequest) {
			m.State, m.ClosedAt, m.ClosedByID, m.MergeStatus = mergerequest.Opened, time.Time{}, 0, mergerequest.Unchecked
		}},
		{mergerequest.Change{Attributes: mergerequest.AttributesChange{Squash: ptr(true)}}, func(m *mergerequest.MergeRequest) { m.Squash = true }},
	} {
		step.apply(&want)
		want.UpdatedAt = a.now()
		m = a.change(t, m, step.change)
		a.want(t, 1, want)
		if m.Thing.MergeStatus == mergerequest.Unchecked {
			m = a.report(t, m, mergeable())
			want.MergeStatus = mergerequest.CanBeMerged
		}
	}
	_, err := a.Merges.Change(t.Context(), by(a.ben), a.p, m, mergerequest.Change{Title: ptr("")})
	apptest.WantComplaints(t, "Change", err, fault.Fields{"title": {"can't be blank"}})
	a.want(t, 1, want)
}

// What is closed keeps its status when the target changes, and opens unchecked.
func TestAClosedOneIsCheckedWhenItOpens(t *testing.T) {
	a := arrange(t)
	m := a.change(t, a.report(t, a.add(t, draft()), mergeable()), mergerequest.Change{Event: mergerequest.Close})
	if m = a.change(t, m, mergerequest.Change{TargetBranch: ptr("next")}); m.Thing.MergeStatus != mergerequest.CanBeMerged {
		t.Errorf("a closed one with another target is %s", m.Thing.MergeStatus)
	}
	if m = a.change(t, m, mergerequest.Change{Event: mergerequest.Reopen}); m.Thing.MergeStatus != mergerequest.Unchecked {
		t.Errorf("an opened one is %s, want unchecked", m.Thing.MergeStatus)
	}
}

func TestReopenNeedsFreeBranches(t *testing.T) {
	a := arrange(t)
	first := a.change(t, a.add(t, draft()), mergerequest.Change{Event: mergerequest.Close})
	a.add(t, draft())
	if _, err := a.Merges.Change(t.Context(), by(a.ada), a.p, first, mergerequest.Change{Event: mergerequest.Reopen}); !errors.Is(err, mergerequest.ErrOpenAlready) {
		t.Errorf("Change = %v, want %v", err, mergerequest.ErrOpenAlready)
	}
}

func TestMerge(t *testing.T) {
	const head = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"
	auto := mergerequest.Merging{Auto: true}
	conflict := mergerequest.Report{MergeStatus: ptr(mergerequest.CannotBe)}
	blocked := mergerequest.Report{MergeStatus: ptr(mergerequest.CanBeMerged), BlockingReason: ptr(mergerequest.BlockingReason("ci_still_running"))}
	withHead := mergeable()
	withHead.Commits.Head = ptr(head)
	for name, test := range map[string]struct {
		report mergerequest.Report
		change mergerequest.Change
		how    mergerequest.Merging
		want   error
		state  mergerequest.State // after it
		auto   bool
	}{
		"mergeable":             {mergeable(), mergerequest.Change{}, mergerequest.Merging{}, nil, mergerequest.Merged, false},
		"mergeable, by itself":  {mergeable(), mergerequest.Change{}, auto, nil, mergerequest.Merged, false},
		"unchecked":             {mergerequest.Report{}, mergerequest.Change{}, mergerequest.Merging{}, mergerequest.ErrNotMergeable, "", false},
		"unchecked, by itself":  {mergerequest.Report{}, mergerequest.Change{}, auto, nil, mergerequest.Opened, true},
		"conflict":              {conflict, mergerequest.Change{}, mergerequest.Merging{}, mergerequest.ErrConflict, "", false},
		"conflict, by itself":   {conflict, mergerequest.Change{}, auto, mergerequest.ErrConflict, "", false},
		"blocked":               {blocked, mergerequest.Change{}, mergerequest.Merging{}, mergerequest.ErrNotMergeable, "", false},
		"blocked, by itself":    {blocked, mergerequest.Change{}, auto, nil, mergerequest.Opened, true},
		"a draft, by itself":    {mergeable(), mergerequest.Change{Title: ptr("Draft: x")}, auto, mergerequest.ErrNotMergeable, "", false},
		"closed, by itself":     {mergeable(), mergerequest.Change{Event: mergerequest.Close}, auto, mergerequest.ErrNotMergeable, "", false},
		"the last commit":       {withHead, mergerequest.Change{}, mergerequest.Merging{SHA: strings.ToUpper(head)}, nil, mergerequest.Merged, false},
		"another commit":        {withHead, mergerequest.Change{}, mergerequest.Merging{SHA: head[1:]}, mergerequest.ErrOtherCommit, "", false},
		"another, by itself":    {withHead, mergerequest.Change{}, mergerequest.Merging{SHA: head[1:], Auto: true}, mergerequest.ErrOtherCommit, "", false},
		"no commit was told":    {mergeable(), mergerequest.Change{}, mergerequest.Merging{SHA: head}, nil, mergerequest.Merged, false},
		"another of one closed": {withHead, mergerequest.Change{Event: mergerequest.Close}, mergerequest.Merging{SHA: head[1:]}, mergerequest.ErrNotMergeable, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			a := arrange(t)
			m := a.change(t, a.report(t, a.add(t, draft()), test.report), test.change)
			was := m.Thing
			a.Pass(time.Minute)
			_, err := a.Merges.Merge(t.Context(), by(a.ben), a.p, m, test.how)
			if !errors.Is(err, test.want) {
				t.Errorf("Merge = %v, want %v", err, test.want)
			}
			if test.want == nil {
				was.State, was.AutoMerge, was.MergeUserID, was.UpdatedAt = test.state, test.auto, a.ben.ID, a.now()
				if test.state == mergerequest.Merged {
					was.MergedAt = a.now()
				}
			}
			a.want(t, 1, was)
		})
	}
}

// Who set it to be merged is who merged it, whoever calls in the end, unless it was
// closed in between.
func TestMergeInTheNameOfAnother(t *testing.T) {
	a := arrange(t)
	for _, closed := range []bool{false, true} {
		m, err := a.Merges.Merge(t.Context(), by(a.ben), a.p, a.add(t, draft()), mergerequest.Merging{Auto: true})
		if err != nil {
			t.Fatal(err)
		}
		want := a.ben.ID
		if closed {
			want = a.ada.ID
			if m = a.change(t, m, mergerequest.Change{Event: mergerequest.Close}); m.Thing.AutoMerge || m.Thing.MergeUserID != 0 {
				t.Errorf("a closed one will be merged: %+v", m.Thing)
			}
			m = a.change(t, m, mergerequest.Change{Event: mergerequest.Reopen})
		}
		m, err = a.Merges.Merge(t.Context(), by(a.ada), a.p, a.report(t, m, mergeable()), mergerequest.Merging{})
		if err != nil || m.Thing.MergedByID() != want || m.Thing.AutoMerge {
			t.Errorf("Merge = %+v, %v, want it merged by %d", m.Thing, err, want)
		}
	}
}

func TestReport(t *testing.T) {
	a := arrange(t)
	m := a.add(t, draft())
	want, wantDiffs := m.Thing, mergerequest.Diffs{}
	a.Pass(time.Minute) // reports leave the time of the last change
	hash := strings.Repeat("0", 40)
	for _, step := range []struct {
		report mergerequest.Report
		apply  func()
	}{
		{mergerequest.Report{}, func() {}},
		{mergerequest.Report{MergeStatus: ptr(mergerequest.Checking)}, func() { want.MergeStatus = mergerequest.Checking }},
		{mergerequest.Report{BlockingReason: ptr(mergerequest.UnresolvedDiscussions)}, func() { want.BlockingReason = mergerequest.UnresolvedDiscussions }},
		{mergerequest.Report{Overflow: ptr(true)}, func() { wantDiffs.Overflow = true }},
		{mergerequest.Report{Diffs: []mergerequest.Diff{{NewPath: "a"}}}, func() { wantDiffs.Files = []mergerequest.Diff{{NewPath: "a"}} }},
		{mergerequest.Report{Diffs: []mergerequest.Diff{}, Overflow: ptr(false)}, func() { wantDiffs = mergerequest.Diffs{} }},
		{mergerequest.Report{Commits: mergerequest.CommitsReport{Head: &hash}}, func() { want.Commits.Head = hash }},
		{mergerequest.Report{Commits: mergerequest.CommitsReport{Merge: &hash}}, func() { want.Commits.Merge = hash }},
		{mergerequest.Report{Commits: mergerequest.CommitsReport{Squash: &hash}}, func() { want.Commits.Squash = hash }},
		{mergerequest.Report{Commits: mergerequest.CommitsReport{Head: ptr("")}}, func() { want.Commits.Head = "" }},
	} {
		step.apply()
		m = a.report(t, m, step.report)
		a.want(t, 1, want)
		got, err := a.Merges.Diffs(t.Context(), a.p, 1)
		if diff := cmp.Diff(wantDiffs, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("Diffs = %v, differs (-want +got):\n%s", err, diff)
		}
	}
	bad := ptr("xyz")
	_, err := a.Merges.Report(t.Context(), a.p, m, mergerequest.Report{
		MergeStatus: ptr(mergerequest.CanBeMerged), Overflow: ptr(true), Commits: mergerequest.CommitsReport{Head: bad, Merge: bad, Squash: bad},
	})
	const noHash = "is not the hash of a commit"
	apptest.WantComplaints(t, "Report", err, fault.Fields{"sha": {noHash}, "merge_commit_sha": {noHash}, "squash_commit_sha": {noHash}})
	a.want(t, 1, want)
	if got, err := a.Merges.Diffs(t.Context(), a.p, 1); got.Overflow || err != nil {
		t.Errorf("Diffs after a refused report = %+v, %v", got, err)
	}
}

func TestAttributes(t *testing.T) {
	a := arrange(t)
	d := draft()
	d.Attributes = mergerequest.AttributesChange{
		AssigneeIDs: []int64{a.ben.ID, a.ada.ID, a.ben.ID}, ReviewerIDs: []int64{a.ben.ID, a.ben.ID}, Labels: []string{"late", "Bug", "bug"},
	}
	m := a.add(t, d)
	want := m.Thing
	want.Attributes = mergerequest.Attributes{AssigneeIDs: []int64{a.ben.ID, a.ada.ID}, ReviewerIDs: []int64{a.ben.ID}, Labels: []string{"Bug", "late"}}
	a.want(t, 1, want)
	if err := a.Projects.Leave(t.Context(), by(a.ben), a.p.Place()); err != nil {
		t.Fatal(err)
	}
	type change = mergerequest.AttributesChange
	for _, step := range []struct {
		change change
		apply  func()
	}{
		{change{}, func() {}},
		{change{AssigneeIDs: []int64{a.ben.ID}}, func() { want.AssigneeIDs = []int64{a.ben.ID} }}, // who is named stays
		{change{ReviewerIDs: []int64{a.ada.ID, a.ben.ID}}, func() { want.ReviewerIDs = []int64{a.ada.ID, a.ben.ID} }},
		{change{AddLabels: []string{"LATE", "a"}}, func() { want.Labels = []string{"Bug", "a", "late"} }},
		{change{RemoveLabels: []string{"bug", "x"}}, func() { want.Labels = []string{"a", "late"} }},
		{change{Labels: []string{"b", "c"}, AddLabels: []string{"d"}, RemoveLabels: []string{"c"}}, func() { want.Labels = []string{"b", "d"} }},
		{change{AssigneeIDs: []int64{}, ReviewerIDs: []int64{}, Labels: []string{}}, func() { want.AssigneeIDs, want.ReviewerIDs, want.Labels = nil, nil, nil }},
		{change{Squash: ptr(true)}, func() { want.Squash = true }},
		{change{RemoveSourceBranch: ptr(true)}, func() { want.RemoveSourceBranch = true }},
		{change{AllowCollaboration: ptr(true)}, func() { want.AllowCollaboration = true }},
		{change{DiscussionLocked: ptr(true)}, func() { want.DiscussionLocked = true }},
	} {
		step.apply()
		next, err := a.Merges.Change(t.Context(), by(a.ada), a.p, m, mergerequest.Change{Attributes: step.change})
		if err != nil {
			t.Errorf("Change(%+v) = %v", step.change, err)
		}
		m = next
		a.want(t, 1, want)
	}
	_, err := a.Merges.Change(t.Context(), by(a.ada), a.p, m, mergerequest.Change{Attributes: change{AssigneeIDs: []int64{a.ben.ID}, ReviewerIDs: []int64{a.ben.ID}}})
	apptest.WantComplaints(t, "Change to somebody who left", err, fault.Fields{"assignee_ids": {stranger}, "reviewer_ids": {stranger}})
}

func TestList(t *testing.T) {
	a := arrange(t)
	first := draft()
	first.Attributes = mergerequest.AttributesChange{AssigneeIDs: []int64{a.ada.ID}, ReviewerIDs: []int64{a.ben.ID}, Labels: []string{"bug", "late"}}
	a.add(t, first)
	second := a.add(t, mergerequest.Draft{Title: "Draft: Second", SourceBranch: "other", TargetBranch: "main", Attributes: mergerequest.AttributesChange{Labels: []string{"bug"}}})
	a.change(t, second, mergerequest.Change{Event: mergerequest.Close})
	if _, err := a.Merges.Create(t.Context(), by(a.ben), a.p, mergerequest.Draft{Title: "Third", SourceBranch: "fix", TargetBranch: "next"}); err != nil {
		t.Fatal(err)
	}
	type f = mergerequest.Filter
	for _, test := range []struct {
		filter f
		want   []int64
	}{
		{f{}, []int64{3, 2, 1}},
		{f{State: mergerequest.Opened}, []int64{3, 1}},
		{f{State: mergerequest.Merged}, nil},
		{f{AuthorID: a.ben.ID}, []int64{3}},
		{f{AuthorID: 99}, nil},
		{f{SourceBranch: "fix"}, []int64{3, 1}},
		{f{SourceBranch: "Fix"}, nil},
		{f{TargetBranch: "main"}, []int64{2, 1}},
		{f{SourceBranch: "fix", TargetBranch: "main"}, []int64{1}},
		{f{Search: "SECOND"}, []int64{2}},
		{f{Search: "all of"}, []int64{1}},
		{f{Search: "it\nall"}, []int64{1}},
		{f{Numbers: []int64{3, 1, 9}}, []int64{3, 1}},
		{f{Numbers: []int64{}}, nil},
		{f{Assignee: mergerequest.Who{ID: a.ada.ID}}, []int64{1}},
		{f{Assignee: mergerequest.Who{ID: a.ben.ID}}, nil},
		{f{Assignee: mergerequest.Who{Anybody: true}}, []int64{1}},
		{f{Assignee: mergerequest.Who{Nobody: true}}, []int64{3, 2}},
		{f{Reviewer: mergerequest.Who{ID: a.ben.ID}}, []int64{1}},
		{f{Reviewer: mergerequest.Who{Nobody: true}}, []int64{3, 2}},
		{f{Labels: []string{"BUG"}}, []int64{2, 1}},
		{f{Labels: []string{"bug", "late"}}, []int64{1}},
		{f{Draft: ptr(true)}, []int64{2}},
		{f{Draft: ptr(false)}, []int64{3, 1}},
	} {
		found, err := a.Merges.List(t.Context(), a.p, test.filter, page.First)
		var got []int64
		for _, m := range found.Items {
			got = append(got, m.Number)
		}
		if !slices.Equal(got, test.want) || err != nil {
			t.Errorf("List(%+v) = %v, %v, want %v", test.filter, got, err, test.want)
		}
	}
	// Only a list without a filter is counted.
	for want, filter := range map[int]f{3: {}, -1: {State: mergerequest.Opened}} {
		if found, err := a.Merges.List(t.Context(), a.p, filter, page.First); found.Total != want || err != nil {
			t.Errorf("List(%+v) has the total %d, %v, want %d", filter, found.Total, err, want)
		}
	}
}

func TestTheTrailHasEveryDeed(t *testing.T) {
	a := arrange(t)
	m := a.change(t, a.add(t, draft()), mergerequest.Change{Title: ptr("New")})
	for _, how := range []mergerequest.Merging{{Auto: true}, {}} {
		m = a.report(t, m, mergerequest.Report{MergeStatus: ptr(mergerequest.CanBeMerged), BlockingReason: ptr(mergerequest.BlockingReason("preparing"))})
		if !how.Auto {
			m = a.report(t, m, mergeable())
		}
		var err error
		if m, err = a.Merges.Merge(t.Context(), by(a.ben), a.p, m, how); err != nil {
			t.Fatal(err)
		}
	}
	found, err := a.Trail.Entries(t.Context(), audit.Filter{ProjectID: a.p.ID, Size: 9})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range found.Entries {
		if e.UserID != 0 {
			got = append(got, fmt.Sprint(e.Name, " ", e.Details["merge_request"], " ", e.Details["title"], " ", e.Details["state"]))
		}
	}
	slices.Sort(got)
	want := []string{
		"merge_request.changed 1 New opened", "merge_request.changed 1 New opened", "merge_request.created  Fix it opened", "merge_request.merged 1 New merged",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the trail differs (-want +got):\n%s", diff)
	}
}
