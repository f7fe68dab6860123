package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// proxy stands between the server and DynamoDB, and lets a part of the requests fail.
type proxy struct {
	to   string // address of the emulator
	rate float64
	on   atomic.Bool

	mu       sync.Mutex
	random   *rand.Rand
	injected map[fault]int
}

// A fault is how a request fails.
type fault int

const (
	throttled fault = iota
	contended
	lostRequest // it is not carried out
	lostAnswer  // it is carried out
	late
	kinds
)

var names = [kinds]string{"throttled", "contended", "lost requests", "lost answers", "late"}

func newProxy(to string, rate float64, seed uint64) *proxy {
	return &proxy{to: strings.TrimPrefix(to, "http://"), rate: rate, random: rand.New(rand.NewPCG(seed, 1)), injected: map[fault]int{}}
}

// next returns how the next request fails, if it does.
func (p *proxy) next() (f fault, fails bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.on.Load() || p.random.Float64() >= p.rate {
		return 0, false
	}
	f = fault(p.random.IntN(int(kinds)))
	p.injected[f]++
	return f, true
}

const latest = 300 * time.Millisecond

// ServeHTTP passes a request on, or has it fail.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, fails := p.next()
	if !fails {
		p.pass(w, r)
		return
	}
	switch f {
	case throttled:
		refuse(w, "ProvisionedThroughputExceededException", "")
	case contended:
		contend(w, r)
	case lostRequest:
		panic(http.ErrAbortHandler)
	case lostAnswer:
		p.pass(unheard{http.Header{}}, r)
		panic(http.ErrAbortHandler)
	case late:
		time.Sleep(latest)
		p.pass(w, r)
	}
}

// contend refuses a write as if a transaction were under way, and reads as throttled.
func contend(w http.ResponseWriter, r *http.Request) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	switch operation {
	case "TransactWriteItems":
		refuse(w, "TransactionCanceledException", `,"CancellationReasons":[{"Code":"TransactionConflict"}]`)
	case "PutItem", "UpdateItem", "DeleteItem":
		refuse(w, "TransactionConflictException", "")
	default:
		refuse(w, "ProvisionedThroughputExceededException", "")
	}
}

func refuse(w http.ResponseWriter, exception, more string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(http.StatusBadRequest)
	io.WriteString(w, `{"__type":"com.amazonaws.dynamodb.v20120810#`+exception+`"`+more+`}`)
}

// pass has the emulator answer.
func (p *proxy) pass(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	asked := r.Clone(r.Context())
	asked.RequestURI, asked.URL.Scheme, asked.URL.Host = "", "http", p.to
	asked.Body, asked.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer, err := http.DefaultTransport.RoundTrip(asked)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer answer.Body.Close()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	io.Copy(w, answer.Body)
}

// unheard drops an answer.
type unheard struct{ header http.Header }

func (u unheard) Header() http.Header         { return u.header }
func (u unheard) Write(b []byte) (int, error) { return len(b), nil }
func (u unheard) WriteHeader(int)             {}
