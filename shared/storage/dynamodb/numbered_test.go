package dynamodb_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/storage"
)

// addTokens adds so many tokens of the user.
func addTokens(ctx context.Context, s storage.Store, userID int64, n int) error {
	adding, ctx := errgroup.WithContext(ctx)
	adding.SetLimit(4)
	for range n {
		adding.Go(func() error {
			_, err := s.CreateAccessToken(ctx, newToken(userID))
			return err
		})
	}
	return adding.Wait()
}

// The total of a long list is kept. It is right before and after somebody counts
// the list for the first time, of lists from a release before too, and beside
// those who add to it.
func TestTotalsOfLongListsAreKept(t *testing.T) {
	o := options(t)
	s, db := openWith(t, o), o.Client()
	ada := addUser(t, s).ID
	ofAda := fmt.Sprintf("USER#%d", ada)
	if err := addTokens(t.Context(), s, ada, 102); err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct{ pk, sk string }{{"LIST#pats", "COUNT"}, {ofAda, "PATS"}} { // which the release before did not have
		must[*sdk.DeleteItemOutput](t)(db.DeleteItem(t.Context(), &sdk.DeleteItemInput{
			TableName: aws.String(o.Prefix + "-tokens"), Key: map[string]types.AttributeValue{
				"pk": &types.AttributeValueMemberS{Value: k.pk}, "sk": &types.AttributeValueMemberS{Value: k.sk},
			},
		}))
	}
	want := 102
	wantTotal := func() {
		t.Helper()
		for _, userID := range []int64{ada, 0, ada, 0} {
			got := must[page.Of[accesstoken.Token]](t)(s.AccessTokens(t.Context(), userID, page.First))
			if got.Total != want || len(got.Items) != 20 {
				t.Errorf("AccessTokens of user %d has %d items of %d, want 20 of %d", userID, len(got.Items), got.Total, want)
			}
		}
	}
	var both errgroup.Group
	both.Go(func() error { return addTokens(t.Context(), s, ada, 8) })
	both.Go(func() error {
		for range 8 {
			if _, err := s.AccessTokens(t.Context(), ada, page.First); err != nil {
				return err
			}
		}
		return nil
	})
	if err := both.Wait(); err != nil {
		t.Fatal(err)
	}
	want += 8
	wantTotal()
	if err := addTokens(t.Context(), s, ada, 3); err != nil {
		t.Fatal(err)
	}
	want += 3
	wantTotal()

	for _, k := range []struct{ pk, sk string }{{"LIST#pats", "COUNT"}, {ofAda, "PATS"}} { // as if others had come uncounted
		must[*sdk.UpdateItemOutput](t)(db.UpdateItem(t.Context(), &sdk.UpdateItemInput{
			TableName: aws.String(o.Prefix + "-tokens"), Key: keyOf(k.pk, k.sk), UpdateExpression: aws.String("ADD changed :n"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":n": numeral(-5)},
		}))
	}
	if err := s.ForgetCounts(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantTotal()
}

// Applications that are deleted are not counted.
func TestTotalsOfApplicationsAreKept(t *testing.T) {
	s := open(t)
	var all []oauth.Client
	for range 103 {
		all = append(all, must[oauth.Client](t)(s.CreateClient(t.Context(), newClient())))
	}
	for n, c := range all[:2] {
		for range 2 {
			got := must[page.Of[oauth.Client]](t)(s.Clients(t.Context(), page.First))
			if want := len(all) - n; got.Total != want {
				t.Errorf("Clients has the total %d, want %d", got.Total, want)
			}
		}
		if err := s.DeleteClient(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}
