package recovery

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"net/netip"
	"strconv"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/outbox"
	"gatehouse/shared/secret"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
)

// The kinds of messages that mail links.
const (
	KindPassword     outbox.Kind = "account.password_mail"
	KindConfirmation outbox.Kind = "account.confirmation_mail"
	KindInvitation   outbox.Kind = "account.invitation_mail"
)

// Asked is the data of a message for somebody who forgot the password. What they typed is
// sealed: people type passwords into that field by mistake.
type Asked struct {
	Login []byte `json:"login"`
}

// NewAddress is the data of a message that has an address confirmed, or invites the user to
// whom it belongs.
type NewAddress struct {
	UserID int64  `json:"user_id"`
	Email  string `json:"email"`
}

// How long mailed links work.
const (
	mailedLifetime       = time.Hour
	confirmationLifetime = 3 * 24 * time.Hour
	invitationLifetime   = 3 * 24 * time.Hour
)

// ConfirmationPath is that of the page that confirms an address.
const ConfirmationPath = "/users/confirmation"

// loginLabel is that of sealed logins.
const loginLabel = "login"

// EventAsked is that somebody asked for a mail with a link. Whose account it is, is found out
// later, so that the answer tells nobody.
var EventAsked = audit.Declare("user.reset_asked", "Mail to set a password asked for", audit.LogOnly)

// EventInvited is that an administrator had a link mailed to a user.
var EventInvited = audit.Declare("user.invited", "Link to set a password mailed", audit.Warning)

// Outbox takes messages.
type Outbox interface {
	PutMessages(ctx context.Context, messages []outbox.Message) error
}

// Limits of mails to one account within an hour, from whatever addresses they are asked for.
var (
	mostAsked     = throttle.Limit{Failures: 5, Window: time.Hour}
	mostConfirmed = throttle.Limit{Failures: 3, Window: time.Hour}
)

// maxLogin is more than any user name and address has, in bytes.
const maxLogin = 1024

// Ask has a link mailed to the user with this user name or e-mail address, if there is one.
// It does and costs the same if there is none. After too many the error is a
// *throttle.Refused.
func (r *Rules) Ask(ctx context.Context, login string, from netip.Addr) error {
	_, err := r.attempts.Begin(ctx, throttle.Guess{Kind: throttle.PasswordMail, Account: login, Address: from, Total: mostAsked})
	if err != nil {
		return err
	}
	if len(login) > maxLogin {
		login = "" // which is nobody's either, and no message is too large for a store
	}
	err = r.tell(ctx, KindPassword, Asked{r.links.box.Seal([]byte(login), loginLabel)})
	return r.trail.RecordUnless(ctx, err, audit.Event{Name: EventAsked})
}

// tell leaves a message, in a lane of its own so that it waits for no other one.
func (r *Rules) tell(ctx context.Context, k outbox.Kind, data any) error {
	encoded, err := json.Marshal(data)
	if err != nil {
		panic(err) // numbers and texts always have a form
	}
	now := r.now()
	lane := outbox.Lane("account-mail/" + hex.EncodeToString(secret.Random(12)))
	return r.outbox.PutMessages(ctx, []outbox.Message{{
		Lane: lane, Seq: outbox.SeqOf(now, 0), Kind: k, Data: encoded, CreatedAt: now, DueAt: now,
	}})
}

// PasswordMail returns who asked, with the link to mail; the zero User if nobody has that
// name or address, or may not sign in.
func (r *Rules) PasswordMail(ctx context.Context, a Asked) (user.User, secret.Text, error) {
	login, _, err := r.links.box.Open(a.Login, loginLabel)
	if err != nil {
		return user.User{}, secret.Text{}, err
	}
	u, err := r.users.UserByLogin(ctx, string(login))
	if err != nil || u.Blocked() {
		return user.User{}, secret.Text{}, fault.IgnoreNotFound(err)
	}
	return u, r.links.address(PasswordPath, newTicket(u, r.now().Add(mailedLifetime))), nil
}

// Invite has a link mailed to the user's address by which the user sets a password.
func (r *Rules) Invite(ctx context.Context, by audit.Actor, u user.User) error {
	if u.Blocked() {
		return ErrBlocked
	}
	err := r.tell(ctx, KindInvitation, NewAddress{u.ID, u.Email})
	return r.trail.RecordUnless(ctx, err, u.Event(EventInvited, by.ID))
}

// InvitationMail returns the user to mail to, with the link; the zero User if the address is
// no longer theirs, or may not sign in.
func (r *Rules) InvitationMail(ctx context.Context, n NewAddress) (user.User, secret.Text, error) {
	u, err := r.users.User(ctx, n.UserID)
	if err != nil || u.Blocked() || u.Email != n.Email {
		return user.User{}, secret.Text{}, fault.IgnoreNotFound(err)
	}
	return u, r.links.address(PasswordPath, newTicket(u, r.now().Add(invitationLifetime))), nil
}

// SendConfirmation has a link mailed to the user's address that confirms it. After too many
// the error is a *throttle.Refused.
func (r *Rules) SendConfirmation(ctx context.Context, u user.User) error {
	account := strconv.FormatInt(u.ID, 10)
	if _, err := r.attempts.Count(ctx, throttle.Deed{Kind: throttle.ConfirmationMail, Account: account, Limit: mostConfirmed}); err != nil {
		return err
	}
	return r.tell(ctx, KindConfirmation, NewAddress{u.ID, u.Email})
}

// AddressChanged has the new address of a user confirmed. The change stands if that fails: the
// user can ask for another mail.
func (r *Rules) AddressChanged(ctx context.Context, u user.User) {
	err := r.SendConfirmation(ctx, u)
	if refused := (*throttle.Refused)(nil); err != nil && !errors.As(err, &refused) {
		slog.ErrorContext(ctx, "confirmation not mailed", "error", err)
	}
}

// ConfirmationMail returns the user to mail to, with the link; the zero User if the address
// is no longer theirs or is confirmed.
func (r *Rules) ConfirmationMail(ctx context.Context, n NewAddress) (user.User, secret.Text, error) {
	u, err := r.users.User(ctx, n.UserID)
	if err != nil || u.Blocked() || u.Email != n.Email || !u.ConfirmedAt.IsZero() {
		return user.User{}, secret.Text{}, fault.IgnoreNotFound(err)
	}
	return u, r.links.address(ConfirmationPath, newTicket(u, r.now().Add(confirmationLifetime))), nil
}

// AddressOf returns the user whose address the token confirms, or ErrLink. The address is the
// one that the link was mailed to.
func (r *Rules) AddressOf(ctx context.Context, token secret.Text) (user.User, error) {
	t, err := r.links.ticket(ConfirmationPath, token, r.now())
	if err != nil {
		return user.User{}, err
	}
	u, err := r.users.User(ctx, t.UserID)
	switch {
	case fault.Is(err, fault.NotFound), err == nil && (u.Email != t.Email || u.Blocked() || !u.ConfirmedAt.IsZero()):
		return user.User{}, ErrLink
	}
	return u, err
}

// Confirm confirms the address that the link with the token was mailed to, once.
func (r *Rules) Confirm(ctx context.Context, token secret.Text) error {
	u, err := r.AddressOf(ctx, token)
	if err != nil {
		return err
	}
	_, err = r.users.Confirm(ctx, audit.ByUser(u.ID), u.ID, u.Email)
	if fault.Is(err, fault.Conflict) {
		return ErrLink
	}
	return err
}
