package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
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
		create(pathKey(u.Username), fields{{"user_id", &u.ID}, {"group_id", &u.NamespaceID}}),
		create(emailKey(u.Email), fields{{"user_id", &u.ID}}),
		create(userItem.key(u.ID), append(userFields(&u), field{isListed, &yes})),
		create(groupItem.key(u.NamespaceID), emptyGroupFields(&namespace)),
		create(userList.key(u.ID), users.entry(&u)),
	}, counts{countUsers: 1}.ofInstance(u.ID), mark)...)
	complaints := fault.Fields{}
	for n, name := range []string{"username", "email"} {
		if _, taken := failed(err, n); taken {
			complaints.Add(name, fault.Taken)
		}
	}
	if len(complaints) > 0 {
		return u, complaints
	}
	return u, err
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
// the latter has an "@".
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
		return user.User{}, users.notFound
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
	newest := source(s, userList.key(), readListed)
	list := walk.List[entry]{Sources: []walk.Source[entry]{newest}, Position: positionOf, Count: s.countUsers}
	if !complete {
		list.Count = selection{}.countable(newest)
	}
	return pageOf(ctx, s, users, list, r, func(u *user.User) *int64 { return &u.ID }, always)
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
	changes := append(needed, users.explain(set(userItem.key(u.ID), userFields(&u)).version(was)))
	if former, next := emailKey(stored.Email), emailKey(u.Email); former != next {
		claim := create(next, fields{{"user_id", &u.ID}}).orElse(fault.Field("email", fault.Taken))
		changes = append(changes, claim, mustRemove(former))
	}
	return s.write(ctx, changes...)
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
	admin, active := true, string(user.Active)
	return []change{requireExists(userItem.key(by)).
		ifEqual(fields{{"admin", &admin}, {"state", &active}}).orElse(user.ErrNotAdministrator)}, nil
}

// DeleteUser removes the user with its namespace and memberships, and right after
// that the summaries of grants. The grants have an end.
func (s *Store) DeleteUser(ctx context.Context, id, by int64) error {
	err := s.removeUser(ctx, id, by)
	if errors.Is(err, users.changed) { // or it was only listed meanwhile
		err = s.removeUser(ctx, id, by)
	}
	if err != nil {
		return err
	}
	return s.removeSummaries(ctx, id)
}

func (s *Store) removeUser(ctx context.Context, id, by int64) error {
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
	return s.removeWithMembers(ctx, memberOfUser.key(id), append(changes,
		mustRemoveEmpty(u.NamespaceID).orElse(user.ErrHoldsProjects),
		users.asRead(mustRemove(userItem.key(id)), u.Version, it),
		mustRemove(pathKey(u.Username)),
		mustRemove(emailKey(u.Email)),
		mustRemove(userList.key(id)),
		remove(factorItem.key(id)),
	)...)
}
