package platformapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/auth"
	"gatehouse/shared/listing"
	"gatehouse/shared/memberapi"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/projectapi"
	"gatehouse/shared/web"
)

// groupList is what lists of groups obey.
var groupList = listing.List[project.Group]{
	ID:      func(g project.Group) int64 { return g.ID },
	Time:    func(g project.Group) time.Time { return g.CreatedAt },
	OrderBy: "name", Sort: listing.Ascending,
	Orders: map[string]func(a, b project.Group) int{
		"id":         nil,
		"name":       func(a, b project.Group) int { return listing.Text(a.Name, b.Name) },
		"path":       func(a, b project.Group) int { return listing.Text(a.Path, b.Path) },
		"similarity": nil, // is not known
	},
	Filters: []listing.Filter[project.Group]{groupSearch, groupVisibility, otherGroups},
	Parameters: listing.Parameters{
		None:       []string{"archived"},
		NoneUnless: []string{"active"},
		NoneIfSent: []string{"marked_for_deletion_on"},
		Refused:    []string{"repository_storage", "custom_attributes"},
	},
}

// groupSearch keeps the groups with a text in their name or path.
func groupSearch(params *web.Values) func(project.Group) bool {
	search := params.OptionalString("search")
	if search == nil || *search == "" {
		return nil
	}
	return func(g project.Group) bool { return project.Finds(strings.ToLower(g.Name+"\n"+g.Path), *search) }
}

func groupVisibility(params *web.Values) func(project.Group) bool {
	v := memberapi.ReadVisibility(params)
	if v == "" {
		return nil
	}
	return func(g project.Group) bool { return g.Visibility == v }
}

// otherGroups leaves out some groups.
func otherGroups(params *web.Values) func(project.Group) bool {
	skipped := params.OptionalInts("skip_groups")
	if len(skipped) == 0 {
		return nil
	}
	return func(g project.Group) bool { return !slices.Contains(skipped, g.ID) }
}

// groupQuery is what a request wants of a list of groups.
type groupQuery struct {
	project.Narrowing
	listing.Query[project.Group]
	page page.Request
}

func readGroupQuery(params *web.Values) (groupQuery, error) {
	q := groupQuery{memberapi.ReadNarrowing(params, !params.BoolOr("all_available", true)), groupList.Read(params), params.Page()}
	return q, params.Err()
}

func (a *api) answerGroups(w http.ResponseWriter, r *http.Request, q groupQuery, lists ...listing.Read[project.Group]) error {
	found, err := q.Page(r.Context(), q.page, lists...)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, q.page, found, newGroupBody)
}

func (a *api) listGroups(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	top := params.BoolOr("top_level_only", false)
	q, err := readGroupQuery(params)
	if err != nil {
		return err
	}
	if top {
		q.Keep(func(g project.Group) bool { return g.ParentID == 0 })
	}
	return a.answerGroups(w, r, q, a.visibleGroups(c, q.Narrowing))
}

func (a *api) visibleGroups(c auth.Caller, n project.Narrowing) listing.Read[project.Group] {
	viewer := project.Viewer{UserID: c.User.ID, Admin: c.User.Admin}
	return a.app.Projects.Sight(viewer, n).Groups
}

// listSubgroups answers with the groups right below the group that the caller sees.
func (a *api) listSubgroups(w http.ResponseWriter, r *http.Request, c auth.Caller, g project.Group) error {
	q, err := readGroupQuery(web.Params(r))
	if err != nil {
		return err
	}
	q.Keep(func(sub project.Group) bool { return sub.ParentID == g.ID })
	below := func(ctx context.Context, req page.Request) (page.Of[project.Group], error) {
		return a.app.Projects.GroupsBelow(ctx, g, c.Role, req)
	}
	return a.answerGroups(w, r, q, within(c, q.Narrowing, below, a.visibleGroups)...)
}

// listGroupProjects answers with the projects in the group that the caller sees.
func (a *api) listGroupProjects(w http.ResponseWriter, r *http.Request, c auth.Caller, g project.Group) error {
	params := web.Params(r)
	deep := params.BoolOr("include_subgroups", false)
	q, err := projectapi.Read(params)
	if err != nil {
		return err
	}
	q.SearchAll()
	q.Keep(func(p project.Project) bool {
		return p.NamespaceID == g.ID || deep && slices.Contains(p.Lineage, g.ID)
	})
	below := func(ctx context.Context, req page.Request) (page.Of[project.Project], error) {
		return a.app.Projects.ProjectsBelow(ctx, g, c.Role, req)
	}
	visible := func(c auth.Caller, n project.Narrowing) listing.Read[project.Project] {
		viewer := project.Viewer{UserID: c.User.ID, Admin: c.User.Admin}
		return a.app.Projects.Sight(viewer, n).Projects
	}
	return q.Answer(w, r, a.app, c, within(c, q.Narrowing, below, visible)...)
}

// within returns the lists that together have what the caller sees in a group: what is
// below it, and what the caller joined. Whoever has a role in the group has it in
// everything below.
func within[T any](c auth.Caller, n project.Narrowing, below listing.Read[T], visible func(auth.Caller, project.Narrowing) listing.Read[T]) []listing.Read[T] {
	switch {
	case c.Role > project.NoRole && (n.LeastRole == project.NoRole || c.Role >= n.LeastRole && !c.User.Admin):
		return []listing.Read[T]{below}
	case n.LeastRole > project.NoRole: // an administrator has none without a membership
		return []listing.Read[T]{visible(c, n)}
	}
	return []listing.Read[T]{below, visible(c, project.Narrowing{LeastRole: project.Guest})}
}
