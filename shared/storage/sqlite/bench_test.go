package sqlite_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage/sqlite"
)

// callers is how many benchmarked calls are under way at once.
const callers = 8

func BenchmarkAdvanceGrant(b *testing.B) {
	s := openStore(b, newFile(b))
	eachCaller(b, func(pb *testing.PB) {
		g := addGrant(b, s)
		for now := g.CreatedAt; pb.Next(); now = now.Add(time.Second) {
			g = g.Rotated(g.Scopes, now)
			if _, err := s.AdvanceGrant(b.Context(), g); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkAdvanceGrantAlone(b *testing.B) {
	s := openStore(b, newFile(b))
	g := addGrant(b, s)
	for b.Loop() {
		g = g.Rotated(g.Scopes, g.CreatedAt)
		if _, err := s.AdvanceGrant(b.Context(), g); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGrant(b *testing.B) {
	s := openStore(b, newFile(b))
	ids := make([]oauth.GrantID, 1000)
	for i := range ids {
		ids[i] = addGrant(b, s).GrantID
	}
	var next atomic.Int64
	eachCaller(b, func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.Grant(b.Context(), ids[next.Add(1)%int64(len(ids))]); err != nil {
				b.Error(err)
			}
		}
	})
}

// eachCaller runs the body in as many goroutines as there are callers and
// reports operations a second.
func eachCaller(b *testing.B, body func(*testing.PB)) {
	b.Helper()
	b.SetParallelism(max(1, callers/runtime.GOMAXPROCS(0)))
	b.ResetTimer()
	b.RunParallel(body)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "op/s")
}

func newGrant(userID int64, createdAt time.Time) oauth.Grant {
	return oauth.Grant{
		GrantID:     oauth.GrantID{UserID: userID, ClientID: 1, Random: [12]byte(secret.Random(12))},
		Application: fmt.Sprintf("%064x", userID), Nonce: [16]byte(secret.Random(16)),
		RedirectURI: "https://client.example/callback", Scopes: scope.Of(scope.API, scope.ReadUser),
		Challenge: oauth.ChallengeOf("a verifier"), Refreshable: true, CreatedAt: createdAt,
	}
}

func addGrant(t testing.TB, s *sqlite.Store) oauth.Grant {
	t.Helper()
	g := newGrant(1, time.Now().UTC().Truncate(time.Microsecond))
	if err := s.CreateGrant(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	return g
}

func BenchmarkNewAlert(b *testing.B) {
	s := openStore(b, newFile(b))
	var next atomic.Int64
	eachCaller(b, func(pb *testing.PB) {
		for pb.Next() {
			fire(b, s, newOccurrence(next.Add(1)))
		}
	})
}

func BenchmarkRepeatedAlert(b *testing.B) {
	s := openStore(b, newFile(b))
	eachCaller(b, func(pb *testing.PB) {
		for pb.Next() {
			fire(b, s, newOccurrence(1))
		}
	})
}

// BenchmarkBatchOfAlerts records webhooks of a hundred alerts, one after the
// other; each webhook but the first repeats them.
func BenchmarkBatchOfAlerts(b *testing.B) {
	s := openStore(b, newFile(b))
	batch := make([]alert.Occurrence, 100)
	for i := range batch {
		batch[i] = newOccurrence(int64(i))
	}
	for b.Loop() {
		fire(b, s, batch...)
	}
}

// BenchmarkBatchOfNewAlerts records webhooks of a hundred alerts that nobody
// has heard of.
func BenchmarkBatchOfNewAlerts(b *testing.B) {
	s := openStore(b, newFile(b))
	batch, next := make([]alert.Occurrence, 100), int64(0)
	for b.Loop() {
		for i := range batch {
			next++
			batch[i] = newOccurrence(next)
		}
		fire(b, s, batch...)
	}
}

// BenchmarkRecovery resolves alerts, of which it opens one for each.
func BenchmarkRecovery(b *testing.B) {
	s := openStore(b, newFile(b))
	var next atomic.Int64
	eachCaller(b, func(pb *testing.PB) {
		for pb.Next() {
			o := newOccurrence(next.Add(1))
			fire(b, s, o)
			o.Recovery = true
			fire(b, s, o)
		}
	})
}

func newOccurrence(n int64) alert.Occurrence {
	payload := fmt.Sprintf(`{"status":"firing","labels":{"alertname":"DiskFull","instance":"web-%d:9100","severity":"page"},
		"annotations":{"summary":"The disk of web-%[1]d is full","runbook":"https://runbooks.example/disk"},
		"startsAt":"2026-01-02T03:04:05.678Z","endsAt":"0001-01-01T00:00:00Z","fingerprint":"%040[1]d"}`, n)
	return alert.Occurrence{
		Fingerprint: alert.Fingerprint(fmt.Sprintf("%040d", n)), Title: "The disk is full",
		Severity: alert.SeverityHigh, MonitoringTool: "Monitor", Runbook: "https://runbooks.example/disk",
		StartedAt: time.Now(), IntegrationID: 1, Payload: []byte(payload), Count: 1,
	}
}

// fire records the occurrences in one call.
func fire(b *testing.B, s *sqlite.Store, occurrences ...alert.Occurrence) {
	lists := make([][]alert.Occurrence, len(occurrences))
	for i, o := range occurrences {
		lists[i] = []alert.Occurrence{o}
	}
	if _, err := s.RecordOccurrences(b.Context(), 1, lists, time.Now()); err != nil {
		b.Error(err)
	}
}
