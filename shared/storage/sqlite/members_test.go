package sqlite

import (
	"testing"
	"time"

	"gatehouse/shared/project"
)

// The number of many members is kept, and changes with them.
func TestCountOfManyMembersIsKept(t *testing.T) {
	s := openInternal(t)
	group, other := project.Place{Kind: project.InGroup, ID: 1}, project.Place{Kind: project.InProject, ID: 1}
	steps := []struct {
		change string
		want   int // in the group
	}{
		{users120, 0},
		{"INSERT INTO members SELECT 'project', 1, id, 10, 0, 0 FROM users WHERE id <= 7", 0},
		{"INSERT INTO members SELECT 'group', 1, id, 10, 0, 0 FROM users WHERE id <= 100", 100},
		{"UPDATE members SET expires_at = 1 WHERE kind = 'group' AND user_id <= 10", 90},
		{"INSERT INTO members SELECT 'group', 1, id, 10, 0, 0 FROM users WHERE id > 100", 120},
		{"DELETE FROM users WHERE id > 115", 115},
		{"DELETE FROM members WHERE kind = 'group' AND user_id <= 15", 100},
		{"DELETE FROM members WHERE kind = 'group'", 0},
	}
	for _, step := range steps {
		if err := s.writer.do(t.Context(), func(tx *transaction) error { return tx.exec(step.change) }); err != nil {
			t.Fatalf("%s: %v", step.change, err)
		}
		if got, err := s.CountMembers(t.Context(), time.Now(), group); got != step.want || err != nil {
			t.Errorf("after %s, CountMembers = %d, %v, want %d", step.change, got, err, step.want)
		}
	}
	if got, err := s.CountMembers(t.Context(), time.Now(), group, other); got != 7 || err != nil {
		t.Errorf("CountMembers of both = %d, %v, want 7", got, err)
	}
}

const users120 = `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 120)
	INSERT INTO users (id, username, namespace_id, name, email, email_key, password_hash, state, admin,
		private_profile, two_factor_enabled, created_at, updated_at, sessions_since, version)
	SELECT n, n, n, n, n, n, '', 'active', 0, 0, 0, 0, 0, 0, 1 FROM number`
