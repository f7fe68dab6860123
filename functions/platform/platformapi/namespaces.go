package platformapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/auth"
	"gatehouse/shared/listing"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/projectapi"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

func (a *api) routeNamespaces(mux *web.Mux) {
	anyone := a.app.Auth.User()
	mux.Handle("GET /api/v4/namespaces", anyone(a.listNamespaces))
	mux.Handle("GET /api/v4/namespaces/{id}", anyone(a.showNamespace))
}

// namespaceBody is a group or a user's namespace on the wire.
type namespaceBody struct {
	projectapi.Namespace
	ParentID  *int64  `json:"parent_id"`  // null at the top
	AvatarURL *string `json:"avatar_url"` // always null: there are no pictures
	WebURL    string  `json:"web_url"`
}

func (a *api) namespaceBody(g project.Group) namespaceBody {
	body := namespaceBody{
		Namespace: projectapi.Namespace{ID: g.ID, Name: g.Name, Path: g.Path, Kind: projectapi.Kind(g.OwnerID), FullPath: g.FullPath},
		WebURL:    a.app.BaseURL + g.PagePath(),
	}
	if g.ParentID != 0 {
		body.ParentID = &g.ParentID
	}
	return body
}

// namespaceList is what the list of namespaces obeys. Groups are numbered by themselves,
// and users' namespaces by the users.
var namespaceList = listing.List[project.Group]{
	ID:      func(g project.Group) int64 { return cmp.Or(g.OwnerID, g.ID) },
	Time:    func(g project.Group) time.Time { return g.CreatedAt },
	Filters: []listing.Filter[project.Group]{namespaceSearch, listing.If("top_level_only", func(g project.Group) bool { return g.ParentID == 0 })},
}

// namespaceSearch keeps the namespaces with a text in their name or path, or in their full
// path if that is asked for.
func namespaceSearch(params *web.Values) func(project.Group) bool {
	search, inFullPath := params.OptionalString("search"), params.BoolOr("full_path_search", false)
	if search == nil || *search == "" {
		return nil
	}
	return func(g project.Group) bool {
		path := g.Path
		if inFullPath {
			path = g.FullPath
		}
		return project.Finds(strings.ToLower(g.Name+"\n"+path), *search)
	}
}

// listNamespaces answers with the groups in which the caller has a role and the caller's
// own namespace, or with all for administrators.
func (a *api) listNamespaces(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	q, owned, req := namespaceList.Read(params), params.BoolOr("owned_only", false), params.Page()
	if err := params.Err(); err != nil {
		return err
	}
	narrowing, ofUsers := project.Narrowing{LeastRole: project.Guest}, listing.One(namespaceOf(c.User))
	switch {
	case owned:
		narrowing.LeastRole = project.Owner
	case c.User.Admin:
		narrowing.LeastRole, ofUsers = project.NoRole, a.usersNamespaces
	}
	q.Before(a.visibleGroups(c, narrowing), func(g project.Group) bool { return g.OwnerID == 0 })
	found, err := q.Page(r.Context(), req, ofUsers)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, found, a.namespaceBody)
}

// usersNamespaces is the list of the namespaces of users.
func (a *api) usersNamespaces(ctx context.Context, r page.Request) (page.Of[project.Group], error) {
	users, err := a.app.Users.Users(ctx, r)
	namespaces := make([]project.Group, len(users.Items))
	for n, u := range users.Items {
		namespaces[n] = namespaceOf(u)
	}
	return page.With(users, namespaces), err
}

func namespaceOf(u user.User) project.Group {
	return project.Group{ID: u.NamespaceID, OwnerID: u.ID, Name: u.Username, Path: u.Username, FullPath: u.Username, CreatedAt: u.CreatedAt}
}

// showNamespace answers with the namespace that the path names by its id or full path.
func (a *api) showNamespace(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	id, err := a.namespaceID(r.Context(), r.PathValue("id"))
	if err != nil {
		return web.NotFound("Namespace", err)
	}
	g, err := a.app.Auth.Namespace(r.Context(), c, id, project.NoRole, "Namespace")
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, a.namespaceBody(g))
}

func (a *api) namespaceID(ctx context.Context, reference string) (int64, error) {
	if id, err := strconv.ParseInt(reference, 10, 64); err == nil {
		return id, nil
	}
	g, err := a.app.Projects.GroupByPath(ctx, reference)
	if err != nil {
		return 0, fmt.Errorf("find namespace: %w", err)
	}
	return g.ID, nil
}
