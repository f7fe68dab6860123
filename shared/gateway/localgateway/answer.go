package localgateway

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// answer is a function's answer in payload format 2.0.
type answer struct {
	StatusCode      int               `json:"statusCode"`
	Headers         map[string]string `json:"headers"`
	Cookies         []string          `json:"cookies"`
	Body            string            `json:"body"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`

	content []byte
}

// parseAnswer reads what a function returned. Like the gateway, it takes JSON
// without a status for the body of a 200.
func parseAnswer(out []byte) (answer, error) {
	var a answer
	if err := json.Unmarshal(out, &a); err != nil || a.StatusCode == 0 {
		return bareAnswer(out)
	}
	if a.StatusCode < 200 || a.StatusCode > 599 {
		return answer{}, fmt.Errorf("answer with status %d", a.StatusCode)
	}
	if !a.IsBase64Encoded {
		a.content = []byte(a.Body)
		return a, nil
	}
	var err error
	if a.content, err = base64.StdEncoding.DecodeString(a.Body); err != nil {
		return answer{}, fmt.Errorf("body of the answer: %w", err)
	}
	return a, nil
}

func bareAnswer(out []byte) (answer, error) {
	if !json.Valid(out) {
		return answer{}, fmt.Errorf("answer of %d bytes is not JSON", len(out))
	}
	headers := map[string]string{"Content-Type": "application/json"}
	return answer{StatusCode: http.StatusOK, Headers: headers, content: out}, nil
}

func (a answer) write(w http.ResponseWriter) {
	header := w.Header()
	for name, value := range a.Headers {
		header.Set(name, value)
	}
	for _, cookie := range a.Cookies {
		header.Add("Set-Cookie", cookie)
	}
	if len(a.content) > 0 { // the gateway sends nothing in chunks
		header.Set("Content-Length", strconv.Itoa(len(a.content)))
	}
	w.WriteHeader(a.StatusCode)
	w.Write(a.content)
}
