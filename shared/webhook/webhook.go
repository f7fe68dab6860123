// Package webhook has the rules for the outgoing webhooks of projects and persons: addresses
// of other services that get a signed message when something happens to an alert or an
// incident, or when the person is told of it.
// Messages are signed as Standard Webhooks says (https://www.standardwebhooks.com).
package webhook

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"gatehouse/shared/fault"
	"gatehouse/shared/host"
	"gatehouse/shared/record"
)

// Webhook is an outgoing webhook of a project or, if it is made by them, of a person.
type Webhook struct {
	URL       string `json:"url"`
	Active    bool   `json:"active"`
	CreatorID int64  `json:"creator_id"`
	Slot      int    `json:"slot,omitempty"` // of those of its owner

	Secret      string    `json:"secret"`                // sealed
	Former      string    `json:"former,omitempty"`      // the secret before, sealed
	FormerUntil time.Time `json:"former_until,omitzero"` // until then Former signs too
	Disabled    string    `json:"disabled,omitempty"`    // why Gatehouse itself switched it off
	LastStatus  int       `json:"last_status,omitempty"` // zero: no answer
	LastError   string    `json:"last_error,omitempty"`  // empty: delivered
	AttemptedAt time.Time `json:"attempted_at,omitzero"` // the last attempt that was noted
	DeliveredAt time.Time `json:"delivered_at,omitzero"` // the last delivery that was noted
}

// Stored is a webhook with its id and place: a project, or the instance for a person.
type Stored = record.Stored[Webhook]

var webhooks = record.Of[Webhook]{Kind: "webhook", Words: func(w Webhook) record.Words { return w.words("") }}

// words are those of a webhook. What holds its slot is the holder or, if that is empty, the
// place.
func (w Webhook) words(holder string) record.Words {
	if w.Slot == 0 {
		return nil
	}
	return record.Words{record.Slot: record.SlotWord(holder, w.Slot)}
}

// MaxWebhooks is how many webhooks a project can have, and MaxOwn how many a person can.
const (
	MaxWebhooks = 20
	MaxOwn      = 5
)

// maxURL is the longest URL, in bytes.
const maxURL = 2048

// Change is a change of a webhook; nil leaves a field as it is.
type Change struct {
	URL    *string
	Active *bool
	// Seen is the URL on which the change was decided; nil: whatever it is.
	Seen *string
}

// ErrOtherURL means that the webhook has another URL than the change was decided on.
var ErrOtherURL = fault.New(fault.Conflict, "the webhook has another address by now")

// apply changes the webhook. Another URL is another receiver, of which nothing is known
// yet.
func (c Change) apply(w *Webhook, private bool) error {
	if c.Seen != nil && *c.Seen != w.URL {
		return ErrOtherURL
	}
	if c.URL != nil && *c.URL != w.URL {
		if complaint := checkURL(*c.URL, private); complaint != "" {
			return fault.Field("url", complaint)
		}
		w.URL, w.LastStatus, w.LastError, w.AttemptedAt, w.DeliveredAt = *c.URL, 0, "", time.Time{}, time.Time{}
	}
	if c.Active != nil {
		w.Active, w.Disabled = *c.Active, ""
	}
	return nil
}

// checkURL returns a complaint about the URL of a webhook, or "". Names are not resolved:
// whoever delivers checks where they lead. Private means that plain http and private
// addresses are allowed.
func checkURL(text string, private bool) string {
	schemes, want := []string{"https"}, "must be an https URL"
	if private {
		schemes, want = []string{"https", "http"}, "must be an http or https URL"
	}
	u, err := url.Parse(text)
	switch {
	case text == "":
		return "can't be blank"
	case len(text) > maxURL:
		return "is too long (maximum is 2048 bytes)"
	case err != nil || !slices.Contains(schemes, u.Scheme) || u.Hostname() == "" || !host.PossiblePort(u),
		strings.ContainsFunc(text, unicode.IsSpace), strings.Contains(text, `\`):
		return want
	case u.User != nil:
		return "must have no user name or password"
	case strings.Contains(text, "#"):
		return "must have no fragment"
	case !private && !host.Public(u.Hostname()):
		return "must have a public host"
	}
	return ""
}

// hostOf returns the host of a webhook's URL. The rest of the URL may be a secret of the
// receiver, so the trail and logs do not have it.
func hostOf(w Webhook) string {
	u, err := url.Parse(w.URL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
