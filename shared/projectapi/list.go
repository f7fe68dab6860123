package projectapi

import (
	"net/http"
	"strings"
	"time"

	"gatehouse/shared/app"
	"gatehouse/shared/auth"
	"gatehouse/shared/listing"
	"gatehouse/shared/memberapi"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// list is what lists of projects obey.
var list = listing.List[project.Project]{
	ID:      func(p project.Project) int64 { return p.ID },
	Time:    func(p project.Project) time.Time { return p.CreatedAt },
	OrderBy: "created_at", Sort: listing.Descending,
	Orders: map[string]func(a, b project.Project) int{
		"id": nil, "created_at": nil,
		"name": func(a, b project.Project) int { return listing.Text(a.Name, b.Name) },
		"path": func(a, b project.Project) int { return listing.Text(a.Path, b.Path) },
		// Gatehouse knows neither activity nor stars, nor when a project was changed.
		"updated_at": nil, "last_activity_at": nil, "star_count": nil, "similarity": nil,
	},
	Bounded: true,
	Filters: []listing.Filter[project.Project]{visibility},
	Parameters: listing.Parameters{
		None:       []string{"archived", "starred", "imported"},
		NoneUnless: []string{"active"},
		NoneIfSent: []string{"marked_for_deletion_on"},
		Refused: []string{
			"topic", "topic_id", "custom_attributes", "with_programming_language", "repository_storage",
			"updated_after", "updated_before", "last_activity_after", "last_activity_before",
		},
		RefusedIfTrue: []string{"with_issues_enabled", "with_security_reports", "repository_checksum_failed", "wiki_checksum_failed"},
	},
}

// visibility keeps what has the visibility that was sent.
func visibility(params *web.Values) func(project.Project) bool {
	v := memberapi.ReadVisibility(params)
	if v == "" {
		return nil
	}
	return func(p project.Project) bool { return p.Visibility == v }
}

// Query is what a request wants of a list of projects.
type Query struct {
	project.Narrowing
	listing.Query[project.Project]
	Page page.Request
}

// Read reads the parameters of a list of projects.
func Read(params *web.Values) (Query, error) {
	q := Query{Narrowing: memberapi.ReadNarrowing(params, params.BoolOr("membership", false)), Query: list.Read(params), Page: params.Page()}
	inNamespaces := params.BoolOr("search_namespaces", true)
	if search := params.OptionalString("search"); search != nil {
		q.Search = *search
	}
	if !inNamespaces || !q.Plain() {
		q.searchAll(inNamespaces)
	}
	return q, params.Err()
}

// SearchAll has a search look at each project of a list that is no search itself.
func (q *Query) SearchAll() { q.searchAll(true) }

func (q *Query) searchAll(inNamespaces bool) {
	if search := q.Search; search != "" {
		q.Search = ""
		q.Keep(func(p project.Project) bool { return finds(p, search, inNamespaces) })
	}
}

func finds(p project.Project, search string, inNamespaces bool) bool {
	if inNamespaces {
		return project.Finds(p.SearchText(), search)
	}
	return project.Finds(strings.ToLower(p.Name+"\n"+p.Path), search)
}

// Answer answers with the wanted page of the lists, which have projects that the caller
// sees.
func (q Query) Answer(w http.ResponseWriter, r *http.Request, a *app.App, c auth.Caller, lists ...listing.Read[project.Project]) error {
	found, err := q.Query.Page(r.Context(), q.Page, lists...)
	if err != nil {
		return err
	}
	return web.List(w, r, a.BaseURL, q.Page, found, func(p project.Project) Body {
		return New(a, p, c.User.Admin || p.OwnerID == c.User.ID) // for others the role is not known here
	})
}
