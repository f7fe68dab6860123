// Package directory finds people by their names, for the REST API and for the search box.
package directory

import (
	"context"
	"strings"
	"time"

	"gatehouse/shared/app"
	"gatehouse/shared/fault"
	"gatehouse/shared/listing"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// everybody is the list of all users, the newest first.
var everybody = listing.List[user.User]{
	ID:   func(u user.User) int64 { return u.ID },
	Time: func(u user.User) time.Time { return u.CreatedAt },
}

// acquaintances is the list of those with whom a user shares something. It has the order of
// the lists of members.
var acquaintances = listing.List[user.User]{ID: everybody.ID, Time: everybody.Time, Rising: true}

// Find returns a page of the people whom the reader may find: first the one with just this
// user name, also after an "@", or e-mail address, and then those with the text in their name
// or user name. Of these an administrator finds all, and others those who are members of the
// newest groups and projects of which the reader is a direct member (project.MaxBeside).
// Nobody finds people whose page they may not see.
func Find(ctx context.Context, a *app.App, reader user.User, text string, wanted page.Request) (page.Of[user.User], error) {
	login := strings.TrimPrefix(text, "@")
	list, all := everybody, listing.Read[user.User](a.Users.Users)
	switch {
	case user.IsAddress(login): // no part of an address finds its owner
		all = listing.None[user.User]
	case !reader.Administers():
		places, err := a.Projects.Beside(ctx, reader.ID)
		if err != nil {
			return page.Of[user.User]{}, err
		}
		list, all = acquaintances, membersOf(a, places)
	}
	q := list.Whole()
	q.Keep(func(u user.User) bool { return u.ShownTo(reader) && u.Called(login) || u.Has(login) })
	q.Before(named(a, reader, login), func(u user.User) bool { return u.Has(login) })
	wanted.Uncounted = true
	return q.Page(ctx, wanted, all)
}

// FindNamed returns the page of the one with just this user name, if the reader may see them.
func FindNamed(ctx context.Context, a *app.App, reader user.User, username string, wanted page.Request) (page.Of[user.User], error) {
	if user.IsAddress(username) {
		return page.Of[user.User]{Items: []user.User{}}, nil
	}
	return named(a, reader, username)(ctx, wanted)
}

// named is the list of the user with this user name or address, if the reader may see them.
func named(a *app.App, reader user.User, login string) listing.Read[user.User] {
	return func(ctx context.Context, wanted page.Request) (page.Of[user.User], error) {
		u, err := a.Users.Named(ctx, reader, login)
		if err != nil {
			return page.Of[user.User]{Items: []user.User{}}, fault.IgnoreNotFound(err)
		}
		return listing.One(u)(ctx, wanted)
	}
}

// membersOf is the list of the members of these places.
func membersOf(a *app.App, places []project.Place) listing.Read[user.User] {
	if len(places) == 0 {
		return listing.None[user.User]
	}
	return func(ctx context.Context, wanted page.Request) (page.Of[user.User], error) {
		members, err := a.Projects.MembersOf(ctx, wanted, places...)
		if err != nil {
			return page.Of[user.User]{}, err
		}
		ids := make([]int64, len(members.Items))
		for n, m := range members.Items {
			ids[n] = m.UserID
		}
		users, err := a.Users.UsersByID(ctx, ids)
		var found []user.User
		for _, id := range ids {
			if u, there := users[id]; there { // not deleted between the two reads
				found = append(found, u)
			}
		}
		return page.With(members, found), err
	}
}
