package sqlite

import (
	"strings"
	"testing"
	"time"

	"gatehouse/shared/project"
)

// A change of something else leaves the settings of a later release where they are.
func TestSettingsOfALaterReleaseStay(t *testing.T) {
	s := openInternal(t)
	const later = `{"ci_pipeline_variables_minimum_override_role":"owner","later":[1]}`
	err := s.writer.do(t.Context(), func(tx *transaction) error {
		if err := tx.exec("INSERT INTO namespaces VALUES (7, NULL, NULL, 'null', 'Acme', 'acme', 'acme', 'private', 1, 1, ?)", later); err != nil {
			return err
		}
		return tx.exec("INSERT INTO projects (id, namespace_id, name, path, visibility, created_at, version, settings) VALUES (3, 7, 'Web', 'web', 'private', 1, 1, ?)", later)
	})
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.Group(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Project(t.Context(), 3)
	if err != nil || p.Settings.VariablesRole != project.VariablesByOwners {
		t.Fatalf("Project = %+v, %v, want the setting that is known", p, err)
	}
	g.Name, p.Name = "New", "New"
	if err := s.UpdateGroup(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	if err := s.UpdateProject(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"namespaces", "projects"} {
		got, err := one(t.Context(), s.readers, scalar[string], "SELECT settings FROM "+table+" WHERE name = 'New'")
		if err != nil || got != later {
			t.Errorf("%s has the settings %s, %v, want %s", table, got, err, later)
		}
	}
}

// What is in a file has the default settings after the migration.
func TestOldFilesGetSettings(t *testing.T) {
	path := before(t, "_settings.sql",
		"INSERT INTO namespaces VALUES (7, NULL, NULL, 'null', 'Acme', 'acme', 'acme', 'private', 1, 1)",
		"INSERT INTO projects (id, namespace_id, name, path, visibility, created_at, version) VALUES (3, 7, 'Web', 'web', 'private', 1, 1)")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	g, err := s.Group(t.Context(), 7)
	if err != nil || g.Settings != (project.GroupSettings{}) || !g.CreatedAt.Equal(time.UnixMicro(1)) {
		t.Errorf("Group = %+v, %v, want the defaults", g, err)
	}
	p, err := s.Project(t.Context(), 3)
	if err != nil || p.Settings != (project.ProjectSettings{}) {
		t.Errorf("Project = %+v, %v, want the defaults", p, err)
	}
}

// What intake reads of an integration is one query, which reads each table by a key.
func TestEndpointIsReadByKeys(t *testing.T) {
	s := openInternal(t)
	steps, err := many(t.Context(), s.readers, scanStep, "EXPLAIN QUERY PLAN "+endpoints.selected+byPath, "acme/web", "x")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		if strings.HasPrefix(step, "SCAN ") && step != "SCAN (subquery-1)" { // the names of environments, in their order
			t.Errorf("the plan has the step %s", step)
		}
	}
}
