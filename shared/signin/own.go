package signin

import (
	"context"
	"net/netip"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
)

// OwnChange lists what people change of their own account; nil leaves a field as it is.
type OwnChange struct {
	Name, Email    *string
	Password       *secret.Text
	PrivateProfile *bool
	// Current is the password as it is. Another address and a new password take it.
	Current secret.Text
}

// ChangeOwn changes the account of the actor, who is the user. A wrong current password is a
// complaint about current_password, and counts like one at a sign-in: after too many the
// error is a *throttle.Refused. A new password ends the user's sessions.
func (r *Rules) ChangeOwn(ctx context.Context, by audit.Actor, u user.User, c OwnChange, from netip.Addr) (user.User, error) {
	change := user.Change{Name: c.Name, Email: c.Email, PrivateProfile: c.PrivateProfile, Password: c.Password, SeenVersion: u.Version}
	if c.Password != nil || c.Email != nil && *c.Email != u.Email {
		if c.Current.Empty() {
			return user.User{}, fault.Field("current_password", "can't be blank")
		}
		if err := r.confirmOwn(ctx, u, c.Current, from); err != nil {
			return user.User{}, err
		}
	}
	return r.users.Update(ctx, by, u.ID, change)
}

func (r *Rules) confirmOwn(ctx context.Context, u user.User, current secret.Text, from netip.Addr) error {
	result, err := r.Confirm(ctx, u, current, from)
	switch {
	case err != nil:
		return err
	case result.Outcome == Throttled:
		return &throttle.Refused{Wait: result.Wait}
	case result.Outcome != Confirmed:
		return fault.Field("current_password", "is not right")
	}
	return nil
}
