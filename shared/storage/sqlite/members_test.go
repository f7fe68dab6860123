package sqlite

import (
	"strings"
	"testing"
	"time"

	"gatehouse/shared/page"
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

// A page looks at so many members and no more, where their roles ended. The next one
// goes on from there.
func TestPageOfMembersEndsAmongEndedRoles(t *testing.T) {
	s := openInternal(t)
	group := project.Place{Kind: project.InGroup, ID: 1}
	for _, change := range []string{
		strings.Replace(users120, "n < 120", "n < 1005", 1),
		"INSERT INTO members SELECT 'group', 1, id, 10, iif(id <= 1000, 1, 0), 7 FROM users",
	} {
		if err := s.writer.do(t.Context(), func(tx *transaction) error { return tx.exec(change) }); err != nil {
			t.Fatal(err)
		}
	}
	first, err := s.Members(t.Context(), time.Now(), page.First, group)
	if err != nil || len(first.Items) != 0 || !first.More || first.SearchedUntil.UnixMicro() != 7 {
		t.Fatalf("the first page is %+v, %v, want it to end among ended roles", first, err)
	}
	last, err := s.Members(t.Context(), time.Now(), page.Request{Number: 2, Size: 20, After: first.Next}, group)
	if err != nil || len(last.Items) != 5 || last.More {
		t.Errorf("the next page is %+v, %v, want the other five", last, err)
	}
}

const users120 = `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 120)
	INSERT INTO users (id, username, namespace_id, name, email, email_key, password_hash, state, admin,
		private_profile, two_factor_enabled, created_at, updated_at, sessions_since, version)
	SELECT n, n, n, n, n, n, '', 'active', 0, 0, 0, 0, 0, 0, 1 FROM number`
