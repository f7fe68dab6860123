package gateway

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/core"
)

// responseWriter makes the library's writer behave like that of net/http: the
// first status counts, and 204 and 304 have no body. It gathers the body, which may be
// compressed as a whole.
type responseWriter struct {
	proxy  *core.ProxyResponseWriterV2
	status int
	body   bytes.Buffer
}

func newResponseWriter() *responseWriter {
	return &responseWriter{proxy: core.NewProxyResponseWriterV2()}
}

// Header returns the headers that will be sent.
func (w *responseWriter) Header() http.Header { return w.proxy.Header() }

// WriteHeader sets the status, once. The gateway's format has no informational
// answers (1xx).
func (w *responseWriter) WriteHeader(status int) {
	if w.status != 0 || status < 200 {
		return
	}
	w.status = status
	w.proxy.WriteHeader(status)
}

// Write appends to the body.
func (w *responseWriter) Write(body []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.status == http.StatusNoContent || w.status == http.StatusNotModified {
		return 0, http.ErrBodyNotAllowed
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", http.DetectContentType(body))
	}
	return w.body.Write(body)
}

// answer returns the answer to the request.
func (w *responseWriter) answer(r *http.Request) events.APIGatewayV2HTTPResponse {
	w.WriteHeader(http.StatusOK)
	body := compress(r, w.Header(), w.status, w.body.Bytes())
	if len(body) > 0 {
		_, _ = w.proxy.Write(body) // it takes everything
	}
	answer, err := w.proxy.GetProxyResponse()
	if err != nil {
		panic(err) // only a missing status is an error, and there is one
	}
	return answer
}

// message returns an answer in the shape of the REST API's errors.
func message(status int, text string) events.APIGatewayV2HTTPResponse {
	return events.APIGatewayV2HTTPResponse{
		StatusCode: status,
		Headers:    map[string]string{"Content-Type": "application/json"},
		Body:       `{"message":"` + text + `"}`,
	}
}

// marshal does not escape '<' and '>', with which pages would grow by half. The
// caller owns the returned buffer, which is never pooled.
func marshal(answer events.APIGatewayV2HTTPResponse) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(len(answer.Body) + len(answer.Body)/8 + 512)
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
