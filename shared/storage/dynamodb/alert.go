package dynamodb

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/alert"
)

var (
	alertItem    = shape{alerts, "PROJECT#<id>", "ALERT#<iid>", "an alert", ""}
	alertCounter = shape{alerts, "COUNTER#<project>", "COUNTER", "the last iid in a project", ""}
)

var alertKind = kind[alert.Alert]{noun: "alert", notFound: alert.ErrNotFound, fields: alertFields}

func alertFields(a *alert.Alert) fields {
	return slices.Concat(fields{
		{"project_id", &a.ProjectID}, {"iid", &a.IID}, {"fingerprint", (*string)(&a.Fingerprint)},
		{"grouped", &a.Grouped}, {"title", &a.Title}, {"description", &a.Description},
		{"severity", (*firstSeverity)(a)}, {"service", &a.Service}, {"monitoring_tool", &a.MonitoringTool},
		{"hosts", &a.Hosts}, {"environment", &a.Environment}, {"runbook", &a.Runbook},
		{"started_at", &a.StartedAt}, {"integration_id", &a.IntegrationID}, {"created_at", &a.CreatedAt},
	}, peakField(a), stateOfAlert(a))
}

// firstSeverity is the severity of an alert when it was opened, which is the gravest
// too unless a peakSeverity follows.
type firstSeverity alert.Alert

func (a *firstSeverity) value() types.AttributeValue {
	return unless(a.Severity == "", text(string(a.Severity)))
}

func (a *firstSeverity) set(value types.AttributeValue) error {
	stored, err := parseText(value)
	a.Severity, a.PeakSeverity = alert.Severity(stored), alert.Severity(stored)
	return err
}

// peakSeverity is the gravest severity of an alert, stored where a repeat was graver
// than what opened the alert.
type peakSeverity alert.Alert

func (a *peakSeverity) value() types.AttributeValue {
	return unless(a.PeakSeverity == a.Severity, text(string(a.PeakSeverity)))
}

func (a *peakSeverity) set(value types.AttributeValue) error {
	stored, err := parseText(value)
	a.PeakSeverity = alert.Severity(stored)
	return err
}

// stateOfAlert lists what a person can change of an alert, and its events. While an
// alert is open and grouped, its slot counts these instead.
func stateOfAlert(a *alert.Alert) fields {
	return fields{
		{"status", (*string)(&a.Status)}, {"ended_at", &a.EndedAt}, {"event_count", &a.Events},
		{"last_event_at", &a.LastEventAt}, {"assignee_id", &a.AssigneeID},
		{"incident_iid", &a.IncidentIID}, {"silenced_until", &a.SilencedUntil},
		{"activity", (*activityLog)(&a.Activity)}, {"updated_at", &a.UpdatedAt}, {"version", &a.Version},
	}
}

// activityLog is the stored form of an alert's activity.
type activityLog []alert.Activity

func activityFields(a *alert.Activity) fields {
	return fields{
		{"at", &a.At}, {"actor_id", &a.ActorID}, {"change", (*string)(&a.Change)},
		{"status", (*string)(&a.Status)}, {"user_id", &a.UserID},
		{"incident_iid", &a.IncidentIID}, {"silenced_until", &a.SilencedUntil},
	}
}

func (l *activityLog) value() types.AttributeValue {
	return unless(len(*l) == 0, list(*l, func(a alert.Activity) types.AttributeValue {
		return &types.AttributeValueMemberM{Value: activityFields(&a).item()}
	}))
}

func (l *activityLog) set(value types.AttributeValue) (err error) {
	*l, err = parseList(value, func(one types.AttributeValue) (a alert.Activity, err error) {
		m, ok := one.(*types.AttributeValueMemberM)
		if !ok {
			return a, fmt.Errorf("%T is no map", one)
		}
		return a, activityFields(&a).read(m.Value)
	})
	return err
}

// Alert returns the alert. When the slot of an open alert is gone, the alert has
// just been changed, and is read again.
func (s *Store) Alert(ctx context.Context, projectID, iid int64) (alert.Alert, error) {
	for before := int64(0); ; {
		a, err := alertKind.get(ctx, s, alertItem.key(projectID, iid))
		if err != nil || !countsOnSlot(a) || a.Version == before {
			return a, err
		}
		slot, _, err := s.slot(ctx, slotKey(projectID, a.Fingerprint))
		if err != nil {
			return alert.Alert{}, err
		}
		if slot.iid == iid {
			return slot.counted(a), nil
		}
		before = a.Version
	}
}

func countsOnSlot(a alert.Alert) bool { return a.Grouped && a.Open() }

// OpenAlert returns the open grouped alert with the fingerprint.
func (s *Store) OpenAlert(ctx context.Context, projectID int64, f alert.Fingerprint) (alert.Alert, error) {
	found, _, err := s.slot(ctx, slotKey(projectID, f))
	if err != nil {
		return alert.Alert{}, err
	}
	a, err := s.Alert(ctx, projectID, found.iid)
	if err == nil && !countsOnSlot(a) { // resolved meanwhile
		err = alertKind.notFound
	}
	if err != nil {
		return alert.Alert{}, err
	}
	return a, nil
}

// counted returns the alerts with the events that their slots counted, perhaps but
// for the latest.
func (s *Store) counted(ctx context.Context, all []alert.Alert) ([]alert.Alert, error) {
	var keys []key
	for _, a := range all {
		if countsOnSlot(a) {
			keys = append(keys, slotKey(a.ProjectID, a.Fingerprint))
		}
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Compare(a.pk, b.pk) })
	slots, err := s.getCheaply(ctx, slices.Compact(keys)) // a slot is there twice if its alert was reopened meanwhile
	if err != nil {
		return nil, fmt.Errorf("get the events of alerts: %w", err)
	}
	for i, a := range all {
		if !countsOnSlot(a) {
			continue
		}
		if all[i], err = s.countedOn(ctx, slots[slotKey(a.ProjectID, a.Fingerprint)], a); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// countedOn returns the alert with the events of the item, its slot. An alert
// that was resolved meanwhile is read again.
func (s *Store) countedOn(ctx context.Context, it item, a alert.Alert) (alert.Alert, error) {
	slot, err := readSlot(it)
	if err != nil || slot.iid == a.IID {
		return slot.counted(a), err
	}
	return s.Alert(ctx, a.ProjectID, a.IID)
}
