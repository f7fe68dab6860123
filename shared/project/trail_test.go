package project_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/audit"
	"gatehouse/shared/project"
)

func TestChangeEvents(t *testing.T) {
	by := audit.Actor{ID: 1, UserID: 2}
	was := project.Project{FullPath: "acme/web", Name: "Web", Visibility: project.Private}
	tests := map[string]struct {
		name       string
		visibility project.Visibility
		want       audit.Details // nil: no event
	}{
		"nothing":    {"Web", project.Private, nil},
		"a name":     {"App", project.Private, audit.Details{"in": "acme/web", "visibility": "private", "changed": "name"}},
		"visibility": {"Web", project.Public, audit.Details{"in": "acme/web", "visibility": "public", "formerly": "private", "changed": "visibility"}},
		"both":       {"App", project.Public, audit.Details{"in": "acme/web", "visibility": "public", "formerly": "private", "changed": "name, visibility"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			now := was
			now.Name, now.Visibility = test.name, test.visibility
			group, groupWas := project.Group{FullPath: now.FullPath, Name: now.Name, Visibility: now.Visibility}, project.Group{FullPath: was.FullPath, Name: was.Name, Visibility: was.Visibility}
			var ofProject, ofGroup []audit.Event
			if test.want != nil {
				ofProject = []audit.Event{by.Event(project.EventProjectChanged, test.want)}
				ofGroup = []audit.Event{by.Event(project.EventGroupChanged, test.want)}
			}
			if diff := cmp.Diff(ofProject, now.ChangeEvents(was, by)); diff != "" {
				t.Errorf("of a project (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(ofGroup, group.ChangeEvents(groupWas, by)); diff != "" {
				t.Errorf("of a group (-want +got):\n%s", diff)
			}
		})
	}
}
