package sqlite

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What was open and assigned before the release that has a home is on it: the dispatcher is
// asked to count such projects and those with schedules, and open incidents are in the lists of those they wait for.
func TestOldFilesGetAHome(t *testing.T) {
	project := func(id int) string {
		return fmt.Sprintf("INSERT INTO projects (id, namespace_id, name, path, visibility, created_at, version) VALUES (%d, 7, 'P', 'p%d', 'private', 1, 1)", id, id)
	}
	incident := func(id, in, assignee int, state, status string) string {
		const columns = "(kind, place_kind, place_id, number, id, data, created_at, expires_at, version)"
		return fmt.Sprintf(`INSERT INTO records %s VALUES ('incident', 'project', %d, %d, %d, CAST('{"assignee_id":%d,"state":"%s","status":"%s"}' AS BLOB), 1, 0, 1)`,
			columns, in, id, id, assignee, state, status)
	}
	path := before(t, "0030_attention.sql", "PRAGMA foreign_keys = 0", project(1), project(2), project(3),
		incident(10, 2, 5, "opened", "triggered"), incident(11, 2, 5, "opened", "resolved"), incident(12, 2, 5, "closed", "triggered"),
		incident(13, 2, 0, "opened", "triggered"), incident(14, 2, 6, "opened", "acknowledged"),
		"INSERT INTO alert_counts VALUES (3, 'acknowledged', 'high', 2)",
		"INSERT INTO records (kind, place_kind, place_id, number, id, data, created_at, expires_at, version) VALUES ('oncall_schedule', 'project', 1, 20, 20, CAST('{}' AS BLOB), 1, 0, 1)",
	)
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, want := range []struct {
		what, query string
		rows        []string
	}{
		{"the lists of people", "SELECT list || ' ' || id FROM record_lists WHERE list LIKE 'incidents-user-%'", []string{"incidents-user-5 10", "incidents-user-6 14"}},
		{"the projects to count", "SELECT DISTINCT lane FROM messages WHERE kind = 'project.counts'", []string{"counts/1", "counts/2", "counts/3"}},
	} {
		rows, err := many(t.Context(), s.readers, scalar[string], want.query)
		slices.Sort(rows)
		if diff := cmp.Diff(want.rows, rows); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", want.what, err, diff)
		}
	}
}
