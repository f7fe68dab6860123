package mapping_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/fault"
	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

func read(t testing.TB, text string) payload.Object {
	t.Helper()
	document, err := payload.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return document.Object
}

func TestFind(t *testing.T) {
	object := read(t, `{
		"title": "own", "null": null, "no": false, "empty": "", "zero": 0,
		"a": {"b": ["x", {"c": "deep"}], "0": "named", "": "nameless"}
	}`)
	tests := map[string]struct {
		value any
		path  string
	}{
		`["a","b",0]`:          {"x", "a.b[0]"},
		`["a","b",1,"c"]`:      {"deep", "a.b[1].c"},
		`["a","b",-1,"c"]`:     {"deep", "a.b[-1].c"},
		`["a","0"]`:            {"named", "a.0"},
		`["a",""]`:             {"nameless", "a."},
		`["empty"]`:            {"", "empty"},
		`["zero"]`:             {json.Number("0"), "zero"},
		`["null"]`:             {"own", "title"},
		`["no"]`:               {"own", "title"},
		`["nowhere"]`:          {"own", "title"},
		`["a",0]`:              {"own", "title"}, // no index leads into an object
		`["a","b","0"]`:        {"own", "title"}, // and no name into an array
		`["a","b",2]`:          {"own", "title"},
		`["a","b",-3]`:         {"own", "title"},
		`["a","b",0,"x"]`:      {"own", "title"},
		`["null","x"]`:         {"own", "title"},
		`["title",0]`:          {"own", "title"},
		`[0]`:                  {"own", "title"},
		`["a","b",2147483647]`: {"own", "title"},
	}
	for path, want := range tests {
		m := parse(t, `{"title":{"path":`+path+`,"type":"STRING"}}`)
		if found := item(m, object).Find(mapping.Title); found.Value != want.value || found.Path.String() != want.path {
			t.Errorf("Find along %s = %v at %s, want %v at %s", path, found.Value, found.Path, want.value, want.path)
		}
	}
	if found := item(mapping.Mapping{}, object).Find(mapping.Service); found.Value != nil || found.Path != nil {
		t.Errorf("Find of what is nowhere = %v at %s", found.Value, found.Path)
	}
}

// item returns the whole payload as the mapping reads it.
func item(m mapping.Mapping, object payload.Object) mapping.Item { return m.Read(object).Item(object) }

func parse(t *testing.T, text string) mapping.Mapping {
	t.Helper()
	m, err := mapping.Parse([]byte(text), "mapping")
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return m
}

func TestAMappingIsWrittenAsItIsRead(t *testing.T) {
	longest := `{"title":{"path":["` + strings.Repeat("é", 1000) + `"` + strings.Repeat(",0", 99) + `],"type":"` + strings.Repeat("S", 255) + `"}}`
	for text, want := range map[string]string{
		``:     `{}`,
		`null`: `{}`,
		`{}`:   `{}`,
		`{"title":null,"hosts":{"label":null,"type":" ARRAY ","path":["a"]}}`:  `{"hosts":{"path":["a"],"type":"ARRAY"}}`,
		`{"end_time":{"path":["a",0,"0",-1],"type":"DATETIME","label":"End"}}`: `{"end_time":{"path":["a",0,"0",-1],"type":"DATETIME","label":"End"}}`,
		longest: longest,
	} {
		m := parse(t, text)
		got, err := json.Marshal(m)
		if err != nil || string(got) != want {
			t.Errorf("Parse(%s) is written as %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestEveryTargetCanBeMapped(t *testing.T) {
	want := "title description start_time end_time service monitoring_tool hosts severity fingerprint platform_environment_name"
	if got := strings.Trim(fmt.Sprint(mapping.Targets), "[]"); got != want {
		t.Errorf("targets are %s, want %s", got, want)
	}
	for _, target := range mapping.Targets {
		m := parse(t, fmt.Sprintf(`{%q:{"path":["x"],"type":"STRING"}}`, target))
		if found := item(m, read(t, `{"x":"y"}`)).Find(target); found.Value != "y" {
			t.Errorf("%s is mapped to %v", target, found.Value)
		}
	}
}

func TestMappingsThatAreRefused(t *testing.T) {
	long := strings.Repeat("x", 1001)
	tests := map[string][]string{
		`[]`:                                 {"must be a JSON object"},
		`"title"`:                            {"must be a JSON object"},
		`{`:                                  {"must be a JSON object"},
		`{"runbook":{"path":["a"]}}`:         {`has "runbook", which is no field of an alert`},
		`{"title":"a"}`:                      {"title must be an object"},
		`{"title":["a"]}`:                    {"title must be an object"},
		`{"title":{}}`:                       {"title.path is missing"},
		`{"title":{"path":["a"]}}`:           {"title.type is missing"},
		`{"title":{"path":["a"],"type":""}}`: {"title.type is missing"},
		`{"title":{"path":["a"],"type":5}}`:  {"title.type must be a string"},
		`{"title":{"path":["a"],"type":"` + long[:256] + `"}}`:               {"title.type is too long (maximum is 255 characters)"},
		`{"title":{"path":["a"],"type":"S","label":{}}}`:                     {"title.label must be a string"},
		`{"title":{"path":["a"],"type":"S","default":"x"}}`:                  {`title has the unknown member "default"`},
		`{"title":{"path":"a","type":"S"}}`:                                  {"title.path must be an array of strings and integers"},
		`{"title":{"path":[],"type":"S"}}`:                                   {"title.path is empty"},
		`{"title":{"path":[null],"type":"S"}}`:                               {"title.path must be an array of strings and integers"},
		`{"title":{"path":[1.5],"type":"S"}}`:                                {"title.path must be an array of strings and integers"},
		`{"title":{"path":[1e1],"type":"S"}}`:                                {"title.path must be an array of strings and integers"},
		`{"title":{"path":[4294967296],"type":"S"}}`:                         {"title.path must be an array of strings and integers"},
		`{"title":{"path":["` + long + `"],"type":"S"}}`:                     {"title.path has a segment that is too long (maximum is 1000 characters)"},
		`{"title":{"path":[` + strings.Repeat("0,", 100) + `0],"type":"S"}}`: {"title.path is too long (maximum is 100 segments)"},
		`{"hosts":5,"nothing":1}`:                                            {"hosts must be an object", `has "nothing", which is no field of an alert`},
	}
	for text, want := range tests {
		_, err := mapping.Parse([]byte(text), "payload_attribute_mapping")
		if diff := cmp.Diff(error(fault.Fields{"payload_attribute_mapping": want}), err); diff != "" {
			t.Errorf("Parse(%.100s) (-want +got):\n%s", text, diff)
		}
	}
}

func TestFieldsOfASample(t *testing.T) {
	sample := read(t, `{"b":{"d":"2026-11-21 10:00:00","n":5,"e":{}},"a":["x",{"y":null}],"c":[]}`)
	var got []string
	for _, field := range mapping.Fields(sample) {
		path, err := json.Marshal(field.Path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(field.Label, " ", field.Type, " ", string(path)))
	}
	want := []string{
		`a ARRAY ["a"]`, `a[0] STRING ["a",0]`, `a[1].y STRING ["a",1,"y"]`,
		`b.d DATETIME ["b","d"]`, `b.n STRING ["b","n"]`, `c ARRAY ["c"]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestFieldsOfALargeSampleAreBounded(t *testing.T) {
	tests := map[string]int{
		`{}`: 0,
		`{"a":[` + strings.Repeat(`1,`, 1000) + `1]}`:                               11,
		`{"a":` + strings.Repeat(`{"b":`, 90) + `1` + strings.Repeat(`}`, 90) + `}`: 0,
		`{"` + strings.Repeat("x", 1001) + `":1}`:                                   0,
		`{` + manyMembers(2000) + `}`:                                               500,
		strings.Repeat(`{"`+strings.Repeat("x", 1000)+`":`, 18) + `{` + manyMembers(500) + `}` + strings.Repeat(`}`, 18): 1,
		// 32 labels of 1024 bytes fill the room to the last byte.
		`{"` + strings.Repeat("x", 1000) + `":{` + longMembers(32) + `}}`: 32,
		`{"` + strings.Repeat("x", 1000) + `":{` + longMembers(33) + `}}`: 32,
		// What has no room was looked at as well: a megabyte of it would take seconds.
		strings.Repeat(`{"`+strings.Repeat("x", 1000)+`":`, 18) + `{` + manyMembers(500) + `}` + strings.Repeat(`}`, 17) + `,"z":1}`: 1,
	}
	for sample, want := range tests {
		if got := mapping.Fields(read(t, sample)); len(got) != want {
			t.Errorf("Fields(%.40s…) has %d fields, want %d", sample, len(got), want)
		}
	}
}

func manyMembers(count int) string {
	members := make([]string, count)
	for i := range members {
		members[i] = fmt.Sprintf(`"m%d":{"v":%d}`, i, i)
	}
	return strings.Join(members, ",")
}

// longMembers returns members with names of 23 bytes.
func longMembers(count int) string {
	members := make([]string, count)
	for i := range members {
		members[i] = fmt.Sprintf(`"%023d":1`, i)
	}
	return strings.Join(members, ",")
}

// Whatever a mapping is, it leads nowhere or to a value that is there; and
// whatever is listed of a sample, its path leads there.
func FuzzMapping(f *testing.F) {
	f.Add(`{"title":{"path":["a",0,"b"],"type":"STRING","label":"x"}}`, `{"a":[{"b":"x"}],"title":"y"}`)
	f.Add(`{"title":{"path":["a",-1],"type":"S"},"hosts":null}`, `{"a":{"0":[1,2,{"c":"2026-11-21"}]}}`)
	f.Add(`{"x":1}`, `{}`)
	f.Add(full, fullPayload)
	f.Fuzz(func(t *testing.T, text, sample string) {
		document, err := payload.Read([]byte(sample))
		if err != nil {
			return
		}
		for _, field := range mapping.Fields(document.Object) {
			if _, isObject := field.Path.Find(document.Object).(map[string]any); isObject || field.Label != field.Path.String() {
				t.Errorf("%+v is listed", field)
			}
		}
		m, err := mapping.Parse([]byte(text), "mapping")
		if err != nil {
			return
		}
		for _, target := range mapping.Targets {
			i := item(m, document.Object)
			found := i.Find(target)
			if diff := cmp.Diff(found.Value, found.Path.Find(document.Object)); m.Simple() && (found.Path != nil && diff != "" || found.Path == nil && found.Value != nil) {
				t.Errorf("Find(%s) = %v at %s", target, found.Value, found.Path)
			}
			if i.Paths(found.Place); found.Value == nil && (found.Path != nil || found.Source != nil) {
				t.Errorf("Find(%s) found nothing at %+v", target, found.Place)
			}
			i.State()
		}
		written, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := mapping.Parse(written, "mapping")
		if err != nil {
			t.Fatalf("%s is written and not read: %v", written, err)
		}
		if twice, err := json.Marshal(again); err != nil || string(twice) != string(written) {
			t.Errorf("%s is written as %s the next time, %v", written, twice, err)
		}
	})
}
