// Package passkey holds the rules for passkeys (WebAuthn): keys with which people sign in
// and that never leave their device or password manager. The device asks for a
// fingerprint, a face or a PIN before it uses one, so that a passkey counts as two
// factors: something that its user has, and something that the user is or knows.
//
// What browsers answer is checked by an Answer, since the library that does so is large:
// only the function that serves the pages links it (package ceremony).
//
// A passkey is found by the account that it names and then among those of the account.
// Nobody else's key is ever tried, so it does not matter whether two accounts claim the
// same identifier of a key.
package passkey

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// Most is how many passkeys a user can have.
const Most = 20

// Passkey is one of a user's passkeys.
type Passkey struct {
	Number    int64  // among those of the user; never used again
	Name      string // as the user calls it
	CreatedAt time.Time
	UsedAt    time.Time // zero: never
	Key       Key
	// AskedAt is when the challenge of its last sign-in was made. That one and earlier
	// ones no longer work with it.
	AskedAt time.Time
	// Copied means that it signed in with a count that is not above the last one: it may
	// exist twice.
	Copied bool
}

// Key is what a device makes known of a key (WebAuthn section 4, credential record).
type Key struct {
	ID        []byte
	PublicKey []byte // COSE
	Count     uint32 // of signatures; many devices do not count
	// Syncable means that a password manager may keep it on several devices.
	Syncable bool
}

// The user's passkeys are one record with the number of the user.
type keyring struct {
	Last int64 // number that was given
	Keys []Passkey
}

var keyrings = record.Of[keyring]{Kind: record.Passkeys}

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{keyrings} }

// Events of passkeys.
var (
	EventAdded   = audit.Declare("passkey.added", "Passkey added")
	EventRenamed = audit.Declare("passkey.renamed", "Passkey renamed")
	EventRemoved = audit.Declare("passkey.removed", "Passkey removed")
	EventReset   = audit.Declare("passkey.reset", "All passkeys removed")
	EventCopied  = audit.Declare("passkey.copied", "Passkey that may exist twice refused", audit.Warning)
)

// The reasons for which a rule refuses.
var (
	// ErrOver means that a challenge is too old or was used before.
	ErrOver = fault.New(fault.Conflict, "That took too long, or it was done before. Start again.")
	// ErrRefused means that an answer is not right.
	ErrRefused = fault.New(fault.Unauthorized, "The passkey does not fit.")
	// ErrCopied means that an answer is right, but its count is not above the last one.
	ErrCopied   = errors.New("the passkey may exist twice")
	ErrFull     = fault.New(fault.Conflict, "You have 20 passkeys, which is the most. Remove one first.")
	ErrKnown    = fault.New(fault.Conflict, "You have this passkey already.")
	ErrNotFound = fault.New(fault.NotFound, "passkey not found")
)

// Rules add passkeys, take their answers and remove them.
type Rules struct {
	store      record.Store
	trail      *audit.Trail
	challenges secret.Box
	now        func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store record.Store, trail *audit.Trail, keys secret.Keys, now func() time.Time) *Rules {
	return &Rules{store, trail, keys.Box("passkey challenge"), now}
}

// Keyring is a user's passkeys as they were read.
type Keyring struct{ stored record.Stored[keyring] }

// Keys returns the passkeys, the oldest first.
func (k Keyring) Keys() []Passkey { return k.stored.Thing.Keys }

// Of returns the user's passkeys.
func (r *Rules) Of(ctx context.Context, userID int64) (Keyring, error) {
	found, err := keyrings.FindOr(ctx, r.store, record.Instance, userID, keyring{}, r.now())
	return Keyring{found}, err
}

// Creation is an answer of a browser that made a key, before it was checked.
type Creation interface {
	// Check returns the key, or an ErrRefused when the answer is to another challenge or user.
	Check(challenge []byte, u user.User) (Key, error)
}

// Add gives the user the key that the browser made for the question, under a name.
func (r *Rules) Add(ctx context.Context, by audit.Actor, u user.User, q Question, c Creation, name string) error {
	key, err := c.Check(q.Challenge, u)
	if err != nil {
		return err
	}
	one := Passkey{Name: name, CreatedAt: r.now(), Key: key}
	if err := one.checkName(); err != nil {
		return err
	}
	return r.change(ctx, by, u, EventAdded, func(all *keyring) (Passkey, error) {
		switch {
		case len(all.Keys) >= Most:
			return one, ErrFull
		case slices.ContainsFunc(all.Keys, func(p Passkey) bool { return p.Key.is(key.ID) }):
			return one, ErrKnown
		}
		all.Last++
		one.Number = all.Last
		all.Keys = append(slices.Clone(all.Keys), one)
		return one, nil
	})
}

// Rename gives the user's passkey with this number another name.
func (r *Rules) Rename(ctx context.Context, by audit.Actor, u user.User, number int64, name string) error {
	return r.change(ctx, by, u, EventRenamed, func(all *keyring) (Passkey, error) {
		i, err := all.index(number)
		if err != nil {
			return Passkey{}, err
		}
		all.Keys = slices.Clone(all.Keys)
		all.Keys[i].Name = name
		return all.Keys[i], all.Keys[i].checkName()
	})
}

// Remove removes the user's passkey with this number. It cannot sign in any more.
func (r *Rules) Remove(ctx context.Context, by audit.Actor, u user.User, number int64) error {
	return r.change(ctx, by, u, EventRemoved, func(all *keyring) (Passkey, error) {
		i, err := all.index(number)
		if err != nil {
			return Passkey{}, err
		}
		gone := all.Keys[i]
		all.Keys = slices.Delete(slices.Clone(all.Keys), i, i+1)
		return gone, nil
	})
}

// Reset removes all passkeys of the user, if there are any.
func (r *Rules) Reset(ctx context.Context, by audit.Actor, u user.User) error {
	found, err := r.Of(ctx, u.ID)
	if err != nil || len(found.Keys()) == 0 {
		return err
	}
	_, err = keyrings.Change(ctx, r.store, found.stored, func(all *keyring) error {
		all.Keys = nil
		return nil
	})
	return r.trail.RecordUnless(ctx, err, u.Event(EventReset, by.ID))
}

// change edits the user's passkeys and records that as an event about one of them.
func (r *Rules) change(ctx context.Context, by audit.Actor, u user.User, event audit.Name, edit func(*keyring) (Passkey, error)) error {
	found, err := r.Of(ctx, u.ID)
	if err != nil {
		return err
	}
	var one Passkey
	_, err = keyrings.Change(ctx, r.store, found.stored, func(all *keyring) (err error) {
		one, err = edit(all)
		return err
	})
	e := u.Event(event, by.ID)
	e.Details["passkey"] = one.Name
	return r.trail.RecordUnless(ctx, err, e)
}

// index returns the place of the passkey with this number.
func (k keyring) index(number int64) (int, error) {
	i := slices.IndexFunc(k.Keys, func(p Passkey) bool { return p.Number == number })
	if i < 0 {
		return 0, ErrNotFound
	}
	return i, nil
}

func (k Key) is(id []byte) bool { return string(k.ID) == string(id) }

const longestName = 100

func (p Passkey) checkName() error {
	switch {
	case strings.TrimSpace(p.Name) == "":
		return fault.Field("name", "can't be blank")
	case utf8.RuneCountInString(p.Name) > longestName:
		return fault.Field("name", "is too long (maximum is 100 characters)")
	}
	return nil
}
