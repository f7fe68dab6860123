package intake_test

import (
	"testing"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
)

// How a delivery ends that a mapping resolves, acknowledges, ignores or splits.
func TestHowAMappedDeliveryEnds(t *testing.T) {
	const states = `{"resolved_when":{"source":{"path":["state"]},"equals":["ok"]},"acknowledged_when":{"source":{"path":["state"]},"equals":["ack"]},
		"ignore_when":{"source":{"path":["state"]},"equals":["test"]},"split":{"path":["list"]}}`
	const note = "there is no list where the payload is to be split, so it is one alert"
	noted := integration.Health{LastReceivedAt: now, Received: 1, LastError: note, LastErrorAt: now}
	tests := map[string]struct {
		body    string
		outcome alert.Outcome
		want    ending
	}{
		"ignored":                     {`{"state":"test"}`, alert.Opened, ending{health: accepted, writes: "health"}},
		"fires":                       {`{"fingerprint":"1"}`, alert.Opened, ending{touched: 1, health: noted, writes: "alerts health"}},
		"acknowledges":                {`{"fingerprint":"1","state":"ack"}`, alert.Acked, ending{touched: 1, health: noted, writes: "alerts health"}},
		"resolves":                    {`{"fingerprint":"1","state":"ok"}`, alert.Recovered, ending{touched: 1, health: noted, writes: "alerts health"}},
		"resolves nothing":            {`{"fingerprint":"1","state":"ok"}`, alert.Unmatched, refused(fault.Invalid, notOpen, "alerts health").read()},
		"split":                       {`{"list":[{"fingerprint":"1"},{"fingerprint":"2"},{"state":"test"}]}`, alert.Opened, ending{touched: 2, health: accepted, writes: "alerts health"}},
		"split, and all ignored":      {`{"list":[{"state":"test"}]}`, alert.Opened, ending{health: accepted, writes: "health"}},
		"split, and resolves nothing": {`{"list":[{"fingerprint":"1","state":"ok"}]}`, alert.Unmatched, ending{health: accepted, writes: "alerts health"}},
		"split into nothing":          {`{"list":[]}`, alert.Opened, ending{health: accepted, writes: "health"}},
		"split with items skipped": {
			`{"list":[{"fingerprint":"1"},5]}`, alert.Opened,
			ending{touched: 1, health: integration.Health{LastReceivedAt: now, Received: 1, SkippedItems: 1}, writes: "alerts health"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			log := captureLog(t)
			s := newStore()
			s.endpoint.Mapping, s.outcome = []byte(states), test.outcome
			touched, err := s.rules(t, integration.AllFeatures).Test(t.Context(), web, s.endpoint.Integration, []byte(test.body))
			test.want.check(t, s, touched, err, log)
			if err == nil && touched == nil {
				t.Error("the answer is null, want a list")
			}
		})
	}
}
