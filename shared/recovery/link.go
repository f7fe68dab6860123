// Package recovery lets people set a new password who do not know theirs any more, by a
// link that works once. An administrator hands it over, or it comes by mail.
package recovery

import (
	"encoding/base64"
	"encoding/json"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// PasswordPath is that of the page behind a link, which has the parameter token.
const PasswordPath = "/users/password"

// ErrLink refuses a link that is not one of ours, is too old, or was used.
var ErrLink = fault.New(fault.NotFound, "The link has expired, or was used before.")

// links make and read the tokens of links. Nothing of them is stored: a token tells what
// the account was like, and is worth nothing once that has changed.
type links struct {
	baseURL string
	box     secret.Box
}

func newLinks(baseURL string, keys secret.Keys) links {
	return links{baseURL, keys.Box("links that set a password")}
}

// ticket is what a token says.
type ticket struct {
	UserID int64  `json:"user_id"`
	Email  string `json:"email"`
	// Epoch is the user's SessionEpoch. A new password and a block begin another one.
	Epoch time.Time `json:"epoch"`
	Until time.Time `json:"until"`
}

// newTicket returns a ticket for the user as they are now.
func newTicket(u user.User, until time.Time) ticket {
	return ticket{u.ID, u.Email, u.SessionEpoch, until}
}

// fits reports whether the ticket is for the user as they are now.
func (t ticket) fits(u user.User) bool {
	return t.UserID == u.ID && t.Email == u.Email && u.SessionValid(t.Epoch) && !u.Blocked()
}

// address returns the address of the page at the path that takes the ticket.
func (l links) address(path string, t ticket) secret.Text {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // numbers, texts and times always have a form
	}
	return secret.NewText(l.baseURL + path + "?token=" + base64.RawURLEncoding.EncodeToString(l.box.Seal(text, path)))
}

// ticket reads the token of a page at the path, or returns ErrLink.
func (l links) ticket(path string, token secret.Text, now time.Time) (t ticket, err error) {
	sealed, err := base64.RawURLEncoding.DecodeString(token.Reveal())
	if err != nil {
		return ticket{}, ErrLink
	}
	text, _, err := l.box.Open(sealed, path)
	if err != nil || json.Unmarshal(text, &t) != nil || !now.Before(t.Until) {
		return ticket{}, ErrLink
	}
	return t, nil
}
