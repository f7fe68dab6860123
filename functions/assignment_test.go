package functions_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"gatehouse/functions"
	"gatehouse/shared/integration"
	"gatehouse/shared/storage/sqlite/sqlitetest"
)

// Fields that a call does not take change nothing, whatever they are called: the same
// calls are made twice as they are, and once with a field for every name that is in an
// answer or a request anywhere, or that a store could have. What differs between the
// first two is random; nothing else differs in the third.
func TestFieldsThatACallDoesNotTakeChangeNothing(t *testing.T) {
	unlogged(t)
	fields := newFields(t)
	for _, g := range groups {
		if slices.Contains([]string{"platform", "projects", "monitor", "errortracking"}, g.name) {
			t.Run(g.name, func(t *testing.T) { fields.check(t, g) })
		}
	}
}

func (f fields) check(t *testing.T, g group) {
	began := time.Now().UTC().Truncate(time.Hour)
	plain, again, more := f.walk(t, g, began, false), f.walk(t, g, began, false), f.walk(t, g, began, true)
	for name, value := range plain {
		if again[name] == value && more[name] != value {
			t.Errorf("%s is\n%.900s\nand with more fields\n%.900s", name, value, more[name])
		}
	}
	for name, value := range more {
		if strings.Contains(value, planted) || strings.Contains(value, fmt.Sprint(plantedNumber)) {
			t.Errorf("%s has the value of a field that no call takes: %.900s", name, value)
		}
		if _, known := plain[name]; !known {
			t.Errorf("%s is there only with more fields: %.900s", name, value)
		}
	}
}

// walk makes the calls of the group, and returns all that is in the answers and the store.
func (f fields) walk(t *testing.T, g group, began time.Time, more bool) map[string]string {
	path := filepath.Join(t.TempDir(), "gatehouse.db")
	s := &server{features: integration.AllFeatures, began: began}
	s.begin(t, sqlitetest.OpenAt(t, path))
	planter := &planter{fields: f, next: functions.Gateway(s.app), more: more, seen: map[string]string{}}
	s.Server = httptest.NewServer(planter)
	t.Cleanup(s.Server.Close)
	w := newWalk(t, s, false)
	for _, x := range g.scenarios() {
		w.act(x)
	}
	file := openFile(t, path)
	for _, table := range file.tables(t) {
		columns, rows := file.rows(t, table)
		for n, column := range columns {
			var cells []string
			for _, row := range rows {
				cells = append(cells, fmt.Sprintf("%s", row[n]))
			}
			slices.Sort(cells)
			planter.seen["the column "+column+" of "+table] = strings.Join(cells, "\n")
		}
	}
	return planter.seen
}

// fields are what a planter adds, and what each call takes.
type fields struct {
	values map[string]any             // by the name
	takes  map[string]map[string]bool // by the pattern
	mux    *http.ServeMux
}

const (
	planted       = "planted-by-a-stranger"
	plantedNumber = 987654321987
)

// fieldsOfStores are names that stores and programs like this one have.
var fieldsOfStores = []string{
	"id", "iid", "uid", "user_id", "owner_id", "creator_id", "author_id", "created_by", "project_id", "group_id", "namespace_id", "organization_id",
	"admin", "is_admin", "root", "role", "access_level", "max_access_level", "permissions", "state", "status", "blocked", "confirmed", "confirmed_at",
	"skip_confirmation", "external", "bot", "created_at", "updated_at", "deleted_at", "expires_at", "last_used_at", "token", "token_digest", "digest",
	"secret", "secret_digest", "password_digest", "encrypted_password", "password_hash", "session_epoch", "scopes", "trusted", "confidential",
	"by_admin", "full_path", "path_with_namespace", "visibility", "visibility_level", "place", "version", "etag", "__proto__", "constructor", "$set",
}

func newFields(t *testing.T) fields {
	t.Helper()
	spec, err := openapi3.NewLoader().LoadFromFile("../shared/openapi/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	f := fields{values: map[string]any{}, takes: map[string]map[string]bool{}, mux: http.NewServeMux()}
	for _, name := range fieldsOfStores {
		f.values[name] = planted
	}
	for path, item := range spec.Paths.Map() {
		for method, o := range item.Operations() {
			f.add(method+" /api/v4"+path, o)
		}
	}
	for _, name := range []string{"sudo", "access_token", "private_token"} { // each call takes them
		delete(f.values, name)
	}
	return f
}

func (f fields) add(pattern string, o *openapi3.Operation) {
	takes := map[string]bool{}
	for _, p := range o.Parameters {
		takes[p.Value.Name] = true
	}
	if o.RequestBody != nil {
		schema := o.RequestBody.Value.Content["application/json"].Schema.Value
		if any := schema.AdditionalProperties.Has; any != nil && *any {
			return // it takes every field
		}
		f.addNames(schema, 4)
		for name := range schema.Properties {
			takes[name] = true
		}
	}
	for _, answer := range o.Responses.Map() {
		if content := answer.Value.Content["application/json"]; content != nil {
			f.addNames(content.Schema.Value, 4)
		}
	}
	f.takes[pattern] = takes
	f.mux.Handle(pattern, http.NotFoundHandler())
}

// addNames adds a value for each name in the schema.
func (f fields) addNames(s *openapi3.Schema, depth int) {
	if depth == 0 {
		return
	}
	for name, property := range s.Properties {
		if _, known := f.values[name]; !known || f.values[name] == planted {
			f.values[name] = valueOf(property.Value)
		}
		f.addNames(property.Value, depth-1)
	}
	if s.Items != nil {
		f.addNames(s.Items.Value, depth-1)
	}
	for _, part := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		f.addNames(part.Value, depth-1)
	}
}

// valueOf returns a value of the type that is not what a thing has without it.
func valueOf(s *openapi3.Schema) any {
	switch {
	case len(s.Enum) > 0:
		return s.Enum[len(s.Enum)-1]
	case s.Type.Includes("boolean"):
		return s.Default != true
	case s.Type.Includes("integer"), s.Type.Includes("number"):
		return plantedNumber
	case s.Type.Includes("array"):
		return []any{plantedNumber}
	case s.Type.Includes("object"):
		return map[string]any{"id": plantedNumber, "name": planted}
	}
	return planted
}

// planter adds fields to calls of the REST API on the way to the next handler.
type planter struct {
	fields
	next  http.Handler
	more  bool
	calls int
	seen  map[string]string // what was answered, by the call and the place in the answer
}

func (p *planter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, pattern := p.mux.Handler(r)
	if pattern == "" {
		p.next.ServeHTTP(w, r)
		return
	}
	p.calls++
	if p.more && r.Method != http.MethodGet && r.Method != http.MethodDelete {
		p.plant(r, pattern)
	}
	recorder := httptest.NewRecorder()
	p.next.ServeHTTP(recorder, r)
	call := fmt.Sprintf("%03d %s", p.calls, pattern)
	p.seen[call] = fmt.Sprint(recorder.Code)
	var answer any
	if json.Unmarshal(recorder.Body.Bytes(), &answer) == nil {
		p.note(call, answer)
	}
	maps.Copy(w.Header(), recorder.Header())
	w.WriteHeader(recorder.Code)
	_, _ = w.Write(recorder.Body.Bytes())
}

// plant adds a field of every name that the call does not take.
func (p *planter) plant(r *http.Request, pattern string) {
	body, _ := io.ReadAll(r.Body)
	sent := map[string]any{}
	if json.Unmarshal(body, &sent) != nil && len(body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(body))
		return
	}
	for name, value := range p.values {
		if !p.takes[pattern][name] {
			sent[name] = value
		}
	}
	body, _ = json.Marshal(sent)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Type", "application/json")
}

// note keeps each value of an answer by its place.
func (p *planter) note(place string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			p.note(place+" "+name, v)
		}
	case []any:
		for n, v := range value {
			p.note(fmt.Sprintf("%s %d", place, n), v)
		}
	default:
		p.seen[place] = fmt.Sprint(value)
	}
}
