package intake

import (
	"encoding/json"

	"gatehouse/shared/integration"
	"gatehouse/shared/payload"
)

// Call is a call of another service's API that an address below the integration's own
// stands for. Only integrations that are made from the service's preset take it.
type Call struct {
	Preset string // the service's; empty: it is no call
	Action string // what it does with an alert, in the words of the service's webhooks; empty: its body says all
	Alias  string // the alert that it is about
}

// admit refuses a call that the integration does not take, as if there were no integration.
func (d *delivery) admit(err error) error {
	if d.Call.Preset != "" && d.endpoint.Preset != d.Call.Preset {
		d.endpoint = integration.Endpoint{}
		if err == nil {
			err = integration.ErrNotFound
		}
	}
	return err
}

// readCall puts into the body what the address says of a call. It may have none.
func (d *delivery) readCall() {
	if d.Call.Action == "" {
		return
	}
	members := map[string]json.RawMessage{}
	if len(d.Body) > payload.MaxBytes || len(d.Body) > 0 && json.Unmarshal(d.Body, &members) != nil || members == nil {
		return // what is wrong with the body is said later
	}
	delete(members, "alert")
	for name, value := range map[string]string{"action": d.Call.Action, "alias": d.Call.Alias} {
		members[name], _ = json.Marshal(value) // texts have no errors
	}
	d.Body, _ = json.Marshal(members)
}
