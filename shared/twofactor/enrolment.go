package twofactor

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/url"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// Issuer is the name under which apps list their codes.
const Issuer = "Gatehouse"

// enrolmentLifetime is how long a user may take to enter a seed into an app.
const enrolmentLifetime = 15 * time.Minute

// Enrolment is a seed that was shown to a user and is not in use yet. It is not
// stored: its ticket, the encrypted seed, comes back with the first code.
type Enrolment struct {
	Seed   Seed
	Ticket secret.Text
}

// URI is what apps read from a QR code.
func (e Enrolment) URI(u user.User) string {
	query := url.Values{"secret": {e.Seed.String()}, "issuer": {Issuer}}
	return "otpauth://totp/" + Issuer + ":" + url.PathEscape(u.Username) + "?" + query.Encode()
}

// label ties a ticket to the session and to the user's version: any change of
// the user ends the enrolment, so that no ticket works twice.
func label(u user.User, sessionID string) string {
	return fmt.Sprintf("%d %d %s", u.ID, u.Version, sessionID)
}

// Begin makes a seed for a user who has just given the password, in the
// session with this id.
func (r *Rules) Begin(u user.User, sessionID string) Enrolment {
	seed := newSeed()
	text := binary.BigEndian.AppendUint64(nil, uint64(r.now().Add(enrolmentLifetime).UnixMicro()))
	sealed := r.enrolments.Seal(append(text, seed...), label(u, sessionID))
	return Enrolment{seed, secret.NewText(base64.RawURLEncoding.EncodeToString(sealed))}
}

// Resume returns the enrolment of a ticket, or ErrOver.
func (r *Rules) Resume(u user.User, sessionID, ticket string) (Enrolment, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(ticket)
	if err != nil {
		return Enrolment{}, ErrOver
	}
	text, _, err := r.enrolments.Open(sealed, label(u, sessionID))
	if err != nil || len(text) != 8+seedSize {
		return Enrolment{}, ErrOver
	}
	end := time.UnixMicro(int64(binary.BigEndian.Uint64(text)))
	if u.TwoFactorEnabled || !r.now().Before(end) {
		return Enrolment{}, ErrOver
	}
	return Enrolment{Seed(text[8:]), secret.NewText(ticket)}, nil
}

// Enable puts the user's enrolment into effect if the code belongs to its seed.
// It ends all sessions of the user and returns the changed user and the
// recovery codes.
func (r *Rules) Enable(ctx context.Context, u user.User, e Enrolment, code string) (user.User, []secret.Text, error) {
	now := r.now()
	answer, ok := ParseAnswer(code)
	used, right := e.Seed.recognise(answer.code.Reveal(), 0, now)
	if !ok || !right {
		return user.User{}, nil, ErrWrongCode
	}
	recovery, texts := newRecoveryCodes()
	f := Factor{
		UserID: u.ID, Mark: newMark(), Sealed: r.seeds.Seal(e.Seed, seedLabel(u.ID)),
		LastStep: used, Recovery: recovery, CreatedAt: now,
	}
	u = changed(u, true, now)
	err := r.store.EnableTwoFactor(ctx, u, f)
	u.Version++
	return u, texts, r.trail.RecordUnless(ctx, err, u.Event(EventEnabled, u.ID))
}

// Disable removes the second factor of a user who has just given the password.
// It ends all sessions of the user and returns the changed user.
func (r *Rules) Disable(ctx context.Context, u user.User) (user.User, error) {
	return r.disable(ctx, u, u.ID, 0)
}

// Reset lets a user who lost the app, the recovery codes and the passkeys sign in with the
// password alone, at an administrator's hand, and ends the user's sessions. It reports
// whether there was anything to reset: a user with neither stays as is. Administrators may
// reset their own with a token; the page refuses that, because anyone may find it open and
// it does not ask for the password.
func (r *Rules) Reset(ctx context.Context, actor audit.Actor, u user.User) (bool, error) {
	has, err := r.passkeys.Of(ctx, u.ID)
	if err != nil || !u.TwoFactorEnabled && len(has.Keys()) == 0 {
		return false, err
	}
	if _, err := r.disable(ctx, u, actor.ID, actor.UserID); err != nil {
		return false, err
	}
	return true, r.passkeys.Reset(ctx, actor, u)
}

// disable removes the second factor, if there is one. The id by means the same as with
// user.Store.UpdateUser.
func (r *Rules) disable(ctx context.Context, u user.User, actorID, by int64) (user.User, error) {
	var events []audit.Event
	if u.TwoFactorEnabled {
		events = append(events, u.Event(EventDisabled, actorID))
	}
	u = changed(u, false, r.now())
	err := r.store.DisableTwoFactor(ctx, u, by)
	u.Version++
	return u, r.trail.RecordUnless(ctx, err, events...)
}

func changed(u user.User, enabled bool, now time.Time) user.User {
	u.TwoFactorEnabled, u.SessionEpoch, u.UpdatedAt = enabled, u.NextSessionEpoch(now), now
	return u
}

// RenewRecoveryCodes replaces the user's recovery codes. Without a second factor
// the error is ErrOver.
func (r *Rules) RenewRecoveryCodes(ctx context.Context, u user.User) ([]secret.Text, error) {
	for {
		f, err := r.store.SecondFactor(ctx, u.ID)
		if fault.Is(err, fault.NotFound) {
			return nil, ErrOver
		}
		if err != nil {
			return nil, err
		}
		next, texts := r.sealedAnew(f), []secret.Text(nil)
		next.Mark = newMark()
		next.Recovery, texts = newRecoveryCodes()
		err = r.store.ReplaceSecondFactor(ctx, f.Mark, next)
		if !fault.Is(err, fault.Conflict) {
			return texts, r.trail.RecordUnless(ctx, err, u.Event(EventRecoveryCodesRenewed, u.ID))
		}
	}
}
