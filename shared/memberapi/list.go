package memberapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/auth"
	"gatehouse/shared/listing"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// person is a member, and the user who that is.
type person struct {
	project.Member
	user.User
}

// memberList is what lists of members obey.
var memberList = listing.List[person]{
	ID:      func(p person) int64 { return p.UserID },
	Time:    func(p person) time.Time { return p.Member.CreatedAt },
	Rising:  true,
	Filters: []listing.Filter[person]{namedMembers, otherMembers},
	Parameters: listing.Parameters{
		States:        map[string]listing.States{"state": {All: []string{"active"}, None: []string{"awaiting"}}}, // nobody is asked before
		RefusedIfTrue: []string{"with_saml_identity"},
	},
}

// namedMembers keeps the members with a text in their name or user name. Addresses are
// not looked at: the list does not show them.
func namedMembers(params *web.Values) func(person) bool {
	query := params.OptionalString("query")
	if query == nil || *query == "" {
		return nil
	}
	return func(p person) bool { return p.Called(*query) }
}

// otherMembers leaves out some users.
func otherMembers(params *web.Values) func(person) bool {
	skipped := params.OptionalInts("skip_users")
	if len(skipped) == 0 {
		return nil
	}
	return func(p person) bool { return !slices.Contains(skipped, p.UserID) }
}

func (a *api) list(w http.ResponseWriter, r *http.Request, _ auth.Caller, at project.GroupOrProject) error {
	return a.listOf(w, r, at.Place())
}

func (a *api) listAll(w http.ResponseWriter, r *http.Request, _ auth.Caller, at project.GroupOrProject) error {
	return a.listOf(w, r, at.Places()...)
}

func (a *api) listOf(w http.ResponseWriter, r *http.Request, places ...project.Place) error {
	params := web.Params(r)
	q, ids, req := memberList.Read(params), params.OptionalInts("user_ids"), params.Page()
	if len(ids) > page.MaxSize {
		params.NotAllowed("user_ids")
	}
	if err := params.Err(); err != nil {
		return err
	}
	found, err := q.Page(r.Context(), req, func(ctx context.Context, req page.Request) (page.Of[person], error) {
		if len(ids) > 0 {
			return a.among(ctx, req, ids, places)
		}
		return a.members(ctx, req, places)
	})
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, found, func(p person) body { return newBody(p.Member, p.User) })
}

// members returns a page of the members of the places.
func (a *api) members(ctx context.Context, req page.Request, places []project.Place) (page.Of[person], error) {
	members, err := a.app.Projects.MembersOf(ctx, req, places...)
	if err != nil {
		return page.Of[person]{}, err
	}
	var people []person
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		people, err = a.people(ctx, members.Items)
		return err
	})
	reads.Go(func() (err error) {
		if !req.Uncounted {
			members.Total, err = a.app.Projects.TotalOf(ctx, members, req, places...)
		}
		return err
	})
	err = reads.Wait()
	return page.With(members, people), err
}

// among returns a page of those of the users who are members.
func (a *api) among(ctx context.Context, req page.Request, ids []int64, places []project.Place) (page.Of[person], error) {
	found, err := a.app.Projects.MembersAmong(ctx, ids, places...)
	if err != nil {
		return page.Of[person]{}, err
	}
	if req.After.Some() {
		found = slices.DeleteFunc(found, func(m project.Member) bool { return m.UserID <= req.After.ID })
		req.Number = 1
	}
	members := page.Cut(found, req)
	people, err := a.people(ctx, members.Items)
	return page.With(members, people), err
}

// people adds the users, without those who were deleted between the two reads.
func (a *api) people(ctx context.Context, members []project.Member) ([]person, error) {
	users, err := a.app.Users.UsersByID(ctx, userIDs(members))
	people := make([]person, 0, len(members))
	for _, m := range members {
		if u, there := users[m.UserID]; there {
			people = append(people, person{m, u})
		}
	}
	return people, err
}
