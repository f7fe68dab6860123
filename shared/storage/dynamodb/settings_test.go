package dynamodb_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/project"
)

// attribute returns an attribute of an item of the directory.
func attribute(t *testing.T, f formerStore, pk, sk, name string) string {
	t.Helper()
	out, err := f.options.Client().GetItem(t.Context(), &sdk.GetItemInput{
		TableName: aws.String(f.options.Prefix + "-directory"), Key: keyOf(pk, sk), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	value, _ := out.Item[name].(*types.AttributeValueMemberS)
	if value == nil {
		return ""
	}
	return value.Value
}

// A change of something else leaves the settings of a later release where they are, and
// a function of an earlier release leaves all settings there.
func TestSettingsOfOtherReleasesStay(t *testing.T) {
	o := options(t)
	s := openWith(t, o)
	f := formerStore{t, o}
	g := addGroup(t, s, project.Group{}, unique("acme"), addUser(t, s).ID)
	p := must[project.Project](t)(s.CreateProject(t.Context(), newProject(g)))
	const later = `{"ci_pipeline_variables_minimum_override_role":"owner","later":[1]}`
	group, one := fmt.Sprintf("GROUP#%d", g.ID), fmt.Sprintf("PROJECT#%d", p.ID)
	f.update(group, "GROUP", "SET #settings = :s", map[string]types.AttributeValue{":s": word(later)})
	f.update(one, "PROJECT", "SET #settings = :s", map[string]types.AttributeValue{":s": word(later)})

	f.changeGroup(g, project.Public)
	f.changeProject(p, "Renamed", project.Public)
	g, p = must[project.Group](t)(s.Group(t.Context(), g.ID)), must[project.Project](t)(s.Project(t.Context(), p.ID))
	if p.Settings.VariablesRole != project.VariablesByOwners {
		t.Errorf("Project = %+v, want the setting that is known", p)
	}
	g.Name, p.Name = "New", "New"
	if err := s.UpdateGroup(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	if err := s.UpdateProject(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{attribute(t, f, group, "GROUP", "settings"), attribute(t, f, one, "PROJECT", "settings")} {
		if got != later {
			t.Errorf("the settings are %s, want %s", got, later)
		}
	}
}

// Items of groups and projects without settings are as small as they were, and so are
// those in lists.
func TestDefaultSettingsTakeNoRoom(t *testing.T) {
	o := options(t)
	s := openWith(t, o)
	f := formerStore{t, o}
	g := addGroup(t, s, project.Group{}, unique("acme"), addUser(t, s).ID)
	p := newProject(g)
	p.Settings.VariablesRole = project.VariablesByOwners
	p = must[project.Project](t)(s.CreateProject(t.Context(), p))
	item := fmt.Sprintf("PROJECT#%d", p.ID)
	if attribute(t, f, item, "PROJECT", "settings") == "" || attribute(t, f, "LIST#projects", padded(p.ID), "settings") != "" {
		t.Error("the settings are not stored with the project alone")
	}
	p.Settings = project.ProjectSettings{}
	if err := s.UpdateProject(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if got := attribute(t, f, item, "PROJECT", "settings"); got != "" {
		t.Errorf("default settings are stored as %s", got)
	}
	if got := attribute(t, f, fmt.Sprintf("GROUP#%d", g.ID), "GROUP", "settings"); got != "" {
		t.Errorf("settings that nobody set are stored as %s", got)
	}
}
