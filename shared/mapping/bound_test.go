package mapping

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gatehouse/shared/payload"
)

// Whatever a mapping and a payload are, the work ends when the steps are used up, and then
// everything comes from its usual place. The time of a step is measured by a benchmark of
// shared/alert.
func TestTheWorkIsBounded(t *testing.T) {
	inside, err := json.Marshal("[" + strings.Repeat("{},", 200_000) + "{}]")
	if err != nil {
		t.Fatal(err)
	}
	zones := `"0"`
	for n := range 300 {
		zones += fmt.Sprintf(`,"2026-11-22 10:00:00 Zone/%d"`, n)
	}
	document, err := payload.Read([]byte(`{"title":"usual","list":[` + strings.Repeat(`[[1],[2]],`, 20_000) + `0],"text":` + string(inside) +
		`,"large":{"a":"` + strings.Repeat("<", 200_000) + `"},"times":[` + zones + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	many := func(source string) string { return strings.TrimSuffix(strings.Repeat(source+",", 20), ",") }
	tests := map[string]string{
		"every element":       many(`{"path":["list",{"all":true},{"all":true},{"all":true},"x"]}`),
		"a lookup":            many(`{"path":["list",{"where":"x","is":"y"}]}`),
		"a lookup everywhere": many(`{"path":["list",{"all":true},{"where":0,"is":"y"}]}`),
		"JSON in a text":      many(`{"path":["text",{"json":true},{"all":true},"x"]}`),
	}
	for name, sources := range tests {
		m, err := Parse([]byte(`{"title":{"sources":[`+sources+`]},"service":{"sources":[`+sources+`]},"resolved_when":{"source":{"path":["list",{"all":true},"x"]},"equals":["x"]}}`), "mapping")
		if err != nil {
			t.Fatal(err)
		}
		r := m.Read(document.Object)
		i := r.Item(document.Object)
		for range 20 {
			i.Find(Title)
			i.Find(Service)
		}
		if !r.Exhausted() || r.left != 0 {
			t.Errorf("%s: %d steps are left", name, r.left)
		}
		if found := i.Find(Title); found.Value != "usual" || i.State() != Unsaid {
			t.Errorf("%s: without steps the title is %v", name, found.Value)
		}
	}

	filled, err := Parse([]byte(`{"title":{"sources":[{"template":"`+strings.Repeat("{large}", 50)+`"}]},"start_time":{"sources":[{"path":["x"]}]}}`), "mapping")
	if err != nil {
		t.Fatal(err)
	}
	r := filled.Read(document.Object)
	if title, _ := r.Item(document.Object).Find(Title).Value.(string); !r.Exhausted() || title != "usual" {
		t.Errorf("a large value in a template: %d bytes, with %d steps left", len(title), r.left)
	}
	r = filled.Read(document.Object)
	n, _ := r.Item(document.Object).Notation(StartTime)
	for _, value := range document.Object["times"].([]any) {
		n.Read(value)
	}
	if !r.Exhausted() {
		t.Errorf("the zones of 300 names leave %d steps", r.left)
	}
	if (*Reading)(nil).Exhausted() {
		t.Error("no mapping is exhausted")
	}
}
