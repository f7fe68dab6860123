package functions_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/mapping"
)

// The mapping that people learn from does what its page says.
func TestTheMappingOfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile("docs/mapping.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```")
	if len(blocks) != 5 {
		t.Fatalf("the page has %d parts, want a payload and a mapping", len(blocks))
	}
	m, err := mapping.Parse([]byte(strings.TrimPrefix(blocks[3], "json")), "mapping")
	if err != nil {
		t.Fatal(err)
	}
	body := strings.TrimPrefix(blocks[1], "json")
	for state, recovery := range map[string]bool{"PROBLEM": false, "OK": true} {
		parsed, err := alert.Parse([]byte(strings.Replace(body, "PROBLEM", state, 1)), alert.Reading{Format: alert.Plain, Mapping: m})
		if err != nil || len(parsed.Notes) > 0 {
			t.Fatalf("Parse = %v, notes %q", err, parsed.Notes)
		}
		o, _ := parsed.Lone()
		if o.Title != "Disk on web-1" || o.Service != "shop" || o.Severity != alert.SeverityHigh || o.Recovery != recovery ||
			!o.StartedAt.Equal(time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)) || o.Fingerprint == "" {
			t.Errorf("in the state %s it is %+v", state, o)
		}
	}
	var kept map[string]any
	if written, err := json.Marshal(m); err != nil || json.Unmarshal(written, &kept) != nil || len(kept) != 7 {
		t.Errorf("the mapping is kept as %v, %v", kept, err)
	}
}
