package dynamodb_test

import (
	"testing"

	"gatehouse/shared/oauth"
)

func BenchmarkGrant(b *testing.B) {
	s := openWith(b, options(b))
	g := addGrant(b, s)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			must[oauth.Grant](b)(s.Grant(b.Context(), g.GrantID))
		}
	})
}

func BenchmarkAdvanceGrant(b *testing.B) {
	s := openWith(b, options(b))
	b.RunParallel(func(pb *testing.PB) {
		g := addGrant(b, s).Redeemed(now)
		for pb.Next() {
			must[oauth.Grant](b)(s.AdvanceGrant(b.Context(), g))
			g = g.Rotated(g.Scopes, now)
		}
	})
}
