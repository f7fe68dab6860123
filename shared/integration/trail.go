package integration

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"gatehouse/shared/audit"
	"gatehouse/shared/project"
)

// The events about a project's integrations and rules for alerts.
var (
	EventCreated              = audit.Declare("integration.created", "Alert integration added")
	EventChanged              = audit.Declare("integration.changed", "Alert integration changed")
	EventEnabled              = audit.Declare("integration.enabled", "Alert integration switched on")
	EventDisabled             = audit.Declare("integration.disabled", "Alert integration switched off")
	EventDeleted              = audit.Declare("integration.deleted", "Alert integration deleted")
	EventKeyReset             = audit.Declare("integration.key_reset", "Alert integration’s key reset")
	EventPathKeyRenewed       = audit.Declare("integration.path_key_renewed", "Address with a key made for an alert integration")
	EventPathKeyEnded         = audit.Declare("integration.path_key_ended", "Address with a key of an alert integration ended")
	EventReplayed             = audit.Declare("integration.replayed", "Payload of an alert replayed")
	EventAlertSettingsChanged = audit.Declare("alert_settings.changed", "Rules for alerts changed")
)

// event returns an event about the integration, without its id if it is new.
func (i Integration) event(name audit.Name, p project.Project, by audit.Actor) audit.Event {
	d := audit.Details{"in": p.Where(), "integration": i.Name, "type": string(i.Type)}
	if i.ID != 0 {
		d["integration_id"] = strconv.FormatInt(i.ID, 10)
	}
	return by.Event(name, d).In(p.ID)
}

// Replay runs what replays a payload that came with the alert of this number.
func (r *Rules) Replay(ctx context.Context, by audit.Actor, p project.Project, i Integration, alertIID int64, replay func(context.Context) error) error {
	e := i.event(EventReplayed, p, by)
	e.Details["alert"] = strconv.FormatInt(alertIID, 10)
	return r.trail.Do(ctx, e, replay)
}

// changeEvent returns the event about a change of the integration.
func (i Integration) changeEvent(was Integration, p project.Project, by audit.Actor, c Change) audit.Event {
	name := EventChanged
	switch {
	case i.Active && !was.Active:
		name = EventEnabled
	case !i.Active && was.Active:
		name = EventDisabled
	}
	e := i.event(name, p, by)
	e.Details["changed"] = strings.Join(i.changedFields(was, c), ", ")
	if i.Name != was.Name {
		e.Details["formerly"] = was.Name
	}
	return e
}

// changedFields lists the fields that differ, apart from Active.
func (i Integration) changedFields(was Integration, c Change) (names []string) {
	for _, field := range []struct {
		changed bool
		name    string
	}{
		{i.Name != was.Name, "name"},
		{i.APIURL != was.APIURL, "address"},
		{!bytes.Equal(i.Mapping, was.Mapping), "mapping"},
		{c.Sample != nil, "sample"},
		{i.RateLimit != was.RateLimit, "rate limit"},
		{i.SNSTopic != was.SNSTopic, "topic of SNS"},
	} {
		if field.changed {
			names = append(names, field.name)
		}
	}
	return names
}
