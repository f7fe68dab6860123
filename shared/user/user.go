// Package user holds the rules for user accounts: names, passwords, blocks, and
// what administrators may do. Wrong fields of a user, including a name or address
// that another user has, are a fault.Fields error.
package user

import (
	"context"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/reservation"
)

// User is a person, or a machine with an account.
type User struct {
	ID               int64
	Username         string // unique without regard to case; also the path of the user's own namespace
	NamespaceID      int64  // the user's own namespace, where projects can live
	Name             string // the person's name
	Email            string // unique without regard to case
	PasswordHash     string // empty: the user cannot sign in with a password
	State            State
	Admin            bool
	PrivateProfile   bool
	TwoFactorEnabled bool
	// ConfirmedAt is when somebody who may know confirmed that the address is the
	// user's; zero: nobody has. It is of this address only.
	ConfirmedAt time.Time
	// LastSignInAt is when the user signed in to the pages last; zero: never, or before
	// that was taken down.
	LastSignInAt time.Time
	CreatedAt    time.Time
	UpdatedAt    time.Time
	// SessionEpoch is when sessions and password-grant tokens were ended last;
	// zero: never. Each remembers the epoch in which it began, see SessionValid.
	SessionEpoch time.Time
	Version      int64 // incremented by each change, which names the version it read
}

// State says whether a user may use the service.
type State string

// The states of a user.
const (
	Active  State = "active"
	Blocked State = "blocked"
)

// Blocked reports whether the user is barred from the service. Every sign-in, code
// exchange, refresh and use of a token checks it.
func (u User) Blocked() bool { return u.State != Active }

// Administers reports whether the user may act as an administrator.
func (u User) Administers() bool { return u.Admin && !u.Blocked() }

// SessionValid reports whether a session or a password-grant token still works
// that began when the user had this SessionEpoch. It does not if the password
// changed or the user was blocked since, even while the old password was being
// verified: no clocks are compared.
func (u User) SessionValid(epoch time.Time) bool { return u.SessionEpoch.Equal(epoch) }

// Reader finds users. Reads see every write that was acknowledged before.
type Reader interface {
	// User returns the user with this id, or a fault.NotFound error.
	User(ctx context.Context, id int64) (User, error)

	// UserByLogin returns the user with this user name or e-mail address,
	// without regard to case, or a fault.NotFound error.
	UserByLogin(ctx context.Context, login string) (User, error)

	// UsersByID returns the users with these ids that exist, by id.
	UsersByID(ctx context.Context, ids []int64) (map[int64]User, error)

	// Users returns a page of all users, the newest first.
	Users(ctx context.Context, r page.Request) (page.Of[User], error)
}

// The reasons why a store refuses an operation.
var (
	ErrNotFound      = fault.New(fault.NotFound, "user not found")
	ErrChanged       = fault.New(fault.Conflict, "the user was changed in between")
	ErrHoldsProjects = fault.New(fault.Conflict, "the user's namespace holds projects")
	// ErrNotAdministrator refuses what only an active administrator may do.
	ErrNotAdministrator = fault.New(fault.Forbidden, "you are not an administrator any more")
)

// Store keeps users.
type Store interface {
	Reader
	reservation.Store

	// CreateUser stores a user under the next ids, with the namespace that
	// the user name claims, and returns it with ID, NamespaceID and Version.
	// When the user name (by any user or group) or the e-mail address is
	// taken, it returns a fault.Fields error on "username" or "email" and
	// stores nothing; of concurrent callers who want the same, one wins. If all that
	// is in the way is a reserved user name, the error is a reservation.Refused.
	CreateUser(ctx context.Context, u User) (User, error)

	// UpdateUser replaces the user if its Version is still the stored one, and
	// increments the stored version. It returns a fault.Conflict error when the
	// user changed in between, a fault.NotFound error when the user is gone,
	// and a fault.Fields error when the new e-mail address is taken. ID,
	// Username, NamespaceID and CreatedAt never change, and LastSignInAt by
	// SignedIn alone.
	//
	// If by is not zero, the user with this id must be an active administrator
	// at the moment of the change; else the error is ErrNotAdministrator and
	// nothing changes.
	UpdateUser(ctx context.Context, u User, by int64) error

	// SignedIn takes down that the user signed in now, unless a later sign-in is
	// known. It is no change that UpdateUser knows of: the Version stays. A user who
	// is gone stays gone, which is no error.
	SignedIn(ctx context.Context, id int64, now time.Time) error

	// DeleteUser removes the user, its namespace, its memberships and the records
	// that it has below the instance (record.OnePerUser, record.OwnWebhook), frees
	// the address, and reserves the user name. It returns a fault.NotFound error when there is none,
	// and a fault.Conflict error while the namespace holds projects. Tokens
	// and sessions of the user stop working with it. The id by means the same
	// as with UpdateUser.
	DeleteUser(ctx context.Context, id, by int64, now time.Time) error
}
