package dynamodb_test

import (
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
		if err := s.SummarizeGrants(t.Context(), 1); err != nil { // once more changes nothing
			t.Fatal(err)
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
