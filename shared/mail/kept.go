package mail

import (
	"context"
	"regexp"
	"strings"
	"time"
	"unicode"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/record"
)

// Limits of the mails that an instance keeps because it can send none.
const (
	MaxKept = 200
	KeptFor = 30 * 24 * time.Hour
	// maxKeptText bounds each of the texts of a kept mail, in bytes.
	maxKeptText = 64 << 10
)

// Kept is a mail that was not sent but kept.
type Kept struct {
	From    Address   `json:"from"`
	To      Address   `json:"to"`
	At      time.Time `json:"at"`
	Subject string    `json:"subject"`
	Text    string    `json:"text"`
	HTML    string    `json:"html,omitempty"` // empty if it is too long to be kept
}

// linkToken matches the secret part of a link by which whoever has it acts as the person
// whom the mail is for.
var linkToken = regexp.MustCompile(`([?&]token=)[A-Za-z0-9_.~%-]+`)

// Masked returns the text without the secrets of links, for whoever it is not for.
func (k Kept) Masked() string { return linkToken.ReplaceAllString(k.Text, "${1}[hidden]") }

// Stored is a kept mail with its number.
type Stored = record.Stored[Kept]

// keptMails have numbers without gaps, so that the oldest ones can be found.
var keptMails = record.Of[Kept]{Kind: "kept_mail", PerPlace: true}

// oldest is the number of the oldest mail that may be stored.
type oldest struct {
	Number int64 `json:"number"`
}

var oldestMail = record.Of[oldest]{Kind: "oldest_kept_mail"}

// Rules keep mails. They are the Sender of an instance that has no other.
type Rules struct {
	store record.Store
	now   func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store record.Store, now func() time.Time) *Rules { return &Rules{store, now} }

// Kept returns the mails that are kept, the newest first.
func (r *Rules) Kept(ctx context.Context, req page.Request) (page.Of[Stored], error) {
	fresh := func(s Stored) bool { return !r.expired(s) }
	return keptMails.Search(ctx, r.store, record.Instance, fresh, req)
}

// Find returns the kept mail with this number, or a fault.NotFound error.
func (r *Rules) Find(ctx context.Context, number int64) (Stored, error) {
	s, err := keptMails.Find(ctx, r.store, record.Instance, number)
	if err == nil && r.expired(s) {
		return Stored{}, record.ErrNotFound
	}
	return s, err
}

func (r *Rules) expired(s Stored) bool { return !r.now().Before(s.CreatedAt.Add(KeptFor)) }

// Send keeps the mail, and removes those that are too many or too old.
func (r *Rules) Send(ctx context.Context, m Message) error {
	if _, err := m.Encode(); err != nil { // as it would be with a mail server
		return err
	}
	kept := Kept{m.From, m.To, m.At.UTC(), OneLine(m.Subject, maxSubject), shortened(m.Text), printable(m.HTML)}
	if len(kept.HTML) > maxKeptText {
		kept.HTML = ""
	}
	made, err := keptMails.Create(ctx, r.store, record.Instance, kept, r.now().UTC())
	if err != nil {
		return err
	}
	return r.tidy(ctx, made.Number)
}

// shortened returns as much of the text as is kept.
func shortened(text string) string {
	text = printable(text)
	return strings.ToValidUTF8(text[:min(len(text), maxKeptText)], "")
}

// printable returns the text without control characters, each of which would take six
// bytes in JSON, but for those of lines.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\n' && c != '\t' {
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, "\ufffd"))
}

// tidyAtOnce is how many mails are removed at most for a new one. More than one has to
// be after a time without mails, or if a caller died before this.
const tidyAtOnce = 10

// tidy removes the oldest mails if they are too many beside the newest one or expired.
func (r *Rules) tidy(ctx context.Context, newest int64) error {
	was, err := oldestMail.FindOr(ctx, r.store, record.Instance, 0, oldest{Number: 1}, r.now().UTC())
	if err != nil {
		return err
	}
	next, most := was.Thing.Number, was.Thing.Number+tidyAtOnce
	for ; next < most; next++ {
		gone, err := r.removeIfOld(ctx, next, newest)
		if err != nil {
			return err
		}
		if !gone {
			break
		}
	}
	if next == was.Thing.Number {
		return nil
	}
	_, err = oldestMail.Change(ctx, r.store, was, func(o *oldest) error {
		o.Number = max(o.Number, next)
		return nil
	})
	return err
}

// settled is how far below the newest number a mail is not just being stored.
const settled = 20

// removeIfOld reports whether the mail with this number is gone after it.
func (r *Rules) removeIfOld(ctx context.Context, number, newest int64) (bool, error) {
	if number >= newest {
		return false, nil
	}
	s, err := keptMails.Find(ctx, r.store, record.Instance, number)
	switch {
	case fault.Is(err, fault.NotFound):
		return number <= newest-settled, nil
	case err != nil:
		return false, err
	case number > newest-MaxKept && !r.expired(s):
		return false, nil
	}
	return true, fault.IgnoreNotFound(keptMails.Remove(ctx, r.store, s))
}

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{keptMails, oldestMail} }
