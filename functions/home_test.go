package functions_test

import (
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/attention"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/user"
)

// grownHome is somebody's place to look from, and what was asked for it.
type grownHome struct {
	*apptest.App
	t *testing.T
}

// fill has the person join so many groups, the first of which gets so many projects. Every
// other project needs attention.
func (h grownHome) fill(u user.User, groups, projects int) {
	h.t.Helper()
	owner := h.User(u.Username + "-boss")
	top := h.Group(u.Username+"-0", project.Group{}, owner, project.Private)
	h.Member(top.Place(), u, project.Developer)
	var work errgroup.Group
	work.SetLimit(8)
	for n := 1; n < groups; n++ {
		work.Go(func() error {
			h.Member(h.Group(fmt.Sprintf("%s-%d", u.Username, n), project.Group{}, owner, project.Private).Place(), u, project.Developer)
			return nil
		})
	}
	for n := range projects {
		work.Go(func() error {
			p := h.Project(fmt.Sprintf("p%d", n), top, project.Private)
			if n%2 == 0 {
				return nil
			}
			open := attention.Summary{Alerts: attention.Numbers{alert.SeverityHigh: n}, CountedAt: h.Now()}
			return h.Store.SaveProjectSummary(h.t.Context(), p, attention.Summary{}, open)
		})
	}
	if err := work.Wait(); err != nil {
		h.t.Fatal(err)
	}
}

// home reads the home of the person, and checks that it shows as much as of few projects: of others
// it may show fewer, where very many need attention.
func (h grownHome) home(u user.User, projects int) {
	h.t.Helper()
	found, err := h.Attention.Home(h.t.Context(), project.Viewer{UserID: u.ID, NamespaceID: u.NamespaceID})
	if err != nil {
		h.t.Fatal(err)
	}
	needing, others := min(10, projects/2), len(found.Projects)
	if projects <= 10 && others != projects || others > 10 || len(found.Needing) != needing || found.MoreNeeding != (projects/2 > needing) {
		h.t.Errorf("of %d projects the home has %d that need attention and %d others, more: %v", projects, len(found.Needing), len(found.Projects), found.MoreNeeding)
	}
	for _, row := range found.Needing {
		if row.Alerts.Total() == 0 {
			h.t.Errorf("%s has no open alerts", row.FullPath)
		}
	}
}

// sizes of what a person may have, with the most requests of DynamoDB: two for the
// memberships, three for what is the person's own, one for each group (fifty are looked at)
// and the namespace, and one for the projects.
var homes = []struct {
	name             string
	groups, projects int
	most             int
}{
	{"ada", 1, 10, 8}, {"ben", 1, 300, 8}, {"cleo", 10, 10, 17}, {"dan", 300, 10, 56},
}

// What a home asks of DynamoDB grows with the groups that one joined, up to fifty, and not
// with what is in them; nor does what it shows.
func TestHomeGrowsWithGroupsAlone(t *testing.T) {
	unlogged(t)
	t.Run("sqlite", func(t *testing.T) {
		h := grownHome{apptest.Over(t, sqlitetest.Open(t)), t}
		for _, of := range homes {
			u := h.User(of.name)
			h.fill(u, of.groups, of.projects)
			h.home(u, of.projects)
		}
	})
	t.Run("dynamodb", func(t *testing.T) {
		needEmulator(t)
		options, counter := emulated(t), &requests{}
		options.HTTPClient = counter
		h := grownHome{apptest.Over(t, dynamodb.New(options)), t}
		for _, of := range homes {
			u := h.User(of.name)
			h.fill(u, of.groups, of.projects)
			counter.made = 0
			steps := counter.during(func() { h.home(u, of.projects) }).steps
			if counter.made > of.most || of.groups <= 16 && steps > 4 {
				t.Errorf("the home of somebody in %d groups with %d projects takes %d requests in %d steps, want at most %d in 4", of.groups, of.projects, counter.made, steps, of.most)
			}
		}
	})
}
