package dynamodb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"

	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/scope"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
)

// Grants of a release before have no summaries. They get them when their user's are
// listed for the first time.
func TestGrantsAreSummarized(t *testing.T) {
	o := options(t)
	s, db := openWith(t, o), o.Client()
	first, second, revoked := newGrant(), newGrant(), newGrant()
	second.CreatedAt, second.Scopes = now.Add(time.Hour), scope.Of("openid")
	revoked.Scopes = scope.Of("read_user")
	for _, g := range []oauth.Grant{second, first, revoked} {
		if err := s.CreateGrant(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.RevokeGrant(t.Context(), revoked.GrantID, now); err != nil {
		t.Fatal(err)
	}
	must[*sdk.DeleteItemOutput](t)(db.DeleteItem(t.Context(), &sdk.DeleteItemInput{
		TableName: aws.String(o.Prefix + "-tokens"), Key: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "USER#1"}, "sk": &types.AttributeValueMemberS{Value: "SUMMARY#0000000000000000002"},
		},
	}))
	want := []oauth.Summary{{UserID: 1, ClientID: 2, Scopes: scope.Of("api", "openid"), Since: now, Grants: 2}}
	for range 2 {
		got := must[page.Of[oauth.Summary]](t)(s.Summaries(t.Context(), 1, page.First))
		if diff := gocmp.Diff(want, got.Items); diff != "" {
			t.Errorf("Summaries differs (-want +got):\n%s", diff)
		}
	}
}

// What a function of a release before granted since the summaries were made is added
// to them with those of all users. Once more changes nothing.
func TestGrantsOfAllUsersAreSummarized(t *testing.T) {
	o := options(t)
	s, db := openWith(t, o), o.Client()
	u := addUser(t, s)
	must[page.Of[oauth.Summary]](t)(s.Summaries(t.Context(), u.ID, page.First))
	g := newGrant()
	g.UserID = u.ID
	if err := s.CreateGrant(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	must[*sdk.DeleteItemOutput](t)(db.DeleteItem(t.Context(), &sdk.DeleteItemInput{
		TableName: aws.String(o.Prefix + "-tokens"), Key: keyOf(fmt.Sprintf("USER#%d", u.ID), "SUMMARY#"+padded(g.ClientID)),
	}))
	want := []oauth.Summary{{UserID: u.ID, ClientID: g.ClientID, Scopes: g.Scopes, Since: now, Grants: 1}}
	for range 2 {
		if err := s.SummarizeAllGrants(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := must[page.Of[oauth.Summary]](t)(s.Summaries(t.Context(), u.ID, page.First))
		if diff := gocmp.Diff(want, got.Items); diff != "" {
			t.Errorf("Summaries differs (-want +got):\n%s", diff)
		}
	}
}

// Summaries are read in one step, but for the first time.
func TestSummariesTakeOneStep(t *testing.T) {
	o, counter := options(t), &dynamodbtest.Steps{}
	o.HTTPClient = counter
	s := openWith(t, o)
	g := addGrant(t, s)
	for n, want := range []int{5, 1, 1} {
		var found page.Of[oauth.Summary]
		var err error
		steps, _ := counter.During(func() { found, err = s.Summaries(t.Context(), g.UserID, page.First) })
		if err != nil || len(found.Items) != 1 || steps != want {
			t.Errorf("reading %d: %d summaries, %v, in %d steps, want 1 in %d", n, len(found.Items), err, steps, want)
		}
	}
}

// The grants of clients with few are read in one request, whatever is left of those
// without a summary in between, and those of clients with many in one each.
func TestGrantsOfEachTakeFewRequests(t *testing.T) {
	o, w := options(t), &wire{}
	s := openWith(t, o)
	o.HTTPClient = w
	measured := openWith(t, o)
	add := func(clientID int64, n int) {
		inParallel(t, n, func(int) error {
			g := newGrant()
			g.ClientID = clientID
			return s.CreateGrant(t.Context(), g)
		})
	}
	for clientID := range int64(20) {
		add(clientID+1, 2)
	}
	wantRequests := func(what string, requests int) {
		t.Helper()
		of := must[page.Of[oauth.Summary]](t)(s.Summaries(t.Context(), 1, page.First)).Items
		var found map[int64][]oauth.Grant
		made := w.during(func() { found = must[map[int64][]oauth.Grant](t)(measured.GrantsOfEach(t.Context(), of, 11)) })
		if len(made) != requests || len(found) != len(of) {
			t.Errorf("%s: grants to %d of %d clients in %d requests, want %d", what, len(found), len(of), len(made), requests)
		}
	}
	wantRequests("twenty clients with two", 1)
	add(7, 10)
	wantRequests("one of them with twelve", 3)
	add(12, 99)
	if err := s.RevokeGrants(t.Context(), 1, 12, now); err != nil {
		t.Fatal(err)
	}
	wantRequests("a hundred grants that were revoked in between", 15)
}
