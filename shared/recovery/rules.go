package recovery

import (
	"context"
	"errors"
	"strconv"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
)

// LinkLifetime is how long a link works that an administrator hands over.
const LinkLifetime = 24 * time.Hour

// The events of links.
var (
	EventLinkMade = audit.Declare("user.reset_link_made", "Link to set a password made", audit.Warning)
	EventLinkUsed = audit.Declare("user.reset_link_used", "Password set by a link")
)

// ErrBlocked refuses a link for a user who is blocked: it would open nothing.
var ErrBlocked = fault.New(fault.Conflict, "the user is blocked")

// Rules make links and take them.
type Rules struct {
	users    *user.Rules
	outbox   Outbox
	attempts *throttle.Rules
	trail    *audit.Trail
	links    links
	now      func() time.Time
}

// NewRules returns the rules of the instance at this base URL.
func NewRules(
	users *user.Rules, messages Outbox, attempts *throttle.Rules, trail *audit.Trail, baseURL string, keys secret.Keys, now func() time.Time,
) *Rules {
	return &Rules{users, messages, attempts, trail, newLinks(baseURL, keys), now}
}

// Link is the address by which a user sets a new password, once.
type Link struct {
	Address   secret.Text
	ExpiresAt time.Time
}

// Link makes a link for the user, for an administrator to hand over.
func (r *Rules) Link(ctx context.Context, by audit.Actor, u user.User) (Link, error) {
	if u.Blocked() {
		return Link{}, ErrBlocked
	}
	until := r.now().Add(LinkLifetime).UTC().Truncate(time.Second)
	link := Link{r.links.address(PasswordPath, newTicket(u, until)), until}
	return link, r.trail.RecordUnless(ctx, nil, u.Event(EventLinkMade, by.ID))
}

// User returns the user whose password the token sets, or ErrLink.
func (r *Rules) User(ctx context.Context, token secret.Text) (user.User, error) {
	t, err := r.links.ticket(PasswordPath, token, r.now())
	if err != nil {
		return user.User{}, err
	}
	u, err := r.users.User(ctx, t.UserID)
	switch {
	case fault.Is(err, fault.NotFound), err == nil && !t.fits(u):
		return user.User{}, ErrLink
	}
	return u, err
}

// mostSet limits how often links set the password of an account. A new password begins a new
// count of wrong second factors, and whoever reads the user's mails has any number of links.
var mostSet = throttle.Limit{Failures: 3, Window: 24 * time.Hour}

// SetPassword sets the password by a token, which then works no more. It ends all sessions
// of the user. Of any number of callers at once, one succeeds. After too many for the
// account the error is a *throttle.Refused.
func (r *Rules) SetPassword(ctx context.Context, token, password secret.Text) error {
	u, err := r.User(ctx, token)
	if err != nil {
		return err
	}
	counted, err := r.attempts.Count(ctx, throttle.Deed{Kind: throttle.PasswordByLink, Account: strconv.FormatInt(u.ID, 10), Limit: mostSet})
	if err != nil {
		return err
	}
	err = r.setPassword(ctx, u, password)
	if fault.Is(err, fault.Conflict) { // it may be another change, such as of the name
		if u, err = r.User(ctx, token); err == nil {
			err = r.setPassword(ctx, u, password)
		}
	}
	if err != nil {
		err = errors.Join(err, r.attempts.Withdraw(ctx, counted))
	}
	return r.trail.RecordUnless(ctx, err, u.Event(EventLinkUsed, u.ID))
}

// setPassword sets the password of the user as they were read.
func (r *Rules) setPassword(ctx context.Context, u user.User, password secret.Text) error {
	_, err := r.users.Update(ctx, audit.ByUser(u.ID), u.ID, user.Change{Password: &password, SeenVersion: u.Version})
	return err
}
