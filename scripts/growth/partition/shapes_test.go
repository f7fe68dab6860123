package partition

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// storeShapes are those of the store.
func storeShapes(t *testing.T) []Shape {
	t.Helper()
	doc, err := os.Open("../../../shared/storage/dynamodb/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	shapes, err := ReadShapes(doc)
	if err != nil {
		t.Fatal(err)
	}
	return shapes
}

func TestKeysHaveTheirShapes(t *testing.T) {
	shapes := storeShapes(t)
	for _, tt := range []struct {
		table, key string
		shape      string
		entities   []string
		values     []string
	}{
		{"directory", "USER#17", "directory USER#<id>", []string{User}, []string{"17"}},
		{"gatehouse-directory", "PROJECT#5", "directory PROJECT#<id>", []string{Project}, []string{"5"}},
		{"directory", "GROUP#5", "directory GROUP#<id>", []string{Group}, []string{"5"}},
		{"directory", "PATH#busy/site", "directory PATH#<full_path>", []string{Project}, []string{"busy/site"}},
		{"directory", "LIST#visible-projects", "directory LIST#visible-projects", nil, nil},
		{"directory", "COUNT#3", "directory COUNT#<shard>", nil, []string{"3"}},
		{"applications", "APP#ab", "applications APP#<client_id>", []string{Application}, []string{"ab"}},
		{"client-keys", "KEY#ab", "client-keys KEY#<id>", []string{Project}, []string{"ab"}},
		{"alerts", "STATUS#5#triggered", "alerts STATUS#<project>#<status>", []string{Project}, []string{"5", "triggered"}},
		{"alerts", "OPEN#5#disk #1", "alerts OPEN#<project>#<fingerprint>", []string{Project, Alert}, []string{"5", "disk #1"}},
		{"tokens", "AUDIT#2026-11", "tokens AUDIT#<month>", nil, []string{"2026-11"}},
		{"tokens", "AUDIT#2026-11-30", "tokens AUDIT#<day>", nil, []string{"2026-11-30"}},
		{"tokens", "AUDIT#2026-11#sign_in", "tokens AUDIT#<month>#<event>", nil, []string{"2026-11", "sign_in"}},
		{"tokens", "AUDIT#PROJECT#5", "tokens AUDIT#PROJECT#<id>", []string{Project}, []string{"5"}},
	} {
		s, values, err := Find(shapes, tt.table, tt.key)
		if err != nil || s.String() != tt.shape || !slices.Equal(s.Entities(), tt.entities) || !slices.Equal(values, tt.values) {
			t.Errorf("%s of %s: %s for each %v with %q, %v, want %s for each %v with %q",
				tt.key, tt.table, s, s.Entities(), values, err, tt.shape, tt.entities, tt.values)
		}
		if s.Shared() != (tt.entities == nil) {
			t.Errorf("%s is shared: %v", s, s.Shared())
		}
	}
	if s, _, err := Find(shapes, "alerts", "USER#17"); err == nil {
		t.Errorf("a key of another table has the shape %s", s)
	}
}

func TestItemsOfOnePartitionAreOneShape(t *testing.T) {
	s, _, err := Find(storeShapes(t), "client-keys", "PROJECT#5")
	if err != nil || len(s.Items) != 2 {
		t.Errorf("the client keys of a project: %q, %v, want two kinds of items", s.Items, err)
	}
}

func TestShapesWithUnknownWordsAreRefused(t *testing.T) {
	for doc, want := range map[string]string{
		"//\ttable  pk         sk  is\n//\tx      Y#<colour>  Z   a thing\n//\n": "what <colour> in the key Y#<colour> of x names",
		"// Package x has no table.\n":                                           "no end",
	} {
		if _, err := ReadShapes(strings.NewReader(doc)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", doc, err, want)
		}
	}
}
