// Package gateway lets a Lambda function serve API Gateway's HTTP API events
// (payload format 2.0) with an http.Handler.
//
// The body and the answer go through aws-lambda-go-api-proxy. Address, headers
// and cookies do not: its accessor reads a decoded '?' in a path as the start
// of the query, splits header values at commas and logs whole addresses. The
// tests pin each of these.
package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"gatehouse/shared/fault"
	"gatehouse/shared/web"
)

// Handler answers gateway events with an http.Handler. It implements
// lambda.Handler itself, because the one of lambda.NewHandler answers from a
// pooled buffer, where concurrent calls can read each other's answer
// (aws-lambda-go#639).
type Handler struct{ next http.Handler }

// New returns a Handler that answers events with next.
func New(next http.Handler) *Handler { return &Handler{next} }

// Start serves the events that Lambda delivers. It does not return.
func Start(next http.Handler) { lambda.Start(New(next)) }

// maxWork is how long a request may work. Lambda ends the function a little later, and
// what is answered then is not the handler's.
const maxWork = 25 * time.Second

// Invoke answers one event: an event without a valid request with 400, and a
// panic of the handler with 500. It fails when the payload is not an event.
func (h *Handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var e event
	if err := json.Unmarshal(payload, &e); err != nil {
		return nil, fmt.Errorf("read the gateway's event: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, maxWork)
	defer cancel()
	return marshal(h.answer(ctx, &e))
}

func (h *Handler) answer(ctx context.Context, e *event) (answer events.APIGatewayV2HTTPResponse) {
	defer func() {
		if cause := recover(); cause != nil {
			slog.ErrorContext(ctx, "handler panicked", "cause", cause, "stack", string(debug.Stack()))
			answer = message(http.StatusInternalServerError, "500 Internal Server Error")
		}
	}()
	w := newResponseWriter()
	r, err := e.request(ctx)
	next := h.next
	if err != nil {
		next, r = refused, e.unreadable(ctx, err)
	}
	next.ServeHTTP(w, r)
	return w.answer(r)
}

// refused answers in place of the handler, with the headers that every answer has.
var refused = web.Wrap("", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	web.Error(w, r, fault.New(fault.Invalid, ""))
}))
