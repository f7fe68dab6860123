package app_test

import (
	"os"
	"strings"
	"testing"

	_ "gatehouse/shared/app" // every package that declares events
	"gatehouse/shared/audit"
)

// Others search logs for the names, and find them in the interface's table.
func TestEventsAreInTheInterface(t *testing.T) {
	text, err := os.ReadFile("../../functions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	kinds := audit.Kinds()
	if len(kinds) < 50 {
		t.Errorf("%d kinds of event are declared, want all of them", len(kinds))
	}
	for _, k := range kinds {
		if !strings.Contains(string(text), "`"+string(k.Name)+"`") {
			t.Errorf("functions/README.md does not tell of %s", k.Name)
		}
	}
}
