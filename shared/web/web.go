// Package web is the HTTP edge that every group of endpoints shares: it reads
// parameters, answers in the shapes of the REST API, pages through lists and logs
// each request.
package web

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"gatehouse/shared/fault"
)

// Handler is an http.Handler that may fail. Its error is rendered in one place.
type Handler func(w http.ResponseWriter, r *http.Request) error

// ServeHTTP calls the handler and answers its error.
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h(w, r); err != nil {
		Error(w, r, err)
	}
}

// REST is the handler of a group of endpoints of the REST API.
type REST struct {
	http.Handler
	// Patterns are those of the group's routes.
	Patterns []string
}

// Routed is a group of endpoints outside the REST API. It tells its routes, as REST does.
type Routed struct {
	http.Handler
	Patterns []string
}

// NewREST returns the group with these routes; clients reach it at the base. After
// each of the prefixes an address names a project or group, see References.
func NewREST(base string, mux *Mux, prefixes ...string) REST {
	mux.TellDeprecations(base, Error)
	return REST{Wrap(base, RESTCORS.Wrap(knownPreview(WithoutTrailingSlash(References(mux, prefixes...))))), mux.Patterns()}
}

// PathID returns the id in a segment of the path. Every id is a positive integer, so
// anything else is a fault.NotFound error.
func PathID(r *http.Request, name string) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue(name), 10, 64)
	if err != nil || id <= 0 {
		return 0, fault.New(fault.NotFound, name+" is not an id")
	}
	return id, nil
}

// JSON answers with a JSON body that no cache may keep. The content type has no
// parameters, because some REST clients compare it literally.
func JSON(w http.ResponseWriter, status int, body any) error {
	encoded, err := Encode(body)
	if err != nil {
		return err
	}
	return WriteJSON(w, status, encoded)
}

// WriteJSON is JSON for a body that is encoded already.
func WriteJSON(w http.ResponseWriter, status int, encoded []byte) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, err := w.Write(encoded)
	return err
}

// Deleted answers that the subject was deleted, unless there is an error.
func Deleted(w http.ResponseWriter, subject string, err error) error {
	if err != nil {
		return NotFound(subject, err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// Time is an instant as REST bodies write it: ISO 8601, UTC, milliseconds. The
// zero time is null.
type Time time.Time

// MarshalJSON writes the instant.
func (t Time) MarshalJSON() ([]byte, error) { return formatted(t, timeFormat) }

const timeFormat = "2006-01-02T15:04:05.000Z"

// OrNull returns null for the zero value.
func OrNull[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}

// Date is a day as REST bodies write it. The zero time is null.
type Date time.Time

// MarshalJSON writes the day.
func (d Date) MarshalJSON() ([]byte, error) { return formatted(d, time.DateOnly) }

func formatted[T Time | Date](t T, layout string) ([]byte, error) {
	if time.Time(t).IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(time.Time(t).UTC().Format(layout))
}
