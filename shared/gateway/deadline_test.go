package gateway_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"gatehouse/shared/gateway"
	"gatehouse/shared/web"
)

// Lambda ends a function after 29 seconds. What it waits for in vain must be answered
// before, with when to try again.
func TestWorkEndsBeforeItsFunctionDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		captureLog(t)
		hanging := web.Handler(func(_ http.ResponseWriter, r *http.Request) error {
			<-r.Context().Done()
			return r.Context().Err()
		})
		payload, err := json.Marshal(getEvent())
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		out, err := gateway.New(web.Wrap("", hanging)).Invoke(t.Context(), payload)
		if err != nil {
			t.Fatal(err)
		}
		var answer events.APIGatewayV2HTTPResponse
		if err := json.Unmarshal(out, &answer); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 25*time.Second || answer.StatusCode != http.StatusServiceUnavailable || answer.Headers["Retry-After"] == "" {
			t.Errorf("answer after %s = %d with %v, want 503 with Retry-After after 25s", took, answer.StatusCode, answer.Headers)
		}
	})
}
