// Package web is the HTTP edge that every group of endpoints shares: reading
// parameters, answering in the REST API's shapes, paging, and what happens
// around each request.
package web

import (
	"encoding/json"
	"net/http"
	"time"
)

// Handler is an http.Handler that may fail. Its error is rendered once, here.
type Handler func(w http.ResponseWriter, r *http.Request) error

// ServeHTTP calls the handler and answers its error.
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h(w, r); err != nil {
		Error(w, r, err)
	}
}

// JSON answers with a JSON body, for this caller and for now: no cache may keep
// it. The content type has no parameters, because some REST clients compare it
// to the letter.
func JSON(w http.ResponseWriter, status int, body any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, err = w.Write(encoded)
	return err
}

// NoContent answers that a thing was deleted.
func NoContent(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// Time is an instant as REST bodies write it: ISO 8601, UTC, milliseconds. The
// zero time is null.
type Time time.Time

// MarshalJSON writes the instant.
func (t Time) MarshalJSON() ([]byte, error) { return formatted(t, "2006-01-02T15:04:05.000Z") }

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
