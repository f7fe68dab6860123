// Package permit makes the addresses by which mails acknowledge alerts, without a sign-in.
package permit

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
)

// Links make the addresses by which a mail acknowledges an alert.
type Links struct {
	baseURL string
	box     secret.Box
}

// NewLinks returns the links of the instance at this base URL.
func NewLinks(baseURL string, keys secret.Keys) Links {
	return Links{baseURL, keys.Box("links that acknowledge alerts")}
}

// Path is that of the page behind a link, which has the parameter token.
const Path = "/console/-/acknowledge"

// Permit lets a user acknowledge an alert once.
type Permit struct {
	UserID    int64     `json:"user_id"`
	ProjectID int64     `json:"project_id"`
	IID       int64     `json:"iid"`
	Since     time.Time `json:"since"` // when the alert was triggered last
	Until     time.Time `json:"until"`
}

// label is that of sealed permits.
const label = "permit"

// The reasons why a link is refused.
var (
	ErrInvalid = fault.New(fault.NotFound, "the link is not one of ours")
	ErrExpired = fault.New(fault.NotFound, "the link has expired")
)

// Acknowledge returns the address by which the user acknowledges the alert until a time.
func (l Links) Acknowledge(userID int64, a alert.Alert, until time.Time) string {
	permit, err := json.Marshal(Permit{userID, a.ProjectID, a.IID, triggeredAt(a), until})
	if err != nil {
		panic(err) // numbers and times always have a form
	}
	return l.baseURL + Path + "?token=" + base64.RawURLEncoding.EncodeToString(l.box.Seal(permit, label))
}

// triggeredAt returns when the alert was triggered last: opened, or opened again.
func triggeredAt(a alert.Alert) time.Time {
	at := a.CreatedAt
	for _, change := range a.Activity {
		if change.Change == alert.StatusChanged && change.Status == alert.Triggered {
			at = change.At
		}
	}
	return at
}

// Permit returns what the token of a link permits, or ErrInvalid. With ErrExpired it
// returns what the token permitted.
func (l Links) Permit(token string, now time.Time) (p Permit, err error) {
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return Permit{}, ErrInvalid
	}
	opened, _, err := l.box.Open(sealed, label)
	if errors.Is(err, secret.ErrSealed) {
		return Permit{}, ErrInvalid
	}
	if err == nil {
		err = json.Unmarshal(opened, &p)
	}
	if err == nil && !p.Until.After(now) {
		err = ErrExpired
	}
	return p, err
}

// Covers reports whether the permit is for the alert as it is: it was triggered, and nobody
// has changed that since.
func (p Permit) Covers(a alert.Alert) bool {
	return a.Status == alert.Triggered && triggeredAt(a).Equal(p.Since)
}
