package openapitest

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

func loaded(t *testing.T) *openapi3.T {
	t.Helper()
	d, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return d.spec
}

func TestDocumentIsValid(t *testing.T) {
	spec := loaded(t)
	if !spec.IsOpenAPI31OrLater() {
		t.Errorf("openapi: %s, want 3.1 or later", spec.OpenAPI)
	}
	if err := spec.Validate(t.Context()); err != nil {
		t.Error(err)
	}
}

// Every schema compiles as JSON Schema 2020-12, also the ones of requests,
// which no answer is held to.
func TestDocumentHasSchemasOnly(t *testing.T) {
	d, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for name := range d.spec.Components.Schemas {
		if _, err := d.schema("#/components/schemas/" + name); err != nil {
			t.Error(err)
		}
	}
}

// A body that does not say so lets new fields pass without a word. One that
// means to, because anything may be in it, has "additionalProperties": true.
func TestBodiesOfAnswersSayWhatElseIsInThem(t *testing.T) {
	each(loaded(t), func(method, path string, o *openapi3.Operation) {
		for status, response := range o.Responses.Map() {
			for _, content := range response.Value.Content {
				content.Schema.WalkSubtree(func(pointer string, s *openapi3.SchemaRef) error {
					if open(s.Value) {
						t.Errorf("%s %s %s: %s%s has no additionalProperties", method, path, status, content.Schema.Ref, pointer)
					}
					return nil
				})
			}
		}
	})
}

func open(s *openapi3.Schema) bool {
	return (s.Type.Includes("object") || len(s.Properties) > 0) && s.AdditionalProperties.Has == nil && s.AdditionalProperties.Schema == nil
}
