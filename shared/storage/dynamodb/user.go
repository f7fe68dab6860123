package dynamodb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/reservation"
	"gatehouse/shared/storage/walk"
	"gatehouse/shared/user"
)

var (
	userItem  = shape{directory, "USER#<id>", "USER", "a user", ""}
	userList  = shape{directory, "LIST#users", "<id>", "a user in the list of all", ""}
	emailItem = shape{directory, "EMAIL#<address>", "EMAIL", "who has the e-mail address", ""}
	userIDs   = idCounter.key("users")
)

func emailKey(address string) key { return emailItem.key(strings.ToLower(address)) }

var users = kind[user.User]{
	noun:     "user",
	notFound: user.ErrNotFound,
	changed:  user.ErrChanged,
	key:      func(u user.User) key { return userItem.key(u.ID) },
	fields:   userFields,
	entry:    func(u *user.User) fields { return fields{{"id", &u.ID}} },
}

func userFields(u *user.User) fields {
	return append(profileFields(u), field{lastSignIn, &u.LastSignInAt})
}

// lastSignIn is the attribute that SignedIn writes, and UpdateUser leaves as it is.
const lastSignIn = "last_sign_in_at"

// profileFields are what UpdateUser writes.
func profileFields(u *user.User) fields {
	return fields{
		{"id", &u.ID}, {"username", &u.Username}, {"namespace_id", &u.NamespaceID}, {"name", &u.Name},
		{"email", &u.Email}, {"password_hash", &u.PasswordHash}, {"state", (*string)(&u.State)},
		{"admin", &u.Admin}, {"private_profile", &u.PrivateProfile},
		{"two_factor_enabled", &u.TwoFactorEnabled}, {"created_at", &u.CreatedAt}, {"updated_at", &u.UpdatedAt},
		{"sessions_since", &u.SessionEpoch}, {"confirmed_at", &u.ConfirmedAt}, {"version", &u.Version},
	}
}

// CreateUser stores a user with a namespace.
func (s *Store) CreateUser(ctx context.Context, u user.User) (user.User, error) {
	var err error
	if u.ID, err = s.next(ctx, userIDs); err != nil {
		return user.User{}, err
	}
	if u.NamespaceID, err = s.next(ctx, groupIDs); err != nil {
		return user.User{}, err
	}
	u.Version = 1
	namespace, yes := namespaceOf(u), true
	mark, err := s.firstMark(ctx)
	if err != nil {
		return user.User{}, err
	}
	err = s.write(ctx, slices.Concat([]change{
		claimPath(u.Username, 0, u.CreatedAt, fields{{"user_id", &u.ID}, {"group_id", &u.NamespaceID}}),
		create(emailKey(u.Email), fields{{"user_id", &u.ID}}),
		create(userItem.key(u.ID), append(userFields(&u), field{isListed, &yes})),
		create(groupItem.key(u.NamespaceID), emptyGroupFields(&namespace)),
		create(userList.key(u.ID), users.entry(&u)),
	}, counts{countUsers: 1}.ofInstance(u.ID), mark)...)
	return u, takenOf(err)
}

// takenOf returns what the error of CreateUser means. A reserved user name is what is in
// the way only if nothing else is.
func takenOf(err error) error {
	complaints := fault.Fields{}
	claim, refused := failed(err, 0)
	reserved := claim[reservedUntil] != nil
	if refused && !reserved {
		complaints.Add("username", fault.Taken)
	}
	if _, taken := failed(err, 1); taken {
		complaints.Add("email", fault.Taken)
	}
	switch {
	case len(complaints) > 0:
		return complaints
	case reserved:
		return reservation.Refuse("username")
	}
	return err
}

func namespaceOf(u user.User) project.Group {
	return project.Group{
		ID: u.NamespaceID, OwnerID: u.ID, Name: u.Username, Path: u.Username, FullPath: u.Username,
		Visibility: project.Private, CreatedAt: u.CreatedAt, Version: 1,
	}
}

// User returns the user with this id.
func (s *Store) User(ctx context.Context, id int64) (user.User, error) {
	return users.get(ctx, s, userItem.key(id))
}

// UserByLogin returns the user with this user name or e-mail address. Only
// the latter has an "@". A name that nobody has takes two reads as well: the time of a
// sign-in must not tell which names somebody has.
func (s *Store) UserByLogin(ctx context.Context, login string) (user.User, error) {
	claim := pathKey(login)
	if strings.Contains(login, "@") {
		claim = emailKey(login)
	}
	id, err := s.claimant(ctx, claim, "user_id")
	if err != nil {
		return user.User{}, fmt.Errorf("find user by login: %w", err)
	}
	if id == 0 {
		_, err := s.get(ctx, claim)
		return user.User{}, cmp.Or(err, users.notFound)
	}
	return s.User(ctx, id)
}

// claimant returns the id of this name in a claim; zero when there is no claim,
// or one of another kind.
func (s *Store) claimant(ctx context.Context, claim key, name string) (id int64, err error) {
	it, err := s.get(ctx, claim)
	if err != nil {
		return 0, err
	}
	return id, fields{{name, &id}}.read(it)
}

// UsersByID returns the users with these ids that exist.
func (s *Store) UsersByID(ctx context.Context, ids []int64) (map[int64]user.User, error) {
	return users.withIDs(ctx, s, ids, func(thing *user.User) *int64 { return &thing.ID })
}

// Users returns a page of all users.
func (s *Store) Users(ctx context.Context, r page.Request) (page.Of[user.User], error) {
	complete, err := s.listsComplete(ctx)
	if err != nil {
		return page.Of[user.User]{}, err
	}
	listed := ordered(s, r.Oldest, userList.key(), readListed)
	list := walk.List[entry]{Sources: []walk.Source[entry]{listed}, Position: positionOf, Order: r.Order(), Count: s.countUsers}
	if !complete {
		list.Count = selection{}.countable(listed)
	}
	return pageOf(ctx, s, users, list, r, func(u *user.User) *int64 { return &u.ID }, always, nil)
}

func (s *Store) countUsers(ctx context.Context) (int, error) {
	return s.countInstance(ctx, func(it item) (n int, err error) { return n, fields{{countUsers, &n}}.read(it) })
}

// UpdateUser replaces the user whose Version is still the stored one.
func (s *Store) UpdateUser(ctx context.Context, u user.User, by int64) error {
	stored, err := s.User(ctx, u.ID)
	if err != nil {
		return err
	}
	needed, err := requireAdministrator(stored, by)
	if err != nil {
		return err
	}
	u.Username, u.NamespaceID, u.CreatedAt = stored.Username, stored.NamespaceID, stored.CreatedAt
	was := u.Version
	u.Version++
	changes := append(needed, users.explain(set(userItem.key(u.ID), profileFields(&u)).version(was)))
	if former, next := emailKey(stored.Email), emailKey(u.Email); former != next {
		claim := create(next, fields{{"user_id", &u.ID}}).orElse(fault.Field("email", fault.Taken))
		changes = append(changes, claim, mustRemove(former))
	}
	return s.write(ctx, changes...)
}

// SignedIn takes down when the user signed in last.
func (s *Store) SignedIn(ctx context.Context, id int64, now time.Time) error {
	at := field{lastSignIn, &now}
	later := set(userItem.key(id), fields{at}).
		when(exists+" AND (attribute_not_exists("+lastSignIn+") OR "+lastSignIn+" < :signed_in)", item{":signed_in": at.value()})
	return s.writeIf(ctx, later.keepNonce())
}

// requireAdministrator returns the changes that require the user by to be an
// active administrator. Users who change themselves need none, because the change
// requires the version that was read.
func requireAdministrator(stored user.User, by int64) ([]change, error) {
	if by == 0 || by == stored.ID && stored.Administers() {
		return nil, nil
	}
	if by == stored.ID {
		return nil, user.ErrNotAdministrator
	}
	return []change{administrator(by)}, nil
}

// administrator requires the user to be an active administrator.
func administrator(id int64) change {
	admin, active := true, string(user.Active)
	return requireExists(userItem.key(id)).
		ifEqual(fields{{"admin", &admin}, {"state", &active}}).orElse(user.ErrNotAdministrator)
}

// DeleteUser removes the user with its namespace and memberships, and right after
// that the summaries of grants. The grants have an end.
func (s *Store) DeleteUser(ctx context.Context, id, by int64, now time.Time) error {
	err := s.removeUser(ctx, id, by, now)
	if errors.Is(err, users.changed) { // or it was only listed meanwhile
		err = s.removeUser(ctx, id, by, now)
	}
	if err != nil {
		return err
	}
	return s.removeSummaries(ctx, id)
}

func (s *Store) removeUser(ctx context.Context, id, by int64, now time.Time) error {
	u, it, err := users.stored(ctx, s, userItem.key(id))
	if err != nil {
		return err
	}
	changes, err := requireAdministrator(u, by)
	if err != nil {
		return err
	}
	if it[isListed] != nil {
		changes = append(changes, counts{countUsers: -1}.ofInstance(id)...)
	}
	owned, err := s.recordsOfUser(ctx, id)
	if err != nil {
		return err
	}
	found, err := members.all(ctx, s, memberOfUser.key(id))
	if err != nil {
		return err
	}
	return s.removeWithMembers(ctx, memberOfUser.key(id), found, slices.Concat(changes, owned, []change{
		mustRemoveEmpty(u.NamespaceID).orElse(user.ErrHoldsProjects),
		users.asRead(mustRemove(userItem.key(id)), u.Version, it),
		mustRemove(emailKey(u.Email)),
		mustRemove(userList.key(id)),
		remove(factorItem.key(id)),
	}, reserve(u.Username, nil, now))...)
}
