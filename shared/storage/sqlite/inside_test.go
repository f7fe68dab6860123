package sqlite

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// The migration fills the tables as the store would have filled them.
func TestMigrationFillsDirectoryLists(t *testing.T) {
	s := openInternal(t)
	fillDirectory(t, s)
	want := directoryRows(t, s)
	names, err := fs.Glob(migrations, "migrations/*_directory_lists.sql")
	if err != nil || len(names) != 1 {
		t.Fatalf("%d migrations of that name, %v", len(names), err)
	}
	script, err := migrations.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	const former = `DROP TABLE inside; DROP TABLE contents; ALTER TABLE projects DROP COLUMN search;
		DROP INDEX members_by_user; CREATE INDEX members_by_user ON members (user_id);`
	err = s.writer.do(t.Context(), func(tx *transaction) error {
		_, err := tx.conn.ExecContext(context.Background(), former)
		for _, p := range parts(string(script)) {
			if err == nil {
				_, err = tx.conn.ExecContext(context.Background(), p.statements, 0, math.MaxInt64)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, directoryRows(t, s)); diff != "" || len(want) < 20 {
		t.Errorf("of %d rows some differ after the migration (-want +got):\n%s", len(want), diff)
	}
}

// fillDirectory stores users, nested groups, and projects of every visibility.
func fillDirectory(t *testing.T, s *Store) {
	t.Helper()
	ok := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	ada, err := s.CreateUser(t.Context(), user.User{Username: "Ada", Email: "ada@example.com", State: user.Active, CreatedAt: now})
	ok(err)
	own, err := s.Group(t.Context(), ada.NamespaceID)
	ok(err)
	g := project.Group{}
	for n, v := range []project.Visibility{project.Public, project.Internal, project.Private} {
		next := project.Group{Name: "Group", Path: "Group", FullPath: "Group", Visibility: v, CreatedAt: now}
		if n > 0 {
			next.ParentID, next.Ancestors, next.FullPath = g.ID, g.Lineage(), g.FullPath+"/Group"
		}
		g, err = s.CreateGroup(t.Context(), next, ada.ID)
		ok(err)
		for _, in := range []project.Group{g, own} {
			p := project.Project{
				NamespaceID: in.ID, NamespacePath: in.FullPath, Lineage: in.Lineage(), Name: "Zoë " + string(v), Path: "P-" + string(v),
				FullPath: in.FullPath + "/P-" + string(v), Visibility: v, CreatedAt: now,
			}
			_, err = s.CreateProject(t.Context(), p)
			ok(err)
		}
	}
}

func directoryRows(t *testing.T, s *Store) []string {
	t.Helper()
	rows, err := many(t.Context(), s.readers, scalar[string], `SELECT 'in ' || concat_ws(' ', group_id, kind, visibility, id) FROM inside
		UNION ALL SELECT 'count ' || concat_ws(' ', group_id, kind, visibility, things) FROM contents
		UNION ALL SELECT id || ' ' || search FROM projects ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// A page takes no longer in a large directory: its queries search keys and indexes,
// and scan nothing but what they are given.
func TestDirectoryListsScanNoTable(t *testing.T) {
	s := openInternal(t)
	readStep := func(r row) (step string, err error) {
		err = r.Scan(new(int), new(int), new(int), &step)
		return step, err
	}
	for _, query := range []string{
		firstInside, firstJoined, matching,
		topmost, countInside, countOutside,
	} {
		given := make([]any, strings.Count(query, "?"))
		plan, err := many(t.Context(), s.readers, readStep, "EXPLAIN QUERY PLAN "+query, given...)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range plan {
			if name, scans := strings.CutPrefix(step, "SCAN "); scans && !strings.Contains(name, "VIRTUAL TABLE") && name[0] != '(' && name != "place" {
				t.Errorf("%s\nhas the step %q", query, step)
			}
		}
	}
}

// A search says how far it looked, in lists of all and of a member.
func TestSearchOfDirectorySaysHowFarItLooked(t *testing.T) {
	s := openInternal(t)
	fillDirectory(t, s)
	old := must[project.Project](t)(s.ProjectByPath(t.Context(), "group/p-public"))
	const length = 2 * directoryLook
	err := s.writer.do(t.Context(), func(tx *transaction) error {
		for n := range length {
			p := old
			p.Name, p.Path = "Other", fmt.Sprint("other-", n)
			p.FullPath, p.CreatedAt = p.NamespacePath+"/"+p.Path, old.CreatedAt.Add(time.Duration(n+1)*time.Second)
			if err := tx.addProject(&p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, selected := range []project.Selection{{All: true}, {In: old.Lineage}, {MembersOnly: true, In: old.Lineage}} {
		selected.Search = "zoë public"
		first := must[page.Of[project.Project]](t)(s.Projects(t.Context(), selected, page.First))
		if want := old.CreatedAt.Add((length - directoryLook + 1) * time.Second); !first.SearchedUntil.Equal(want) || len(first.Items) > 0 {
			t.Errorf("Projects of %+v has %d items, searched until %v, want none until %v", selected, len(first.Items), first.SearchedUntil, want)
		}
		second := must[page.Of[project.Project]](t)(s.Projects(t.Context(), selected, page.Request{Number: 2, Size: 20, After: first.Next}))
		last := must[page.Of[project.Project]](t)(s.Projects(t.Context(), selected, page.Request{Number: 3, Size: 20, After: second.Next}))
		if !slices.ContainsFunc(last.Items, func(p project.Project) bool { return p.ID == old.ID }) || last.More {
			t.Errorf("Projects of %+v ends with %+v", selected, last)
		}
	}
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
