package sqlite

import (
	"context"
	"strings"
	"testing"
)

// Each question about open alerts has an index that answers it, however many
// alerts a project has had.
func TestOpenAlertsAreFoundByIndex(t *testing.T) {
	s := openInternal(t)
	for where, want := range map[string]string{
		counting: "alerts_counting (project_id=? AND fingerprint=?)",
		alone:    "alerts_alone (project_id=? AND fingerprint=?)",
	} {
		got, err := many(context.Background(), s.readers, func(r row) (plan string, err error) {
			var id, parent, unused int
			return plan, r.Scan(&id, &parent, &unused, &plan)
		}, "EXPLAIN QUERY PLAN SELECT iid FROM alerts WHERE "+where, 1, "a fingerprint")
		if err != nil || !strings.Contains(strings.Join(got, "\n"), want) {
			t.Errorf("open alerts WHERE %s are found by %q, %v, want the index %s", where, got, err, want)
		}
	}
}
