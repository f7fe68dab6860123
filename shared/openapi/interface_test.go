package openapi_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/openapi"
)

// roleOf returns the role that a text about who may call begins with, "" if it
// begins with none.
func roleOf(text string) string {
	first := strings.TrimRight(strings.SplitN(text, " ", 2)[0], ".;")
	if slices.Contains([]string{"Administrators", "Developer", "Maintainer", "Owner"}, first) {
		return first
	}
	return ""
}

// documentCalls returns the role that each call needs according to the
// document.
func documentCalls(t *testing.T) map[string]string {
	t.Helper()
	var document struct {
		Servers []struct{ URL string }
		Paths   map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(openapi.Document, &document); err != nil {
		t.Fatal(err)
	}
	calls := map[string]string{}
	for path, operations := range document.Paths {
		for method, raw := range operations {
			if method == "parameters" {
				continue
			}
			var operation struct{ Description string }
			if err := json.Unmarshal(raw, &operation); err != nil {
				t.Fatal(err)
			}
			calls[strings.ToUpper(method)+" "+document.Servers[0].URL+path] = roleOf(operation.Description)
		}
	}
	return calls
}

// tableCalls returns the same according to the tables of the interface: their
// first cell is the call, the second says who may.
func tableCalls(t *testing.T) map[string]string {
	t.Helper()
	pages, err := filepath.Glob("../../functions/*/README.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([A-Z]+ /api/[^`]*)` \\| ([^|]*) \\|")
	calls := map[string]string{}
	for _, page := range append(pages, "../../functions/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range row.FindAllStringSubmatch(string(text), -1) {
			if _, twice := calls[match[1]]; twice {
				t.Errorf("%s has a second row for %s", page, match[1])
			}
			calls[match[1]] = roleOf(match[2])
		}
	}
	return calls
}

// The tables of the interface and the document have the same calls, and say
// the same of who may make them. Another test compares the document with the
// routes.
func TestInterfaceAndDocumentHaveTheSameCalls(t *testing.T) {
	if diff := cmp.Diff(documentCalls(t), tableCalls(t)); diff != "" {
		t.Errorf("calls with their roles (-openapi.json +tables below functions/):\n%s", diff)
	}
}
