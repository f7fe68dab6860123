package storagetest

import (
	"slices"
	"strings"
	"testing"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

// lists is a subject of its own because it must know everything in the store. All
// things are created at the same instant, so that only their ids order them.
var lists = []promise{
	{"users", listUsers},
	{"access tokens", listTokens},
	{"groups", listGroups},
	{"projects", listProjects},
	{"projects are searched by name and path", searchProjects},
	{"projects that somebody joined are counted up to a limit", countJoined},
	{"clients", listClients},
}

// listed is how many things a list under test has.
const listed = 5

// add calls a helper often enough for a list and returns what it added, the
// newest first.
func add[T any](one func() T) []T {
	var all []T
	for range listed {
		all = append(all, one())
	}
	slices.Reverse(all)
	return all
}

// wantPages walks the list in pages of several sizes, beyond its end, and from each
// position to the next.
func wantPages[T any](t *testing.T, call string, want []T, list func(page.Request) (page.Of[T], error)) {
	t.Helper()
	requests := []page.Request{
		{Number: 1, Size: 2}, {Number: 2, Size: 2}, {Number: 3, Size: 2}, {Number: 4, Size: 2}, {Number: 50, Size: 100},
		{Number: 1, Size: len(want)}, {Number: 2, Size: len(want)}, page.First,
	}
	for _, r := range requests {
		got, err := list(r)
		if err != nil {
			t.Errorf("%s, page %+v = %v, want no error", call, r, err)
			continue
		}
		got.Next = page.Position{}
		wantSame(t, call, got, page.Cut(want, r))
	}
	wantWalk(t, call, want, list)
}

func listUsers(t *testing.T, s storage.Store) {
	want := add(func() user.User { return addUser(t, s) })
	wantBothWays(t, "Users", want, func(r page.Request) (page.Of[user.User], error) { return s.Users(t.Context(), r) })
}

// wantBothWays checks the pages of a list with the newest or the oldest first, and that
// nothing is counted for nobody.
func wantBothWays[T any](t *testing.T, call string, want []T, list pages[T]) {
	t.Helper()
	wantPages(t, call, want, list)
	oldest := slices.Clone(want)
	slices.Reverse(oldest)
	wantPages(t, call+", the oldest first", oldest, func(r page.Request) (page.Of[T], error) {
		r.Oldest = true
		return list(r)
	})
	if got := must[page.Of[T]](t)(list(page.Request{Number: 1, Size: 2, Uncounted: true})); got.Total != -1 {
		t.Errorf("%s, uncounted, has the total %d", call, got.Total)
	}
}

func listTokens(t *testing.T, s storage.Store) {
	ada, ben := addUser(t, s), addUser(t, s)
	adas := add(func() accesstoken.Token { return addToken(t, s, ada.ID) })
	bens := add(func() accesstoken.Token { return addToken(t, s, ben.ID) })
	wantOK(t, "RevokeAccessToken", s.RevokeAccessToken(t.Context(), adas[1].ID, now))
	adas[1].RevokedAt = now

	tests := map[int64][]accesstoken.Token{ada.ID: adas, ben.ID: bens, 0: slices.Concat(bens, adas)}
	for userID, want := range tests {
		wantListed(t, "AccessTokens", want, func(r page.Request) (page.Of[accesstoken.Token], error) {
			return s.AccessTokens(t.Context(), userID, r)
		})
		slices.Reverse(want)
		wantListed(t, "AccessTokens, the oldest first", want, func(r page.Request) (page.Of[accesstoken.Token], error) {
			r.Oldest = true
			return s.AccessTokens(t.Context(), userID, r)
		})
		slices.Reverse(want)
	}
	wantUndisturbed(t, "AccessTokens", adas, func() error {
		_, err := s.CreateAccessToken(t.Context(), newToken(ada.ID))
		return err
	}, func(r page.Request) (page.Of[accesstoken.Token], error) {
		return s.AccessTokens(t.Context(), ada.ID, r)
	},
		func(token accesstoken.Token) any { return token.ID })
}

func listGroups(t *testing.T, s storage.Store) {
	ada := addUser(t, s)
	private, other := addGroup(t, s, ada.ID), addGroup(t, s, ada.ID)
	below := addSubgroup(t, s, private, ada.ID)
	deep := addSubgroup(t, s, below, ada.ID)
	internal := addVisibleGroup(t, s, ada.ID, project.Internal)
	public := addVisibleGroup(t, s, ada.ID, project.Public)

	tests := map[string]struct {
		selected project.Selection
		want     []project.Group
	}{
		"all":                     {project.Selection{All: true}, []project.Group{public, internal, deep, below, other, private}},
		"nobody":                  {in(), []project.Group{public, internal}},
		"a namespace":             {in(ada.NamespaceID), []project.Group{public, internal}},
		"members only":            {membersOnly(in(private.ID, public.ID)), []project.Group{public, deep, below, private}},
		"the open ones below":     {open(private.ID, public.ID), []project.Group{public}},
		"members only of nothing": {membersOnly(in()), nil},
		"at the top":              {in(private.ID), []project.Group{public, internal, deep, below, private}},
		"below":                   {in(below.ID), []project.Group{public, internal, deep, below}},
		"two places":              {in(deep.ID, other.ID), []project.Group{public, internal, deep, other}},
		"many places":             {in(amongMany(deep.ID, private.ID, below.ID)...), []project.Group{public, internal, deep, below, private}},
		"many, members only":      {membersOnly(in(amongMany(below.ID, public.ID)...)), []project.Group{public, deep, below}},
		"one in another":          {in(deep.ID, private.ID, below.ID), []project.Group{public, internal, deep, below, private}},
		"what everyone sees":      {in(public.ID, internal.ID), []project.Group{public, internal}},
		"a search":                {project.Selection{Search: "nowhere"}, []project.Group{public, internal}},
		"a group that is gone":    {in(unknownID), []project.Group{public, internal}},
	}
	for name, test := range tests {
		wantBothWays(t, "Groups for "+name, test.want, func(r page.Request) (page.Of[project.Group], error) {
			return s.Groups(t.Context(), test.selected, r)
		})
	}
}

func addVisibleGroup(t *testing.T, s storage.Store, creator int64, v project.Visibility) project.Group {
	t.Helper()
	g := newGroup()
	g.Visibility = v
	return must[project.Group](t)(s.CreateGroup(t.Context(), g, creator))
}

func in(groups ...int64) project.Selection { return project.Selection{In: groups, Now: now} }

// amongMany returns the groups, and many that are gone.
func amongMany(groups ...int64) []int64 {
	for n := range int64(150) {
		groups = append(groups, unknownID-n)
	}
	return groups
}

func membersOnly(s project.Selection) project.Selection { s.MembersOnly = true; return s }

// open selects what is not private in the groups.
func open(groups ...int64) project.Selection {
	return project.Selection{MembersOnly: true, Open: true, In: groups, Now: now}
}

func withRole(r project.Role, s project.Selection) project.Selection { s.LeastRole = r; return s }

// joinedBy selects the projects of a user too.
func joinedBy(u user.User, s project.Selection) project.Selection { s.MemberID = u.ID; return s }

func listProjects(t *testing.T, s storage.Store) {
	ada := addUser(t, s)
	top := addGroup(t, s, ada.ID)
	below := addSubgroup(t, s, top, ada.ID)
	own := addProject(t, s, namespaceOf(t, s, ada))
	private, private2 := addProject(t, s, below), addProject(t, s, below)
	public := addVisibleProject(t, s, below, project.Public)
	internal := addVisibleProject(t, s, below, project.Internal)
	inTop := addProject(t, s, top) // the last, so that no group with projects has its number
	ben, eve := addUser(t, s), addUser(t, s)
	addMember(t, s, private.Place(), ben.ID, project.Guest)
	addMember(t, s, internal.Place(), ben.ID, project.Guest)
	kim := addUser(t, s)
	addMember(t, s, public.Place(), kim.ID, project.Maintainer)
	addMember(t, s, inTop.Place(), kim.ID, project.Reporter)
	wantOK(t, "AddMember", s.AddMember(t.Context(), project.Member{
		Place: private2.Place(), UserID: ben.ID, Role: project.Owner, ExpiresAt: now, CreatedAt: now.AddDate(0, 0, -1),
	}))

	tests := map[string]struct {
		selected project.Selection
		want     []project.Project
	}{
		"all":              {project.Selection{All: true}, []project.Project{inTop, internal, public, private2, private, own}},
		"all for a member": {joinedBy(ben, project.Selection{All: true}), []project.Project{inTop, internal, public, private2, private, own}},
		"nobody":           {joinedBy(eve, in()), []project.Project{internal, public}},
		"owner":            {in(ada.NamespaceID), []project.Project{internal, public, own}},
		"members only":     {membersOnly(joinedBy(ben, in())), []project.Project{internal, private}},
		"members only, of a role, some": {
			withRole(project.Developer, membersOnly(joinedBy(kim, in()))), []project.Project{public},
		},
		"members only, of a role": {
			withRole(project.Developer, membersOnly(joinedBy(ben, in()))), nil,
		},
		"members only, of a role they have": {
			withRole(project.Guest, membersOnly(joinedBy(ben, in(ada.NamespaceID)))), []project.Project{internal, private, own},
		},
		"members only, below": {membersOnly(in(below.ID)), []project.Project{internal, public, private2, private}},
		"the open ones below": {open(top.ID), []project.Project{internal, public}},
		"a group":             {in(top.ID), []project.Project{inTop, internal, public, private2, private}},
		"below":               {in(below.ID), []project.Project{internal, public, private2, private}},
		"a project":           {joinedBy(ben, in()), []project.Project{internal, public, private}},
		"a project before its membership ended": {
			project.Selection{MemberID: ben.ID, Now: now.Add(-1)}, []project.Project{internal, public, private2, private},
		},
		"many groups":                          {joinedBy(ben, in(amongMany(below.ID, top.ID)...)), []project.Project{inTop, internal, public, private2, private}},
		"many groups without any":              {in(amongMany()...), []project.Project{internal, public}},
		"many, members only":                   {membersOnly(in(amongMany(below.ID, ada.NamespaceID)...)), []project.Project{internal, public, private2, private, own}},
		"a group with the number of a project": {in(inTop.ID), []project.Project{internal, public}},
		"everything at once": {
			joinedBy(ben, in(ada.NamespaceID, top.ID, below.ID)), []project.Project{inTop, internal, public, private2, private, own},
		},
	}
	for name, test := range tests {
		wantBothWays(t, "Projects for "+name, test.want, func(r page.Request) (page.Of[project.Project], error) {
			return s.Projects(t.Context(), test.selected, r)
		})
	}
}

// Counting what somebody joined one by one has an end.
func countJoined(t *testing.T, s storage.Store) {
	g, ben := addGroup(t, s, addUser(t, s).ID), addUser(t, s)
	list := func() page.Of[project.Project] {
		return must[page.Of[project.Project]](t)(s.Projects(t.Context(), membersOnly(joinedBy(ben, in())), page.First))
	}
	for n := range project.MaxCounted + 1 {
		if got := list(); n == project.MaxCounted && got.Total != n {
			t.Errorf("Projects of a member of %d counts %d", n, got.Total)
		}
		addMember(t, s, addProject(t, s, g).Place(), ben.ID, project.Guest)
	}
	if got := list(); got.Total != -1 || !got.More || len(got.Items) != page.DefaultSize {
		t.Errorf("Projects of a member of more = %d items of %d, more %t, want a page of a list that is not counted",
			len(got.Items), got.Total, got.More)
	}
}

func searchProjects(t *testing.T, s storage.Store) {
	ada := addUser(t, s)
	mine, other := addGroup(t, s, ada.ID), addGroup(t, s, ada.ID)
	named := func(g project.Group, name string) project.Project {
		p := newProject(g)
		p.Name = name
		return must[project.Project](t)(s.CreateProject(t.Context(), p))
	}
	shop, zoe, hidden := named(mine, "Web shop"), named(mine, "Zoë's page"), named(other, "Web mail")
	renamed := named(mine, "Before")
	renamed.Name = `100% "web"`
	wantOK(t, "UpdateProject", s.UpdateProject(t.Context(), renamed))
	renamed.Version++
	ben, joined := addUser(t, s), named(other, "By itself")
	addMember(t, s, joined.Place(), ben.ID, project.Guest)

	manyMore := membersOnly(joinedBy(ben, in(amongMany(mine.ID)...)))
	manyMore.Search = "web"
	wantPages(t, "Projects in many groups with web", []project.Project{renamed, shop}, func(r page.Request) (page.Of[project.Project], error) {
		got, err := s.Projects(t.Context(), manyMore, r)
		got.Total = 2
		return got, err
	})
	for search, want := range map[string][]project.Project{
		"":                                   {joined, renamed, zoe, shop},
		"itself":                             {joined},
		strings.ToUpper(joined.FullPath):     {joined},
		"shop\n":                             nil,
		"web":                                {renamed, shop},
		"B SHO":                              {shop},
		"zOË":                                {zoe},
		"%":                                  {renamed},
		"_":                                  nil,
		"before":                             nil,
		"nowhere":                            nil,
		strings.ToUpper(mine.FullPath) + "/": {renamed, zoe, shop},
		zoe.Path:                             {zoe},
		hidden.Path:                          nil,
	} {
		selected := membersOnly(joinedBy(ben, in(mine.ID)))
		selected.Search = search
		wantPages(t, "Projects with "+search, want, func(r page.Request) (page.Of[project.Project], error) {
			got, err := s.Projects(t.Context(), selected, r)
			if counted := got.Total >= 0; counted != (search == "") {
				t.Errorf("Projects with %q are counted: %t", search, counted)
			}
			got.Total = len(want)
			return got, err
		})
	}
}

func addVisibleProject(t *testing.T, s storage.Store, g project.Group, v project.Visibility) project.Project {
	t.Helper()
	p := newProject(g)
	p.Visibility = v
	return must[project.Project](t)(s.CreateProject(t.Context(), p))
}

func listClients(t *testing.T, s storage.Store) {
	ada, ben := addUser(t, s), addUser(t, s)
	adas := add(func() oauth.Client { return addClient(t, s, ada.ID) })
	bens := add(func() oauth.Client { return addClient(t, s, ben.ID) })
	instance := add(func() oauth.Client { return addClient(t, s, 0) })

	wantListed(t, "Clients", slices.Concat(instance, bens, adas), func(r page.Request) (page.Of[oauth.Client], error) {
		return s.Clients(t.Context(), r)
	})
	for owner, want := range map[int64][]oauth.Client{ada.ID: adas, ben.ID: bens} {
		wantListed(t, "ClientsOf", want, func(r page.Request) (page.Of[oauth.Client], error) {
			return s.ClientsOf(t.Context(), owner, r)
		})
	}
}
