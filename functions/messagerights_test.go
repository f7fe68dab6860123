package functions_test

import (
	"slices"
	"testing"
)

// Functions of the release before put messages, which this one updates. Tests of
// notifications need no other lane, and a person's own settings no project's records.
func TestRightsToTellWhatFollows(t *testing.T) {
	all := policies(t)
	for _, c := range []struct {
		function, action, table, pk string
		want                        bool
	}{
		{"console", "PutItem", "messages", "LANE#alert/5/17", true},
		{"monitor", "PutItem", "messages", "SLOW#slow/webhook/5/1", true},
		{"projects", "PutItem", "messages", "LANE#alert/5/17", true},
		{"alerts", "PutItem", "messages", "LANE#alert/5/17", true},
		{"account", "UpdateItem", "messages", "LANE#notice-test/1", true},
		{"account", "UpdateItem", "messages", "LANE#alert/5/17", false},
		{"platform", "UpdateItem", "messages", "LANE#notice-test/1", true},
		{"platform", "UpdateItem", "messages", "LANE#alert/5/17", false},
		{"account", "PutItem", "directory", "RECORDS#instance", true},
		{"account", "PutItem", "directory", "RECORDS#project-5", false},
	} {
		asked := access{c.action, c.table, []string{c.pk}}
		if got := slices.ContainsFunc(all[c.function], func(s statement) bool { return s.allows(asked) }); got != c.want {
			t.Errorf("%s may %s %s: %t, want %t", c.function, c.action, c.pk, got, c.want)
		}
	}
}
