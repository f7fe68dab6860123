package web

import (
	"bytes"
	"log/slog"
	"net/http"

	"gatehouse/shared/deprecation"
)

// previewed serves the request and leaves what is deprecated out of the answer.
func (p *places) previewed(w http.ResponseWriter, r *http.Request, next http.Handler) {
	a := &heldAnswer{ResponseWriter: w}
	next.ServeHTTP(a, r)
	body := a.body.Bytes()
	if a.status < 300 && len(body) > 0 {
		left, err := deprecation.Omit(body, p.all)
		if err != nil {
			notSearched(r, err)
		} else {
			body = left
		}
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	if len(body) > 0 {
		w.Write(body)
	}
}

func notSearched(r *http.Request, err error) {
	slog.ErrorContext(r.Context(), "answer not searched for deprecated names", "error", err)
}

// heldAnswer keeps an answer until all of it is known.
type heldAnswer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (a *heldAnswer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *heldAnswer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

// telling serves the request and sets the headers for names that are the only
// carriers of facts in the answer, which handlers write at once.
func (d *deprecations) telling(w http.ResponseWriter, r *http.Request, p *places, next http.Handler) {
	a := &toldAnswer{ResponseWriter: w, read: func(body []byte) {
		told, err := deprecation.Told(body, p.all)
		if err != nil {
			notSearched(r, err)
		}
		for _, n := range told {
			d.tell(w.Header(), r, n)
		}
	}}
	next.ServeHTTP(a, r)
	if a.status != 0 && !a.begun {
		w.WriteHeader(a.status)
	}
}

// toldAnswer passes an answer on after its body was read, and then its status.
type toldAnswer struct {
	http.ResponseWriter
	read   func(body []byte)
	status int
	begun  bool
}

func (a *toldAnswer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *toldAnswer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if !a.begun {
		a.begun = true
		if a.status < 300 {
			a.read(b)
		}
		a.ResponseWriter.WriteHeader(a.status)
	}
	return a.ResponseWriter.Write(b)
}
