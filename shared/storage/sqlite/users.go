package sqlite

import (
	"context"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

const userColumns = `id, username, namespace_id, name, email, password_hash, state, admin, private_profile,
	two_factor_enabled, created_at, updated_at, sessions_since, version`

func scanUser(r row) (u user.User, err error) {
	return u, r.Scan(&u.ID, &u.Username, &u.NamespaceID, &u.Name, &u.Email, &u.PasswordHash, &u.State, &u.Admin,
		&u.PrivateProfile, &u.TwoFactorEnabled, intoTime(&u.CreatedAt), intoTime(&u.UpdatedAt),
		intoTime(&u.SessionEpoch), &u.Version)
}

// CreateUser stores a user and the namespace that goes with it.
func (s *Store) CreateUser(ctx context.Context, u user.User) (user.User, error) {
	err := s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.checkFree(path("username", u.Username), email(u.Email, 0)); err != nil {
			return err
		}
		return tx.addUser(&u)
	})
	return u, err
}

func (tx *transaction) addUser(u *user.User) (err error) {
	u.Version = 1
	u.ID, err = tx.insert(`
		INSERT INTO users (username, namespace_id, name, email, email_key, password_hash, state, admin,
			private_profile, two_factor_enabled, created_at, updated_at, sessions_since, version)
		VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		u.Username, u.Name, u.Email, key(u.Email), u.PasswordHash, u.State, u.Admin,
		u.PrivateProfile, u.TwoFactorEnabled, micros(u.CreatedAt), micros(u.UpdatedAt), micros(u.SessionEpoch), u.Version)
	if err != nil {
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
	return tx.exec("UPDATE users SET namespace_id = ? WHERE id = ?", u.NamespaceID, u.ID)
}

// User returns the user with this id.
func (s *Store) User(ctx context.Context, id int64) (user.User, error) {
	return find(ctx, s.readers, user.ErrNotFound, scanUser, "SELECT "+userColumns+" FROM users WHERE id = ?", id)
}

// UserByLogin returns the user with this user name or e-mail address.
func (s *Store) UserByLogin(ctx context.Context, login string) (user.User, error) {
	const query = "SELECT " + userColumns + ` FROM users WHERE email_key = ?1 OR id =
		(SELECT owner_id FROM namespaces JOIN paths ON namespace_id = namespaces.id WHERE key = ?1)`
	return find(ctx, s.readers, user.ErrNotFound, scanUser, query, key(login))
}

// UsersByID returns the users with these ids that exist.
func (s *Store) UsersByID(ctx context.Context, ids []int64) (map[int64]user.User, error) {
	const query = "SELECT " + userColumns + " FROM users WHERE id IN (SELECT value FROM json_each(?))"
	found, err := many(ctx, s.readers, scanUser, query, text(ids))
	byID := make(map[int64]user.User, len(found))
	for _, u := range found {
		byID[u.ID] = u
	}
	return byID, err
}

// Users returns a page of all users.
func (s *Store) Users(ctx context.Context, r page.Request) (page.Of[user.User], error) {
	return list(ctx, s, scanUser, userColumns, "users", r)
}

// UpdateUser replaces a user, but for what is permanent.
func (s *Store) UpdateUser(ctx context.Context, u user.User, by int64) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireAdministrator(by); err != nil {
			return err
		}
		if err := tx.checkVersion(user.ErrNotFound, user.ErrChanged, "SELECT version FROM users WHERE id = ?", u.ID, u.Version); err != nil {
			return err
		}
		if err := tx.checkFree(email(u.Email, u.ID)); err != nil {
			return err
		}
		return tx.exec(`
			UPDATE users SET name = ?, email = ?, email_key = ?, password_hash = ?, state = ?, admin = ?,
				private_profile = ?, two_factor_enabled = ?, updated_at = ?, sessions_since = ?,
				version = version + 1
			WHERE id = ?`,
			u.Name, u.Email, key(u.Email), u.PasswordHash, u.State, u.Admin,
			u.PrivateProfile, u.TwoFactorEnabled, micros(u.UpdatedAt), micros(u.SessionEpoch), u.ID)
	})
}

// requireAdministrator returns user.ErrNotAdministrator unless the user is an
// active administrator, or nobody in particular.
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

// DeleteUser removes a user with everything that is the user's own. The
// namespace, its path and the memberships go by their foreign keys.
func (s *Store) DeleteUser(ctx context.Context, id, by int64) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireAdministrator(by); err != nil {
			return err
		}
		const projects = "SELECT 1 FROM projects WHERE namespace_id = (SELECT namespace_id FROM users WHERE id = ?)"
		if err := tx.refuse(user.ErrHoldsProjects, projects, id); err != nil {
			return err
		}
		if err := tx.changeOne(user.ErrNotFound, "DELETE FROM users WHERE id = ?", id); err != nil {
			return err
		}
		for _, table := range []string{"access_tokens", "sessions", "grants"} {
			if err := tx.exec("DELETE FROM "+table+" WHERE user_id = ?", id); err != nil {
				return err
			}
		}
		return nil
	})
}
