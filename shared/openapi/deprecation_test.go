package openapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gatehouse/shared/deprecation"
	"gatehouse/shared/openapi"
)

type object = map[string]any

// described is the document, to be asked by the names of members.
type described struct{ root object }

func readDocument(t *testing.T) described {
	t.Helper()
	var d described
	if err := json.Unmarshal(openapi.Document, &d.root); err != nil {
		t.Fatal(err)
	}
	return d
}

// at returns what the names lead to from an object, through references; nil if one
// is missing.
func (d described) at(from object, names ...string) object {
	for _, name := range names {
		next, _ := from[name].(object)
		from = d.resolved(next)
	}
	return from
}

func (d described) resolved(o object) object {
	if ref, ok := o["$ref"].(string); ok {
		return d.at(d.root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return o
}

// operation returns what a call of the table is described by, or nil.
func (d described) operation(call string) object {
	method, path, _ := strings.Cut(call, " ")
	return d.at(d.root, "paths", strings.TrimPrefix(path, "/api/v4"), strings.ToLower(method))
}

// schemas returns the schemas in which a place has its name.
func (d described) schemas(o object, p deprecation.Place) (all []object) {
	if p.In == deprecation.Parameter {
		all = append(all, d.at(o, "requestBody", "content", "application/json", "schema"))
	}
	responses, _ := o["responses"].(object)
	for status := range responses {
		if schema := d.at(responses, status, "content", "application/json", "schema"); p.In == deprecation.Answer && status < "300" {
			all = append(all, schema, d.at(schema, "items"))
		}
	}
	return slices.DeleteFunc(all, func(o object) bool { return d.at(o, "properties", p.Name) == nil })
}

// marks returns what is said about a name: that of parameters in the query, or of
// the member of a schema.
func (d described) marks(o object, p deprecation.Place) (all []object) {
	parameters, _ := o["parameters"].([]any)
	for _, one := range parameters {
		if parameter := d.resolved(one.(object)); p.In == deprecation.Parameter && parameter["name"] == p.Name {
			all = append(all, parameter)
		}
	}
	for _, schema := range d.schemas(o, p) {
		properties := schema["properties"].(object)
		own, _ := properties[p.Name].(object)
		mark := object{}
		for _, from := range []object{d.resolved(own), own} { // what stands beside a reference counts first
			for name, value := range from {
				mark[name] = value
			}
		}
		all = append(all, mark)
		if required, _ := schema["required"].([]any); slices.Contains(required, any(p.Name)) && p.In == deprecation.Answer {
			all = append(all, object{"description": "is required, though the preview leaves it out"})
		}
	}
	return all
}

// The document says of every name in the table that it is deprecated, and what
// takes its place.
func TestWhatIsDeprecatedIsMarked(t *testing.T) {
	d := readDocument(t)
	for _, e := range deprecation.Table {
		for _, p := range e.Places {
			o := d.operation(p.Call)
			if o == nil {
				continue // not built, which a test of the functions knows
			}
			marks := d.marks(o, p)
			if p.In == deprecation.Address {
				marks = []object{o}
			}
			if len(marks) == 0 {
				t.Errorf("%s: %s has no %s", e.ID, p.Call, p.Name)
			}
			for _, mark := range marks {
				text, _ := mark["description"].(string)
				whole := len(p.Values) == 0 && p.Beside == deprecation.Member{}
				if !strings.Contains(strings.ToLower(text), "deprecated") || !strings.Contains(text, e.Instead) || (mark["deprecated"] == true) != whole {
					t.Errorf("%s: %s says of %s %q, deprecated: %v, want %t and %q", e.ID, p.Call, p.Name, text, mark["deprecated"], whole, e.Instead)
				}
			}
		}
	}
}

// The document marks nothing that is not in the table.
func TestWhatIsMarkedIsDeprecated(t *testing.T) {
	names := map[string]bool{}
	for _, e := range deprecation.Table {
		for _, p := range e.Places {
			names[p.Name] = true
		}
	}
	d := readDocument(t)
	var check func(at string, value any)
	check = func(at string, value any) {
		switch value := value.(type) {
		case []any:
			for _, one := range value {
				check(at, one)
			}
		case object:
			operation, _ := value["operationId"].(string)
			if value["deprecated"] == true && operation == "" && !names[at] {
				t.Errorf("%s is marked, but not in the table", at)
			}
			for name, one := range value {
				check(name, one)
			}
		}
	}
	check("", d.root)
	for path, operations := range d.root["paths"].(object) {
		for method, o := range operations.(object) {
			o, _ := o.(object)
			moved := slices.ContainsFunc(deprecation.At(strings.ToUpper(method)+" /api/v4"+path), func(n deprecation.Named) bool { return n.In == deprecation.Address })
			if (o["deprecated"] == true) != moved {
				t.Errorf("%s %s is marked: %v, want %t", method, path, o["deprecated"], moved)
			}
		}
	}
}
