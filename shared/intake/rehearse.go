package intake

import (
	"context"

	"gatehouse/shared/alert"
	"gatehouse/shared/integration"
	"gatehouse/shared/mapping"
	"gatehouse/shared/project"
)

// Rehearsal reads payloads as the integration would read them with a mapping, and records
// nothing.
type Rehearsal struct {
	rules    *Rules
	endpoint integration.Endpoint
	mapping  mapping.Mapping
}

// Rehearse begins a rehearsal. The endpoint need not be stored. A mapping on an instance
// without mappings is integration.ErrNoMapping.
func (r *Rules) Rehearse(e integration.Endpoint, m mapping.Mapping) (Rehearsal, error) {
	if !m.Empty() && !r.integrations.Features.Mapping {
		return Rehearsal{}, integration.ErrNoMapping
	}
	return Rehearsal{r, e, m}, nil
}

// reading returns how a payload is read, and the payload as it is read.
func (h Rehearsal) reading(body []byte) (alert.Reading, []byte) {
	d := h.rules.newDelivery(Delivery{Body: body}, h.endpoint)
	d.readEvent()
	reading := d.reading()
	reading.Mapping = h.mapping
	return reading, d.Body
}

// Parse returns what would become of a payload.
func (h Rehearsal) Parse(body []byte) (alert.Parsed, error) {
	reading, body := h.reading(body)
	return alert.Parse(body, reading)
}

// Preview returns the same, and where it comes from.
func (h Rehearsal) Preview(body []byte) (alert.Preview, error) {
	reading, body := h.reading(body)
	return alert.ReadPreview(body, reading)
}

// AsSent returns a payload that was kept with an alert as a payload of its own.
func (h Rehearsal) AsSent(a alert.Alert, text []byte) []byte {
	reading, _ := h.reading(nil)
	return alert.AsSent(a, text, reading)
}

// Preview returns what would become of a payload if the integration had the
// mapping, and records nothing. The integration need not be stored. A mapping
// on an instance without mappings is integration.ErrNoMapping.
func (r *Rules) Preview(ctx context.Context, p project.Project, i integration.Integration, m mapping.Mapping, body []byte) (alert.Preview, error) {
	e, err := r.endpoint(ctx, p, i)
	if err != nil {
		return alert.Preview{}, err
	}
	h, err := r.Rehearse(e, m)
	if err != nil {
		return alert.Preview{}, err
	}
	return h.Preview(body)
}
