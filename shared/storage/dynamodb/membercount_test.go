package dynamodb_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/dynamodb"
)

// crowd is a store on which three members are many, with a group of ten.
type crowd struct {
	*dynamodb.Store
	options dynamodb.Options
	wire    *wire
	t       *testing.T
	group   project.Group
	members []project.Member // besides the owner
}

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	o, w := options(t), &wire{}
	o.HTTPClient, o.FewMembers = w, 2
	s := openWith(t, o)
	c := &crowd{Store: s, options: o, wire: w, t: t, group: addGroup(t, s, project.Group{}, unique("group"), addUser(t, s).ID)}
	for range 9 {
		c.add()
	}
	return c
}

func (c *crowd) add() {
	c.t.Helper()
	m := project.Member{Place: c.group.Place(), UserID: addUser(c.t, c.Store).ID, Role: project.Guest, CreatedAt: now}
	if err := c.AddMember(c.t.Context(), m); err != nil {
		c.t.Fatal(err)
	}
	c.members = append(c.members, m)
}

func (c *crowd) wantCount(want int, operations ...string) {
	c.t.Helper()
	got := c.wire.during(func() {
		if n, err := c.CountMembers(c.t.Context(), now, c.group.Place()); n != want || err != nil {
			c.t.Errorf("CountMembers = %d, %v, want %d", n, err, want)
		}
	})
	if diff := gocmp.Diff(operations, got); diff != "" {
		c.t.Errorf("CountMembers takes other requests (-want +got):\n%s", diff)
	}
}

// The members of a place are counted once, if they are many. From then on the
// count changes with them.
func TestCountOfManyMembersIsKept(t *testing.T) {
	c := newCrowd(t)
	c.wantCount(10, "BatchGetItem", "Query", "Query", "UpdateItem")
	c.wantCount(10, "BatchGetItem")
	c.add()
	c.wantCount(11, "BatchGetItem")

	ended := c.members[0]
	ended.ExpiresAt = now.AddDate(0, 0, -1)
	for _, err := range []error{
		c.UpdateMember(t.Context(), c.members[0], ended),
		c.RemoveMember(t.Context(), c.members[1]),
		c.RemoveMember(t.Context(), c.members[2]),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	c.wantCount(9, "BatchGetItem")
	if err := c.AddMember(t.Context(), c.members[3]); err == nil {
		t.Error("a member was added twice")
	}
	if err := c.RemoveMember(t.Context(), c.members[1]); err == nil {
		t.Error("a member was removed twice")
	}
	c.wantCount(9, "BatchGetItem")

	if err := c.DeleteUser(t.Context(), c.members[4].UserID, 0, now); err != nil {
		t.Fatal(err)
	}
	c.wantCount(8, "BatchGetItem", "Query", "Query", "UpdateItem")
	c.wantCount(8, "BatchGetItem")

	// When few are left, they are read again.
	for _, m := range c.members[5:] {
		if err := c.RemoveMember(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.RemoveMember(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	c.wantCount(2, "BatchGetItem", "Query")
}

// A count during which members come or go is not kept, whether or not the item
// with the count was there.
func TestCountIsKeptOnlyIfNothingChangedMeanwhile(t *testing.T) {
	c := newCrowd(t)
	c.forget()
	for range 2 {
		added := false
		c.wire.answer = func(operation string, theirs *http.Response) *http.Response {
			if operation == "UpdateItem" && theirs == nil && !added {
				added = true
				c.add()
			}
			return nil
		}
		if _, err := c.CountMembers(t.Context(), now, c.group.Place()); err != nil || !added {
			t.Fatalf("CountMembers = %v, with a member added: %t", err, added)
		}
		c.wire.answer = nil
	}
	c.wantCount(12, "BatchGetItem", "Query", "Query", "UpdateItem")
	c.wantCount(12, "BatchGetItem")
	c.add()
	c.wantCount(13, "BatchGetItem")
}

// forget removes the item with the count, as if the group were from a time before
// members were counted.
func (c *crowd) forget() {
	c.t.Helper()
	_, err := c.options.Client().DeleteItem(c.t.Context(), &sdk.DeleteItemInput{
		TableName: aws.String(c.options.Prefix + "-directory"),
		Key: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: fmt.Sprintf("GROUP#%d", c.group.ID)},
			"sk": &types.AttributeValueMemberS{Value: "MEMBERS"},
		},
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

// Members of several places are each counted once, except in a place with many.
func TestCountOfManyAndFewMembers(t *testing.T) {
	c := newCrowd(t)
	p := must[project.Project](t)(c.CreateProject(t.Context(), newProject(c.group)))
	m := project.Member{Place: p.Place(), UserID: addUser(t, c.Store).ID, Role: project.Guest, CreatedAt: now}
	if err := c.AddMember(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		places []project.Place
		want   int
	}{
		{[]project.Place{p.Place()}, 1},
		{p.Places(), 11},
	}
	for _, test := range tests {
		if n, err := c.CountMembers(t.Context(), now, test.places...); n != test.want || err != nil {
			t.Errorf("CountMembers of %v = %d, %v, want %d", test.places, n, err, test.want)
		}
	}
}

// A function of the release before changes members and no count. ForgetCounts has
// them counted anew, and creates no count.
func TestForgottenCountIsCountedAnew(t *testing.T) {
	c := newCrowd(t)
	other := addGroup(t, c.Store, project.Group{}, unique("group"), c.members[0].UserID)
	c.wantCount(10, "BatchGetItem", "Query", "Query", "UpdateItem")
	formerStore{t, c.options}.removeMember(c.members[0])
	c.wantCount(10, "BatchGetItem")
	if err := c.ForgetCounts(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.wantCount(9, "BatchGetItem", "Query", "Query", "UpdateItem")
	c.add()
	c.wantCount(10, "BatchGetItem")
	c.wantNoCount(other)
}

// The deletion of a group leaves no count, though a member leaves meanwhile.
func TestMemberOfADeletedGroupIsNotCounted(t *testing.T) {
	c := newCrowd(t)
	c.forget()
	formerStore{t, c.options}.deleteGroup(c.group)
	if err := c.RemoveMember(t.Context(), c.members[0]); !errors.Is(err, project.ErrGroupNotFound) {
		t.Errorf("RemoveMember = %v, want %v", err, project.ErrGroupNotFound)
	}
	c.wantNoCount(c.group)
}

// wantNoCount checks that there is no item that counts the members of the group.
func (c *crowd) wantNoCount(g project.Group) {
	c.t.Helper()
	eachItem(c.t, c.options, func(_ *sdk.Client, _ *string, pk string, it map[string]types.AttributeValue) error {
		if pk == fmt.Sprintf("GROUP#%d", g.ID) && it["sk"].(*types.AttributeValueMemberS).Value == "MEMBERS" {
			c.t.Errorf("there is a count of the members of group %d", g.ID)
		}
		return nil
	})
}

// A page looks at so many members and no more, where their roles ended. The next one
// goes on from there.
func TestPageOfMembersEndsAmongEndedRoles(t *testing.T) {
	o := options(t)
	s := openWith(t, o)
	group := project.Place{Kind: project.InGroup, ID: 7}
	var requests []types.WriteRequest
	for id := range int64(1005) {
		it := keyOf("GROUP#7", "MEMBER#"+padded(id+1))
		it["kind"], it["place_id"], it["user_id"], it["created_at"] = word("group"), numeral(7), numeral(id+1), numeral(9)
		if it["role"] = numeral(10); id < 1000 {
			it["expires_at"] = numeral(1)
		}
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: it}})
	}
	for some := range slices.Chunk(requests, 25) {
		must[*sdk.BatchWriteItemOutput](t)(o.Client().BatchWriteItem(t.Context(), &sdk.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{o.Prefix + "-directory": some},
		}))
	}
	first := must[page.Of[project.Member]](t)(s.Members(t.Context(), now, page.First, group))
	if len(first.Items) != 0 || !first.More || first.SearchedUntil.UnixMicro() != 9 {
		t.Fatalf("the first page is %+v, want it to end among ended roles", first)
	}
	last := must[page.Of[project.Member]](t)(s.Members(t.Context(), now, page.Request{Number: 2, Size: 20, After: first.Next}, group))
	if len(last.Items) != 5 || last.More {
		t.Errorf("the next page is %+v, want the other five", last)
	}
}
