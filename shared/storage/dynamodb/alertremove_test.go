package dynamodb_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"gatehouse/shared/alert"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage/dynamodb"
)

// Whatever request the deletion of a project ends at, and whatever was recorded
// for it afterwards: nothing is left once others were deleted, but the mark of
// the last one.
func TestAlertsOfDeletedProjectsAreRemoved(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := openWith(t, o)
	g := addGroup(t, s, project.Group{}, unique("group"), addUser(t, s).ID)
	add := func() project.Project { return must[project.Project](t)(s.CreateProject(t.Context(), newProject(g))) }
	finish := func() {
		t.Helper()
		for range 3 { // removes what was recorded late, and then the marks
			if err := s.DeleteProject(t.Context(), add().ID); err != nil {
				t.Fatal(err)
			}
		}
		if got := itemsIn(t, o, "alerts"); got != 1 {
			t.Errorf("%d items are left in the table of alerts, want the mark of the last project", got)
		}
	}
	large, alone := newOccurrence(), newOccurrence()
	large.Payload, alone.Ungrouped = secret.Random(400<<10), true // more than an item holds
	for at, crashed := 1, true; crashed; at++ {
		p := add()
		report(t, s, p.ID, large, alone)
		report(t, s, p.ID, recovery(alone), newOccurrence(), large)
		crashed = deleteUntil(t, o, at, p.ID)
		if _, err := s.Project(t.Context(), p.ID); err == nil { // crashed too early
			if err := s.DeleteProject(t.Context(), p.ID); err != nil {
				t.Fatal(err)
			}
		}
		if at%5 == 0 { // all of it shares a table
			finish()
		}
	}
	changed := add()
	report(t, s, changed.ID, newOccurrence())
	changeAsBefore(t, o, changed.ID, 1, alert.Ignored)
	if err := s.DeleteProject(t.Context(), changed.ID); err != nil {
		t.Fatal(err)
	}
	finish()
	late := add()
	if err := s.DeleteProject(t.Context(), late.ID); err != nil {
		t.Fatal(err)
	}
	if got := report(t, s, late.ID, newOccurrence())[0].Outcome; got != alert.Opened {
		t.Errorf("what was on its way is %s, want %s", got, alert.Opened)
	}
	finish()
}

// deleteUntil deletes a project in a process that crashes at a request, and
// reports whether it came that far.
func deleteUntil(t *testing.T, o dynamodb.Options, at int, projectID int64) bool {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := &crash{at: at, end: cancel}
	o.HTTPClient = c
	if err := dynamodb.New(o).DeleteProject(ctx, projectID); c.happened() != (err != nil) {
		t.Errorf("DeleteProject = %v, with a crash: %t", err, c.happened())
	}
	return c.happened()
}

// itemsIn counts the items of a table.
func itemsIn(t *testing.T, o dynamodb.Options, table string) int {
	t.Helper()
	out, err := o.Client().Scan(t.Context(), &sdk.ScanInput{TableName: aws.String(o.Prefix + "-" + table)})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Items)
}
