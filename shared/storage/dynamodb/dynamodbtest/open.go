package dynamodbtest

import (
	"cmp"
	"context"
	"encoding/hex"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"gatehouse/shared/secret"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/tables"
)

// Getenv reads the environment, which only the tests themselves may do.
type Getenv func(name string) string

// Options names fresh tables in the DynamoDB, or the emulator of it, that the
// environment tells of. The test is skipped if it tells of none.
func Options(t testing.TB, env Getenv) dynamodb.Options {
	t.Helper()
	endpoint := env("AWS_ENDPOINT_URL_DYNAMODB")
	if endpoint == "" {
		t.Skip("AWS_ENDPOINT_URL_DYNAMODB is not set: there is no DynamoDB to test on (scripts/test starts an emulator)")
	}
	return dynamodb.Options{
		Region: cmp.Or(env("AWS_REGION"), "us-east-1"), Endpoint: endpoint,
		Credentials: env.Credentials(),
		Prefix:      "test-" + hex.EncodeToString(secret.Random(6)),
		// The emulator is slow while every package is tested at once, never gone.
		AttemptTimeout: time.Minute,
	}
}

// Credentials returns those of the environment; an emulator takes any.
func (env Getenv) Credentials() aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{
			AccessKeyID:     cmp.Or(env("AWS_ACCESS_KEY_ID"), "test"),
			SecretAccessKey: cmp.Or(env("AWS_SECRET_ACCESS_KEY"), "test"),
			SessionToken:    env("AWS_SESSION_TOKEN"),
		}, nil
	})
}

// Open returns an empty store in tables of its own, which the template defines.
func Open(t testing.TB, o dynamodb.Options, template string) *dynamodb.Store {
	t.Helper()
	if err := tables.Create(t.Context(), o, template); err != nil {
		t.Fatal(err)
	}
	return dynamodb.New(o)
}
