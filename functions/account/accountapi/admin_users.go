package accountapi

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/listing"
	"gatehouse/shared/page"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// usersBody is the data of the list of users.
type usersBody struct {
	Query  usersQuery
	Rows   []userRow
	Paging site.Paging
}

type userRow struct {
	user.User
	Address string
}

// userChoice is an entry of a menu above the list. It keeps some of the users, or compares
// them.
type userChoice struct {
	Value, Name string
	keep        func(user.User) bool
	compare     func(a, b user.User) int
	direction   string
}

// shownUsers are what the list can be narrowed to.
var shownUsers = []userChoice{
	{Value: "", Name: "All users"},
	{Value: "active", Name: "Not blocked", keep: func(u user.User) bool { return !u.Blocked() }},
	{Value: "blocked", Name: "Blocked", keep: user.User.Blocked},
	{Value: "admins", Name: "Administrators", keep: func(u user.User) bool { return u.Admin }},
	{Value: "one_factor", Name: "Without a second factor", keep: func(u user.User) bool { return !u.TwoFactorEnabled }},
	{Value: "unconfirmed", Name: "E-mail not confirmed", keep: func(u user.User) bool { return u.ConfirmedAt.IsZero() }},
	{Value: "never", Name: "Never signed in", keep: func(u user.User) bool { return u.LastSignInAt.IsZero() }},
}

// userOrders are the orders of the list.
var userOrders = []userChoice{
	{Value: "", Name: "Newest first"},
	{Value: "oldest", Name: "Oldest first", direction: listing.Ascending},
	{Value: "name", Name: "Name", direction: listing.Ascending, compare: func(a, b user.User) int { return listing.Text(a.Name, b.Name) }},
	{Value: "username", Name: "User name", direction: listing.Ascending, compare: func(a, b user.User) int { return listing.Text(a.Username, b.Username) }},
	{Value: "sign_in", Name: "Last sign-in", direction: listing.Descending, compare: listing.Times(func(u user.User) time.Time { return u.LastSignInAt })},
}

// usersQuery is the filled-in form above the list. What makes no sense in it is left out:
// people edit addresses by hand.
type usersQuery struct {
	Search, Since string
	show, order   userChoice
	since         time.Time
}

func readUsersQuery(values url.Values) usersQuery {
	q := usersQuery{
		Search: strings.TrimPrefix(strings.TrimSpace(values.Get("search")), "@"),
		show:   chosen(shownUsers, values.Get("show")), order: chosen(userOrders, values.Get("order")),
	}
	var err error
	if q.since, err = time.Parse(time.DateOnly, values.Get("since")); err == nil {
		q.Since = values.Get("since")
	}
	return q
}

// chosen returns the choice with the value, or else the first.
func chosen(choices []userChoice, value string) userChoice {
	for _, c := range choices {
		if c.Value == value {
			return c
		}
	}
	return choices[0]
}

// Shown returns what the list can be narrowed to.
func (usersQuery) Shown() []userChoice { return shownUsers }

// Orders returns the orders of the list.
func (usersQuery) Orders() []userChoice { return userOrders }

// Chosen reports whether the choice is one of the query's.
func (q usersQuery) Chosen(c userChoice) bool { return c.Name == q.show.Name || c.Name == q.order.Name }

// Narrow reports whether the query leaves out users.
func (q usersQuery) Narrow() bool { return q.Search != "" || q.Since != "" || q.show.Value != "" }

// address returns that of the list with the query.
func (q usersQuery) address() string {
	values := url.Values{}
	for name, value := range map[string]string{"search": q.Search, "since": q.Since, "show": q.show.Value, "order": q.order.Value} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(values) == 0 {
		return adminUsersPath
	}
	return adminUsersPath + "?" + values.Encode()
}

// allUsers is the list that a query narrows.
var allUsers = listing.List[user.User]{
	ID:   func(u user.User) int64 { return u.ID },
	Time: func(u user.User) time.Time { return u.CreatedAt },
}

// users returns a page of what the query wants. The user who has just this user name or
// address comes first, however old the account is.
func (a *api) users(ctx context.Context, query usersQuery, params *web.Values, wanted page.Request) (page.Of[user.User], error) {
	q := allUsers.Read(params)
	q.Keep(query.show.keep)
	if query.Since != "" {
		q.Keep(func(u user.User) bool { return u.LastSignInAt.Before(query.since) })
	}
	if query.Search != "" {
		q.Keep(func(u user.User) bool { return u.Holds(query.Search) })
		q.Before(a.userAt(query.Search), func(u user.User) bool {
			return strings.EqualFold(u.Username, query.Search) || strings.EqualFold(u.Email, query.Search)
		})
	}
	if query.order.direction != "" {
		q.Sort(query.order.compare, query.order.direction)
	}
	return q.Page(ctx, wanted, a.app.Users.Users)
}

// userAt is the list of the user with this user name or address, if there is one.
func (a *api) userAt(login string) listing.Read[user.User] {
	return func(ctx context.Context, r page.Request) (page.Of[user.User], error) {
		u, err := a.app.Users.UserByLogin(ctx, login)
		if err != nil {
			return page.Of[user.User]{}, fault.IgnoreNotFound(err)
		}
		return listing.One(u)(ctx, r)
	}
}

func (a *api) listUsers(w http.ResponseWriter, r *http.Request, _ user.User) error {
	query, wanted := readUsersQuery(r.URL.Query()), site.PageOf(r)
	found, err := a.users(r.Context(), query, web.Params(r), wanted)
	if err != nil {
		return err
	}
	body := usersBody{Query: query, Paging: site.NewPaging(query.address(), wanted, found)}
	body.Paging.Sorted = query.order.Value != ""
	for _, u := range found.Items {
		body.Rows = append(body.Rows, userRow{u, userAddress(u)})
	}
	return a.renderAdmin(w, r, site.Page{Template: "users", Title: "Users", Body: body})
}
