package runner_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/runner"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/user"
)

// house is an instance with runners everywhere.
type house struct {
	*apptest.App
	top, team project.Group
	web, own  project.Project
	ada, ben  user.User        // ada owns everything but ben's namespace
	names     map[int64]string // of the runners, by id
	all       map[string]runner.Made
}

func newHouse(t *testing.T) *house {
	t.Helper()
	return newHouseOver(t, newHinting(t))
}

func newHouseOver(t *testing.T, s storage.Store) *house {
	t.Helper()
	h := &house{App: apptest.Over(t, s), names: map[int64]string{}, all: map[string]runner.Made{}}
	h.ada, h.ben = h.User("ada"), h.User("ben")
	h.top = h.Group("acme", project.Group{}, h.ada, project.Private)
	h.team = h.Group("team", h.top, h.ada, project.Private)
	h.web = h.Project("web", h.team, project.Private)
	h.own = h.Project("own", h.Namespace(h.ben), project.Private)
	for _, one := range []struct {
		name string
		at   project.Place
	}{{"instance", record.Instance}, {"top", h.top.Place()}, {"team", h.team.Place()}, {"web", h.web.Place()}, {"own", h.own.Place()}} {
		made := register(t, h.App, one.at, runner.Change{Description: &one.name})
		h.names[made.ID], h.all[one.name] = one.name, made
	}
	return h
}

// wantNames checks a list by the names of its runners.
func (h *house) wantNames(t *testing.T, what, want string, list func(page.Request) (page.Of[runner.Stored], error)) {
	t.Helper()
	var got []string
	for req := (page.Request{Number: 1, Size: 2}); ; req.Number++ {
		found := must[page.Of[runner.Stored]](t)(list(req))
		for _, s := range found.Items {
			got = append(got, h.names[s.ID])
		}
		if !found.More {
			break
		}
		req.After = found.Next
	}
	if strings.Join(got, " ") != want {
		t.Errorf("%s has %q, want %q", what, strings.Join(got, " "), want)
	}
}

func TestWhatListsHave(t *testing.T) {
	h := newHouse(t)
	by := audit.ByUser(h.ben.ID)
	must[runner.Stored](t)(h.Runners.Assign(t.Context(), by, viewer(h.ben), h.web, h.all["own"].ID))
	tests := []struct {
		f                        runner.Filter
		all, ofWeb, ofOwn, ofTop string
		ofTeam                   string
	}{
		{runner.Filter{}, "own web team top instance", "own web team top instance", "own instance", "top instance", "team top instance"},
		{runner.Filter{Type: runner.InstanceType}, "instance", "instance", "instance", "instance", "instance"},
		{runner.Filter{Type: runner.GroupType}, "team top", "team top", "", "top", "team top"},
		{runner.Filter{Type: runner.ProjectType}, "own web", "own web", "own", "", ""},
	}
	for _, test := range tests {
		what := fmt.Sprintf("with the type %q the list of ", test.f.Type)
		list := func(f func(f runner.Filter, req page.Request) (page.Of[runner.Stored], error)) func(page.Request) (page.Of[runner.Stored], error) {
			return func(req page.Request) (page.Of[runner.Stored], error) { return f(test.f, req) }
		}
		h.wantNames(t, what+"all", test.all, list(func(f runner.Filter, req page.Request) (page.Of[runner.Stored], error) {
			return h.Runners.All(t.Context(), f, req)
		}))
		for p, want := range map[*project.Project]string{&h.web: test.ofWeb, &h.own: test.ofOwn} {
			h.wantNames(t, what+p.Path, want, list(func(f runner.Filter, req page.Request) (page.Of[runner.Stored], error) {
				return h.Runners.OfProject(t.Context(), *p, f, req)
			}))
		}
		for g, want := range map[*project.Group]string{&h.top: test.ofTop, &h.team: test.ofTeam} {
			h.wantNames(t, what+g.Path, want, list(func(f runner.Filter, req page.Request) (page.Of[runner.Stored], error) {
				return h.Runners.OfGroup(t.Context(), *g, f, req)
			}))
		}
	}
	if err := h.Runners.Unassign(t.Context(), by, h.web, h.all["own"].ID); err != nil {
		t.Fatal(err)
	}
	h.wantNames(t, "after it was taken away the project", "web team top instance", func(req page.Request) (page.Of[runner.Stored], error) {
		return h.Runners.OfProject(t.Context(), h.web, runner.Filter{}, req)
	})
}

// hinting is a store that looks at hints first and, as a store may, keeps nothing that
// they exclude.
type hinting struct {
	storage.Store
	mu       sync.Mutex
	hints    map[int64]string // of runners, by id
	excluded int
}

func newHinting(t *testing.T) *hinting {
	return &hinting{Store: sqlitetest.Open(t), hints: map[int64]string{}}
}

func (s *hinting) note(r record.Record, hint string) {
	if s.mu.Lock(); r.Kind == "runner" {
		s.hints[r.ID] = hint
	}
	s.mu.Unlock()
}

func (s *hinting) CreateRecord(ctx context.Context, r record.Record, perPlace bool) (record.Record, error) {
	made, err := s.Store.CreateRecord(ctx, r, perPlace)
	s.note(made, r.Hint)
	return made, err
}

func (s *hinting) ChangeRecord(ctx context.Context, was, next record.Record) (record.Record, error) {
	changed, err := s.Store.ChangeRecord(ctx, was, next)
	if err == nil {
		s.note(changed, next.Hint)
	}
	return changed, err
}

func (s *hinting) ListedRecords(ctx context.Context, k record.Kind, in []record.List, find record.Search, r page.Request) (page.Of[record.Record], error) {
	if keep := find.Keep; keep != nil {
		find.Keep = func(r record.Record) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			if !find.May(record.Record{Kind: r.Kind, Place: r.Place, ID: r.ID, Hint: s.hints[r.ID]}) {
				s.excluded++
				return false
			}
			return keep(r)
		}
	}
	return s.Store.ListedRecords(ctx, k, in, find, r)
}

// What a hint says of the last contact is right at every time of the day, and excludes
// most.
func TestHintsOfContacts(t *testing.T) {
	store := newHinting(t)
	a := apptest.Over(t, store)
	made := register(t, a, record.Instance, runner.Change{})
	other := register(t, a, record.Instance, runner.Change{Tags: []string{"linux"}})
	has := func(f runner.Filter, id int64, want bool) {
		t.Helper()
		found := must[page.Of[runner.Stored]](t)(a.Runners.All(t.Context(), f, page.First))
		if got := slices.ContainsFunc(found.Items, func(s runner.Stored) bool { return s.ID == id }); got != want {
			t.Errorf("%v later %+v has the runner: %t, want %t", a.Now(), f, got, want)
		}
	}
	for range 30 {
		must[runner.Stored](t)(a.Runners.Verify(t.Context(), made.Token, address))
		for _, later := range []time.Duration{0, 2*time.Hour - time.Millisecond, time.Millisecond} {
			a.Pass(later)
			online := later != time.Millisecond
			has(runner.Filter{Statuses: []runner.Status{runner.Online}}, made.ID, online)
			has(runner.Filter{Statuses: []runner.Status{runner.Offline}}, made.ID, !online)
			has(runner.Filter{Statuses: []runner.Status{runner.NotConnected}}, made.ID, false)
			has(runner.Filter{Statuses: []runner.Status{runner.NotConnected}}, other.ID, true)
		}
	}
	stale := runner.Filter{Statuses: []runner.Status{runner.Stale}}
	a.Pass(7*24*time.Hour - 2*time.Hour - time.Millisecond)
	has(stale, made.ID, false)
	a.Pass(time.Millisecond)
	has(stale, made.ID, true)
	has(stale, other.ID, false)
	has(runner.Filter{Statuses: []runner.Status{runner.Stale, runner.Offline}}, made.ID, true)
	store.excluded = 0
	has(runner.Filter{Statuses: []runner.Status{runner.Online}}, made.ID, false)
	has(runner.Filter{Tags: []string{"linux"}}, other.ID, true)
	has(runner.Filter{Paused: []bool{true}}, made.ID, false)
	if store.excluded != 2+1+2 {
		t.Errorf("the hints exclude %d, want both that are not online, that without tags, and both that are not paused", store.excluded)
	}
}

func TestFilters(t *testing.T) {
	a := apptest.Over(t, newHinting(t))
	yes := true
	h := &house{App: a, names: map[int64]string{}}
	for name, c := range map[string]runner.Change{"plain": {}, "paused": {Paused: &yes, Tags: []string{"linux"}}, "tagged": {Tags: []string{"linux", "arm 64"}}} {
		made := register(t, a, record.Instance, c)
		h.names[made.ID] = name
		if name == "tagged" {
			must[runner.Stored](t)(a.Runners.Verify(t.Context(), made.Token, address))
		}
	}
	tests := []struct {
		f    runner.Filter
		want []string
	}{
		{runner.Filter{}, []string{"paused", "plain", "tagged"}},
		{runner.Filter{Paused: []bool{true}}, []string{"paused"}},
		{runner.Filter{Paused: []bool{false, false}}, []string{"plain", "tagged"}},
		{runner.Filter{Paused: []bool{true, false}}, nil},
		{runner.Filter{Statuses: []runner.Status{runner.Online}}, []string{"tagged"}},
		{runner.Filter{Statuses: []runner.Status{runner.NotConnected}}, []string{"paused", "plain"}},
		{runner.Filter{Statuses: []runner.Status{runner.Online, runner.NotConnected}}, nil},
		{runner.Filter{Statuses: []runner.Status{runner.Offline}}, nil},
		{runner.Filter{Tags: []string{"linux"}}, []string{"paused", "tagged"}},
		{runner.Filter{Tags: []string{"arm 64", "linux"}}, []string{"tagged"}},
		{runner.Filter{Tags: []string{"linux"}, Paused: []bool{true}, Type: runner.InstanceType}, []string{"paused"}},
		{runner.Filter{Type: runner.GroupType, Paused: []bool{true}}, nil},
	}
	for _, test := range tests {
		found := must[page.Of[runner.Stored]](t)(a.Runners.All(t.Context(), test.f, page.First))
		got := map[string]bool{}
		for _, s := range found.Items {
			got[h.names[s.ID]] = true
		}
		want := map[string]bool{}
		for _, name := range test.want {
			want[name] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%+v selects (-want +got):\n%s", test.f, diff)
		}
	}
}

// One's own runners are those that one manages by a membership, however many
// memberships one has.
func TestOwnRunners(t *testing.T) {
	h := newHouse(t)
	eve, max, kim, boss := h.User("eve"), h.User("max"), h.User("kim"), h.Admin("boss")
	h.Member(h.top.Place(), eve, project.Maintainer)
	h.Member(h.web.Place(), max, project.Maintainer)
	h.MemberUntil(h.own.Place(), max, project.Owner, h.Now().Add(-time.Hour))
	h.Member(h.team.Place(), kim, project.Developer)
	own := func(u user.User, f runner.Filter) func(page.Request) (page.Of[runner.Stored], error) {
		return func(req page.Request) (page.Of[runner.Stored], error) {
			return h.Runners.Own(t.Context(), viewer(u), f, req)
		}
	}
	check := func(t *testing.T) {
		h.wantNames(t, "the owner of the groups", "web team top", own(h.ada, runner.Filter{}))
		h.wantNames(t, "the owner of a namespace", "own", own(h.ben, runner.Filter{}))
		h.wantNames(t, "a Maintainer of the top group", "web", own(eve, runner.Filter{}))
		h.wantNames(t, "a Maintainer of the project", "web", own(max, runner.Filter{}))
		h.wantNames(t, "a Developer", "", own(kim, runner.Filter{}))
		h.wantNames(t, "an administrator", "", own(boss, runner.Filter{}))
		h.wantNames(t, "with the type the owner of the groups", "team top", own(h.ada, runner.Filter{Type: runner.GroupType}))
		h.wantNames(t, "with a filter the owner of the groups", "", own(h.ada, runner.Filter{Paused: []bool{true}}))
	}
	t.Run("few memberships", check)
	for _, u := range []user.User{h.ada, h.ben, eve, max, kim, boss} {
		for n := range 51 {
			h.Group(fmt.Sprintf("%s-%d", u.Username, n), project.Group{}, u, project.Private)
		}
	}
	t.Run("many memberships", check)
}

// counting counts what a list of one's own runners reads.
type counting struct {
	storage.Store
	memberships atomic.Int64
	lists       []record.List
}

func (c *counting) MembershipsIn(ctx context.Context, k project.Kind, userID int64) (project.Memberships, error) {
	c.memberships.Add(1)
	return c.Store.MembershipsIn(ctx, k, userID)
}

func (c *counting) ListedRecords(ctx context.Context, k record.Kind, in []record.List, find record.Search, r page.Request) (page.Of[record.Record], error) {
	c.lists = in
	return c.Store.ListedRecords(ctx, k, in, find, r)
}

// Only the memberships that make one manage runners count, and a page reads at most
// a hundred lists.
func TestBudgetOfOwnRunners(t *testing.T) {
	store := &counting{Store: sqlitetest.Open(t)}
	h := newHouseOver(t, store)
	dot := h.User("dot")
	h.Member(h.web.Place(), dot, project.Maintainer)
	h.Member(h.team.Place(), dot, project.Owner)
	for n := range 60 {
		g := h.Group(fmt.Sprintf("guests-%d", n), project.Group{}, h.ben, project.Private)
		h.Member(g.Place(), dot, project.Guest)
		p := h.Project(fmt.Sprintf("ended-%d", n), g, project.Private)
		h.MemberUntil(p.Place(), dot, project.Owner, h.Now().Add(-time.Hour))
	}
	own := func(u user.User, want int, f runner.Filter) {
		t.Helper()
		store.memberships.Store(0)
		must[page.Of[runner.Stored]](t)(h.Runners.Own(t.Context(), viewer(u), f, page.First))
		if got := store.memberships.Load(); got != 2 || len(store.lists) != want {
			t.Errorf("a page of %s reads memberships %d times and %d lists, want 2 and %d", u.Username, got, len(store.lists), want)
		}
	}
	own(dot, 4, runner.Filter{}) // with the namespace
	own(dot, 1, runner.Filter{Type: runner.GroupType})
	own(h.ben, 1, runner.Filter{}) // all runners: 121 lists would be too many
	own(h.ben, 61, runner.Filter{Type: runner.ProjectType})
}
