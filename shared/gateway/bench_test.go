package gateway_test

import (
	"io"
	"net/http"
	"os"
	"testing"

	"gatehouse/shared/gateway"
)

// BenchmarkInvoke measures what the edge adds to a request.
func BenchmarkInvoke(b *testing.B) {
	for _, name := range []string{"token-info", "token"} {
		b.Run(name, func(b *testing.B) {
			payload, err := os.ReadFile("../../events/" + name + ".json")
			if err != nil {
				b.Fatal(err)
			}
			h := gateway.New(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, `{"resource_owner_id":1,"scope":["api"],"expires_in":7200,"application":{"uid":"u"},"created_at":1}`)
			}))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := h.Invoke(b.Context(), payload); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
