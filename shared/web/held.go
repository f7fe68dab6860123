package web

import (
	"bytes"
	"log/slog"
	"net/http"

	"gatehouse/shared/deprecation"
)

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

// send answers. The preview leaves out what is deprecated; otherwise the headers
// tell of it where it is the only carrier of a fact.
func (a *heldAnswer) send(r *http.Request, d *deprecations, p *places) {
	body := a.body.Bytes()
	if a.status < 300 && len(body) > 0 {
		var err error
		if body, err = a.reviewed(r, d, p); err != nil {
			slog.ErrorContext(r.Context(), "answer not searched for deprecated names", "error", err)
			body = a.body.Bytes()
		}
	}
	if a.status != 0 {
		a.ResponseWriter.WriteHeader(a.status)
	}
	if len(body) > 0 {
		a.ResponseWriter.Write(body)
	}
}

func (a *heldAnswer) reviewed(r *http.Request, d *deprecations, p *places) ([]byte, error) {
	if Previews(r) {
		return deprecation.Omit(a.body.Bytes(), p.all)
	}
	told, err := deprecation.Told(a.body.Bytes(), p.all)
	for _, n := range told {
		d.tell(a.Header(), r, n)
	}
	return a.body.Bytes(), err
}
