package intake_test

import (
	"context"
	"testing"

	"gatehouse/shared/fault"
	"gatehouse/shared/intake"
	"gatehouse/shared/integration"
	"gatehouse/shared/secret"
	"gatehouse/shared/sns"
)

const topic = "arn:aws:sns:eu-central-1:111122223333:alarms"

// topics confirms what is about the topic unless it fails.
type topics struct{ fails error }

func (t topics) Confirm(_ context.Context, q sns.Question, arn string) error {
	if q.TopicARN != arn {
		return errDisk
	}
	return t.fails
}

// A question of SNS opens an alert only where nobody named a topic. Other messages of SNS
// are payloads.
func TestQuestionsOfSNS(t *testing.T) {
	const question = `{"Type":"SubscriptionConfirmation","TopicArn":"` + topic + `"}`
	const forged, away = "The subscription is not confirmed: its signature is wrong.", "The subscription is not confirmed: SNS failed."
	named := func(s *store, _ *intake.Delivery) { s.endpoint.SNSTopic = topic }
	failing := func(kind fault.Kind, why string) func(s *store, d *intake.Delivery) {
		return func(s *store, d *intake.Delivery) {
			named(s, d)
			s.topics.fails = fault.New(kind, why)
		}
	}
	tests := map[string]struct {
		arrange func(*store, *intake.Delivery)
		body    string
		want    ending
	}{
		"about the named topic":    {named, question, ending{health: accepted, writes: "health key", logs: "topic=" + topic}},
		"about no named topic":     {func(*store, *intake.Delivery) {}, question, ending{touched: 1, health: accepted, writes: "alerts health key"}},
		"forged":                   {failing(fault.Invalid, forged), question, refused(fault.Invalid, forged, "health key")},
		"that cannot be answered":  {failing(fault.Unavailable, away), question, refused(fault.Unavailable, away, "health key").logged("SNS failed")},
		"that is an alarm":         {named, `{"Type":"Notification","TopicArn":"` + topic + `"}`, ending{touched: 1, health: accepted, writes: "alerts health key"}},
		"that ends a subscription": {named, `{"Type":"UnsubscribeConfirmation"}`, ending{touched: 1, health: accepted, writes: "alerts health key"}},
		"with a wrong key": {func(s *store, d *intake.Delivery) { named(s, d); d.Key = secret.NewText("x") }, question,
			refused(fault.Unauthorized, wrongKey, "health").byStranger()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			log := captureLog(t)
			s := newStore()
			d := intake.Delivery{Project: web.FullPath, Endpoint: integration.Legacy, Key: key, Body: []byte(test.body), OtherType: "text/plain"}
			test.arrange(s, &d)
			touched, err := s.rules(t, integration.AllFeatures).Deliver(t.Context(), d)
			test.want.check(t, s, touched, err, log)
		})
	}
}

// A test that people send is a payload, whatever is in it.
func TestQuestionAsATest(t *testing.T) {
	log := captureLog(t)
	s := newStore()
	s.endpoint.SNSTopic = topic
	touched, err := s.rules(t, integration.AllFeatures).Test(t.Context(), web, s.endpoint.Integration, []byte(`{"Type":"SubscriptionConfirmation"}`))
	ending{touched: 1, health: accepted, writes: "alerts health"}.check(t, s, touched, err, log)
}
