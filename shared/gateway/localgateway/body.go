package localgateway

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"time"
)

// A body is in memory several times while its event is made and read, so that many at
// once would take gigabytes. Those above maxSmall share maxInFlight bytes; one that finds
// no room within maxWait is refused.
const (
	maxSmall    = 64 << 10
	maxInFlight = 24 << 20
	maxWait     = 10 * time.Second
)

// How the gateway refuses a body that is too long for itself, and for the function.
const (
	tooLongForGateway  = "Request Entity Too Large"
	tooLongForFunction = "Request Too Long"
)

// tooLong returns the refusal of a body that its length alone shows to be too long, or 0.
func tooLong(r *http.Request) (status int, message string) {
	size := r.ContentLength
	if size > maxBody {
		return http.StatusRequestEntityTooLarge, tooLongForGateway
	}
	if !isText(r.Header.Get("Content-Type")) {
		size = int64(base64.StdEncoding.EncodedLen(int(size)))
	}
	if size > maxPayload {
		return http.StatusRequestEntityTooLarge, tooLongForFunction
	}
	return 0, ""
}

// lengthOf returns the request with the length of its body, if that is small and came in
// chunks: only reading it shows that.
func lengthOf(r *http.Request) (*http.Request, error) {
	if r.ContentLength >= 0 {
		return r, nil
	}
	start, err := io.ReadAll(io.LimitReader(r.Body, maxSmall+1))
	if err != nil {
		return nil, err
	}
	known := r.WithContext(r.Context())
	known.Body = io.NopCloser(io.MultiReader(bytes.NewReader(start), r.Body)) // the server closes it
	if len(start) <= maxSmall {
		known.ContentLength = int64(len(start))
	}
	return known, nil
}

// makeRoom waits until there is room for the body, and returns what it takes. A large body
// of unknown length takes as much as the longest.
func (g *gateway) makeRoom(r *http.Request) (int64, error) {
	size := r.ContentLength
	switch {
	case size < 0:
		size = maxPayload
	case size <= maxSmall:
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), maxWait)
	defer cancel()
	return size, g.room.Acquire(ctx, size)
}

// readBody reads the body, into memory of its length if that is known.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	var body bytes.Buffer
	if r.ContentLength > 0 {
		body.Grow(int(r.ContentLength) + bytes.MinRead) // or reading the end doubles it
	}
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, maxPayload))
	return body.Bytes(), err
}

func refuseBody(w http.ResponseWriter, err error) {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		refuse(w, http.StatusRequestEntityTooLarge, tooLongForFunction)
		return
	}
	refuse(w, http.StatusBadRequest, "Bad Request")
}
