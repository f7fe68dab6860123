package functions_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gatehouse/functions/platform/platformapi"
	"gatehouse/functions/projects/projectsapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

// The pages of a list, whatever narrows and orders it, have together what a plain look at
// everything selects, each thing once and in order.
func TestPagesHaveWhatIsSelected(t *testing.T) {
	unlogged(t)
	for name, over := range stores() {
		t.Run(name, func(t *testing.T) { newForest(t, over(t)).ask(t, 120) })
	}
}

// forest has groups, projects and people at random, always the same.
type forest struct {
	*apptest.App
	*rand.Rand
	platform, projectsAPI http.Handler
	people                []user.User
	tokens                map[int64]string
	groups                []project.Group
	projects              []project.Project
	roles                 map[project.Place]map[int64]project.Role
}

func newForest(t *testing.T, store storage.Store) *forest {
	a := apptest.Over(t, store)
	f := &forest{App: a, Rand: rand.New(rand.NewPCG(1, 2)), platform: platformapi.New(a.App), projectsAPI: projectsapi.New(a.App)}
	f.tokens, f.roles = map[int64]string{}, map[project.Place]map[int64]project.Role{}
	for _, name := range []string{"root", "ada", "ben", "Cleo", "dan"} {
		add := a.User
		if name == "root" {
			add = a.Admin
		}
		u := add(name)
		f.people, f.tokens[u.ID] = append(f.people, u), a.Token(u)
	}
	f.grow(t)
	return f
}

var visibilities = []project.Visibility{project.Private, project.Internal, project.Public}

func (f *forest) grow(t *testing.T) {
	tops := []project.Group{{}}
	for n := range 12 {
		owner, above := f.person(), tops[f.IntN(len(tops))]
		g := f.Group(fmt.Sprintf("%s%d", one(f, "Deep", "deep", "acme", "Zeta"), n), above, owner, f.within(above.ID, above.Visibility))
		f.join(g.Place(), owner, project.Owner)
		f.groups, tops = append(f.groups, g), append(tops, g)
	}
	for n := range 20 {
		in := f.groups[f.IntN(len(f.groups))]
		if n%5 == 0 {
			in = f.Namespace(f.person())
		}
		v := f.within(in.ID, in.Visibility)
		if in.OwnerID != 0 {
			v = one(f, visibilities...)
		}
		f.projects = append(f.projects, f.Project(fmt.Sprintf("%s%d", one(f, "Web", "web", "shop", "acme"), n), in, v))
	}
	for range 25 {
		at := f.groups[f.IntN(len(f.groups))].Place()
		if f.IntN(2) == 0 {
			at = f.projects[f.IntN(len(f.projects))].Place()
		}
		if u, role := f.person(), one(f, project.Guest, project.Developer, project.Owner); f.roles[at][u.ID] == project.NoRole {
			f.Member(at, u, role)
			f.join(at, u, role)
		}
	}
}

// within returns a visibility that is no wider than the one above.
func (f *forest) within(above int64, widest project.Visibility) project.Visibility {
	if above == 0 {
		return one(f, visibilities...)
	}
	return visibilities[f.IntN(slices.Index(visibilities, widest)+1)]
}

func one[T any](f *forest, of ...T) T { return of[f.IntN(len(of))] }

func (f *forest) person() user.User { return one(f, f.people...) }

func (f *forest) join(at project.Place, u user.User, role project.Role) {
	if f.roles[at] == nil {
		f.roles[at] = map[int64]project.Role{}
	}
	f.roles[at][u.ID] = role
}

// role is what the person has by memberships and as the owner of a namespace.
func (f *forest) role(u user.User, at project.GroupOrProject) (highest project.Role) {
	if owner, _ := at.Access(); owner == u.ID {
		return project.Owner
	}
	for _, p := range at.Places() {
		highest = max(highest, f.roles[p][u.ID])
	}
	return highest
}

// sees reports whether the person sees it, and has at least this role in it.
func (f *forest) sees(u user.User, at project.GroupOrProject, least project.Role) bool {
	_, v := at.Access()
	role := f.role(u, at)
	return role >= least && (u.Admin || project.Sees(role, v))
}

// thing is what a list shows, in the words of the test.
type thing struct {
	id         int64
	name, path string
}

// wish is a list with parameters, and what it has.
type wish struct {
	h       http.Handler
	address string
	who     user.User
	params  url.Values
	want    []thing
}

func (f *forest) ask(t *testing.T, times int) {
	lists := []func() wish{f.wantProjects, f.wantGroups, f.wantUsers, f.wantMembers}
	for n := range times {
		w := lists[n%len(lists)]()
		f.check(t, w)
		if t.Failed() {
			return
		}
	}
}

// maybe sets a parameter half the time, and reports whether it did.
func (f *forest) maybe(params url.Values, name, value string) bool {
	if f.IntN(3) != 0 {
		return false
	}
	params.Set(name, value)
	return true
}

func (f *forest) leastRole(params url.Values, anyRole, value string) (least project.Role) {
	if f.maybe(params, anyRole, value) {
		least = project.Guest
	}
	if f.maybe(params, "owned", "true") {
		least = project.Owner
	}
	if level := one(f, project.Guest, project.Developer); f.maybe(params, "min_access_level", strconv.Itoa(int(level))) {
		least = max(least, level)
	}
	return least
}

func (f *forest) wantProjects() wish {
	w := wish{h: f.projectsAPI, address: "/api/v4/projects", who: f.person(), params: url.Values{}}
	least := f.leastRole(w.params, "membership", "true")
	keep := func(project.Project) bool { return true }
	for f.IntN(2) == 0 {
		g := one(f, f.groups...)
		if !f.sees(w.who, g, project.NoRole) {
			continue
		}
		w.h, w.address = f.platform, fmt.Sprintf("/api/v4/groups/%d/projects", g.ID)
		deep := f.maybe(w.params, "include_subgroups", "true")
		keep = func(p project.Project) bool { return p.NamespaceID == g.ID || deep && slices.Contains(p.Lineage, g.ID) }
		break
	}
	search, wanted := one(f, "EB", "acme", "deep"), one(f, visibilities...)
	searched, seen := f.maybe(w.params, "search", search), f.maybe(w.params, "visibility", string(wanted))
	last := searched && f.maybe(w.params, "search_namespaces", "false")
	inside := f.bounds(w.params, one(f, f.projects...).ID)
	for _, p := range slices.Backward(f.projects) {
		text := p.Name + "\n" + p.FullPath
		if last {
			text = p.Name + "\n" + p.Path
		}
		if f.sees(w.who, p, least) && keep(p) && inside(p.ID) && (!searched || strings.Contains(strings.ToLower(text), strings.ToLower(search))) && (!seen || p.Visibility == wanted) {
			w.want = append(w.want, thing{p.ID, p.Name, p.Path})
		}
	}
	f.order(&w, "created_at", "desc", "id", "name", "path", "created_at", "last_activity_at")
	return w
}

// bounds sets id_after or id_before, and returns what they select.
func (f *forest) bounds(params url.Values, id int64) func(int64) bool {
	after, before := f.maybe(params, "id_after", fmt.Sprint(id-3)), f.maybe(params, "id_before", fmt.Sprint(id+3))
	return func(n int64) bool { return (!after || n > id-3) && (!before || n < id+3) }
}

func (f *forest) wantGroups() wish {
	w := wish{h: f.platform, address: "/api/v4/groups", who: f.person(), params: url.Values{}}
	least := f.leastRole(w.params, "all_available", "false")
	keep := func(project.Group) bool { return true }
	if g := one(f, f.groups...); f.IntN(2) == 0 && f.sees(w.who, g, project.NoRole) {
		w.address, keep = fmt.Sprintf("/api/v4/groups/%d/subgroups", g.ID), func(sub project.Group) bool { return sub.ParentID == g.ID }
	} else if f.maybe(w.params, "top_level_only", "true") {
		keep = func(g project.Group) bool { return g.ParentID == 0 }
	}
	search, wanted, skipped := one(f, "EE", "zeta"), one(f, visibilities...), []int64{one(f, f.groups...).ID, one(f, f.groups...).ID}
	searched, seen := f.maybe(w.params, "search", search), f.maybe(w.params, "visibility", string(wanted))
	if f.IntN(3) == 0 {
		w.params["skip_groups[]"] = []string{fmt.Sprint(skipped[0]), fmt.Sprint(skipped[1])}
	} else {
		skipped = nil
	}
	for _, g := range slices.Backward(f.groups) {
		if f.sees(w.who, g, least) && keep(g) && !slices.Contains(skipped, g.ID) && (!seen || g.Visibility == wanted) &&
			(!searched || strings.Contains(strings.ToLower(g.Name+"\n"+g.Path), strings.ToLower(search))) {
			w.want = append(w.want, thing{g.ID, g.Name, g.Path})
		}
	}
	f.order(&w, "name", "asc", "id", "name", "path", "similarity")
	return w
}

func (f *forest) wantUsers() wish {
	w := wish{h: f.platform, address: "/api/v4/users", who: f.people[0], params: url.Values{}}
	search := one(f, "A", "e", "the user", "Ben", "cleo")
	admins, searched := f.maybe(w.params, "admins", "true"), f.maybe(w.params, "search", search)
	for _, u := range slices.Backward(f.people) {
		if (!admins || u.Admin) && (!searched || strings.Contains(strings.ToLower(u.Name+"\n"+u.Username), strings.ToLower(search))) {
			w.want = append(w.want, thing{u.ID, u.Name, u.Username})
		}
	}
	if named := func(x thing) bool { return searched && strings.EqualFold(x.path, search) }; !f.order(&w, "id", "desc", "id", "name", "username", "created_at") {
		slices.SortStableFunc(w.want, func(a, b thing) int {
			switch {
			case named(a):
				return -1
			case named(b):
				return 1
			}
			return 0
		})
	}
	return w
}

func (f *forest) wantMembers() wish {
	g := one(f, f.groups...)
	w := wish{h: f.platform, address: fmt.Sprintf("/api/v4/groups/%d/members", g.ID), who: f.people[0], params: url.Values{}}
	places := []project.Place{g.Place()}
	if f.IntN(2) == 0 {
		w.address, places = w.address+"/all", g.Places()
	}
	query, listed, skipped := one(f, "A", "e"), []user.User{f.person(), f.person(), f.person()}, f.person().ID
	searched, skips, among := f.maybe(w.params, "query", query), f.maybe(w.params, "skip_users", fmt.Sprint(skipped)), f.IntN(3) == 0
	if among {
		for _, u := range listed {
			w.params.Add("user_ids[]", fmt.Sprint(u.ID))
		}
	}
	for _, u := range f.people {
		in := slices.ContainsFunc(places, func(p project.Place) bool { return f.roles[p][u.ID] > project.NoRole })
		if in && (!searched || strings.Contains(strings.ToLower(u.Name+"\n"+u.Username), strings.ToLower(query))) &&
			(!skips || u.ID != skipped) && (!among || slices.ContainsFunc(listed, func(l user.User) bool { return l.ID == u.ID })) {
			w.want = append(w.want, thing{u.ID, u.Name, u.Username})
		}
	}
	return w
}

// order sets order_by or sort, and orders what is wanted, which has the newest first.
func (f *forest) order(w *wish, orderBy, sort string, orders ...string) (ordered bool) {
	by, direction := one(f, orders...), one(f, "asc", "desc")
	named, directed := f.maybe(w.params, "order_by", by), f.maybe(w.params, "sort", direction)
	if !named && !directed {
		return false
	}
	if !named {
		by = orderBy
	}
	if !directed {
		direction = sort
	}
	compare := func(a, b thing) int { return cmp.Compare(a.id, b.id) }
	switch by {
	case "name":
		compare = func(a, b thing) int { return cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name)) }
	case "path", "username":
		compare = func(a, b thing) int { return cmp.Compare(strings.ToLower(a.path), strings.ToLower(b.path)) }
	}
	slices.SortStableFunc(w.want, func(a, b thing) int {
		if direction == "desc" {
			a, b = b, a
		}
		return compare(a, b)
	})
	return by != "id" && by != "created_at" || direction == "asc"
}

var nextPage = regexp.MustCompile(`<` + apptest.BaseURL + `([^>]*)>; rel="next"`)

func (f *forest) check(t *testing.T, w wish) {
	t.Helper()
	w.params.Set("per_page", strconv.Itoa(1+f.IntN(4)))
	call, want := w.address+"?"+w.params.Encode(), []any{}
	for _, x := range w.want {
		want = append(want, float64(x.id))
	}
	byLink, byNumber, number := []any{}, []any{}, 0
	for target := call; target != ""; {
		answer := apptest.Call(t, w.h, "GET", target, f.tokens[w.who.ID], nil)
		answer.Want(t, 200, nil)
		byLink = append(byLink, answer.Each(t, "id")...)
		if total := answer.Header.Get("X-Total"); total != "" && total != strconv.Itoa(len(want)) {
			t.Errorf("%s for %s has the total %s, want %d", target, w.who.Username, total, len(want))
		}
		target = ""
		if link := nextPage.FindStringSubmatch(answer.Header.Get("Link")); link != nil {
			target = link[1]
		}
		if number++; number > 50 {
			t.Fatalf("%s for %s has no end", call, w.who.Username)
		}
	}
	for number := "1"; number != ""; {
		answer := apptest.Call(t, w.h, "GET", call+"&page="+number, f.tokens[w.who.ID], nil)
		answer.Want(t, 200, nil)
		byNumber, number = append(byNumber, answer.Each(t, "id")...), answer.Header.Get("X-Next-Page")
	}
	if !slices.Equal(byLink, want) {
		t.Errorf("%s for %s has by links\n%v, want\n%v", call, w.who.Username, byLink, want)
	}
	if !slices.Equal(byNumber, want) {
		t.Errorf("%s for %s has by numbers\n%v, want\n%v", call, w.who.Username, byNumber, want)
	}
}
