package gateway_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"gatehouse/shared/gateway"
)

func contextWith(t *testing.T, key, value any) context.Context {
	t.Helper()
	return context.WithValue(t.Context(), key, value)
}

// echo posts the body to a handler that returns it, and reuses the payload's
// memory afterwards, as Lambda's runtime client does.
func echo(t *testing.T, h *gateway.Handler, body string) string {
	t.Helper()
	e := getEvent()
	e.RequestContext.HTTP.Method = "POST"
	e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(body)), true
	payload, err := json.Marshal(e)
	if err != nil {
		t.Error(err)
	}
	out, err := h.Invoke(t.Context(), payload)
	clear(payload)
	if err != nil {
		t.Error(err)
	}
	var answer events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Error(err)
	}
	return answer.Body
}
