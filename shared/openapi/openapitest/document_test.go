package openapitest

import (
	"fmt"
	"slices"
	"strings"
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

// A value that the document allows and the service never takes is a trap for
// generated clients.
func TestValuesThatAreNeverTakenAreNotAllowed(t *testing.T) {
	tests := []struct {
		schema string
		good   []any
		bad    []any
	}{
		{"parameters/Page/schema", []any{1, 2147483647}, []any{0, 2147483648, "1"}},
		{"parameters/PerPage/schema", []any{1, 1000}, []any{0, 2147483648}},
		{"parameters/AlertStatus/schema", []any{"triggered", "triggered,resolved"}, []any{"", "open", "triggered,"}},
		{"parameters/AlertSeverity/schema", []any{"high", "critical,high,low", "high low"}, []any{"", "grave", ",high"}},
		{"schemas/NewGroup/properties/name", []any{"Acme"}, []any{"", strings.Repeat("x", 256)}},
		{"schemas/NewGroup/properties/path", []any{"acme", "_a.b-c"}, []any{"", "a/b", "-a", strings.Repeat("x", 256)}},
		{"schemas/NewUser/properties/email", []any{"ada@example.com"}, []any{"ada", strings.Repeat("x", 250) + "@example.com"}},
		{"schemas/NewIntegration/properties/api_url", []any{nil, "", "https://metrics.example/x?y", "HTTP://metrics.example"}, []any{"metrics", "ftp://metrics.example", "http://"}},
		{"schemas/NewTrackingSettings/properties/api_url", []any{"https://errors.example/api/0/projects/acme/web/"}, []any{"https://errors.example/acme/web"}},
		{"schemas/Scopes", []any{[]any{"api"}, "api read_user"}, []any{[]any{}, []any{"unheard"}, ""}},
	}
	d, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		schema, err := d.schema("#/components/" + test.schema)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range test.good {
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s refuses %.20s: %v", test.schema, fmt.Sprint(value), err)
			}
		}
		for _, value := range test.bad {
			if schema.Validate(value) == nil {
				t.Errorf("%s allows %.20q", test.schema, fmt.Sprint(value))
			}
		}
	}
}

// Every text of a request has a greatest length or another bound, as every text that
// the service stores has.
func TestTextsOfRequestsAreBound(t *testing.T) {
	each(loaded(t), func(method, path string, o *openapi3.Operation) {
		if o.RequestBody == nil {
			return
		}
		for _, content := range o.RequestBody.Value.Content {
			content.Schema.WalkSubtree(func(pointer string, s *openapi3.SchemaRef) error {
				v := s.Value
				if v.Type.Includes("string") && v.MaxLength == nil && v.Enum == nil && v.Format == "" {
					t.Errorf("%s %s: %s%s has no bound", method, path, content.Schema.Ref, pointer)
				}
				return nil
			})
		}
	})
}

// A request may have more fields than the document knows: the service ignores them.
func TestRequestsAreOpen(t *testing.T) {
	each(loaded(t), func(method, path string, o *openapi3.Operation) {
		if o.RequestBody == nil {
			return
		}
		for _, content := range o.RequestBody.Value.Content {
			if has := content.Schema.Value.AdditionalProperties.Has; has != nil && !*has {
				t.Errorf("%s %s: %s refuses fields that the service ignores", method, path, content.Schema.Ref)
			}
		}
	})
}

// Clients that are generated for bodies of several kinds send the wrong one.
func TestRequestsHaveBodiesOfOneKind(t *testing.T) {
	each(loaded(t), func(method, path string, o *openapi3.Operation) {
		if o.RequestBody != nil && (len(o.RequestBody.Value.Content) != 1 || o.RequestBody.Value.Content["application/json"] == nil) {
			t.Errorf("%s %s takes other bodies than JSON", method, path)
		}
	})
}

// Generators of clients cannot make a type of these, or make a wrong one.
func TestGeneratorsUnderstandTheSchemas(t *testing.T) {
	taken := []string{"Any", "Dict", "Error", "List", "Map", "Mapping", "Object", "Response", "Set", "Type", "Union"}
	for name, schema := range loaded(t).Components.Schemas {
		if slices.Contains(taken, name) {
			t.Errorf("%s is also the name of a type in some languages", name)
		}
		schema.WalkSubtree(func(pointer string, s *openapi3.SchemaRef) error {
			v := s.Value
			switch {
			case v.Type.Is("null") && !strings.Contains(pointer, "oneOf"):
				t.Errorf("%s%s is always null", name, pointer)
			case v.Type == nil && len(v.Enum)+len(v.OneOf)+len(v.AnyOf)+len(v.AllOf) == len(v.Enum):
				t.Errorf("%s%s has no type", name, pointer)
			}
			for _, choice := range slices.Concat(v.AnyOf, v.OneOf) {
				if choice.Ref == "" && choice.Value.Type == nil {
					t.Errorf("%s%s has a choice without a type", name, pointer)
				}
			}
			return nil
		})
	}
}
