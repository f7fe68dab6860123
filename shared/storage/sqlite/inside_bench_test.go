package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/walk"
	"gatehouse/shared/user"
)

// BenchmarkSearchOfProjects searches among projects, of which everyone sees
// some, for a person in few places and one in many.
func BenchmarkSearchOfProjects(b *testing.B) {
	s, err := Open(filepath.Join(b.TempDir(), "gatehouse.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	groups := fillProjects(b, s)
	for name, selected := range map[string]project.Selection{
		"few":  {In: groups[:3], MemberID: 1, Now: time.Now()},
		"many": {In: groups, MemberID: 2, Now: time.Now()},
	} {
		for _, search := range []string{"web", "unheard"} {
			selected.Search = search
			b.Run(name+" "+search, func(b *testing.B) {
				for b.Loop() {
					if _, err := s.Projects(b.Context(), selected, page.First); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// fillProjects stores projects in groups, which it returns. User 1 joined two
// projects one by one, and user 2 every fourth one.
func fillProjects(b *testing.B, s *Store) (ids []int64) {
	b.Helper()
	for n := range 2 {
		name := fmt.Sprint("user", n)
		if _, err := s.CreateUser(b.Context(), user.User{Username: name, Email: name + "@example.com", State: user.Active}); err != nil {
			b.Fatal(err)
		}
	}
	const number, inGroup = 8 * walk.SearchLimit, 8
	err := s.writer.do(context.Background(), func(tx *transaction) error {
		var g project.Group
		for n := range number {
			if n%inGroup == 0 {
				path, v := fmt.Sprint("group", n), project.Private
				if n%(5*inGroup) == 0 {
					v = project.Internal
				}
				g = project.Group{Name: path, Path: path, FullPath: path, Visibility: v}
				if err := tx.addNamespace(&g); err != nil {
					return err
				}
				ids = append(ids, g.ID)
			}
			path := fmt.Sprint([]string{"web", "api", "app", "job"}[n%4], n)
			p := project.Project{
				NamespaceID: g.ID, NamespacePath: g.FullPath, Lineage: g.Lineage(), Name: "Project " + path, Path: path,
				FullPath: g.FullPath + "/" + path, Visibility: g.Visibility, CreatedAt: time.Unix(int64(n), 0),
			}
			if err := tx.addProject(&p); err != nil {
				return err
			}
			for userID, every := range []int{0, number / 2, 4} {
				if every > 0 && n%every == 1 {
					if err := tx.addMember(project.Member{Place: p.Place(), UserID: int64(userID), Role: project.Guest}); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return ids
}
