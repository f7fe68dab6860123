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

// wantPages walks the list in pages of several sizes, beyond its end.
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
		wantSame(t, call, got, page.Cut(want, r))
	}
}

func listUsers(t *testing.T, s storage.Store) {
	want := add(func() user.User { return addUser(t, s) })
	wantPages(t, "Users", want, func(r page.Request) (page.Of[user.User], error) { return s.Users(t.Context(), r) })
}

func listTokens(t *testing.T, s storage.Store) {
	ada, ben := addUser(t, s), addUser(t, s)
	adas := add(func() accesstoken.Token { return addToken(t, s, ada.ID) })
	bens := add(func() accesstoken.Token { return addToken(t, s, ben.ID) })
	wantOK(t, "RevokeAccessToken", s.RevokeAccessToken(t.Context(), adas[1].ID, now))
	adas[1].RevokedAt = now

	tests := map[int64][]accesstoken.Token{ada.ID: adas, ben.ID: bens, 0: slices.Concat(bens, adas)}
	for userID, want := range tests {
		wantPages(t, "AccessTokens", want, func(r page.Request) (page.Of[accesstoken.Token], error) {
			return s.AccessTokens(t.Context(), userID, r)
		})
	}
}

func listGroups(t *testing.T, s storage.Store) {
	ada := addUser(t, s)
	private, other := addGroup(t, s, ada.ID), addGroup(t, s, ada.ID)
	below := addSubgroup(t, s, private, ada.ID)
	deep := addSubgroup(t, s, below, ada.ID)
	internal := addVisibleGroup(t, s, ada.ID, project.Internal)
	public := addVisibleGroup(t, s, ada.ID, project.Public)

	tests := map[string]struct {
		filter project.Filter
		want   []project.Group
	}{
		"all":                     {project.Filter{All: true}, []project.Group{public, internal, deep, below, other, private}},
		"nobody":                  {project.Filter{}, []project.Group{public, internal}},
		"owner":                   {project.Filter{OwnerID: ada.ID}, []project.Group{public, internal}},
		"members only":            {membersOnly(in(private.Place(), public.Place())), []project.Group{public, deep, below, private}},
		"members only of nothing": {membersOnly(in()), nil},
		"at the top":              {in(private.Place()), []project.Group{public, internal, deep, below, private}},
		"below":                   {in(below.Place()), []project.Group{public, internal, deep, below}},
		"two places":              {in(deep.Place(), other.Place()), []project.Group{public, internal, deep, other}},
		"a project with the number of a group": {
			in(project.Place{Kind: project.InProject, ID: private.ID}), []project.Group{public, internal},
		},
	}
	for name, test := range tests {
		wantPages(t, "Groups for "+name, test.want, func(r page.Request) (page.Of[project.Group], error) {
			return s.Groups(t.Context(), test.filter, r)
		})
	}
}

func addVisibleGroup(t *testing.T, s storage.Store, creator int64, v project.Visibility) project.Group {
	t.Helper()
	g := newGroup()
	g.Visibility = v
	return must[project.Group](t)(s.CreateGroup(t.Context(), g, creator))
}

func in(places ...project.Place) project.Filter { return project.Filter{Places: places} }

func membersOnly(f project.Filter) project.Filter { f.MembersOnly = true; return f }

func listProjects(t *testing.T, s storage.Store) {
	ada := addUser(t, s)
	top := addGroup(t, s, ada.ID)
	below := addSubgroup(t, s, top, ada.ID)
	own := addProject(t, s, namespaceOf(t, s, ada))
	private, private2 := addProject(t, s, below), addProject(t, s, below)
	public := addVisibleProject(t, s, below, project.Public)
	internal := addVisibleProject(t, s, below, project.Internal)
	inTop := addProject(t, s, top) // the last, so that no group with projects has its number

	tests := map[string]struct {
		filter project.Filter
		want   []project.Project
	}{
		"all":          {project.Filter{All: true}, []project.Project{inTop, internal, public, private2, private, own}},
		"nobody":       {project.Filter{}, []project.Project{internal, public}},
		"owner":        {project.Filter{OwnerID: ada.ID}, []project.Project{internal, public, own}},
		"members only": {membersOnly(in(private.Place())), []project.Project{private}},
		"a group":      {in(top.Place()), []project.Project{inTop, internal, public, private2, private}},
		"below":        {in(below.Place()), []project.Project{internal, public, private2, private}},
		"a project":    {in(private.Place()), []project.Project{internal, public, private}},
		"a group with the number of a project": {
			in(project.Place{Kind: project.InGroup, ID: inTop.ID}), []project.Project{internal, public},
		},
		"everything at once": {
			project.Filter{OwnerID: ada.ID, Places: []project.Place{private.Place(), top.Place()}},
			[]project.Project{inTop, internal, public, private2, private, own},
		},
	}
	for name, test := range tests {
		wantPages(t, "Projects for "+name, test.want, func(r page.Request) (page.Of[project.Project], error) {
			return s.Projects(t.Context(), test.filter, r)
		})
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

	for search, want := range map[string][]project.Project{
		"":                                   {renamed, zoe, shop},
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
		filter := membersOnly(in(mine.Place()))
		filter.Search = search
		wantPages(t, "Projects with "+search, want, func(r page.Request) (page.Of[project.Project], error) {
			return s.Projects(t.Context(), filter, r)
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

	wantPages(t, "Clients", slices.Concat(instance, bens, adas), func(r page.Request) (page.Of[oauth.Client], error) {
		return s.Clients(t.Context(), r)
	})
	for owner, want := range map[int64][]oauth.Client{ada.ID: adas, ben.ID: bens} {
		wantPages(t, "ClientsOf", want, func(r page.Request) (page.Of[oauth.Client], error) {
			return s.ClientsOf(t.Context(), owner, r)
		})
	}
}
