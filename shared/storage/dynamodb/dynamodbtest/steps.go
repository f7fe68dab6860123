// Package dynamodbtest counts what calls cost in round trips to DynamoDB.
package dynamodbtest

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Steps is an HTTP client that counts the round trips that a call makes one after
// the other. It holds each back until the whole process only waits, and then lets
// all go at once: those that go together are one step. It does not go by the
// clock, so that a busy machine counts as a fast one does.
type Steps struct {
	Through interface { // makes the round trips; nil: http.DefaultClient
		Do(*http.Request) (*http.Response, error)
	}

	mu       sync.Mutex
	counting bool
	held     []chan struct{}
	asked    []string // by the held round trips
	underWay int
	steps    int
	trace    []string
	widest   int // how many round trips went together

	stacks []byte // of release, of which one runs at a time
}

// During returns the steps that a call takes, and the most round trips in one.
func (s *Steps) During(call func()) (steps, widest int) {
	s.count(true)
	call()
	s.count(false)
	return s.steps, s.widest
}

// Trace says what each step of the last call asked for, and in which attempt.
func (s *Steps) Trace() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trace
}

func (s *Steps) count(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counting = on; on {
		s.steps, s.widest, s.trace = 0, 0, nil
	}
}

func (s *Steps) Do(r *http.Request) (*http.Response, error) {
	if turn := s.hold(r); turn != nil {
		<-turn
	}
	defer s.done()
	answer, err := s.send(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, err
}

func (s *Steps) send(r *http.Request) (*http.Response, error) {
	if s.Through == nil {
		return http.DefaultClient.Do(r)
	}
	return s.Through.Do(r)
}

// hold returns what is closed when the round trip may go, or nil.
func (s *Steps) hold(r *http.Request) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.counting {
		s.underWay++
		return nil
	}
	turn := make(chan struct{})
	s.held = append(s.held, turn)
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	s.asked = append(s.asked, operation+" "+r.Header.Get("Amz-Sdk-Request"))
	if len(s.held) == 1 {
		go s.release()
	}
	return turn
}

func (s *Steps) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.underWay--
}

// release lets the round trips go when no other can come.
func (s *Steps) release() {
	for !s.idle() {
		time.Sleep(time.Millisecond)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps++
	s.widest = max(s.widest, len(s.held))
	s.underWay += len(s.held)
	for _, turn := range s.held {
		close(turn)
	}
	s.trace = append(s.trace, strings.Join(s.asked, ", "))
	s.held, s.asked = nil, nil
}

// busy finds a goroutine that does not wait for another or for the network.
var busy = regexp.MustCompile(`(?m)^goroutine \d+ \[(running|runnable|syscall|preempted|copystack|GC )`)

// signals is what the goroutine that waits for signals calls, which looks busy.
var signals = []byte("\nos/signal.signal_recv(")

func (s *Steps) idle() bool {
	s.mu.Lock()
	underWay := s.underWay
	s.mu.Unlock()
	if underWay > 0 {
		return false
	}
	if s.stacks == nil {
		s.stacks = make([]byte, 4<<20)
	}
	stacks := s.stacks[:runtime.Stack(s.stacks, true)]
	return len(busy.FindAll(stacks, -1))-bytes.Count(stacks, signals) == 1 // the caller
}
