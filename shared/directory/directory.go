// Package directory finds people by their names, for the REST API and for the search box.
package directory

import (
	"context"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

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
	var named user.User
	var places []project.Place
	reads, readCtx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		named, err = a.Users.Named(readCtx, reader, login)
		return fault.IgnoreNotFound(err)
	})
	reads.Go(func() (err error) {
		if !reader.Administers() && !user.IsAddress(login) {
			places, err = a.Projects.Beside(readCtx, reader.ID)
		}
		return err
	})
	err := reads.Wait()
	switch {
	case err != nil, user.IsAddress(login): // no part of an address finds its owner
		return only(named, wanted), err
	case reader.Administers():
		return search(ctx, everybody, named, reader, login, wanted, a.Users.Users)
	case len(places) == 0:
		return only(named, wanted), nil
	}
	return search(ctx, acquaintances, named, reader, login, wanted, membersOf(a, places))
}

// FindNamed returns the page of the one with just this user name, if the reader may see them.
func FindNamed(ctx context.Context, a *app.App, reader user.User, username string, wanted page.Request) (page.Of[user.User], error) {
	if user.IsAddress(username) {
		return only(user.User{}, wanted), nil
	}
	named, err := a.Users.Named(ctx, reader, username)
	return only(named, wanted), fault.IgnoreNotFound(err)
}

// only is the page of one user, or of none.
func only(u user.User, wanted page.Request) page.Of[user.User] {
	if u.ID == 0 || wanted.After.Some() {
		return page.Of[user.User]{Items: []user.User{}, Total: -1}
	}
	found := page.Cut([]user.User{u}, wanted)
	found.Total = -1 // as in a search, which tells none
	return found
}

// search returns a page of those in the list whom the text is about.
func search(
	ctx context.Context, list listing.List[user.User], named, reader user.User, part string, wanted page.Request, all listing.Read[user.User],
) (page.Of[user.User], error) {
	q := list.Whole()
	q.Keep(func(u user.User) bool { return u.ShownTo(reader) && u.Called(part) })
	if named.ID != 0 {
		q.Before(listing.One(named), func(u user.User) bool { return u.ID == named.ID })
	}
	return q.Page(ctx, wanted, all)
}

// membersOf is the list of the members of these places.
func membersOf(a *app.App, places []project.Place) listing.Read[user.User] {
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
