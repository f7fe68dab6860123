// Package session keeps people signed in to the pages. A browser's cookie names
// a session and proves it; the store keeps a digest of the proof.
//
// What ends a sign-in:
//
//   - time: IdleLimit without use, AbsoluteLimit in any case
//   - the user: SignOut, EndOne, EndOthers
//   - a new password, a block, and turning a second factor on or off. Each sets
//     the user's SessionEpoch (user.Rules.Update, twofactor.Rules), and a session
//     works only with the epoch at its sign-in (user.User.SessionValid)
//   - the end of the account
//
// A sign-in that still waits for its second factor ends after
// signin.PendingLifetime, and with the epoch too.
package session

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// A session ends after IdleLimit without use, and AbsoluteLimit after the
// sign-in at the latest. Its use is recorded every TouchEvery.
const (
	IdleLimit     = 7 * 24 * time.Hour
	AbsoluteLimit = 30 * 24 * time.Hour
	TouchEvery    = time.Hour
)

// Session is one browser in which a user signed in.
type Session struct {
	UserID       int64
	ID           string // 32 hexadecimal characters; no secret. IDs sort by CreatedAt
	Digest       secret.Digest
	CreatedAt    time.Time
	LastSeenAt   time.Time // exact to TouchEvery
	Browser      audit.Browser
	SessionEpoch time.Time // the user's SessionEpoch at sign-in
}

// ExpiresAt is when the session ends if it is not used again.
func (s Session) ExpiresAt() time.Time {
	idle, absolute := s.LastSeenAt.Add(IdleLimit), s.CreatedAt.Add(AbsoluteLimit)
	if absolute.Before(idle) {
		return absolute
	}
	return idle
}

// ErrNotFound means that the user has no such session.
var ErrNotFound = fault.New(fault.NotFound, "session not found")

// Events of sessions.
var (
	EventSignOut       = audit.Declare("user.sign_out", "Signed out")
	EventRevoked       = audit.Declare("session.revoked", "Ended a session")
	EventOthersRevoked = audit.Declare("session.others_revoked", "Signed out everywhere else")
)

// Store keeps sessions. Reads see every write that was acknowledged before.
type Store interface {
	// CreateSession stores a session.
	CreateSession(ctx context.Context, s Session) error

	// Session returns the user's session with this id, also an expired one,
	// or a fault.NotFound error.
	Session(ctx context.Context, userID int64, id string) (Session, error)

	// Sessions returns a page of those of the user's sessions that are kept, the one
	// with the highest ID first. It looks at no more than a search does
	// (Interface: "Lists").
	Sessions(ctx context.Context, userID int64, keep func(Session) bool, r page.Request) (page.Of[Session], error)

	// TouchSession records the use of the session. A session that is gone
	// stays gone, which is no error.
	TouchSession(ctx context.Context, s Session, now time.Time) error

	// EndSession removes the session, or returns a fault.NotFound error when the
	// user has none with this id.
	EndSession(ctx context.Context, userID int64, id string) error

	// EndOtherSessions removes all sessions of the user except the one with
	// this id, or returns a fault.NotFound error when there is none. One that
	// starts meanwhile may stay.
	EndOtherSessions(ctx context.Context, userID int64, id string) error
}

// Rules start, find and end sessions.
type Rules struct {
	store Store
	trail *audit.Trail
	now   func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store Store, trail *audit.Trail, now func() time.Time) *Rules {
	return &Rules{store, trail, now}
}

// Start opens a session for a user who has just signed in and returns the
// value of its cookie. The user must be the one read when the password was
// verified, so that whatever ended sessions since then ends this one too.
func (r *Rules) Start(ctx context.Context, u user.User, in audit.Browser) (secret.Text, error) {
	text := secret.New("", 32)
	now := r.now()
	s := Session{
		UserID: u.ID, ID: newID(now), Digest: text.Digest(),
		CreatedAt: now, LastSeenAt: now, Browser: in.Cleaned(), SessionEpoch: u.SessionEpoch,
	}
	cookie := secret.NewText(strconv.FormatInt(u.ID, 10) + "." + s.ID + "." + text.Reveal())
	return cookie, r.store.CreateSession(ctx, s)
}

// Replace starts a session like Start and ends the one that the browser had: a
// session that a stranger planted before the sign-in must not go on.
func (r *Rules) Replace(ctx context.Context, cookie string, u user.User, in audit.Browser) (secret.Text, error) {
	if _, err := r.end(ctx, cookie); err != nil {
		return secret.Text{}, err
	}
	return r.Start(ctx, u, in)
}

var errNoSession = fault.New(fault.Unauthorized, "You need to sign in.")

// Recognise returns the session of a cookie. A cookie that is malformed,
// unknown or expired is a fault.Unauthorized error.
func (r *Rules) Recognise(ctx context.Context, cookie string) (Session, error) {
	userID, id, text, ok := parseCookie(cookie)
	if !ok {
		return Session{}, errNoSession
	}
	s, err := r.store.Session(ctx, userID, id)
	if fault.Is(err, fault.NotFound) {
		return Session{}, errNoSession
	}
	if err != nil {
		return Session{}, err
	}
	now := r.now()
	if !s.Digest.Matches(text) || !now.Before(s.ExpiresAt()) {
		return Session{}, errNoSession
	}
	if now.Sub(s.LastSeenAt) >= TouchEvery {
		return s, r.store.TouchSession(ctx, s, now)
	}
	return s, nil
}

// SignOut ends the session of a cookie at its user's wish. A cookie without a
// session is no error.
func (r *Rules) SignOut(ctx context.Context, cookie string) error {
	s, err := r.end(ctx, cookie)
	if s.UserID == 0 {
		return err
	}
	return r.trail.RecordUnless(ctx, err, audit.ByUser(s.UserID).Event(EventSignOut, nil))
}

// end ends the session of a cookie and returns it. A cookie without a session gives the zero Session.
func (r *Rules) end(ctx context.Context, cookie string) (Session, error) {
	s, err := r.Recognise(ctx, cookie)
	if fault.Is(err, fault.Unauthorized) {
		return Session{}, nil
	}
	if err != nil {
		return Session{}, err
	}
	err = r.store.EndSession(ctx, s.UserID, s.ID)
	if fault.Is(err, fault.NotFound) { // another request was faster
		return Session{}, nil
	}
	return s, err
}

// Of returns a page of the user's sessions, the newest sign-in first. It leaves out
// what has ended and may still be stored.
func (r *Rules) Of(ctx context.Context, u user.User, wanted page.Request) (page.Of[Session], error) {
	now := r.now()
	return r.store.Sessions(ctx, u.ID, func(s Session) bool {
		return now.Before(s.ExpiresAt()) && u.SessionValid(s.SessionEpoch)
	}, wanted)
}

// EndOne ends a session of the user, who asks for it, by its id. It returns a
// fault.NotFound error when the user has none with this id.
func (r *Rules) EndOne(ctx context.Context, userID int64, id string) error {
	if _, err := hex.DecodeString(id); err != nil || len(id) != idLength {
		return ErrNotFound
	}
	err := r.store.EndSession(ctx, userID, id)
	return r.trail.RecordUnless(ctx, err, audit.ByUser(userID).Event(EventRevoked, nil))
}

// EndOthers ends all sessions of the user, who asks for it, except this one. That
// there are none is no error, and not in the trail.
func (r *Rules) EndOthers(ctx context.Context, kept Session) error {
	err := r.store.EndOtherSessions(ctx, kept.UserID, kept.ID)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return r.trail.RecordUnless(ctx, err, audit.ByUser(kept.UserID).Event(EventOthersRevoked, nil))
}

// idLength is the number of characters in a session's id.
const idLength = 32

// newID returns an id for a session that starts now. Those that releases before
// gave are random, and sort before nearly all of these.
func newID(now time.Time) string {
	return fmt.Sprintf("ff%014x", now.UnixMicro()) + hex.EncodeToString(secret.Random(8))
}

// A Position has the first 30 characters of an id, half of them in each number.
const half = 15

// Position is the place of the session among those of its user.
func (s Session) Position() page.Position {
	first, _ := strconv.ParseInt(s.ID[:half], 16, 64)
	second, _ := strconv.ParseInt(s.ID[half:2*half], 16, 64)
	return page.Position{Value: first, ID: second + 1}
}

// IDAfter returns a bound: lower ids come after the position. Without one, it is
// above all ids.
func IDAfter(p page.Position) string {
	if !p.Some() {
		return "g"
	}
	return fmt.Sprintf("%015x%015x", p.Value, p.ID-1)
}

func parseCookie(cookie string) (userID int64, id string, text secret.Text, ok bool) {
	parts := strings.Split(cookie, ".")
	if len(parts) != 3 || len(parts[1]) != idLength || len(parts[2]) != 64 {
		return 0, "", text, false
	}
	userID, err := strconv.ParseInt(parts[0], 10, 64)
	return userID, parts[1], secret.NewText(parts[2]), err == nil && userID > 0
}
