package dynamodb

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
)

var writeDoc = flag.Bool("update", false, "write the table of items in doc.go")

//go:generate go test -run TestDocListsEveryItem -update .

// The table in doc.go lists every shape that the package declares.
func TestDocListsEveryItem(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(doc), "//	table ")
	_, after, _ := strings.Cut(rest, "\n//\n")
	want := before + itemTable(t) + "//\n" + after
	if *writeDoc {
		err = os.WriteFile("doc.go", []byte(want), 0o644)
	} else if string(doc) != want {
		t.Errorf("the table in doc.go is not current; go generate writes:\n%s", itemTable(t))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func itemTable(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 1, 2, ' ', 0)
	for _, row := range append([][]string{{"table", "pk", "sk", "is", "ttl"}}, shapes(t)...) {
		w.Write([]byte(strings.Join(row, "\t") + "\n"))
	}
	w.Flush()
	var lines strings.Builder
	for line := range strings.Lines(text.String()) {
		lines.WriteString("//	" + strings.TrimSpace(line) + "\n")
	}
	return lines.String()
}

// shapes returns the fields of every shape in the source, in their order.
func shapes(t *testing.T) (rows [][]string) {
	t.Helper()
	names := map[string]table{
		"directory": directory, "applications": applications, "tokens": tokens, "clientKeys": clientKeys, "alerts": alerts,
		"messages": messages,
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if of, ok := lit.Type.(*ast.Ident); !ok || of.Name != "shape" {
				return true
			}
			table, ok := names[lit.Elts[0].(*ast.Ident).Name]
			if !ok {
				t.Fatalf("the names above have no table %s", lit.Elts[0])
			}
			row := []string{string(table)}
			for _, e := range lit.Elts[1:] {
				field, err := strconv.Unquote(e.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				row = append(row, field)
			}
			rows = append(rows, row)
			return true
		})
	}
	slices.SortFunc(rows, slices.Compare)
	return rows
}
