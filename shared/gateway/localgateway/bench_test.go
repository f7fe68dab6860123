package localgateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"gatehouse/shared/gateway"
	"gatehouse/shared/gateway/localgateway"
	"gatehouse/shared/route"
)

// BenchmarkGateway measures the way through the gateway and back, without the
// network.
func BenchmarkGateway(b *testing.B) {
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"resource_owner_id":1,"scope":["api"],"expires_in":7200,"application":{"uid":"u"},"created_at":1}`)
	})
	functions := map[string]localgateway.Invoker{}
	for _, r := range route.Table {
		functions[r.Function] = gateway.New(answer)
	}
	handler := localgateway.New(functions, route.Table)
	r := httptest.NewRequest("GET", "/oauth/token/info", nil)
	r.Header = http.Header{"Authorization": {"Bearer example-access-token"}, "Accept": {"application/json"}, "User-Agent": {"bench/1"}}
	b.ReportAllocs()
	for b.Loop() {
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
}
