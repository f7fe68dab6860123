package dynamodb_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
	"gatehouse/shared/user"
)

// A page of a list takes the same however long the list is: the entries and the
// counts, and then the things.
func TestBudgetOfDirectoryLists(t *testing.T) {
	o, w := options(t), &dynamodbtest.Steps{}
	s := openWith(t, o)
	ctx, creator, ben := t.Context(), addUser(t, s), addUser(t, s)
	top := addGroup(t, s, project.Group{}, unique("top"), creator.ID)
	below := addGroup(t, s, top, unique("below"), creator.ID)
	for n := range 30 {
		p := newProject(below)
		p.Visibility = []project.Visibility{project.Private, project.Internal}[n%2]
		p = must[project.Project](t)(s.CreateProject(ctx, p))
		m := project.Member{Place: p.Place(), UserID: ben.ID, Role: project.Guest, CreatedAt: now}
		if err := s.AddMember(ctx, m); err != nil {
			t.Fatal(err)
		}
	}
	o.HTTPClient = w
	measured := dynamodb.New(o)
	if err := measured.Ping(ctx); err != nil { // as every function does when it starts
		t.Fatal(err)
	}
	projects := func(selected project.Selection) func() {
		return func() { must[page.Of[project.Project]](t)(measured.Projects(ctx, selected, page.First)) }
	}
	groups := func(selected project.Selection) func() {
		return func() { must[page.Of[project.Group]](t)(measured.Groups(ctx, selected, page.First)) }
	}
	rules, both := project.NewRules(measured, nil, nil, nil, time.Now), []int64{top.ID, below.ID}
	viewer := func(u user.User) project.Viewer { return project.Viewer{UserID: u.ID, NamespaceID: u.NamespaceID} }
	tests := []struct {
		name          string
		call          func()
		steps, widest int
	}{
		{"Users", func() { must[page.Of[user.User]](t)(measured.Users(ctx, page.First)) }, 2, 2},
		{"Projects", projects(project.Selection{All: true}), 2, 2},
		{"Projects by a number far too high", func() {
			far := page.Request{Number: math.MaxInt32, Size: page.MaxSize}
			must[page.Of[project.Project]](t)(measured.Projects(ctx, project.Selection{}, far))
		}, 1, 2}, // of which none reads a list
		{"Projects that everyone sees", projects(project.Selection{}), 2, 2},
		{"Projects in groups", projects(project.Selection{In: both}), 2, 5},
		{"Projects in groups, and joined", projects(project.Selection{In: both, MemberID: ben.ID}), 2, 7},
		{"Projects searched", projects(project.Selection{All: true, Search: "project"}), 2, 1},
		{"Projects in groups searched, and joined", projects(project.Selection{In: both, MemberID: ben.ID, Search: "project"}), 2, 4},
		{"Projects searched, and joined", projects(project.Selection{MemberID: ben.ID, Search: "project"}), 2, 2},
		{"projects of the creator", func() {
			must[page.Of[project.Project]](t)(rules.Sight(viewer(creator), project.Narrowing{}).Projects(ctx, page.First))
		}, 3, 8},
		{"projects of a member", func() {
			must[page.Of[project.Project]](t)(rules.Sight(viewer(ben), project.Narrowing{}).Projects(ctx, page.First))
		}, 3, 6},
		{"groups of the creator", func() {
			must[page.Of[project.Group]](t)(rules.Sight(viewer(creator), project.Narrowing{}).Groups(ctx, page.First))
		}, 3, 5},
		{"Groups", groups(project.Selection{All: true}), 2, 2},
		{"Groups in groups", groups(project.Selection{In: both}), 2, 5},
	}
	for _, test := range tests {
		if steps, widest := w.During(test.call); steps != test.steps || widest != test.widest {
			t.Errorf("%s takes %d steps of at most %d requests, want %d of %d", test.name, steps, widest, test.steps, test.widest)
		}
	}
}

// Of many groups, a list asks only those at the top that hold something.
func TestListsOfManyGroups(t *testing.T) {
	o, w, units := options(t), &dynamodbtest.Steps{}, &readUnits{}
	s := openWith(t, o)
	ctx, creator := t.Context(), addUser(t, s)
	top, many := addGroup(t, s, project.Group{}, unique("top"), creator.ID), []int64{creator.NamespaceID}
	for range 40 {
		below := addGroup(t, s, top, unique("below"), creator.ID)
		must[project.Project](t)(s.CreateProject(ctx, newProject(below)))
		many = append(many, below.ID)
	}
	wide := project.Selection{In: append(many, top.ID), MembersOnly: true}
	list := func(client interface {
		Do(*http.Request) (*http.Response, error)
	}) func() {
		o.HTTPClient = client
		measured := dynamodb.New(o)
		if err := measured.Ping(ctx); err != nil { // as every function does when it starts
			t.Fatal(err)
		}
		return func() {
			got := must[page.Of[project.Project]](t)(measured.Projects(ctx, wide, page.First))
			if len(got.Items) != page.DefaultSize || got.Total != 40 || !got.More {
				t.Errorf("the list has %d items of %d, more %t, want 20 of 40", len(got.Items), got.Total, got.More)
			}
		}
	}
	if steps, widest := w.During(list(w)); steps != 3 || widest != 1 {
		t.Errorf("a list of 42 groups takes %d steps of at most %d requests, want 3 of 1", steps, widest)
	}
	call := list(units)
	units.units = 0
	if call(); units.units > 42+20+2*3 { // groups, projects, and what else is in one request each
		t.Errorf("a list of 42 groups takes %.1f read units", units.units)
	}
}

// A move of something deep below others fits into one transaction.
func TestDeepestPlaceFitsIntoATransaction(t *testing.T) {
	s := openWith(t, options(t))
	ctx, creator := t.Context(), addUser(t, s)
	var g project.Group
	for range 20 {
		g = addGroup(t, s, g, unique("g"), creator.ID)
	}
	p := newProject(g)
	p.Visibility = project.Internal
	p = must[project.Project](t)(s.CreateProject(ctx, p))
	for range 50 {
		m := project.Member{Place: p.Place(), UserID: addUser(t, s).ID, Role: project.Guest, CreatedAt: now}
		if err := s.AddMember(ctx, m); err != nil {
			t.Fatal(err)
		}
	}
	p.Visibility, p.Name = project.Public, "Another name"
	if err := s.UpdateProject(ctx, p); err != nil {
		t.Errorf("UpdateProject = %v", err)
	}
	if err := s.DeleteProject(ctx, p.ID); err != nil {
		t.Errorf("DeleteProject = %v", err)
	}
	g.Visibility, g.Name = project.Internal, "Another name"
	if err := s.UpdateGroup(ctx, g); err != nil {
		t.Errorf("UpdateGroup = %v", err)
	}
	if err := s.DeleteGroup(ctx, g.ID, now); err != nil {
		t.Errorf("DeleteGroup = %v", err)
	}
}
