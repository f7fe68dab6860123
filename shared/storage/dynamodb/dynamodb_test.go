package dynamodb_test

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
	"gatehouse/shared/storage/dynamodb/tables"
	"gatehouse/shared/storage/storagetest"
)

// template defines the tables that a deployment has.
const template = "../../../template.yaml"

func options(t testing.TB) dynamodb.Options {
	t.Helper()
	return dynamodbtest.Options(t, os.Getenv)
}

func open(t *testing.T) storage.Store {
	o := options(t)
	return expiring{openWith(t, o), o}
}

// expiring is a store of alerts that a test lets expire.
type expiring struct {
	*dynamodb.Store
	o dynamodb.Options
}

// Sweep removes what DynamoDB would remove, by and by, after a time.
func (e expiring) Sweep(ctx context.Context, then time.Time) error {
	c, table := e.o.Client(), aws.String(e.o.Prefix+"-alerts")
	return eachAlertItem(ctx, e.o, func(it map[string]types.AttributeValue) error {
		ttl, expires := it["ttl"].(*types.AttributeValueMemberN)
		if !expires {
			return nil
		}
		if end, err := strconv.ParseInt(ttl.Value, 10, 64); err != nil || end > then.Unix() {
			return err
		}
		key := map[string]types.AttributeValue{"pk": it["pk"], "sk": it["sk"]}
		_, err := c.DeleteItem(ctx, &sdk.DeleteItemInput{TableName: table, Key: key})
		return err
	})
}

// eachAlertItem calls do with all items of the table of alerts.
func eachAlertItem(ctx context.Context, o dynamodb.Options, do func(map[string]types.AttributeValue) error) error {
	input := &sdk.ScanInput{TableName: aws.String(o.Prefix + "-alerts")}
	for {
		out, err := o.Client().Scan(ctx, input)
		if err != nil {
			return err
		}
		for _, it := range out.Items {
			if err := do(it); err != nil {
				return err
			}
		}
		if input.ExclusiveStartKey = out.LastEvaluatedKey; len(input.ExclusiveStartKey) == 0 {
			return nil
		}
	}
}

func openWith(t testing.TB, o dynamodb.Options) *dynamodb.Store {
	t.Helper()
	return dynamodbtest.Open(t, o, template)
}

func TestStore(t *testing.T) { storagetest.Run(t, open) }

// A second start finds the tables there, with expiry turned on.
func TestTablesAreCreatedOnce(t *testing.T) {
	o := options(t)
	openWith(t, o)
	if err := tables.Create(t.Context(), o, template); err != nil {
		t.Fatalf("Create again = %v, want no error", err)
	}
	name := o.Prefix + "-tokens"
	got, err := o.Client().DescribeTimeToLive(t.Context(), &sdk.DescribeTimeToLiveInput{TableName: &name})
	if err != nil || aws.ToString(got.TimeToLiveDescription.AttributeName) != "ttl" {
		t.Errorf("DescribeTimeToLive = %+v, %v, want the attribute ttl", got, err)
	}
}
