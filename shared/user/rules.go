package user

import (
	"context"
	"net/mail"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/reservation"
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

// Rules create, change, delete and authenticate users.
type Rules struct {
	Reader
	store     Store
	trail     *audit.Trail
	passwords secret.Passwords
	now       func() time.Time
	told      func(context.Context, User)
}

// NewRules returns the rules over a store.
func NewRules(store Store, trail *audit.Trail, passwords secret.Passwords, now func() time.Time) *Rules {
	return &Rules{store, store, trail, passwords, now, func(context.Context, User) {}}
}

// OnNewAddress has tell called for each user with a new address that is not confirmed, once
// it is stored.
func (r *Rules) OnNewAddress(tell func(context.Context, User)) { r.told = tell }

// tellNewAddress tells of the user's address if it is not the one before and not confirmed.
func (r *Rules) tellNewAddress(ctx context.Context, before string, u User) {
	if u.Email != before && u.ConfirmedAt.IsZero() {
		r.told(ctx, u)
	}
}

// Registration is what a new user starts with.
type Registration struct {
	Username, Name, Email string
	Password              secret.Text
	WithoutPassword       bool // the user has to set one before signing in; Password is not looked at
	Admin, PrivateProfile bool
	Confirmed             bool // the address is known to be the user's
	MadeUp                bool // the address is nobody's, so that no mail goes there
}

// Create registers a user. Wrong fields are a fault.Fields error.
func (r *Rules) Create(ctx context.Context, actor audit.Actor, reg Registration) (User, error) {
	complaints := fault.Fields{}
	complaints.Add("username", checkUsername(reg.Username))
	complaints.Add("name", text.CheckName(reg.Name))
	complaints.Add("email", checkEmail(reg.Email))
	if !reg.WithoutPassword {
		complaints.Add("password", checkPassword(reg.Password))
	}
	if err := complaints.Err(); err != nil {
		return User{}, err
	}
	hash, err := r.firstHash(ctx, reg)
	if err != nil {
		return User{}, err
	}
	now := r.now()
	made := User{
		Username: reg.Username, Name: reg.Name, Email: reg.Email,
		PasswordHash: hash, State: Active,
		Admin: reg.Admin, PrivateProfile: reg.PrivateProfile,
		CreatedAt: now, UpdatedAt: now,
	}
	if reg.Confirmed {
		made.ConfirmedAt = now
	}
	u, err := reservation.Take(ctx, r.store, r.trail, actor, made.Username, func() (User, error) {
		return r.store.CreateUser(ctx, made)
	})
	events := []audit.Event{u.Event(EventCreated, actor.ID)}
	if u.Admin {
		events = append(events, u.Event(EventAdminGranted, actor.ID))
	}
	if err == nil && !reg.MadeUp {
		r.tellNewAddress(ctx, "", u)
	}
	return u, r.trail.RecordUnless(ctx, err, events...)
}

// firstHash returns the hash of the password that a user begins with, if any.
func (r *Rules) firstHash(ctx context.Context, reg Registration) (string, error) {
	if reg.WithoutPassword {
		return "", nil
	}
	return r.passwords.Hash(ctx, reg.Password)
}

// Change lists what to change of a user; nil leaves a field as it is.
type Change struct {
	Username, Name, Email *string
	Password              *secret.Text
	Admin, PrivateProfile *bool
	State                 *State
	// Seen is the address on which the change was decided; nil: whatever it is.
	Seen *string
	// SeenVersion is the version of the user on which the change was decided; zero: whatever it is.
	SeenVersion int64
	// Confirmed means that the address, this one or the new one, is known to be the user's.
	// Without it a new address is not confirmed.
	Confirmed bool
	// EndSessions ends the user's sessions and password-grant tokens, which a new password
	// and a block do as well.
	EndSessions bool
}

// ErrOneself means that administrators tried to block, demote or delete
// themselves. Only another administrator can, so that one always stays.
var ErrOneself = fault.New(fault.Invalid, "administrators cannot block, demote or delete themselves")

// Update changes a user. A new password and a block end the user's sessions
// and password-grant tokens. The user name is permanent, because it begins the
// addresses of the user's projects, which monitoring tools keep.
func (r *Rules) Update(ctx context.Context, actor audit.Actor, id int64, c Change) (User, error) {
	if c.endsAdmin() && id == actor.UserID {
		return User{}, ErrOneself
	}
	was, err := r.User(ctx, id)
	if err != nil {
		return User{}, err
	}
	if c.Seen != nil && *c.Seen != was.Email || c.SeenVersion != 0 && c.SeenVersion != was.Version {
		return User{}, ErrChanged
	}
	if err := c.check(was); err != nil {
		return User{}, err
	}
	u := c.applied(was)
	if c.Password != nil {
		if u.PasswordHash, err = r.passwords.Hash(ctx, *c.Password); err != nil {
			return User{}, err
		}
	}
	u.UpdatedAt = r.now()
	if u.Email != was.Email {
		u.ConfirmedAt = time.Time{}
	}
	if c.Confirmed && u.ConfirmedAt.IsZero() {
		u.ConfirmedAt = u.UpdatedAt
	}
	if c.endsSessions() {
		u.SessionEpoch = u.NextSessionEpoch(u.UpdatedAt)
	}
	err = r.store.UpdateUser(ctx, u, c.by(actor))
	u.Version++
	if err == nil {
		r.tellNewAddress(ctx, was.Email, u)
	}
	return u, r.trail.RecordUnless(ctx, err, c.events(was, u, actor.ID)...)
}

// Confirm notes that this address is known to be the user's. If the user has another one by
// now, the error is ErrChanged.
func (r *Rules) Confirm(ctx context.Context, actor audit.Actor, id int64, address string) (User, error) {
	return r.Update(ctx, actor, id, Change{Confirmed: true, Seen: &address})
}

// Block bars a user from the service.
func (r *Rules) Block(ctx context.Context, actor audit.Actor, id int64) (User, error) {
	return r.Update(ctx, actor, id, Change{State: new(Blocked)})
}

// Unblock ends a block.
func (r *Rules) Unblock(ctx context.Context, actor audit.Actor, id int64) (User, error) {
	return r.Update(ctx, actor, id, Change{State: new(Active)})
}

// EndSessions signs a user out everywhere: sessions and tokens of the password grant end.
// Personal access tokens and what the user allowed applications stay.
func (r *Rules) EndSessions(ctx context.Context, actor audit.Actor, id int64) (User, error) {
	return r.Update(ctx, actor, id, Change{EndSessions: true})
}

// SignedIn takes down that the user signed in now.
func (r *Rules) SignedIn(ctx context.Context, id int64) error {
	return r.store.SignedIn(ctx, id, r.now())
}

// Delete removes a user who has no projects, or returns a fault.Conflict error.
func (r *Rules) Delete(ctx context.Context, actor audit.Actor, id int64) error {
	if id == actor.UserID {
		return ErrOneself
	}
	u, err := r.User(ctx, id)
	if err != nil {
		return err
	}
	err = r.store.DeleteUser(ctx, id, actor.UserID, r.now())
	return r.trail.RecordUnless(ctx, err, u.Event(EventDeleted, actor.ID))
}

// endsAdmin reports whether an administrator is one no longer, or is blocked,
// after the change.
func (c Change) endsAdmin() bool {
	return c.Admin != nil && !*c.Admin || c.State != nil && *c.State == Blocked
}

// by returns the id of the user who must be an administrator at the moment of
// the change, or zero. Of two administrators who block or demote each other at
// the same time, one stays.
func (c Change) by(actor audit.Actor) int64 {
	if c.endsAdmin() || c.State != nil {
		return actor.UserID
	}
	return 0
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

// applied returns the user with the change, except for the password.
func (c Change) applied(u User) User {
	set(&u.Name, c.Name)
	set(&u.Email, c.Email)
	set(&u.Admin, c.Admin)
	set(&u.PrivateProfile, c.PrivateProfile)
	set(&u.State, c.State)
	return u
}

// endsSessions reports whether the change ends the user's sessions: someone
// else may know the old password, and what began before a block must not
// work again after it.
func (c Change) endsSessions() bool {
	return c.EndSessions || c.Password != nil || c.State != nil && *c.State == Blocked
}

// NextSessionEpoch returns the time of a change that ends sessions: in the unit
// that stores keep, and later than the last one whatever the clock says.
func (u User) NextSessionEpoch(now time.Time) time.Time {
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

// UserByUsername returns the user with this user name in any case, or a
// fault.NotFound error. Unlike a login it is never an e-mail address.
func (r *Rules) UserByUsername(ctx context.Context, username string) (User, error) {
	if IsAddress(username) {
		return User{}, fault.New(fault.NotFound, "no user name holds an @")
	}
	return r.UserByLogin(ctx, username)
}

// Authenticate returns the user with this user name or e-mail address and
// this password. Anything else, a blocked user included, is the same
// fault.Unauthorized error after the same work; the user with that login is
// then returned too, for the audit trail only. The conditions run while the
// user is read; an error of one is returned without a look at the password. So is
// secret.ErrBusy.
func (r *Rules) Authenticate(ctx context.Context, login string, password secret.Text, conditions ...func(context.Context) error) (User, error) {
	var u User
	calls, callCtx := errgroup.WithContext(ctx)
	calls.Go(func() (err error) {
		u, err = r.UserByLogin(callCtx, login)
		return fault.IgnoreNotFound(err)
	})
	for _, condition := range conditions {
		calls.Go(func() error { return condition(callCtx) })
	}
	if err := calls.Wait(); err != nil {
		return User{}, err
	}
	right, err := r.VerifyPassword(ctx, u, password)
	switch {
	case err != nil:
		return User{}, err
	case !right, u.Blocked():
		return u, fault.New(fault.Unauthorized, "Invalid login or password.")
	}
	return u, nil
}

// VerifyPassword reports whether it is the user's password, unless the error is
// secret.ErrBusy. It costs the same for the zero User, who has none, as for a real one.
func (r *Rules) VerifyPassword(ctx context.Context, u User, password secret.Text) (bool, error) {
	return r.passwords.Verify(ctx, u.PasswordHash, password)
}

func checkUsername(name string) string {
	if Reserved(name) {
		return "is a reserved name"
	}
	return route.CheckTopLevel(name)
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
