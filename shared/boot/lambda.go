package boot

import (
	"context"
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
	"gatehouse/shared/telemetry"
	"gatehouse/shared/webhook"
	"gatehouse/shared/webhook/outgoing"
)

// warmUpLimit is the time for the read that a function makes while it starts.
const warmUpLimit = 2 * time.Second

// Start runs a Lambda function with the handler that newHandler returns.
func Start(newHandler func(*app.App) http.Handler) {
	b, err := fromEnvironment(context.Background())
	if err != nil {
		fail(err)
	}
	lambda.Start(b.measured(gateway.New(newHandler(b.App))))
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
		fail(err)
	}
	lambda.Start(b.measured(newHandler(b)))
}

// measured returns the handler, after each event of which the metrics are told.
func (b Booted) measured(next EventHandler) EventHandler {
	if b.Env.Metrics == "" {
		return next
	}
	m := telemetry.NewMetrics(os.Stdout, b.Env.Metrics, functionName())
	telemetry.Use(m)
	return telling{next, m}
}

// telling is a handler after each event of which metrics are told.
type telling struct {
	next    EventHandler
	metrics *telemetry.Metrics
}

// Invoke has the event handled.
func (t telling) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	defer func() { t.metrics.Tell(time.Now()) }()
	return t.next.Invoke(ctx, payload)
}

// fromEnvironment returns what a Lambda function is started with. Lambda gives a function a
// full processor while it starts, so the connection to DynamoDB is made here and
// not in the first request. If DynamoDB does not answer, the function starts
// nevertheless.
func fromEnvironment(ctx context.Context) (b Booted, err error) {
	b.Env, err = ReadEnv(os.Getenv)
	LogTo(os.Stdout, b.Env.LogLevel, functionName()) // also what is wrong with the environment
	if err != nil {
		return Booted{}, err
	}
	WarnOfUnknown(os.Environ())
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
	web := outgoing.New(outgoing.Options{Private: env.PrivateWebhooks})
	return app.New(store, app.Config{
		BaseURL:        env.BaseURL,
		GitURL:         env.GitURL,
		Keys:           keys,
		Passwords:      secret.DefaultPasswords,
		Attempts:       env.Attempts,
		Features:       env.Features,
		OAuth:          oauth.Settings{PasswordGrant: env.PasswordGrant, RefreshRetry: env.RefreshRetry, Sudo: env.OAuthSudo},
		Webhooks:       webhook.Delivery{Sender: web, Private: env.PrivateWebhooks},
		Web:            web,
		Mails:          env.Mail.Way,
		TopLevelGroups: env.TopLevelGroups,
		Now:            time.Now,
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
