package apptest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/openapi/openapitest"
)

// Answer is the answer to a call.
type Answer struct {
	Status int
	Header http.Header
	Body   any // decoded JSON; nil when there was no body
	call   string
}

// Call sends a request with a personal or OAuth access token, unless it is "", and
// with the params as a JSON body, unless they are nil.
func Call(t *testing.T, h http.Handler, method, target, token string, params any) Answer {
	t.Helper()
	return Send(t, h, request(t, method, target, token, params))
}

// Preview makes the call in the preview of v5 (Interface: "Deprecations of REST v4").
func Preview(t *testing.T, h http.Handler, method, target, token string, params any) Answer {
	t.Helper()
	r := request(t, method, target, token, params)
	r.Header.Set("Gatehouse-Api-Preview", "v5")
	return Send(t, h, r)
}

func request(t *testing.T, method, target, token string, params any) *http.Request {
	t.Helper()
	r := httptest.NewRequest(method, target, bytes.NewReader(encode(t, params)))
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

// Send sends the request. The answer of the REST API must match its description.
func Send(t *testing.T, h http.Handler, r *http.Request) Answer {
	t.Helper()
	recorder := openapitest.Serve(t, h, r)
	answer := Answer{Status: recorder.Code, Header: recorder.Result().Header, call: r.Method + " " + r.URL.RequestURI()}
	if recorder.Body.Len() > 0 {
		if err := json.Unmarshal(recorder.Body.Bytes(), &answer.Body); err != nil {
			t.Fatalf("%s answered %q, want JSON", answer.call, recorder.Body)
		}
	}
	return answer
}

func encode(t *testing.T, params any) []byte {
	t.Helper()
	switch params := params.(type) {
	case nil:
		return nil
	case json.RawMessage:
		return params
	}
	body, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// Want checks the status and, unless it is nil, the whole body, which is
// written as encoding/json decodes it into an any.
func (a Answer) Want(t *testing.T, status int, body any) {
	t.Helper()
	if a.Status != status {
		t.Errorf("%s answered %d %v, want %d", a.call, a.Status, a.Body, status)
		return
	}
	if body == nil {
		return
	}
	if diff := cmp.Diff(body, a.Body); diff != "" {
		t.Errorf("%s: body differs (-want +got):\n%s", a.call, diff)
	}
}

// WantMessage checks for an error of the shape {"message": …}.
func (a Answer) WantMessage(t *testing.T, status int, message any) {
	t.Helper()
	a.Want(t, status, map[string]any{"message": message})
}

// WantError checks for an error of the shape {"error": …}.
func (a Answer) WantError(t *testing.T, status int, text string) {
	t.Helper()
	a.Want(t, status, map[string]any{"error": text})
}

// Object returns the body, which must be a JSON object.
func (a Answer) Object(t *testing.T) map[string]any {
	t.Helper()
	object, ok := a.Body.(map[string]any)
	if !ok {
		t.Fatalf("%s answered %d %v, want an object", a.call, a.Status, a.Body)
	}
	return object
}

// ID returns the number in the body's field id.
func (a Answer) ID(t *testing.T) int64 {
	t.Helper()
	id, ok := a.Object(t)["id"].(float64)
	if !ok {
		t.Fatalf("%s answered %d %v, want an id", a.call, a.Status, a.Body)
	}
	return int64(id)
}

// Each returns one field of every object in the body, which must be a list.
func (a Answer) Each(t *testing.T, field string) []any {
	t.Helper()
	list, ok := a.Body.([]any)
	if !ok {
		t.Fatalf("%s answered %d %v, want a list", a.call, a.Status, a.Body)
	}
	values := make([]any, len(list))
	for i, item := range list {
		values[i] = item.(map[string]any)[field]
	}
	return values
}
