package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"time"
)

// patience bounds each wait for a function.
const patience = 10 * time.Second

// lambda is a function's process and the Runtime API that it talks to.
type lambda struct {
	polled  chan struct{} // one for each poll
	events  chan []byte   // what the next poll gets
	answers chan []byte
	failed  chan string

	api, services *httptest.Server
	process       *exec.Cmd
	began         time.Time // when the process was started
	output        bytes.Buffer
}

// start starts the bootstrap with the environment that Lambda and the template
// give it.
func start(path string) (*lambda, error) {
	l := &lambda{
		polled: make(chan struct{}, 16), events: make(chan []byte), answers: make(chan []byte, 1), failed: make(chan string, 1),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", l.next)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/response", l.answered)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/error", l.refused)
	l.api = httptest.NewServer(mux)
	l.services = httptest.NewServer(http.HandlerFunc(serveAWS))
	l.process = exec.Command(path)
	l.process.Stdout, l.process.Stderr = &l.output, &l.output
	l.process.Env = []string{
		"AWS_LAMBDA_RUNTIME_API=" + strings.TrimPrefix(l.api.URL, "http://"),
		"AWS_REGION=eu-west-1", "AWS_ACCESS_KEY_ID=example", "AWS_SECRET_ACCESS_KEY=example", "AWS_SESSION_TOKEN=example",
		"AWS_ENDPOINT_URL_DYNAMODB=" + l.services.URL, "AWS_ENDPOINT_URL_SECRETS_MANAGER=" + l.services.URL,
		"GATEHOUSE_BASE_URL=https://gatehouse.example.com", "GATEHOUSE_TABLE_PREFIX=gatehouse",
		"GATEHOUSE_KEY_SECRET_ARN=arn:aws:secretsmanager:eu-west-1:123456789012:secret:example",
	}
	l.began = time.Now()
	return l, l.process.Start()
}

// stop ends the process.
func (l *lambda) stop() {
	l.process.Process.Kill()
	l.process.Wait()
	l.api.CloseClientConnections()
	l.services.CloseClientConnections()
	l.api.Close()
	l.services.Close()
}

func (l *lambda) next(w http.ResponseWriter, r *http.Request) {
	l.polled <- struct{}{}
	select {
	case payload := <-l.events:
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", "example")
		w.Header().Set("Lambda-Runtime-Deadline-Ms", fmt.Sprint(time.Now().Add(patience).UnixMilli()))
		w.Write(payload)
	case <-r.Context().Done():
	}
}

func (l *lambda) answered(w http.ResponseWriter, r *http.Request) {
	out, _ := io.ReadAll(r.Body) // a broken answer does not compare
	w.WriteHeader(http.StatusAccepted)
	l.answers <- out
}

func (l *lambda) refused(w http.ResponseWriter, r *http.Request) {
	out, _ := io.ReadAll(r.Body)
	w.WriteHeader(http.StatusAccepted)
	l.failed <- string(out)
}

// awaitPoll waits until the function asks for an event.
func (l *lambda) awaitPoll() error {
	select {
	case <-l.polled:
		return nil
	case <-time.After(patience):
		l.process.Process.Kill()
		l.process.Wait() // the output is complete then
		return fmt.Errorf("no poll within %s; it printed: %s", patience, l.output.String())
	}
}

// invoke delivers an event and returns the answer.
func (l *lambda) invoke(payload []byte) ([]byte, error) {
	l.events <- payload
	select {
	case out := <-l.answers:
		return out, nil
	case cause := <-l.failed:
		return nil, fmt.Errorf("invocation failed: %s", cause)
	case <-time.After(patience):
		return nil, fmt.Errorf("no answer within %s", patience)
	}
}

// answer lets one process of the function answer all its events.
func (f function) answer() error {
	if len(f.events) == 0 {
		return fmt.Errorf("%s: events/ holds no event for it", f.name)
	}
	l, err := start(f.path)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	defer l.stop()
	for _, e := range f.events {
		if err := l.answer(e); err != nil {
			return fmt.Errorf("%s: %s: %w", f.name, e.name, err)
		}
	}
	return nil
}

// answer delivers the event and checks the answer.
func (l *lambda) answer(e event) error {
	if err := l.awaitPoll(); err != nil {
		return err
	}
	out, err := l.invoke(e.payload)
	if err != nil {
		return err
	}
	return e.check(out)
}

// timeStart returns how long a process takes to its first poll.
func timeStart(path string) (time.Duration, error) {
	l, err := start(path)
	if err != nil {
		return 0, err
	}
	defer l.stop()
	err = l.awaitPoll()
	return time.Since(l.began), err
}

// serveAWS is DynamoDB with empty tables and Secrets Manager with one instance
// key. The header X-Amz-Target names the operation.
func serveAWS(w http.ResponseWriter, r *http.Request) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	answer, ok := map[string]string{
		"GetItem":        `{}`,
		"BatchGetItem":   `{"Responses":{},"UnprocessedKeys":{}}`,
		"Query":          `{"Items":[],"Count":0,"ScannedCount":0}`,
		"GetSecretValue": `{"SecretString":"` + strings.Repeat("k", 43) + `"}`,
	}[operation]
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	if !ok {
		w.WriteHeader(http.StatusBadRequest)
		answer = `{"__type":"ValidationException","message":"not expected here: ` + operation + `"}`
	}
	io.WriteString(w, answer)
}
