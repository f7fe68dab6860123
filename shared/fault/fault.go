// Package fault names the kinds of failure that Gatehouse tells its callers
// about. An error is classified once, where it is understood, and rendered
// once, at the edge. An error nobody classified is internal: its text is for
// the log and never for the caller.
package fault

import (
	"errors"
	"slices"
)

// A Kind classifies an error. Compare with errors.Is(err, fault.NotFound).
type Kind string

// The kinds, each with the HTTP status that the edge gives it.
const (
	Invalid       Kind = "invalid"       // 400: the request cannot be carried out as it stands
	Unauthorized  Kind = "unauthorized"  // 401: no usable credentials
	Forbidden     Kind = "forbidden"     // 403: known, but not allowed
	NotFound      Kind = "not found"     // 404: no such thing, or none the caller may see
	Conflict      Kind = "conflict"      // 409: somebody else was first, or the state forbids it
	TooLarge      Kind = "too large"     // 413: the body exceeds its limit
	Unsupported   Kind = "unsupported"   // 415: the body's media type is not read here
	Unprocessable Kind = "unprocessable" // 422: read and understood, but not what is taken here
	TooMany       Kind = "too many"      // 429: wait a while
	Unavailable   Kind = "not available" // 503: try again later
)

// precedence decides the kind of an error that joins several. First come the
// kinds that leave open what else holds: trying again gives the real answer.
// Then come those about the caller, who may not learn more, and then what is
// missing, before the state of what is there: a thing that is gone conflicts
// with nothing. Complaints about the request come last.
var precedence = []Kind{
	Unavailable, TooMany, Unauthorized, Forbidden, NotFound, Conflict, TooLarge, Unsupported, Unprocessable, Invalid,
}

// Error makes a Kind usable as a target of errors.Is.
func (k Kind) Error() string { return string(k) }

// Fault is an error whose message the caller may read.
type Fault struct {
	kind    Kind
	message string
}

// New returns an error of the given kind whose message the caller may read.
func New(kind Kind, message string) error { return &Fault{kind, message} }

// Error returns the message.
func (f *Fault) Error() string { return f.message }

// Is reports whether target is the fault's kind.
func (f *Fault) Is(target error) bool { return target == f.kind }

// Is reports whether err is of the given kind; a nil error is of none.
func Is(err error, kind Kind) bool { return errors.Is(err, kind) }

// IgnoreNotFound returns nil for a NotFound error, and every other as it is.
func IgnoreNotFound(err error) error {
	if errors.Is(err, NotFound) {
		return nil
	}
	return err
}

// KindOf returns the kind of err, the first in precedence when it has several,
// or "" when nobody classified it.
func KindOf(err error) Kind {
	i := slices.IndexFunc(precedence, func(k Kind) bool { return Is(err, k) })
	if i < 0 {
		return ""
	}
	return precedence[i]
}

// Message returns what the caller may read of err, or "" when err holds
// nothing that was written for the caller.
func Message(err error) string {
	var f *Fault
	if errors.As(err, &f) {
		return f.message
	}
	return ""
}
