package sqlite

import (
	"strings"
	"testing"

	"gatehouse/shared/deprecation"
	"gatehouse/shared/page"
)

func TestDeprecatedUsesAreListedByIndexes(t *testing.T) {
	s := openInternal(t)
	for index, f := range map[string]deprecation.Filter{
		"PRIMARY KEY (day>? AND (day,entry,caller)<(?,?,?))":                       {},
		"deprecated_uses_by_entry (entry=? AND day>? AND (day,caller)<(?,?))":      {Entry: "x"},
		"deprecated_uses_by_caller (caller=? AND day>? AND (day,entry)<(?,?))":     {Client: 1},
		"deprecated_uses_by_caller (caller=? AND day>? AND (day,entry)<(?,?)) too": {Client: 1, Entry: "x"},
	} {
		clause, args := usesBetween(f, page.Position{})
		wantPlan(t, s, deprecatedUses.selected+clause, strings.TrimSuffix(index, " too"), append(args, 30)...)
	}
	wantPlan(t, s, sweepUses, "PRIMARY KEY (day<?)", 1)
}
