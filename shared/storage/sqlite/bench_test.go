package sqlite_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

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
