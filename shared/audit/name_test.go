package audit_test

import (
	"os"
	"strings"
	"testing"

	"gatehouse/shared/audit"
)

// Others search logs for the names, and find them in the interface's table.
func TestNamesAreInTheInterface(t *testing.T) {
	text, err := os.ReadFile("../../functions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range audit.Kinds {
		if !strings.Contains(string(text), "`"+string(k.Name)+"`") {
			t.Errorf("functions/README.md does not tell of %s", k.Name)
		}
	}
}
