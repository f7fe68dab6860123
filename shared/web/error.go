package web

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"gatehouse/shared/fault"
)

// Answer is an error that knows how it is answered.
type Answer interface {
	error
	Answer(w http.ResponseWriter)
}

// Error answers an error in the REST API's shapes (Interface: "Errors"). One
// that nobody classified is logged and answered as 500 without its text. So is the
// cause where something was not available.
func Error(w http.ResponseWriter, r *http.Request, err error) {
	var answer Answer
	var fields fault.Fields
	switch {
	case errors.As(err, &answer):
		answer.Answer(w)
	case errors.As(err, &fields):
		JSON(w, http.StatusBadRequest, map[string]fault.Fields{"message": fields})
	default:
		RetryAfter(w, err)
		JSON(w, Status(err), messageBody(Message(r, err)))
	}
}

// Message returns the text with which Error answers an error, and logs what is for the log,
// for an answer about several things.
func Message(r *http.Request, err error) string {
	var missing notFound
	if errors.As(err, &missing) {
		return missing.message()
	}
	status := Status(err)
	if ForTheLog(status, err) {
		slog.ErrorContext(r.Context(), "request not served", "error", err)
	}
	return text(status, fault.Message(err))
}

// ForTheLog reports whether an error says why the service itself failed, which is more
// than the caller gets to read.
func ForTheLog(status int, err error) bool {
	return status >= http.StatusInternalServerError && (status != http.StatusServiceUnavailable || err.Error() != fault.Message(err))
}

// RetryAfter sets the header that says when to try again (RFC 9110 section
// 10.2.3), if the error knows it.
func RetryAfter(w http.ResponseWriter, err error) {
	var refused interface{ RetryAfter() time.Duration }
	if errors.As(err, &refused) {
		seconds := (refused.RetryAfter() + time.Second - 1) / time.Second
		w.Header().Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
}

var statuses = map[fault.Kind]int{
	fault.Invalid:       http.StatusBadRequest,
	fault.Unauthorized:  http.StatusUnauthorized,
	fault.Forbidden:     http.StatusForbidden,
	fault.NotFound:      http.StatusNotFound,
	fault.Conflict:      http.StatusConflict,
	fault.TooLarge:      http.StatusRequestEntityTooLarge,
	fault.Unsupported:   http.StatusUnsupportedMediaType,
	fault.Unprocessable: http.StatusUnprocessableEntity,
	fault.TooMany:       http.StatusTooManyRequests,
	fault.Unavailable:   http.StatusServiceUnavailable,
}

// Status returns the HTTP status of an error's kind (fault.KindOf). When it has none, it
// is 503 for work whose time is over, and else 500.
func Status(err error) int {
	status, known := statuses[fault.KindOf(err)]
	switch {
	case known:
		return status
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// reasons has the words that follow a status where they differ from HTTP's.
var reasons = map[int]string{http.StatusBadRequest: "Bad request"}

// message returns the body {"message": "<status> <reason>"}.
func message(status int) map[string]string { return messageBody(text(status, "")) }

func messageBody(text string) map[string]string { return map[string]string{"message": text} }

// text returns "<status> <reason>[ - <detail>]". A 404 has no detail: its text comes
// from a store and is for the log.
func text(status int, detail string) string {
	reason := cmp.Or(reasons[status], http.StatusText(status))
	if detail != "" && status != http.StatusNotFound {
		reason += " - " + detail
	}
	return strconv.Itoa(status) + " " + reason
}

// notFound names what was not found.
type notFound struct{ subject string }

// NotFound turns a fault.NotFound error into one that names the subject, as in
// "404 Project Not Found", and passes every other error.
func NotFound(subject string, err error) error {
	if errors.Is(err, fault.NotFound) {
		return notFound{subject}
	}
	return err
}

// Error says what was not found.
func (n notFound) Error() string { return n.subject + " not found" }

// Is reports whether target is fault.NotFound.
func (n notFound) Is(target error) bool { return target == fault.NotFound }

// Answer writes the 404.
func (n notFound) Answer(w http.ResponseWriter) {
	JSON(w, http.StatusNotFound, messageBody(n.message()))
}

func (n notFound) message() string { return "404 " + n.subject + " Not Found" }
