package intake

import (
	"context"
	"log/slog"

	"gatehouse/shared/alert"
	"gatehouse/shared/sns"
)

// Topics confirm subscriptions of topics; sns.Rules do.
type Topics interface {
	// Confirm confirms the subscription that the question is about if it is certain that SNS
	// asks about the topic with this ARN.
	Confirm(ctx context.Context, q sns.Question, arn string) error
}

// take takes what an integration was sent: a question about the topic that somebody named,
// or a payload. Where nobody named one, the question is a payload like any other, and opens an
// alert for people to decide.
func (d *delivery) take(ctx context.Context) error {
	if d.endpoint.SNSTopic != "" {
		if q, ok := sns.Read(d.Body); ok {
			return d.confirm(ctx, q)
		}
	}
	if err := d.read(ctx); err != nil {
		return err
	}
	return d.record(ctx)
}

func (d *delivery) confirm(ctx context.Context, q sns.Question) error {
	if err := d.rules.topics.Confirm(ctx, q, d.endpoint.SNSTopic); err != nil {
		return err
	}
	slog.InfoContext(ctx, "subscription of a topic confirmed", "topic", d.endpoint.SNSTopic, "integration_id", d.endpoint.ID)
	d.confirmed, d.touched = true, []alert.Recorded{}
	return d.end(ctx, nil)
}
