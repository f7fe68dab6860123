package dynamodb_test

import (
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
	"gatehouse/shared/user"
)

// A search reads no more than 200 of the projects that a user joined one by one. The
// page ends there, and the next one goes on.
func TestSearchReadsFewJoinedProjects(t *testing.T) {
	o, units := options(t), &readUnits{}
	o.HTTPClient = units
	s := openWith(t, o)
	const length, most = 230, 200
	ben, joined := addUser(t, s), make([]project.Project, 0, length)
	g := addGroup(t, s, project.Group{}, unique("group"), addUser(t, s).ID)
	for n := range length {
		p := newProject(g)
		p.Name, p.CreatedAt = unique("joined"), now.Add(time.Duration(n)*time.Second)
		joined = append(joined, must[project.Project](t)(s.CreateProject(t.Context(), p)))
	}
	addVisible(t, s, g, 10)
	join(t, s, ben, joined)
	selected := project.Selection{MemberID: ben.ID, Now: now, Search: joined[0].Name}

	units.units = 0
	first := must[page.Of[project.Project]](t)(s.Projects(t.Context(), selected, page.First))
	end := joined[length-most]
	if len(first.Items) > 0 || first.Next != page.At(end.ID) || !first.SearchedUntil.Equal(end.CreatedAt) {
		t.Errorf("the first page has %d items, ends at %v, searched until %v, want none, %d, %v",
			len(first.Items), first.Next, first.SearchedUntil, end.ID, end.CreatedAt)
	}
	if units.units < most || units.units > most+20 {
		t.Errorf("the first page takes %.1f read units, want %d and a few", units.units, most)
	}
	second := must[page.Of[project.Project]](t)(s.Projects(t.Context(), selected, page.Request{Number: 2, Size: 20, After: first.Next}))
	if len(second.Items) != 1 || second.Items[0].ID != joined[0].ID || second.More || !second.SearchedUntil.IsZero() {
		t.Errorf("the second page is %+v, want project %d alone", second, joined[0].ID)
	}
}

// A search that finds projects which the user joined one by one, and others, takes
// three steps with the user's groups, and reads each project once.
func TestBudgetOfSearchThatFindsJoinedProjects(t *testing.T) {
	o, steps := options(t), &dynamodbtest.Steps{}
	s := openWith(t, o)
	ben := addUser(t, s)
	g := addGroup(t, s, project.Group{}, unique("group"), addUser(t, s).ID)
	private := must[project.Project](t)(s.CreateProject(t.Context(), newProject(g)))
	join(t, s, ben, append(addVisible(t, s, g, 3), private))
	addVisible(t, s, g, 3)
	call := func(number, want int) func() {
		return func() {
			viewer, r := project.Viewer{UserID: ben.ID, NamespaceID: ben.NamespaceID}, page.Request{Number: number, Size: 5}
			found := must[page.Of[project.Project]](t)(project.NewRules(s, nil, nil, nil, time.Now).Sight(viewer, project.Narrowing{Search: g.Path}).Projects(t.Context(), r))
			if len(found.Items) != want {
				t.Errorf("page %d has %d projects, want %d", number, len(found.Items), want)
			}
		}
	}
	call(1, 5)() // finds the mark that lists are complete
	o.HTTPClient = steps
	s = openWith(t, o)
	call(1, 5)()
	if taken, _ := steps.During(call(1, 5)); taken != 3 {
		t.Errorf("the first page takes %d steps, want 3", taken)
	}
	if taken, _ := steps.During(call(2, 2)); taken > 4 {
		t.Errorf("the second page takes %d steps, want 4 at most", taken)
	}
}

// addVisible adds so many projects that everyone sees.
func addVisible(t *testing.T, s storage.Store, g project.Group, n int) (all []project.Project) {
	t.Helper()
	for range n {
		p := newProject(g)
		p.Visibility = project.Internal
		all = append(all, must[project.Project](t)(s.CreateProject(t.Context(), p)))
	}
	return all
}

func join(t *testing.T, s storage.Store, u user.User, projects []project.Project) {
	t.Helper()
	calls, ctx := errgroup.WithContext(t.Context())
	calls.SetLimit(8)
	for _, p := range projects {
		calls.Go(func() error {
			return s.AddMember(ctx, project.Member{Place: p.Place(), UserID: u.ID, Role: project.Guest, CreatedAt: now})
		})
	}
	if err := calls.Wait(); err != nil {
		t.Fatal(err)
	}
}
