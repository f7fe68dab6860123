package platformapi

import (
	"context"
	"net/http"
	"time"

	"gatehouse/shared/auth"
	"gatehouse/shared/directory"
	"gatehouse/shared/fault"
	"gatehouse/shared/listing"
	"gatehouse/shared/page"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// userList is what the list of users obeys.
var userList = listing.List[user.User]{
	ID:      func(u user.User) int64 { return u.ID },
	Time:    func(u user.User) time.Time { return u.CreatedAt },
	OrderBy: "id", Sort: listing.Descending,
	Orders: map[string]func(a, b user.User) int{
		"id": nil, "created_at": nil,
		"name":       func(a, b user.User) int { return listing.Text(a.Name, b.Name) },
		"username":   func(a, b user.User) int { return listing.Text(a.Username, b.Username) },
		"updated_at": func(a, b user.User) int { return a.UpdatedAt.Compare(b.UpdatedAt) },
	},
	Filters: []listing.Filter[user.User]{
		listing.If("active", func(u user.User) bool { return !u.Blocked() }),
		listing.If("exclude_active", user.User.Blocked),
		listing.If("blocked", user.User.Blocked),
		listing.If("admins", func(u user.User) bool { return u.Admin }),
		listing.Between("created_after", "created_before", func(u user.User) time.Time { return u.CreatedAt }),
		twoFactor,
	},
	Parameters: listing.Parameters{
		None:          []string{"external", "auditors", "exclude_humans"}, // every account is a person's, and none is external
		NoneIfSent:    []string{"extern_uid", "provider", "saml_provider_id"},
		Refused:       []string{"custom_attributes", "public_email"},
		RefusedIfTrue: []string{"without_projects"},
	},
}

// twoFactor keeps the users with or without a second factor.
func twoFactor(params *web.Values) func(user.User) bool {
	switch web.Choice(params, "two_factor", []string{"enabled", "disabled"}) {
	case "enabled":
		return func(u user.User) bool { return u.TwoFactorEnabled }
	case "disabled":
		return func(u user.User) bool { return !u.TwoFactorEnabled }
	}
	return nil
}

// listUsers answers administrators with the users, or with the one that has a user name or
// an e-mail address, and others with those whom they may find.
func (a *api) listUsers(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	if refused := c.CheckAdmin(); refused != nil {
		return a.findUsers(w, r, c.User, params, refused)
	}
	q, req, username, search := userList.Read(params), params.Page(), params.OptionalString("username"), params.OptionalString("search")
	if err := params.Err(); err != nil {
		return err
	}
	list := listing.Read[user.User](a.app.Users.Users)
	var err error
	switch {
	case username != nil:
		list, err = oneUser(r.Context(), *username, a.app.Users.UserByUsername)
	case search != nil && user.IsAddress(*search): // no part of an address finds its owner
		list, err = oneUser(r.Context(), *search, a.app.Users.UserByLogin)
	case search != nil && *search != "":
		err = a.search(r.Context(), &q, *search)
	}
	if err != nil {
		return err
	}
	users, err := q.Page(r.Context(), req, list)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, users, a.userBody)
}

// oneUser is the list of the user that is found by the name, or of none.
func oneUser(ctx context.Context, name string, find func(context.Context, string) (user.User, error)) (listing.Read[user.User], error) {
	u, err := find(ctx, name)
	if err != nil {
		return listing.None[user.User], fault.IgnoreNotFound(err)
	}
	return listing.One(u), nil
}

// search keeps the users with the text in their name or user name. The one who has just
// this user name comes first.
func (a *api) search(ctx context.Context, q *listing.Query[user.User], text string) error {
	q.Keep(func(u user.User) bool { return u.Called(text) })
	u, err := a.app.Users.UserByUsername(ctx, text)
	if err == nil {
		q.Before(listing.One(u), func(other user.User) bool { return other.ID == u.ID })
	}
	return fault.IgnoreNotFound(err)
}

// foundUsers is what the list obeys for those who are no administrators. What would tell more
// of people than they see is refused.
var foundUsers = listing.Parameters{
	None:          append([]string{"blocked", "exclude_active"}, userList.None...),
	NoneIfSent:    userList.NoneIfSent,
	Refused:       append([]string{"two_factor", "created_after", "created_before", "order_by", "sort"}, userList.Refused...),
	RefusedIfTrue: append([]string{"admins"}, userList.RefusedIfTrue...),
}

// foundUser is a user as those see them who are no administrators.
type foundUser struct {
	ID        int64      `json:"id"`
	Username  string     `json:"username"`
	Name      string     `json:"name"`
	State     user.State `json:"state"`
	AvatarURL *string    `json:"avatar_url"` // always null: there are no pictures
	WebURL    string     `json:"web_url"`
}

// findUsers answers with those whom the reader finds by a name. Without one the list is not
// for the reader.
func (a *api) findUsers(w http.ResponseWriter, r *http.Request, reader user.User, params *web.Values, refused error) error {
	find, name := directory.Find, params.OptionalString("search")
	if username := params.OptionalString("username"); username != nil {
		find, name = directory.FindNamed, username
	}
	if name == nil || *name == "" {
		return refused
	}
	nothing, req := foundUsers.Read(params), params.Page()
	if err := params.Err(); err != nil {
		return err
	}
	found := page.Of[user.User]{Items: []user.User{}}
	if !nothing {
		var err error
		if found, err = find(r.Context(), a.app, reader, *name, req); err != nil {
			return err
		}
	}
	return web.List(w, r, a.app.BaseURL, req, found, func(u user.User) foundUser {
		return foundUser{ID: u.ID, Username: u.Username, Name: u.Name, State: u.State, WebURL: a.app.BaseURL + u.PagePath()}
	})
}
