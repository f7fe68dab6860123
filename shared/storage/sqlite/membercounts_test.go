package sqlite_test

import (
	"os"
	"testing"
	"time"

	"gatehouse/shared/project"
)

// A file from before members were counted has them counted by the migration.
func TestMigrationCountsMembers(t *testing.T) {
	script, err := os.ReadFile("migrations/0008_members.sql")
	if err != nil {
		t.Fatal(err)
	}
	file := newFile(t)
	s := openStore(t, file)
	execute(t, file, `DROP TRIGGER member_added; DROP TRIGGER member_removed; DROP TABLE member_counts;
		INSERT INTO members VALUES ('group', 1, 1, 10, 0, 0), ('group', 1, 2, 10, 0, 0), ('project', 1, 2, 10, 0, 0)`)
	execute(t, file, string(script))
	for want, place := range map[int]project.Place{
		2: {Kind: project.InGroup, ID: 1}, 1: {Kind: project.InProject, ID: 1}, 0: {Kind: project.InGroup, ID: 2},
	} {
		if got, err := s.CountMembers(t.Context(), time.Now(), place); got != want || err != nil {
			t.Errorf("CountMembers of %v = %d, %v, want %d", place, got, err, want)
		}
	}
}
