package functions_test

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"gatehouse/shared/audit"
	"gatehouse/shared/integration"
	"gatehouse/shared/preset"
)

// The benchmarks go over loopback through the local gateway and the functions'
// handlers to SQLite with durable writes, eight callers at once. The callers
// share the machine with the server.
const callers = 8

// quiet keeps the log's lines out of the benchmark's output; they are still
// written.
func quiet(b *testing.B) {
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	b.Cleanup(func() { slog.SetDefault(before) })
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = callers
}

// side runs do b.N times, by all callers side by side; each knows its number.
func side(b *testing.B, do func(caller int)) {
	b.SetParallelism(max(1, callers/runtime.GOMAXPROCS(0)))
	var next atomic.Int32
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		caller := int(next.Add(1)) - 1
		for pb.Next() {
			do(caller)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}

// pool hands out items made before the clock starts, each once.
func pool[T any](b *testing.B, make func() T) func() T {
	items := []T{}
	for range b.N {
		items = append(items, make())
	}
	var next atomic.Int64
	return func() T { return items[next.Add(1)-1] }
}

func BenchmarkCodeExchange(b *testing.B) {
	quiet(b)
	s := startServer(b)
	browser := s.signIn(b)
	codes := pool(b, func() string { return s.code(b, browser) })
	side(b, func(int) { s.exchange(b, codes()) })
}

func BenchmarkRefresh(b *testing.B) {
	quiet(b)
	s := startServer(b)
	browser := s.signIn(b)
	var last sync.Map
	side(b, func(caller int) {
		token, ok := last.Load(caller)
		if !ok {
			token = s.exchange(b, s.code(b, browser)).Refresh
		}
		last.Store(caller, s.refresh(b, token.(string)).Refresh)
	})
}

func BenchmarkTokenInfo(b *testing.B) {
	quiet(b)
	s := startServer(b)
	token := s.exchange(b, s.code(b, s.signIn(b))).Access
	side(b, func(int) { s.info(b, token) })
}

func BenchmarkRevoke(b *testing.B) {
	quiet(b)
	s := startServer(b)
	browser := s.signIn(b)
	pairs := pool(b, func() tokens { return s.exchange(b, s.code(b, browser)) })
	side(b, func(int) { s.revoke(b, pairs().Access) })
}

func BenchmarkRepeatedAlert(b *testing.B) {
	send := notifier(b)
	side(b, func(caller int) { send(fmt.Sprintf(`{"title":"Disk full","fingerprint":"%d"}`, caller)) })
}

func BenchmarkNewAlert(b *testing.B) {
	send := notifier(b)
	var last atomic.Int64
	side(b, func(int) { send(fmt.Sprintf(`{"title":"Disk full","fingerprint":"%d"}`, last.Add(1))) })
}

func BenchmarkWebhookOfAHundred(b *testing.B) {
	send := notifier(b)
	for b.Loop() {
		send(hundred())
	}
}

// BenchmarkLargestPreset compares the payload of the preset with the largest mapping where
// it is mapped and where it is not. It is a repeat both times.
func BenchmarkLargestPreset(b *testing.B) {
	largest := slices.MaxFunc(preset.All(), func(one, other preset.Preset) int { return cmp.Compare(len(one.Mapping), len(other.Mapping)) })
	fires := string(largest.Sample("firing").Payload)
	for name, draft := range map[string]integration.Draft{
		"without": {Name: "Uptime", Type: largest.Type, Active: true}, "mapped": {Name: "Uptime", Type: largest.Type, Active: true, Mapping: largest.Mapping},
	} {
		b.Run(name, func(b *testing.B) {
			send := notifierTo(b, draft)
			side(b, func(int) { send(fires) })
		})
	}
}

// notifier sends payloads to an integration of its own.
func notifier(b *testing.B) func(payload string) {
	return notifierTo(b, integration.Draft{Name: "Uptime", Type: integration.HTTP, Active: true})
}

func notifierTo(b *testing.B, d integration.Draft) func(payload string) {
	quiet(b)
	s := startServer(b)
	p := s.project(b)
	i, err := s.app.Integrations.Create(b.Context(), audit.Setup, p, d)
	if err != nil {
		b.Fatal(err)
	}
	key, err := s.app.Integrations.Key(i)
	if err != nil {
		b.Fatal(err)
	}
	return func(payload string) { s.notify(b, i.Path(p), key.Reveal(), payload) }
}
