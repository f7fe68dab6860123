package sqlite

import (
	"testing"
	"time"

	"gatehouse/shared/project"
)

// A file from before members were counted has them counted by the migration.
func TestMigrationCountsMembers(t *testing.T) {
	s, err := Open(before(t, "_members.sql", "PRAGMA foreign_keys = 0",
		"INSERT INTO members VALUES ('group', 1, 1, 10, 0, 0), ('group', 1, 2, 10, 0, 0), ('project', 1, 2, 10, 0, 0)"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for want, place := range map[int]project.Place{
		2: {Kind: project.InGroup, ID: 1}, 1: {Kind: project.InProject, ID: 1}, 0: {Kind: project.InGroup, ID: 2},
	} {
		if got, err := s.CountMembers(t.Context(), time.Now(), place); got != want || err != nil {
			t.Errorf("CountMembers of %v = %d, %v, want %d", place, got, err, want)
		}
	}
}
