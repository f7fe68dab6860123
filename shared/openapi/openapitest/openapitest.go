// Package openapitest compares answers of the REST API with the document that
// describes it. Only tests link it.
package openapitest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Serve lets the handler answer the request, and reports how the answer differs from
// the document.
func Serve(t testing.TB, h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, r)
	if err := Check(r, body, recorder.Result()); err != nil {
		t.Error(err)
	}
	return recorder
}

// Check returns how the answer to a request with this body differs from the document,
// and how the request does if it was served. It accepts everything at paths that are
// not below /api/v4.
func Check(r *http.Request, body []byte, answer *http.Response) error {
	if !strings.HasPrefix(r.URL.Path+"/", "/api/v4/") || r.Method == http.MethodOptions {
		return nil
	}
	d, err := load()
	if err != nil {
		return err
	}
	if err := d.check(r, body, answer); err != nil {
		return fmt.Errorf("%s %s answered %d, and openapi.json knows nothing of it: %w", r.Method, r.URL.Path, answer.StatusCode, err)
	}
	return nil
}

func (d *document) check(r *http.Request, body []byte, answer *http.Response) error {
	found := d.find(r)
	if found.operation == nil {
		return checkRefusal(found.refusal, answer.StatusCode)
	}
	err := d.checkAnswer(found.operation, r.Method, answer)
	if answer.StatusCode < 300 {
		err = errors.Join(err, found.operation.checkParameters(r, body))
	}
	return err
}

// checkRefusal checks the status for a path or method that does not exist.
func checkRefusal(want, got int) error {
	if got != want {
		return fmt.Errorf("it has no such path or method, so that should have been %d", want)
	}
	return nil
}

func (d *document) checkAnswer(o *operation, method string, answer *http.Response) error {
	status := strconv.Itoa(answer.StatusCode)
	described := o.Responses.Value(status)
	if described == nil {
		return errors.New("the operation has no such status")
	}
	pointer := described.Ref
	if pointer == "" {
		pointer = o.pointer + "/responses/" + status
	}
	err := d.checkHeader(described.Value.Headers, pointer, answer.Header)
	if method == http.MethodHead {
		return err
	}
	return errors.Join(err, d.checkBody(described.Value.Content, pointer, answer))
}

// around are the headers that every answer may have.
var around = []string{
	"Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "Strict-Transport-Security", "Vary", "X-Content-Type-Options",
}

func (d *document) checkHeader(described openapi3.Headers, pointer string, header http.Header) error {
	var errs []error
	for name, h := range described {
		values, sent := header[http.CanonicalHeaderKey(name)]
		switch {
		case sent:
			errs = append(errs, d.checkValue(name, h, pointer, strings.Join(values, ", ")))
		case h.Value.Required:
			errs = append(errs, fmt.Errorf("the header %s is missing", name))
		}
	}
	known := slices.Collect(maps.Keys(described))
	for name := range header {
		same := func(n string) bool { return strings.EqualFold(n, name) }
		if !slices.ContainsFunc(append(known, around...), same) && !strings.HasPrefix(name, "Access-Control-") {
			errs = append(errs, fmt.Errorf("the header %s is new", name))
		}
	}
	return errors.Join(errs...)
}

// checkValue checks a header's value, which is text also where the schema
// wants an integer.
func (d *document) checkValue(name string, described *openapi3.HeaderRef, pointer, text string) error {
	if pointer += "/headers/" + name; described.Ref != "" {
		pointer = described.Ref
	}
	schema, err := d.schema(pointer + "/schema")
	if err != nil {
		return err
	}
	var value any = text
	if described.Value.Schema.Value.Type.Is("integer") {
		value = json.Number(text)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("the header %s: %w", name, err)
	}
	return nil
}

func (d *document) checkBody(described openapi3.Content, pointer string, answer *http.Response) error {
	body, err := read(answer)
	if err != nil || len(body) == 0 && len(described) == 0 {
		return err
	}
	mediaType := answer.Header.Get("Content-Type")
	if described[mediaType] == nil {
		return fmt.Errorf("a body of the type %q", mediaType)
	}
	schema, err := d.schema(pointer + "/content/" + escape(mediaType) + "/schema")
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// read returns the body as it was before it was compressed.
func read(answer *http.Response) ([]byte, error) {
	if answer.Header.Get("Content-Encoding") != "gzip" {
		return io.ReadAll(answer.Body)
	}
	plain, err := gzip.NewReader(answer.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(plain)
}
