// Package localgateway behaves like API Gateway's HTTP API in front of Lambda
// functions, so that a laptop and the tests run what is deployed: it has the
// same routing by the decoded path, the same events and the same limits.
package localgateway

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"gatehouse/shared/route"
)

// API Gateway's and Lambda's limits.
const (
	maxHead    = 10_240   // request line and headers
	maxBody    = 10 << 20 // body of a request
	maxPayload = 6 << 20  // event or answer of a function
	timeout    = 30 * time.Second
)

// Invoker is a function: it answers an event, as a lambda.Handler does.
type Invoker interface {
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// New returns a handler that makes an event of each request, invokes the function
// of the most specific route, and writes its answer. It panics when the function
// of a route is missing.
func New(functions map[string]Invoker, table []route.Route) http.Handler {
	g := &gateway{router: newRouter(table), functions: functions, room: semaphore.NewWeighted(maxInFlight)}
	for _, r := range table {
		if functions[r.Function] == nil {
			panic(fmt.Sprintf("route %s: no function %q", r.Pattern, r.Function))
		}
	}
	return g
}

type gateway struct {
	router    router
	functions map[string]Invoker
	room      *semaphore.Weighted // for the bytes of bodies in flight
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if headSize(r) > maxHead {
		refuse(w, http.StatusRequestHeaderFieldsTooLarge, "Request Header Fields Too Large")
		return
	}
	to, ok := g.router.find(r.URL.Path)
	if !ok {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	if status, message := tooLong(r); status != 0 {
		refuse(w, status, message)
		return
	}
	r, err := lengthOf(r)
	if err != nil {
		refuseBody(w, err)
		return
	}
	taken, err := g.makeRoom(r)
	if err != nil {
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, "Service Unavailable")
		return
	}
	defer g.room.Release(taken)
	g.pass(w, r, to)
}

// pass makes an event of the request and has the route's function answer it.
func (g *gateway) pass(w http.ResponseWriter, r *http.Request, to route.Route) {
	body, err := readBody(w, r)
	if err != nil {
		refuseBody(w, err)
		return
	}
	payload, err := newEvent(r, to.Key(), body).marshal()
	if err != nil || len(payload) > maxPayload {
		refuse(w, http.StatusRequestEntityTooLarge, tooLongForFunction)
		return
	}
	g.invoke(w, r, g.functions[to.Function], payload)
}

// invoke writes the function's answer. As in the cloud, the function finishes
// even when the client has disconnected.
func (g *gateway) invoke(w http.ResponseWriter, r *http.Request, function Invoker, payload []byte) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), timeout)
	defer cancel()
	out, err := function.Invoke(ctx, payload)
	if err == nil && len(out) > maxPayload {
		err = fmt.Errorf("answer of %d bytes, at most %d pass", len(out), maxPayload)
	}
	var answer answer
	if err == nil {
		answer, err = parseAnswer(out)
	}
	if err != nil {
		slog.ErrorContext(ctx, "function failed", "error", err)
		refuse(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}
	answer.write(w)
}

// headSize returns the size of the request line and the headers as the gateway
// counts it.
func headSize(r *http.Request) int {
	size := len(r.Method) + len(r.RequestURI) + len(r.Proto) + len("Host") + len(r.Host)
	for name, values := range r.Header {
		for _, v := range values {
			size += len(name) + len(v)
		}
	}
	return size
}

// refuse answers in the gateway's own words.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, `{"message":"`+message+`"}`)
}
