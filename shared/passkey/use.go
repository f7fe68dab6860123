package passkey

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// Lifetime is how long a browser may take to answer a question.
const Lifetime = 5 * time.Minute

const challengeSize = 32

// Question is what a browser is asked to sign.
type Question struct {
	Challenge []byte
	AskedAt   time.Time
	Ticket    secret.Text // comes back with the answer; the question is not stored
}

// ForSignIn is the purpose of a question that anybody is asked who wants to sign in.
const ForSignIn = "sign-in"

// ForAdding returns the purpose of a question that a user is asked who has just given the
// password, in the session with this id.
func ForAdding(u user.User, sessionID string) string {
	return fmt.Sprintf("add %d %d %s", u.ID, u.Version, sessionID)
}

// Ask returns a new question.
func (r *Rules) Ask(purpose string) Question {
	q := Question{Challenge: secret.Random(challengeSize), AskedAt: r.now()}
	text := binary.BigEndian.AppendUint64(nil, uint64(q.AskedAt.UnixMicro()))
	sealed := r.challenges.Seal(append(text, q.Challenge...), purpose)
	q.Ticket = secret.NewText(base64.RawURLEncoding.EncodeToString(sealed))
	return q
}

// Resume returns the question of a ticket, or ErrOver.
func (r *Rules) Resume(purpose, ticket string) (Question, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(ticket)
	if err != nil {
		return Question{}, ErrOver
	}
	text, _, err := r.challenges.Open(sealed, purpose)
	if err != nil || len(text) != 8+challengeSize {
		return Question{}, ErrOver
	}
	q := Question{Challenge: text[8:], AskedAt: time.UnixMicro(int64(binary.BigEndian.Uint64(text))), Ticket: secret.NewText(ticket)}
	if !r.now().Before(q.AskedAt.Add(Lifetime)) {
		return Question{}, ErrOver
	}
	return q, nil
}

// Assertion is an answer of a browser that used a key, before it was checked.
type Assertion interface {
	// UserID is the user whom the key names; zero: none that could exist.
	UserID() int64
	// KeyID identifies the key.
	KeyID() []byte
	// Check checks the answer to a challenge by the key with that ID, and that its device
	// asked for its user. It returns the key with its new count, and whether that is not above
	// the last one, or ErrRefused.
	Check(challenge []byte, k Key) (next Key, copied bool, err error)
}

// Use takes an answer to the question by one of the user's passkeys, and uses up the
// question: no other answer to it, or to an earlier one, works with that passkey. The
// error is ErrRefused, ErrOver, or ErrCopied, which is recorded.
func (r *Rules) Use(ctx context.Context, u user.User, of Keyring, q Question, a Assertion) (used Passkey, err error) {
	_, err = keyrings.Change(ctx, r.store, of.stored, func(all *keyring) (err error) {
		used, err = r.use(all, q, a)
		return err
	})
	if err == nil && used.Copied {
		e := u.Event(EventCopied, u.ID)
		e.Details["passkey"] = used.Name
		r.trail.Record(ctx, e)
		err = ErrCopied
	}
	return used, err
}

// use edits the passkey that the answer is by, and returns it.
func (r *Rules) use(all *keyring, q Question, a Assertion) (Passkey, error) {
	i := slices.IndexFunc(all.Keys, func(p Passkey) bool { return p.Key.is(a.KeyID()) })
	if i < 0 {
		return Passkey{}, ErrRefused
	}
	one := all.Keys[i]
	key, copied, err := a.Check(q.Challenge, one.Key)
	switch {
	case err != nil:
		return Passkey{}, errors.Join(ErrRefused, err)
	case !q.AskedAt.After(one.AskedAt):
		return Passkey{}, ErrOver
	}
	one.Key, one.AskedAt, one.Copied = key, q.AskedAt, copied
	if !copied {
		one.UsedAt = r.now()
	}
	all.Keys = slices.Clone(all.Keys)
	all.Keys[i] = one
	return one, nil
}
