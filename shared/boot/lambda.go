package boot

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"gatehouse/shared/app"
	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
)

// warmUpLimit bounds the read that a function makes while it starts.
const warmUpLimit = 2 * time.Second

// App starts Gatehouse inside a Lambda function. While it starts, Lambda gives
// it a full processor, so the connection to DynamoDB is made here and not in
// the first request; that it could not be made is no reason to fail.
func App(ctx context.Context) (*app.App, error) {
	env, err := ReadEnv(os.Getenv)
	if err != nil {
		return nil, err
	}
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{Level: env.LogLevel})))
	store := dynamodb.New(DynamoDB(env))
	warm := make(chan struct{})
	go func() {
		defer close(warm)
		ctx, cancel := context.WithTimeout(ctx, warmUpLimit)
		defer cancel()
		if err := store.Ping(ctx); err != nil {
			slog.WarnContext(ctx, "warm-up read not answered", "error", err)
		}
	}()
	keys, err := SecretKeys(ctx, env)
	if err != nil {
		return nil, err
	}
	<-warm
	return New(env, store, keys), nil
}

// New returns the App that the environment describes, over a store.
func New(env Env, store storage.Store, keys secret.Keys) *app.App {
	return app.New(store, app.Config{
		BaseURL:   env.BaseURL,
		Keys:      keys,
		Passwords: secret.DefaultPasswords,
		Attempts:  env.Attempts,
		Features:  env.Features, OAuth: oauth.Settings{PasswordGrant: env.PasswordGrant, RefreshRetry: env.RefreshRetry},
		Now: time.Now,
	})
}

// DynamoDB says where the distributed store is.
func DynamoDB(env Env) dynamodb.Options {
	return dynamodb.Options{
		Region: env.Region, Endpoint: env.DynamoDBEndpoint, Credentials: env.provider(), Prefix: env.TablePrefix,
	}
}

func (env Env) provider() aws.CredentialsProvider {
	c := env.Credentials
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{
			AccessKeyID: c.AccessKeyID, SecretAccessKey: c.SecretKey.Reveal(), SessionToken: c.SessionToken.Reveal(),
			Source: "environment",
		}, nil
	})
}
