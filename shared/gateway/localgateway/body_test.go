package localgateway_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// unread is a body that nobody may read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

func TestBodiesAreRefusedByTheirLength(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	tests := map[string]struct {
		contentType string
		length      int64
		body        string
	}{
		"beyond the gateway":               {"text/plain", 10<<20 + 1, `{"message":"Request Entity Too Large"}`},
		"beyond every function":            {"text/plain", 6<<20 + 1, `{"message":"Request Too Long"}`},
		"beyond them once it is in base64": {form, 5 << 20, `{"message":"Request Too Long"}`},
	}
	for name, tt := range tests {
		r := httptest.NewRequest("POST", "/x", unread{t})
		r.ContentLength = tt.length
		r.Header.Set("Content-Type", tt.contentType)
		w := httptest.NewRecorder()
		serve(func(context.Context, []byte) ([]byte, error) {
			t.Error("the function was called")
			return nil, nil
		}).ServeHTTP(w, r)
		if w.Code != http.StatusRequestEntityTooLarge || w.Body.String() != tt.body {
			t.Errorf("%s: answer = %d %s, want 413 %s", name, w.Code, w.Body, tt.body)
		}
	}
}

func TestBodyOfUnknownLengthHasALimitToo(t *testing.T) {
	r := httptest.NewRequest("POST", "/x", io.LimitReader(endless{}, 1<<40))
	r.ContentLength = -1
	w := httptest.NewRecorder()
	serve(func(context.Context, []byte) ([]byte, error) {
		t.Error("the function was called")
		return nil, nil
	}).ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("status = %d, want 413", w.Code)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// Only so many large bodies are in flight. One more waits, and is told to come again after
// ten seconds; small ones pass.
func TestLargeBodiesShareTheirRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		var inFlight atomic.Int32
		gateway := serve(func(_ context.Context, payload []byte) ([]byte, error) {
			if len(payload) > 1<<20 {
				inFlight.Add(1)
				<-held
			}
			return []byte(`{"statusCode":204}`), nil
		})
		send := func(size int) *httptest.ResponseRecorder {
			r, w := httptest.NewRequest("POST", "/x", strings.NewReader(strings.Repeat("x", size))), httptest.NewRecorder()
			r.Header.Set("Content-Type", "text/plain")
			gateway.ServeHTTP(w, r)
			return w
		}
		var senders sync.WaitGroup
		for range 40 {
			senders.Go(func() { send(5 << 20) })
		}
		synctest.Wait()
		if n := inFlight.Load(); n == 0 || n > 5 {
			t.Errorf("%d bodies of 5 MB are in flight, want a few", n)
		}
		if w := send(60 << 10); w.Code != http.StatusNoContent {
			t.Errorf("a small body beside them: %d, want 204", w.Code)
		}
		for size, want := range map[int]int{0: http.StatusNoContent, 64 << 10: http.StatusNoContent, 64<<10 + 1: http.StatusServiceUnavailable} {
			r, w := httptest.NewRequest("POST", "/x", strings.NewReader(strings.Repeat("x", size))), httptest.NewRecorder()
			r.ContentLength = -1
			if gateway.ServeHTTP(w, r); w.Code != want {
				t.Errorf("%d bytes in chunks beside them: %d, want %d", size, w.Code, want)
			}
		}
		began := time.Now()
		w := send(5 << 20)
		if waited := time.Since(began); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || waited != 10*time.Second {
			t.Errorf("one more: %d with %v after %s, want 503 with Retry-After after 10s", w.Code, w.Header(), waited)
		}
		close(held)
		senders.Wait()
		if w := send(5 << 20); w.Code != http.StatusNoContent {
			t.Errorf("one after all: %d, want 204", w.Code)
		}
	})
}

// A body in chunks comes whole, also one that is longer than a small one.
func TestBodiesInChunksComeWhole(t *testing.T) {
	for _, size := range []int{0, 1, 64 << 10, 64<<10 + 1, 1 << 20} {
		got := ""
		gateway := httptest.NewServer(serve(func(_ context.Context, payload []byte) ([]byte, error) {
			var event struct{ Body string }
			err := json.Unmarshal(payload, &event)
			got = event.Body
			return []byte(`{"statusCode":204}`), err
		}))
		text := strings.Repeat("x", size)
		r, err := http.NewRequest("POST", gateway.URL+"/x", io.MultiReader(strings.NewReader(text))) // whose length nobody knows
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "text/plain")
		answer, err := gateway.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		gateway.Close()
		if answer.StatusCode != http.StatusNoContent || got != text {
			t.Errorf("%d bytes: %d, and %d arrived", size, answer.StatusCode, len(got))
		}
	}
}
