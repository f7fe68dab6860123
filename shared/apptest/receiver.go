package apptest

import (
	"context"
	"sync"

	"gatehouse/shared/webhook"
)

// Receiver is a webhook.Sender that stands for the services that webhooks go to.
type Receiver struct {
	// Answers says what they answer; nil: 200.
	Answers func(webhook.Request) (webhook.Answer, error)

	mu  sync.Mutex
	got []webhook.Request
}

// Post keeps the request and returns the answer.
func (r *Receiver) Post(_ context.Context, request webhook.Request) (webhook.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, request)
	if r.Answers == nil {
		return webhook.Answer{Status: 200}, nil
	}
	return r.Answers(request)
}

// Got returns the requests so far.
func (r *Receiver) Got() []webhook.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got
}
