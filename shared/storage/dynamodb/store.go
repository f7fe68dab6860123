package dynamodb

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"gatehouse/shared/project"
	"gatehouse/shared/storage"
)

// Options say where the tables are.
type Options struct {
	Region      string
	Endpoint    string // empty: the region's own
	Credentials aws.CredentialsProvider
	Prefix      string         // of the tables' names, followed by "-directory" and so on
	HTTPClient  sdk.HTTPClient // nil: the SDK's, with the AttemptTimeout
	// AttemptTimeout is how long a request may take until it is given up, and
	// repeated if possible; zero: five seconds. Without it, a dead connection
	// would hold a request until its function is ended.
	AttemptTimeout time.Duration
	// Patience is how long to wait for another caller to finish opening an
	// alert before finishing it ourselves; zero: two seconds.
	Patience time.Duration
	// FewMembers replaces project.FewMembers, for tests; zero: that.
	FewMembers int
	// Now tells when requests were sent, and which went unanswered; nil: time.Now.
	Now func() time.Time
}

// Store is the distributed store.
type Store struct {
	client     operations
	prefix     string
	patience   time.Duration
	fewMembers int
	now        func() time.Time
	complete   atomic.Bool // the listsMark was seen
}

var _ storage.Store = (*Store)(nil)

// Client returns a client of the DynamoDB that the options name. It reads neither
// the environment nor files, which would take milliseconds when a function starts.
func (o Options) Client() *sdk.Client {
	options := sdk.Options{
		Region: o.Region, Credentials: o.Credentials, HTTPClient: o.httpClient(), Retryer: newRetryer(),
	}
	if o.Endpoint != "" {
		options.BaseEndpoint = aws.String(o.Endpoint)
	}
	return sdk.New(options)
}

func (o Options) httpClient() sdk.HTTPClient {
	if o.HTTPClient != nil {
		return o.HTTPClient
	}
	return awshttp.NewBuildableClient().WithTimeout(cmp.Or(o.AttemptTimeout, 5*time.Second))
}

// New returns the store in the tables that the options name.
func New(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.HTTPClient = &circuit{next: o.httpClient(), now: o.Now}
	return &Store{
		client: operationsOf(o.Client()), prefix: o.Prefix,
		patience: cmp.Or(o.Patience, 2*time.Second), fewMembers: cmp.Or(o.FewMembers, project.FewMembers),
		now: o.Now,
	}
}

// Ping answers nil when the store can be read.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.readListsMark(ctx)
	return err
}

// Close does nothing: the store has no work of its own.
func (s *Store) Close() error { return nil }

func (s *Store) table(k key) *string { return aws.String(s.prefix + "-" + string(k.table)) }
