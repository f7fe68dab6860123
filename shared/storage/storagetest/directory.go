package storagetest

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

// directory is a subject of its own because it must know everything in the store.
var directory = []promise{
	{"lists are what a plain filter passes, whatever changes at once", directoryAgrees},
}

// plain is a directory in memory, of which lists are filtered.
type plain struct {
	users    map[int64]user.User
	groups   map[int64]project.Group
	projects map[int64]project.Project
	members  map[project.Member]bool
}

// directoryAgrees makes random changes, many at once, and compares every list.
func directoryAgrees(t *testing.T, s storage.Store) {
	d := plain{map[int64]user.User{}, map[int64]project.Group{}, map[int64]project.Project{}, map[project.Member]bool{}}
	for range 4 {
		u := addUser(t, s)
		d.users[u.ID], d.groups[u.NamespaceID] = u, namespaceOf(t, s, u)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 8 {
		d.round(t, s, random)
		d.compare(t, s, []int{1, 2, 3, page.MaxSize}[n%4])
	}
}

// A deed changes the store and returns what that changes in the directory.
type deed func() (done func(), err error)

// round makes twelve changes at once, each of another thing.
func (d plain) round(t *testing.T, s storage.Store, random *rand.Rand) {
	var deeds []deed
	for range 5 {
		deeds = append(deeds, d.creation(t, s, random))
	}
	groups, projects := d.shuffled(random)
	for n, g := range groups[:min(3, len(groups))] {
		deeds = append(deeds, d.groupDeed(t, s, g, n == 0, visibility(random)))
	}
	for n, p := range projects[:min(3, len(projects))] {
		deeds = append(deeds, d.projectDeed(t, s, p, n == 0, visibility(random)))
	}
	deeds = append(deeds, d.joining(t, s, random))
	done := make([]func(), len(deeds))
	for _, err := range race(len(deeds), func(n int) (err error) { done[n], err = deeds[n](); return err }) {
		if err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Conflict) {
			t.Fatal(err)
		}
	}
	for n := range deeds {
		if done[n] != nil {
			done[n]()
		}
	}
	maps.DeleteFunc(d.members, func(m project.Member, _ bool) bool { return !d.exists(m.Place) })
}

func (d plain) exists(p project.Place) bool {
	_, isGroup := d.groups[p.ID]
	_, isProject := d.projects[p.ID]
	return p.Kind == project.InGroup && isGroup || p.Kind == project.InProject && isProject
}

func visibility(random *rand.Rand) project.Visibility {
	return []project.Visibility{project.Private, project.Private, project.Internal, project.Public}[random.IntN(4)]
}

func byID[T any](things map[int64]T) []T {
	var all []T
	for _, id := range slices.Sorted(maps.Keys(things)) {
		all = append(all, things[id])
	}
	return all
}

func (d plain) shuffled(random *rand.Rand) ([]project.Group, []project.Project) {
	groups := slices.DeleteFunc(byID(d.groups), func(g project.Group) bool { return g.OwnerID != 0 })
	projects := byID(d.projects)
	random.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	random.Shuffle(len(projects), func(i, j int) { projects[i], projects[j] = projects[j], projects[i] })
	return groups, projects
}

// creation creates a group or project somewhere.
func (d plain) creation(t *testing.T, s storage.Store, random *rand.Rand) deed {
	at, creator := one(random, d.groups), one(random, d.users)
	v, kind := visibility(random), random.IntN(3)
	return func() (func(), error) {
		if kind > 0 {
			p := newProject(at)
			p.Visibility = v
			p, err := s.CreateProject(t.Context(), p)
			return ifDone(err, func() { d.projects[p.ID] = p })
		}
		g := newGroup()
		if at.OwnerID == 0 && len(at.Ancestors) < 4 {
			g = newSubgroup(at)
		}
		g.Visibility = v
		g, err := s.CreateGroup(t.Context(), g, creator.ID)
		return ifDone(err, func() {
			d.groups[g.ID] = g
			d.members[project.Member{Place: g.Place(), UserID: creator.ID, Role: project.Owner, CreatedAt: g.CreatedAt}] = true
		})
	}
}

func one[T any](random *rand.Rand, things map[int64]T) T {
	all := byID(things)
	return all[random.IntN(len(all))]
}

func ifDone(err error, done func()) (func(), error) {
	if err != nil {
		return nil, err
	}
	return done, nil
}

func (d plain) groupDeed(t *testing.T, s storage.Store, g project.Group, remove bool, v project.Visibility) deed {
	return func() (func(), error) {
		if remove {
			return ifDone(s.DeleteGroup(t.Context(), g.ID, now), func() { delete(d.groups, g.ID) })
		}
		g.Name, g.Visibility = unique("Changed"), v
		return ifDone(s.UpdateGroup(t.Context(), g), func() { g.Version++; d.groups[g.ID] = g })
	}
}

func (d plain) projectDeed(t *testing.T, s storage.Store, p project.Project, remove bool, v project.Visibility) deed {
	return func() (func(), error) {
		if remove {
			return ifDone(s.DeleteProject(t.Context(), p.ID), func() { delete(d.projects, p.ID) })
		}
		p.Name, p.Visibility = unique("Changed"), v
		return ifDone(s.UpdateProject(t.Context(), p), func() { p.Version++; d.projects[p.ID] = p })
	}
}

// joining makes a user a member of a group or project; some memberships have ended.
func (d plain) joining(t *testing.T, s storage.Store, random *rand.Rand) deed {
	m := project.Member{UserID: one(random, d.users).ID, Role: project.Guest, CreatedAt: now}
	groups, projects := d.shuffled(random)
	switch {
	case random.IntN(2) == 0 && len(groups) > 0:
		m.Place = groups[0].Place()
	case len(projects) > 0:
		m.Place = projects[0].Place()
	default:
		return func() (func(), error) { return nil, nil }
	}
	if random.IntN(4) == 0 {
		m.ExpiresAt = now
	}
	return func() (func(), error) { return ifDone(s.AddMember(t.Context(), m), func() { d.members[m] = true }) }
}

// compare compares the lists for everybody, in pages of this size.
func (d plain) compare(t *testing.T, s storage.Store, size int) {
	t.Helper()
	wantWhole(t, "Users", size, newest(d.users, func(user.User) bool { return true }), func(r page.Request) (page.Of[user.User], error) {
		return s.Users(t.Context(), r)
	})
	d.compareFor(t, s, "an administrator", size, project.Selection{All: true}, project.Filter{All: true})
	for _, u := range d.users {
		filter := project.Filter{OwnerID: u.ID, Places: d.placesOf(u)}
		selected := project.Selection{In: []int64{u.NamespaceID}, MemberID: u.ID, Now: now}
		for _, p := range filter.Places {
			if p.Kind == project.InGroup {
				selected.In = append(selected.In, p.ID)
			}
		}
		d.compareFor(t, s, u.Username, size, selected, filter)
		filter.MembersOnly = true
		d.compareFor(t, s, u.Username+" as a member", size, membersOnly(selected), filter)
	}
	for id := range d.groups {
		want := d.widestBelow(id)
		if got := must[project.Visibility](t)(s.WidestBelow(t.Context(), id)); got != want {
			t.Errorf("WidestBelow(%d) = %s, want %s", id, got, want)
		}
	}
}

// placesOf are those of which the user is a member.
func (d plain) placesOf(u user.User) (places []project.Place) {
	for m := range d.members {
		if m.UserID == u.ID && m.Active(now) {
			places = append(places, m.Place)
		}
	}
	return places
}

func newest[T any](things map[int64]T, passes func(T) bool) (all []T) {
	for _, id := range slices.SortedFunc(maps.Keys(things), func(a, b int64) int { return cmp.Compare(b, a) }) {
		if passes(things[id]) {
			all = append(all, things[id])
		}
	}
	return all
}

func (d plain) compareFor(t *testing.T, s storage.Store, name string, size int, selected project.Selection, filter project.Filter) {
	t.Helper()
	real := func(g project.Group) bool { return g.OwnerID == 0 && filter.Group(g) }
	wantWhole(t, "Groups for "+name, size, newest(d.groups, real), func(r page.Request) (page.Of[project.Group], error) {
		return s.Groups(t.Context(), selected, r)
	})
	for _, search := range []string{"", "chang"} {
		selected.Search, filter.Search = search, search
		want := newest(d.projects, filter.Project)
		wantWhole(t, fmt.Sprintf("Projects for %s with %q", name, search), size, want, func(r page.Request) (page.Of[project.Project], error) {
			got, err := s.Projects(t.Context(), selected, r)
			if search != "" {
				got.Total = len(want)
			}
			return got, err
		})
	}
}

func (d plain) widestBelow(groupID int64) project.Visibility {
	widest := project.Private
	for _, g := range d.groups {
		if slices.Contains(g.Ancestors, groupID) {
			widest = project.Widest(widest, g.Visibility)
		}
	}
	for _, p := range d.projects {
		if slices.Contains(p.Lineage, groupID) {
			widest = project.Widest(widest, p.Visibility)
		}
	}
	return widest
}
