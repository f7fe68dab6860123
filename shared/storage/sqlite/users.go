package sqlite

import (
	"context"
	"slices"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/walk"
	"gatehouse/shared/user"
)

var users = newKind("users", userColumns, user.ErrNotFound, user.ErrChanged)

func userColumns(u *user.User) columns {
	return slices.Concat(columns{
		{"id", given{&u.ID}}, {"username", &u.Username}, {"namespace_id", &u.NamespaceID},
		{"created_at", &u.CreatedAt}, {"last_sign_in_at", &u.LastSignInAt},
	}, profile(u))
}

// profile are the columns that UpdateUser changes.
func profile(u *user.User) columns {
	return columns{
		{"name", &u.Name}, {"email", &u.Email}, {"email_key", derived(func() any { return key(u.Email) })},
		{"password_hash", &u.PasswordHash}, {"state", &u.State}, {"admin", &u.Admin},
		{"private_profile", &u.PrivateProfile}, {"two_factor_enabled", &u.TwoFactorEnabled},
		{"confirmed_at", &u.ConfirmedAt},
		{"updated_at", &u.UpdatedAt}, {"sessions_since", &u.SessionEpoch}, {"version", &u.Version},
	}
}

// CreateUser stores a user and the namespace that goes with it.
func (s *Store) CreateUser(ctx context.Context, u user.User) (user.User, error) {
	err := s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.checkFree(path("username", u.Username), email(u.Email, 0)); err != nil {
			return err
		}
		if err := tx.take("username", u.Username, 0, u.CreatedAt); err != nil {
			return err
		}
		return tx.addUser(&u)
	})
	return u, err
}

func (tx *transaction) addUser(u *user.User) (err error) {
	u.Version = 1
	if u.ID, err = users.insert(tx, u); err != nil {
		return err
	}
	own := project.Group{
		OwnerID: u.ID, Name: u.Username, Path: u.Username, FullPath: u.Username,
		Visibility: project.Private, CreatedAt: u.CreatedAt,
	}
	if err := tx.addNamespace(&own); err != nil {
		return err
	}
	u.NamespaceID = own.ID
	if err := tx.tally(allUsers, "", 1); err != nil {
		return err
	}
	return tx.exec("UPDATE users SET namespace_id = ? WHERE id = ?", u.NamespaceID, u.ID)
}

// User returns the user with this id.
func (s *Store) User(ctx context.Context, id int64) (user.User, error) {
	return users.find(ctx, s.readers, "WHERE id = ?", id)
}

// UserByLogin returns the user with this user name or e-mail address.
func (s *Store) UserByLogin(ctx context.Context, login string) (user.User, error) {
	const named = `WHERE email_key = ?1 OR id =
		(SELECT owner_id FROM namespaces JOIN paths ON namespace_id = namespaces.id WHERE key = ?1)`
	return users.find(ctx, s.readers, named, key(login))
}

// UsersByID returns the users with these ids that exist.
func (s *Store) UsersByID(ctx context.Context, ids []int64) (map[int64]user.User, error) {
	return users.withIDs(ctx, s, ids, func(u user.User) int64 { return u.ID })
}

// Users returns a page of all users.
func (s *Store) Users(ctx context.Context, r page.Request) (page.Of[user.User], error) {
	const newest = "SELECT id, 0, 0 FROM users WHERE id < ? ORDER BY id DESC LIMIT ?"
	query := newest
	if r.Oldest {
		query = rising.Replace(newest)
	}
	list := walk.List[entry]{
		Position: positionOf, Order: r.Order(),
		Sources: []walk.Source[entry]{func(ctx context.Context, after page.Position, n int) ([]entry, error) {
			return many(ctx, s.readers, scanEntry, query, numberBeyond(r.Oldest, after), n)
		}},
		Count: func(ctx context.Context) (int, error) {
			return one(ctx, s.readers, scalar[int], "SELECT coalesce(sum(things), 0) FROM contents WHERE group_id = ? AND kind = ?", instance, allUsers)
		},
	}
	return users.listed(ctx, s, list, r, func(u user.User) int64 { return u.ID })
}

var updateUser = update("users", profile, "WHERE id = ?")

// UpdateUser replaces a user, except for what is permanent.
func (s *Store) UpdateUser(ctx context.Context, u user.User, by int64) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireAdministrator(by); err != nil {
			return err
		}
		if err := users.requireVersion(tx, u.Version, "WHERE id = ?", u.ID); err != nil {
			return err
		}
		if err := tx.checkFree(email(u.Email, u.ID)); err != nil {
			return err
		}
		u.Version++
		_, err := updateUser.run(tx, &u, u.ID)
		return err
	})
}

// SignedIn takes down when the user signed in last.
func (s *Store) SignedIn(ctx context.Context, id int64, now time.Time) error {
	return s.exec(ctx, "UPDATE users SET last_sign_in_at = max(last_sign_in_at, ?) WHERE id = ?", micros(now), id)
}

// requireAdministrator returns user.ErrNotAdministrator unless the user is an
// active administrator. Zero is nobody in particular, and passes.
func (tx *transaction) requireAdministrator(id int64) error {
	if id == 0 {
		return nil
	}
	found, err := tx.exists("SELECT 1 FROM users WHERE id = ? AND admin AND state = ?", id, user.Active)
	if err == nil && !found {
		return user.ErrNotAdministrator
	}
	return err
}

// DeleteUser removes a user and everything that the user owns. The namespace,
// its path and the memberships are removed by foreign keys.
func (s *Store) DeleteUser(ctx context.Context, id, by int64, now time.Time) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireAdministrator(by); err != nil {
			return err
		}
		const projects = "SELECT 1 FROM projects WHERE namespace_id = (SELECT namespace_id FROM users WHERE id = ?)"
		if err := tx.refuse(user.ErrHoldsProjects, projects, id); err != nil {
			return err
		}
		if err := tx.exec("DELETE FROM contents WHERE group_id = (SELECT namespace_id FROM users WHERE id = ?)", id); err != nil {
			return err
		}
		u, err := users.find(context.Background(), tx, "WHERE id = ?", id)
		if err != nil {
			return err
		}
		if err := users.delete(tx, "WHERE id = ?", id); err != nil {
			return err
		}
		if err := tx.reserve(u.Username, nil, now); err != nil {
			return err
		}
		if err := tx.tally(allUsers, "", -1); err != nil {
			return err
		}
		for _, table := range []string{"access_tokens", "sessions", "grants", "grant_summaries"} {
			if err := tx.exec("DELETE FROM "+table+" WHERE user_id = ?", id); err != nil {
				return err
			}
		}
		return tx.removeRecordsOfUser(id)
	})
}
