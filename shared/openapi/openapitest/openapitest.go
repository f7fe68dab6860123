// Package openapitest holds answers of the REST API to the document that
// describes it. Only tests link it.
package openapitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Check returns in which ways the answer to a request is not what the document
// says. It has no objection to answers from elsewhere than /api/v4.
func Check(r *http.Request, status int, header http.Header, body []byte) error {
	if !strings.HasPrefix(r.URL.Path+"/", "/api/v4/") || r.Method == http.MethodOptions {
		return nil
	}
	d, err := load()
	if err != nil {
		return err
	}
	if err := d.check(r, status, header, body); err != nil {
		return fmt.Errorf("%s %s answered %d, which openapi.json does not describe: %w", r.Method, r.URL.Path, status, err)
	}
	return nil
}

func (d *document) check(r *http.Request, status int, header http.Header, body []byte) error {
	found := d.find(r)
	if found.operation == nil {
		return checkRefusal(found.refusal, status)
	}
	described := found.operation.Responses.Value(strconv.Itoa(status))
	if described == nil {
		return errors.New("the operation has no such status")
	}
	pointer := described.Ref
	if pointer == "" {
		pointer = found.operation.pointer + "/responses/" + strconv.Itoa(status)
	}
	err := d.checkHeader(described.Value.Headers, pointer, header)
	if r.Method != http.MethodHead {
		err = errors.Join(err, d.checkBody(described.Value.Content, pointer, header.Get("Content-Type"), body))
	}
	return err
}

// checkRefusal lets pass that there is no such path or method.
func checkRefusal(want, got int) error {
	if got != want {
		return fmt.Errorf("it has no such path or method, so that should have been %d", want)
	}
	return nil
}

// around are the headers that an answer may have whatever it is about.
var around = []string{"Cache-Control", "Content-Type", "Vary", "X-Content-Type-Options"}

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

func (d *document) checkBody(described openapi3.Content, pointer, mediaType string, body []byte) error {
	switch {
	case len(described) == 0 && len(body) == 0:
		return nil
	case described[mediaType] == nil:
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
