package dynamodb_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
)

// searchLimit is how many groups or projects a page of a search looks at.
const searchLimit = 700

// A search says how far it looked, in the list of everything and in those of what
// everyone sees and of what is in a group.
func TestSearchOfProjectsSaysHowFarItLooked(t *testing.T) {
	o := options(t)
	s := openWith(t, o)
	g := addGroup(t, s, project.Group{}, unique("group"), addUser(t, s).ID)
	private, internal := newProject(g), newProject(g)
	internal.Visibility = project.Internal
	private.CreatedAt, internal.CreatedAt = now.Add(-time.Hour), now.Add(-time.Hour)
	private = must[project.Project](t)(s.CreateProject(t.Context(), private))
	internal = must[project.Project](t)(s.CreateProject(t.Context(), internal))
	const length = searchLimit + 100
	multiply(t, o, internal.ID, length)

	tests := map[string]struct {
		selected project.Selection
		want     int64
	}{
		"everything":         {project.Selection{All: true}, private.ID},
		"what everyone sees": {project.Selection{}, internal.ID},
		"a group":            {project.Selection{MembersOnly: true, In: []int64{g.ID}}, private.ID},
	}
	for name, test := range tests {
		test.selected.Search = "project"
		first := must[page.Of[project.Project]](t)(s.Projects(t.Context(), test.selected, page.First))
		oldest := now.Add((length - searchLimit + 1) * time.Second)
		if len(first.Items) > 0 || !first.SearchedUntil.Equal(oldest) {
			t.Errorf("%s: %d items, searched until %v, want none until %v", name, len(first.Items), first.SearchedUntil, oldest)
		}
		second := must[page.Of[project.Project]](t)(s.Projects(t.Context(), test.selected, page.Request{Number: 2, Size: 20, After: first.Next}))
		found := slices.ContainsFunc(second.Items, func(p project.Project) bool { return p.ID == test.want })
		if !found || second.More || !second.SearchedUntil.IsZero() {
			t.Errorf("%s: the next page is %+v, want the last one, with project %d", name, second, test.want)
		}
	}
}

// A search without a hit costs two steps and at most sixty read units, whatever
// there is that everyone sees.
func TestBudgetOfSearchWithoutAHit(t *testing.T) {
	o, steps, units := options(t), &dynamodbtest.Steps{}, &readUnits{}
	s := openWith(t, o)
	u := addUser(t, s)
	addGroup(t, s, project.Group{}, unique("group"), u.ID)
	visible := addVisible(t, s, addGroup(t, s, project.Group{}, unique("group"), u.ID), 10)
	multiply(t, o, visible[9].ID, 2*searchLimit) // no group has this number
	search := func(client dynamodb.Options) {
		rules := project.NewRules(openWith(t, client), nil, nil, nil, time.Now)
		call := func() {
			viewer := project.Viewer{UserID: u.ID, NamespaceID: u.NamespaceID}
			found := must[page.Of[project.Project]](t)(rules.Sight(viewer, project.Narrowing{Search: "unheard"}).Projects(t.Context(), page.First))
			if len(found.Items) > 0 || !found.More {
				t.Errorf("found %+v, want nothing and more to look at", found)
			}
		}
		call() // finds the mark that lists are complete
		units.units = 0
		if taken, _ := steps.During(call); client.HTTPClient == steps && taken != 2 {
			t.Errorf("the search takes %d steps, want 2", taken)
		}
		if client.HTTPClient == units && (units.units == 0 || units.units > 60) {
			t.Errorf("the search takes %.1f read units, want at most 60", units.units)
		}
	}
	o.HTTPClient = steps
	search(o)
	o.HTTPClient = units
	search(o)
}

// multiply adds so many entries beside each of those of the project, which are a
// second newer each and have another name.
func multiply(t *testing.T, o dynamodb.Options, id int64, n int) {
	t.Helper()
	eachItem(t, o, func(client *sdk.Client, table *string, pk string, it map[string]types.AttributeValue) error {
		sk := it["sk"].(*types.AttributeValueMemberS).Value
		number := fmt.Sprintf("%019d", id)
		if len(sk) < len(number) || sk[len(sk)-len(number):] != number || pk == "LIST#users" || pk == "LIST#groups" {
			return nil
		}
		var requests []types.WriteRequest
		for i := range n {
			requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: map[string]types.AttributeValue{
				"pk": it["pk"], "sk": &types.AttributeValueMemberS{Value: sk[:len(sk)-len(number)] + fmt.Sprintf("%019d", id+1+int64(i))},
				"id":         &types.AttributeValueMemberN{Value: fmt.Sprint(id + 1 + int64(i))},
				"search":     &types.AttributeValueMemberS{Value: "another thing\nan-organisation/a-department/a-team/another-thing"},
				"name":       &types.AttributeValueMemberS{Value: "other"},
				"created_at": &types.AttributeValueMemberN{Value: fmt.Sprint(now.Add(time.Duration(i+1) * time.Second).UnixMicro())},
			}}})
		}
		for some := range slices.Chunk(requests, 25) {
			_, err := client.BatchWriteItem(t.Context(), &sdk.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*table: some}})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
