// Package ses sends mails through Amazon's Simple Email Service. Only what sends mails
// imports it: it makes a function larger.
package ses

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/smithy-go"

	"gatehouse/shared/mail"
)

// Options of a Client.
type Options struct {
	Region      string
	Endpoint    string // empty: the region's
	Credentials aws.CredentialsProvider
	Limit       time.Duration // for one attempt; zero: 5 seconds
}

// Client is a mail.Sender.
type Client struct{ api *sesv2.Client }

// New returns a Client.
func New(o Options) *Client {
	options := sesv2.Options{
		Region: o.Region, Credentials: o.Credentials, RetryMaxAttempts: 2,
		HTTPClient: awshttp.NewBuildableClient().WithTimeout(cmp.Or(o.Limit, 5*time.Second)),
	}
	if o.Endpoint != "" {
		options.BaseEndpoint = &o.Endpoint
	}
	return &Client{sesv2.New(options)}
}

// Send sends the mail. The service gives it another Message-ID, but leaves the thread.
func (c *Client) Send(ctx context.Context, m mail.Message) error {
	encoded, err := m.Encode()
	if err != nil {
		return err
	}
	from := m.From.String()
	_, err = c.api.SendEmail(ctx, &sesv2.SendEmailInput{
		FromEmailAddress: &from,
		Destination:      &types.Destination{ToAddresses: []string{m.To.Email}},
		Content:          &types.EmailContent{Raw: &types.RawMessage{Data: encoded}},
	})
	return failure(err)
}

// permanent are the codes of errors that are about the mail itself.
var permanent = []string{"MessageRejected", "BadRequestException"}

func failure(err error) error {
	var answer smithy.APIError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &answer):
		return &mail.Failure{
			Reason:    fmt.Sprintf("SES refuses the mail: %s: %.200s", answer.ErrorCode(), answer.ErrorMessage()),
			Permanent: slices.Contains(permanent, answer.ErrorCode()),
		}
	}
	return &mail.Failure{Reason: "SES cannot be reached: " + err.Error()}
}
