package user

import (
	"context"
	"errors"
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/fault"
	"gatehouse/shared/route"
	"gatehouse/shared/secret"
	"gatehouse/shared/text"
)

// Limits of a user's fields, in characters.
const (
	maxEmail    = 255
	minPassword = 8
	maxPassword = 128
)

// Rules creates, changes and recognises users.
type Rules struct {
	Store
	passwords secret.Passwords
	now       func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store Store, passwords secret.Passwords, now func() time.Time) *Rules {
	return &Rules{store, passwords, now}
}

// Registration is what a new user starts with.
type Registration struct {
	Username, Name, Email string
	Password              secret.Text
	Admin, PrivateProfile bool
}

// Create registers a user. What is wrong with the fields comes as
// fault.Fields.
func (r *Rules) Create(ctx context.Context, reg Registration) (User, error) {
	complaints := fault.Fields{}
	complaints.Add("username", route.CheckSegment(reg.Username))
	complaints.Add("name", text.CheckName(reg.Name))
	complaints.Add("email", checkEmail(reg.Email))
	complaints.Add("password", checkPassword(reg.Password))
	if err := complaints.Err(); err != nil {
		return User{}, err
	}
	now := r.now()
	return r.CreateUser(ctx, User{
		Username: reg.Username, Name: reg.Name, Email: reg.Email,
		PasswordHash: r.passwords.Hash(reg.Password), State: Active,
		Admin: reg.Admin, PrivateProfile: reg.PrivateProfile,
		CreatedAt: now, UpdatedAt: now,
	})
}

// Change lists what to change of a user; nil leaves a field as it is.
type Change struct {
	Username, Name, Email *string
	Password              *secret.Text
	Admin, PrivateProfile *bool
	State                 *State
	// By is the id of the administrator who changes the user and must still be
	// one when that happens; zero is nobody in particular.
	By int64
}

// Update changes a user. A new password and a block end the user's sessions
// and password-grant tokens. The user name is the first segment of the
// addresses of the user's projects, which monitoring tools hold on to, so it
// is permanent.
func (r *Rules) Update(ctx context.Context, id int64, c Change) (User, error) {
	u, err := r.User(ctx, id)
	if err != nil {
		return User{}, err
	}
	if err := c.check(u); err != nil {
		return User{}, err
	}
	u = c.Applied(u)
	if c.Password != nil {
		u.PasswordHash = r.passwords.Hash(*c.Password)
	}
	u.UpdatedAt = r.now()
	if c.endsSessions() {
		u.SessionEpoch = u.NextSince(u.UpdatedAt)
	}
	if err := r.UpdateUser(ctx, u, c.By); err != nil {
		return User{}, err
	}
	u.Version++
	return u, nil
}

func (c Change) check(u User) error {
	complaints := fault.Fields{}
	if c.Username != nil && *c.Username != u.Username {
		complaints.Add("username", "cannot be changed")
	}
	if c.Name != nil {
		complaints.Add("name", text.CheckName(*c.Name))
	}
	if c.Email != nil {
		complaints.Add("email", checkEmail(*c.Email))
	}
	if c.Password != nil {
		complaints.Add("password", checkPassword(*c.Password))
	}
	return complaints.Err()
}

// Applied returns the user with the change, but for the password.
func (c Change) Applied(u User) User {
	set(&u.Name, c.Name)
	set(&u.Email, c.Email)
	set(&u.Admin, c.Admin)
	set(&u.PrivateProfile, c.PrivateProfile)
	set(&u.State, c.State)
	return u
}

// endsSessions reports whether whoever is signed in must not stay so: the old
// password may be known to somebody else, and a block is to last beyond its
// end for what began before.
func (c Change) endsSessions() bool {
	return c.Password != nil || c.State != nil && *c.State == Blocked
}

// NextSince returns the time of a change that ends sessions: in the unit that
// stores keep, and later than the last, whatever the clock says.
func (u User) NextSince(now time.Time) time.Time {
	now = now.Truncate(time.Microsecond)
	if now.After(u.SessionEpoch) {
		return now
	}
	return u.SessionEpoch.Add(time.Microsecond)
}

func set[T any](field *T, to *T) {
	if to != nil {
		*field = *to
	}
}

// UserByUsername returns the user with this user name, without regard to case,
// or a fault.NotFound error. Unlike a login it is never an e-mail address.
func (r *Rules) UserByUsername(ctx context.Context, username string) (User, error) {
	if strings.Contains(username, "@") {
		return User{}, fault.New(fault.NotFound, "no user name holds an @")
	}
	return r.UserByLogin(ctx, username)
}

// Authenticate returns the user with this user name or e-mail address and
// this password. Everything else, a blocked user included, is one and the
// same fault.Unauthorized error and takes the same work; the user of that login,
// if there is one, then comes along for the audit trail alone. While the user is
// looked up the conditions are asked; when one of them has an error, that is
// returned and the password is not looked at.
func (r *Rules) Authenticate(ctx context.Context, login string, password secret.Text, conditions ...func(context.Context) error) (User, error) {
	var u User
	calls, ctx := errgroup.WithContext(ctx)
	calls.Go(func() (err error) {
		u, err = r.UserByLogin(ctx, login)
		if errors.Is(err, fault.NotFound) {
			return nil
		}
		return err
	})
	for _, condition := range conditions {
		calls.Go(func() error { return condition(ctx) })
	}
	if err := calls.Wait(); err != nil {
		return User{}, err
	}
	if !r.VerifyPassword(u, password) || u.Blocked() {
		return u, fault.New(fault.Unauthorized, "Invalid login or password.")
	}
	return u, nil
}

// VerifyPassword reports whether it is the user's password. It costs the same
// for the zero User, who has none, as for a real one.
func (r *Rules) VerifyPassword(u User, password secret.Text) bool {
	return r.passwords.Verify(u.PasswordHash, password)
}

func checkEmail(email string) string {
	a, err := mail.ParseAddress(email)
	switch {
	case email == "":
		return "can't be blank"
	case err != nil, a.Address != email, len(email) > maxEmail:
		return "is invalid"
	}
	return ""
}

func checkPassword(password secret.Text) string {
	switch n := utf8.RuneCountInString(password.Reveal()); {
	case n < minPassword:
		return "is too short (minimum is 8 characters)"
	case n > maxPassword:
		return "is too long (maximum is 128 characters)"
	}
	return ""
}
