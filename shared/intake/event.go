package intake

import (
	"context"
	"encoding/hex"
	"encoding/json"

	"gatehouse/shared/alert"
	"gatehouse/shared/integration"
	"gatehouse/shared/payload"
	"gatehouse/shared/secret"
)

// Accept does what Deliver does. For an integration that takes events of the Events API v2
// it also returns the key under which the event is known, and "" for any other.
func (r *Rules) Accept(ctx context.Context, sent Delivery) (touched []alert.Recorded, dedupKey string, err error) {
	d := r.newDelivery(sent, integration.Endpoint{})
	touched, err = d.run(ctx, d.open, d.take)
	return touched, d.dedupKey, err
}

// takesEvents reports whether the integration is made for the Events API v2.
func (d *delivery) takesEvents() bool { return d.endpoint.Preset == integration.PagerDuty }

// readEvent takes the authorization key out of an event, whose sender can put it nowhere
// else. Everybody who sees the alert sees its payload, so the key must not stay in it. An
// event without a key of its own gets one, with which its sender can resolve it.
func (d *delivery) readEvent() {
	var members map[string]json.RawMessage
	if !d.takesEvents() || len(d.Body) > payload.MaxBytes || json.Unmarshal(d.Body, &members) != nil || members == nil {
		return // what is wrong with the body is said later
	}
	var routingKey string
	if json.Unmarshal(members["routing_key"], &routingKey) == nil && d.Key.Empty() {
		d.Key = secret.NewText(routingKey)
	}
	delete(members, "routing_key")
	if json.Unmarshal(members["dedup_key"], &d.dedupKey) != nil || d.dedupKey == "" {
		d.dedupKey = hex.EncodeToString(secret.Random(16))
		members["dedup_key"] = json.RawMessage(`"` + d.dedupKey + `"`)
	}
	if body, err := json.Marshal(members); err == nil {
		d.Body = body
	}
}
