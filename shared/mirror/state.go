package mirror

import (
	"slices"
	"time"
	"unicode/utf8"

	"gatehouse/shared/fault"
	"gatehouse/shared/record"
)

// Status is how far a pull is.
type Status string

// The statuses. None is that of a mirror that nobody pulled yet.
const (
	None      Status = "none"
	Scheduled Status = "scheduled"
	Started   Status = "started"
	Finished  Status = "finished"
	Failed    Status = "failed"
	Canceled  Status = "canceled"
)

// Statuses lists them.
var Statuses = []Status{None, Scheduled, Started, Finished, Failed, Canceled}

// State is what is known of a mirror's last pull.
type State struct {
	Status      Status    `json:"update_status"`
	LastError   string    `json:"last_error,omitempty"`
	UpdatedAt   time.Time `json:"last_update_at,omitzero"` // when one ended
	StartedAt   time.Time `json:"last_update_started_at,omitzero"`
	SucceededAt time.Time `json:"last_successful_update_at,omitzero"`
}

// kept is what is stored apart from the settings, because it changes all the time.
type kept struct {
	State
	// Former are sealed credentials that were replaced since a pull was finished.
	Former []string `json:"former,omitempty"`
}

// maxFormer is how many of them are kept.
const maxFormer = 8

// remember adds credentials that are about to be replaced, in the place of the oldest if
// there are too many.
func (k *kept) remember(sealed string) {
	k.Former = append(slices.Clone(k.Former), sealed)
	k.Former = k.Former[max(0, len(k.Former)-maxFormer):]
}

// forgetFormer leaves the present ones, if they are about to be replaced.
func (k *kept) forgetFormer(present string) {
	k.Former = slices.DeleteFunc(slices.Clone(k.Former), func(sealed string) bool { return sealed != present })
}

// forget returns the state without what belongs to former credentials or, elsewhere, to
// a former repository. A pull that was asked for is still wanted.
func (s State) forget(elsewhere bool) State {
	next := State{Status: None}
	if !elsewhere {
		next = s
	}
	if s.Status == Scheduled {
		next.Status = Scheduled
	}
	next.LastError = ""
	return next
}

// states has one below each project.
var states = record.Of[kept]{Kind: "pull_mirror"}

// theOne is the number of a project's state.
const theOne = 1

// Report is what the platform says of a pull.
type Report struct {
	Status    Status
	LastError *string   // nil: none if the pull is finished, else what it was
	UpdatedAt time.Time // zero: now if the pull ended, else what it was
}

// apply changes the state. It masks credentials in the error, and the mirror's own
// wherever they are.
func (r Report) apply(s *State, own []Credentials, now time.Time) {
	s.Status = r.Status
	switch {
	case r.LastError != nil:
		s.LastError = redact(*r.LastError, own...)
	case r.Status == Finished:
		s.LastError = ""
	}
	switch {
	case !r.UpdatedAt.IsZero():
		s.UpdatedAt = r.UpdatedAt
	case r.Status == Finished, r.Status == Failed:
		s.UpdatedAt = now
	}
	switch r.Status {
	case Started:
		s.StartedAt = now
	case Finished:
		s.SucceededAt = s.UpdatedAt
	}
}

// maxError is the longest error, in characters.
const maxError = 4096

// clockSkew is how far the clock of whoever reports may be ahead.
const clockSkew = 5 * time.Minute

func (r Report) check(now time.Time) error {
	complaints := fault.Fields{}
	if r.LastError != nil && utf8.RuneCountInString(*r.LastError) > maxError {
		complaints.Add("last_error", "is too long (maximum is 4096 characters)")
	}
	if r.UpdatedAt.After(now.Add(clockSkew)) {
		complaints.Add("last_update_at", "must not be in the future")
	}
	return complaints.Err()
}

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{states} }
