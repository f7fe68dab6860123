// Package dispatcherapi answers the events of the function dispatcher: the stream of the
// table of messages, and a schedule (Interface: "Messages").
package dispatcherapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gatehouse/shared/dispatch"
	"gatehouse/shared/outbox"
)

// Handler is the handler of the Lambda function.
type Handler struct {
	dispatcher *dispatch.Dispatcher
	laneOf     LaneOf
}

// LaneOf returns the lane that a partition of the table of messages is, and false for
// another partition.
type LaneOf func(partition string) (outbox.Lane, bool)

// New returns the handler over a dispatcher.
func New(d *dispatch.Dispatcher, laneOf LaneOf) Handler { return Handler{d, laneOf} }

// event is a part of an event of DynamoDB Streams or EventBridge.
type event struct {
	Source  string   `json:"source"` // of a schedule
	Records []change `json:"Records"`
}

// change is what a stream tells about an item.
type change struct {
	Name     string `json:"eventName"` // INSERT, MODIFY or REMOVE
	DynamoDB struct {
		Keys struct {
			PK struct{ S string } `json:"pk"`
		}
		SequenceNumber string
	} `json:"dynamodb"`
}

// answer names the changes that a stream should send again, and all behind the first.
type answer struct {
	BatchItemFailures []failure `json:"batchItemFailures"`
}

type failure struct {
	ItemIdentifier string `json:"itemIdentifier"`
}

// reserve is the time that a function needs to end before Lambda ends it.
const reserve = 2 * time.Second

// Invoke works on the lanes that got a message or, on a schedule, on all that are due. An
// error of a handler is noted at its message; only one of the store is an error here.
func (h Handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-reserve))
		defer cancel()
	}
	var e event
	if err := json.Unmarshal(payload, &e); err != nil {
		return nil, fmt.Errorf("read an event: %w", err)
	}
	switch {
	case len(e.Records) > 0:
		return json.Marshal(h.follow(ctx, e.Records))
	case e.Source != "":
		return []byte("{}"), h.sweep(ctx)
	}
	return nil, errors.New("the event is neither of a stream nor of a schedule")
}

// sweep works on what is due. When the time is over, the next sweep goes on.
func (h Handler) sweep(ctx context.Context) error {
	worked, err := h.dispatcher.Sweep(ctx)
	if ctx.Err() != nil {
		slog.WarnContext(ctx, "sweep not finished", "lanes", worked)
		return nil
	}
	return err
}

// follow works on the lanes of new messages, each once.
func (h Handler) follow(ctx context.Context, changes []change) answer {
	failed := h.dispatcher.Work(ctx, h.lanes(changes)...)
	for l, err := range failed {
		slog.ErrorContext(ctx, "lane not worked on", "lane", l, "error", err)
	}
	return h.failures(changes, failed)
}

// lanes returns the lanes that got a message.
func (h Handler) lanes(changes []change) (all []outbox.Lane) {
	seen := map[outbox.Lane]bool{}
	for _, c := range changes {
		if l, ok := h.lane(c); ok && !seen[l] {
			all, seen[l] = append(all, l), true
		}
	}
	return all
}

// lane returns the lane that got a message, and false for any other change, such as the
// end of a message.
func (h Handler) lane(c change) (outbox.Lane, bool) {
	if c.Name != "INSERT" {
		return "", false
	}
	return h.laneOf(c.DynamoDB.Keys.PK.S)
}

// failures names the first change in a lane that failed: the stream sends all from there
// on again.
func (h Handler) failures(changes []change, failed map[outbox.Lane]error) answer {
	a := answer{BatchItemFailures: []failure{}}
	for _, c := range changes {
		if l, ok := h.lane(c); ok && failed[l] != nil {
			a.BatchItemFailures = append(a.BatchItemFailures, failure{c.DynamoDB.SequenceNumber})
			break
		}
	}
	return a
}
