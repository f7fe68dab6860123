package signin

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"

	"gatehouse/shared/secret"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

// PendingLifetime is how long after the password the code may come.
const PendingLifetime = 10 * time.Minute

// pending is a sign-in that waits for its second factor. It is stored only in
// an encrypted cookie of the browser that gave the password.
type pending struct {
	userID int64
	began  time.Time
	// sessionEpoch is the user's, in microseconds, as read with the password:
	// a new password, a block and a change of the second factor end the sign-in.
	sessionEpoch int64
}

// The label of the encryption, and how many bytes the numbers take.
const (
	pendingLabel  = "sign-in"
	pendingLength = 3 * 8
)

// errOver is the error of a pending sign-in that cannot be completed any more.
var errOver = errors.New("the sign-in is over")

// pend returns the cookie of a sign-in that begins now. The user is as read
// with the password.
func (r *Rules) pend(u user.User) secret.Text {
	var text []byte
	for _, n := range []int64{u.ID, r.now().UnixMicro(), micros(u.SessionEpoch)} {
		text = binary.BigEndian.AppendUint64(text, uint64(n))
	}
	return secret.NewText(base64.RawURLEncoding.EncodeToString(r.pendings.Seal(text, pendingLabel)))
}

// Pending reports whether the cookie is that of a sign-in that still waits for
// its second factor.
func (r *Rules) Pending(cookie string) bool {
	_, err := r.parsePending(cookie)
	return err == nil
}

// parsePending returns the sign-in of a cookie, or errOver.
func (r *Rules) parsePending(cookie string) (pending, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil {
		return pending{}, errOver
	}
	text, _, err := r.pendings.Open(sealed, pendingLabel)
	if err != nil || len(text) != pendingLength {
		return pending{}, errOver
	}
	number := func(i int) int64 { return int64(binary.BigEndian.Uint64(text[8*i:])) }
	p := pending{userID: number(0), began: time.UnixMicro(number(1)), sessionEpoch: number(2)}
	if !r.now().Before(p.began.Add(PendingLifetime)) {
		return pending{}, errOver
	}
	return p, nil
}

// waitsFor reports whether this user can complete the sign-in with this factor.
// Both are zero if they do not exist.
func (p pending) waitsFor(u user.User, f twofactor.Factor) bool {
	return u.TwoFactorEnabled && !u.Blocked() && micros(u.SessionEpoch) == p.sessionEpoch &&
		f.UserID != 0 && p.began.After(f.LastSignIn)
}

// micros is a time as a store keeps it.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}
