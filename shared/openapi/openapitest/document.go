package openapitest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gatehouse/shared/openapi"
	"gatehouse/shared/web"
)

// document is openapi.json, read once for all tests of a package.
type document struct {
	spec     *openapi3.T
	handler  http.Handler
	mutex    sync.Mutex
	compiler *jsonschema.Compiler
}

var load = sync.OnceValues(func() (*document, error) {
	spec, err := openapi3.NewLoader().LoadFromData(openapi.Document)
	if err != nil {
		return nil, err
	}
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(openapi.Document))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(resource, raw); err != nil {
		return nil, err
	}
	return &document{spec: spec, handler: route(spec), compiler: compiler}, nil
})

// resource is the document's name among schemas.
const resource = "openapi.json"

// schema returns the schema that the pointer, "#/…", points to.
func (d *document) schema(pointer string) (*jsonschema.Schema, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.compiler.Compile(resource + pointer) // once for each: the compiler remembers
}

// operation is one method of one path.
type operation struct {
	*openapi3.Operation
	pointer string
}

// finding is the operation that the document has for a request, or the status that
// refuses the request.
type finding struct {
	http.ResponseWriter
	operation *operation
	refusal   int
}

// route returns a handler that matches addresses as the service does and stores the
// result in the finding.
func route(spec *openapi3.T) http.Handler {
	mux := web.NewMux()
	mux.Refuse = func(w http.ResponseWriter, _ *http.Request, status int) { w.(*finding).refusal = status }
	each(spec, func(method, path string, o *openapi3.Operation) {
		found := &operation{o, "#/paths/" + escape(path) + "/" + strings.ToLower(method)}
		mux.HandleFunc(pattern(spec, method, path), func(w http.ResponseWriter, _ *http.Request) { w.(*finding).operation = found })
	})
	return web.WithoutTrailingSlash(web.References(mux, "/api/v4/groups/", "/api/v4/projects/"))
}

func (d *document) find(r *http.Request) *finding {
	f := &finding{ResponseWriter: httptest.NewRecorder()}
	d.handler.ServeHTTP(f, r)
	return f
}

func each(spec *openapi3.T, visit func(method, path string, o *openapi3.Operation)) {
	for path, item := range spec.Paths.Map() {
		for method, o := range item.Operations() {
			visit(method, path, o)
		}
	}
}

// pattern is the operation as http.ServeMux writes it.
func pattern(spec *openapi3.T, method, path string) string {
	return method + " " + spec.Servers[0].URL + path
}

// escape makes a name a part of a JSON pointer (RFC 6901 section 3).
func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// Patterns lists the document's operations as patterns of http.ServeMux, in
// order.
func Patterns() ([]string, error) {
	d, err := load()
	if err != nil {
		return nil, err
	}
	var patterns []string
	each(d.spec, func(method, path string, _ *openapi3.Operation) {
		patterns = append(patterns, pattern(d.spec, method, path))
	})
	slices.Sort(patterns)
	return patterns, nil
}
