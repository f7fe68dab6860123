// Package mail composes mails and says how they are sent. Packages below it send them:
// relay by SMTP, and ses by Amazon's service. An instance that has neither keeps its mails
// for an administrator to look at.
package mail

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode"
)

// Address is that of a mailbox.
type Address struct {
	Name  string `json:"name,omitempty"` // of the person; may be empty
	Email string `json:"email"`
}

// Message is a mail to one person. Whatever its texts hold, it has only the headers that
// Encode gives it.
type Message struct {
	From, To Address
	At       time.Time
	Subject  string
	Text     string // lines end with "\n"
	HTML     string // the same for programs that show HTML; may be empty
	ID       string // the same when it is sent again, and no other message has it; see NewID
	Thread   string // the ID that all messages about one thing refer to; empty: none
}

// Sender sends mails.
type Sender interface {
	// Send sends the mail once. The error is a *Failure if the mail server refused it
	// or could not be reached.
	Send(ctx context.Context, m Message) error
}

// Failure says why a mail was not sent.
type Failure struct {
	Reason    string // without secrets
	Permanent bool   // sending it again would not help
}

func (f *Failure) Error() string { return f.Reason }

// Permanent reports whether an error of a Sender means that sending again would not help.
func Permanent(err error) bool {
	var failure *Failure
	return errors.As(err, &failure) && failure.Permanent
}

// NewID returns an ID for the message or thread that the parts name, at the domain of the
// sender's address.
func NewID(from Address, parts ...any) string {
	var named []byte
	for _, part := range parts {
		named = fmt.Append(named, part, "\x00")
	}
	sum := sha256.Sum256(named)
	return hex.EncodeToString(sum[:16]) + "@" + from.Domain()
}

// Domain returns the part of the address behind the @.
func (a Address) Domain() string { return a.Email[strings.LastIndexByte(a.Email, '@')+1:] }

// maxEmail is the longest address that SMTP carries, in bytes (RFC 5321 section
// 4.5.3.1.3).
const maxEmail = 254

// check returns a Failure if mails cannot go to or come from the address.
func (a Address) check() error {
	parsed, err := mail.ParseAddress(a.Email)
	switch {
	case err != nil || parsed.Address != a.Email || len(a.Email) > maxEmail,
		strings.ContainsFunc(a.Email, func(c rune) bool { return c <= ' ' || c > '~' }):
		return &Failure{Reason: "the address is not one that mails can go to", Permanent: true}
	}
	return nil
}

// maxName is the longest name of a person in a header, in characters.
const maxName = 100

// String returns the address as headers have it.
func (a Address) String() string {
	return (&mail.Address{Name: OneLine(a.Name, maxName), Address: a.Email}).String()
}

// OneLine returns the text on one line, without invisible characters, and with at most
// this many characters.
func OneLine(text string, most int) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	text = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c) || unicode.IsControl(c):
			return ' '
		case unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp):
			return -1
		}
		return c
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
