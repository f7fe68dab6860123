//go:build !race

package functions_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
)

// A function's answer has at most 6 MB, and characters get longer on the way: in UTF-8, in
// JSON, and in the event of the gateway, which is JSON again. A page of long texts that
// does not fit says so, and a smaller one is answered. The race detector takes ten times
// as long over every byte, so scripts/test runs this without.
func TestPagesOfLongTexts(t *testing.T) {
	unlogged(t)
	fix := map[string]any{"title": "Fix", "target_branch": "main"}
	tests := []struct {
		name, list  string
		item        map[string]any
		field, text string // the long field
		length      int
		whole       int // status of a page with all ninety
	}{
		{"merge requests of quotes", "merge_requests", fix, "description", `"`, 65536, 400},
		{"notes of control characters", "monitor/incidents/1/timeline", map[string]any{}, "note", "\u0001", 10000, 400},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := apptest.New(t)
			ada := a.User("ada")
			p := a.Project("web", a.Namespace(ada), project.Private)
			ask := asker(t, functions.Gateway(a.App), fmt.Sprintf("/api/v4/projects/%d/", p.ID), a.Token(ada))
			ask("POST", "monitor/incidents", map[string]any{"title": "Down"}, http.StatusCreated)
			for n := range 90 {
				test.item["source_branch"], test.item[test.field] = fmt.Sprintf("branch-%d", n), strings.Repeat(test.text, test.length)
				ask("POST", test.list, test.item, http.StatusCreated)
			}
			ask("GET", test.list+"?per_page=100", nil, test.whole)
			ask("GET", test.list+"?per_page=20", nil, http.StatusOK)
		})
	}
}

// asker returns what makes a call below the address, which must have the status.
func asker(t *testing.T, h http.Handler, base, token string) func(method, path string, body map[string]any, want int) {
	return func(method, path string, body map[string]any, want int) {
		t.Helper()
		var encoded []byte
		if body != nil {
			encoded, _ = json.Marshal(body)
		}
		r := httptest.NewRequest(method, base+path, bytes.NewReader(encoded))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want {
			t.Fatalf("%s %s = %d %.200s, want %d", method, path, w.Code, w.Body, want)
		}
	}
}
