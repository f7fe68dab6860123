package boot

import (
	"context"
	"log"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"

	"gatehouse/shared/app"
	"gatehouse/shared/gateway"
	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/webhook"
	"gatehouse/shared/webhook/outgoing"
)

// warmUpLimit is the time for the read that a function makes while it starts.
const warmUpLimit = 2 * time.Second

// Start runs a Lambda function with the handler that newHandler returns.
func Start(newHandler func(*app.App) http.Handler) {
	b, err := fromEnvironment(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	gateway.Start(newHandler(b.App))
}

// Booted is what a Lambda function is started with.
type Booted struct {
	Env   Env
	App   *app.App
	Store storage.Store
	Keys  secret.Keys
}

// EventHandler handles events that are no requests.
type EventHandler interface {
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// StartEvents runs a Lambda function with the handler that newHandler returns.
func StartEvents(newHandler func(Booted) EventHandler) {
	b, err := fromEnvironment(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(newHandler(b))
}

// fromEnvironment returns what a Lambda function is started with. Lambda gives a function a
// full processor while it starts, so the connection to DynamoDB is made here and
// not in the first request. If DynamoDB does not answer, the function starts
// nevertheless.
func fromEnvironment(ctx context.Context) (b Booted, err error) {
	if b.Env, err = ReadEnv(os.Getenv); err != nil {
		return Booted{}, err
	}
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{Level: b.Env.LogLevel})))
	b.Store = dynamodb.New(DynamoDB(b.Env))
	var warm sync.WaitGroup
	warm.Go(func() { warmUp(ctx, b.Store) })
	b.Keys, err = SecretKeys(ctx, b.Env)
	warm.Wait()
	if err != nil {
		return Booted{}, err
	}
	b.App = New(b.Env, b.Store, b.Keys)
	return b, nil
}

func warmUp(ctx context.Context, store storage.Store) {
	ctx, cancel := context.WithTimeout(ctx, warmUpLimit)
	defer cancel()
	if err := store.Ping(ctx); err != nil {
		slog.WarnContext(ctx, "warm-up read not answered", "error", err)
	}
}

// New returns the App that the environment configures, over a store.
func New(env Env, store storage.Store, keys secret.Keys) *app.App {
	return app.New(store, app.Config{
		BaseURL:   env.BaseURL,
		Keys:      keys,
		Passwords: secret.DefaultPasswords,
		Attempts:  env.Attempts,
		Features:  env.Features, OAuth: oauth.Settings{PasswordGrant: env.PasswordGrant, RefreshRetry: env.RefreshRetry},
		Webhooks: webhook.Delivery{
			Sender: outgoing.New(outgoing.Options{Private: env.PrivateWebhooks}), Private: env.PrivateWebhooks,
		},
		Mails: env.Mail.Way,
		Now:   time.Now,
	})
}

// DynamoDB returns the options of the DynamoDB store.
func DynamoDB(env Env) dynamodb.Options {
	return dynamodb.Options{
		Region: env.Region, Endpoint: env.DynamoDBEndpoint, Credentials: env.Provider(), Prefix: env.TablePrefix,
	}
}

// Provider returns the credentials that sign requests to AWS.
func (env Env) Provider() aws.CredentialsProvider {
	c := env.Credentials
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{
			AccessKeyID: c.AccessKeyID, SecretAccessKey: c.SecretKey.Reveal(), SessionToken: c.SessionToken.Reveal(),
			Source: "environment",
		}, nil
	})
}
