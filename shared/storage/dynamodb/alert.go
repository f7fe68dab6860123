package dynamodb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/alert"
)

var (
	alertItem    = shape{alerts, "PROJECT#<id>", "ALERT#<iid>", "an alert", "when it expires, if it does"}
	alertCounter = shape{alerts, "COUNTER#<project>", "COUNTER", "the last iid in a project", ""}
)

var alertKind = kind[alert.Alert]{noun: "alert", notFound: alert.ErrNotFound, fields: alertFields}

func alertFields(a *alert.Alert) fields {
	return slices.Concat(fields{
		{"project_id", &a.ProjectID}, {"iid", &a.IID}, {"fingerprint", (*string)(&a.Fingerprint)},
		{"grouped", &a.Grouped}, {"title", &a.Title}, {"description", &a.Description},
		{"severity", (*firstSeverity)(a)}, {"service", &a.Service}, {"monitoring_tool", &a.MonitoringTool},
		{"hosts", &a.Hosts}, {"environment", &a.Environment}, {"runbook", &a.Runbook},
		{"labels", (*labels)(&a.Labels)}, {"group_title", &a.GroupTitle}, {"external_url", &a.ExternalURL},
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
		expiryField(&a.ExpiresAt),
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

// labels is the stored form of an alert's labels.
type labels alert.Labels

func (l *labels) value() types.AttributeValue {
	values := make(map[string]types.AttributeValue, len(*l))
	for name, value := range *l {
		values[name] = text(value)
	}
	return unless(len(values) == 0, &types.AttributeValueMemberM{Value: values})
}

func (l *labels) set(value types.AttributeValue) (err error) {
	m, ok := value.(*types.AttributeValueMemberM)
	if !ok {
		return fmt.Errorf("%T is no map", value)
	}
	*l = make(labels, len(m.Value))
	for name, stored := range m.Value {
		if (*l)[name], err = parseText(stored); err != nil {
			return err
		}
	}
	return nil
}

// storedAlert is an alert with where its payloads are.
type storedAlert struct {
	alert.Alert
	payload string // the name of the one that opened it
	chunks  int64
	latest  int64        // the chunks in which the newest of its repeats can be
	keptAt  time.Time    // when the payload of a repeat was kept; zero: never, or not known
	gone    map[key]bool // chunks that are not there any more
}

// readAlert returns the alert that the item is, or a fault.NotFound error for no item.
func readAlert(it item) (a storedAlert, err error) {
	if it == nil {
		return a, alertKind.notFound
	}
	if a.Alert, err = alertKind.read(it); err == nil {
		err = append(payloadFields(&a.payload, &a.chunks), latestChunks(&a.latest)).read(it)
	}
	return a, err
}

// on returns the alert with what its slot knows.
func (a storedAlert) on(s slot) storedAlert {
	a.Alert, a.latest, a.keptAt = s.counted(a.Alert), max(a.latest, s.latest), s.payloadAt
	return a
}

// alert returns the alert, expired or not. When the slot of an open alert is gone, the
// alert has just been changed, and is read again.
func (s *Store) alert(ctx context.Context, projectID, iid int64) (storedAlert, error) {
	for before := int64(0); ; {
		it, err := s.get(ctx, alertItem.key(projectID, iid))
		if err != nil {
			return storedAlert{}, fmt.Errorf("get alert: %w", err)
		}
		a, err := readAlert(it)
		if err != nil || !countsOnSlot(a.Alert) || a.Version == before {
			return a, err
		}
		slot, _, err := s.slot(ctx, slotKey(projectID, a.Fingerprint))
		if err != nil {
			return storedAlert{}, err
		}
		if slot.iid == iid {
			return a.on(slot), nil
		}
		before = a.Version
	}
}

// reread returns an alert that was read before, in one step unless it was changed.
func (s *Store) reread(ctx context.Context, was alert.Alert) (storedAlert, error) {
	at, of := alertItem.key(was.ProjectID, was.IID), slotKey(was.ProjectID, was.Fingerprint)
	keys := []key{at, of}
	if !countsOnSlot(was) {
		keys = keys[:1]
	}
	found, err := s.getAll(ctx, keys)
	if err != nil {
		return storedAlert{}, fmt.Errorf("get alert: %w", err)
	}
	a, err := readAlert(found[at])
	if err != nil || !countsOnSlot(a.Alert) {
		return a, err
	}
	slot, err := readSlot(found[of])
	if err != nil || slot.iid == a.IID {
		return a.on(slot), err
	}
	return s.alert(ctx, was.ProjectID, was.IID)
}

// Alert returns the alert.
func (s *Store) Alert(ctx context.Context, projectID, iid int64, now time.Time) (alert.Alert, error) {
	a, err := s.alert(ctx, projectID, iid)
	if err == nil && a.Expired(now) {
		err = alertKind.notFound
	}
	if err != nil {
		return alert.Alert{}, err
	}
	return a.Alert, nil
}

// AlertsByIID returns those of the alerts that are there. It leaves the slots unread.
func (s *Store) AlertsByIID(ctx context.Context, projectID int64, iids []int64, now time.Time) (map[int64]alert.Alert, error) {
	keys := make([]key, len(iids))
	for n, iid := range iids {
		keys[n] = alertItem.key(projectID, iid)
	}
	items, err := s.getAll(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("get alerts: %w", err)
	}
	found := make(map[int64]alert.Alert, len(items))
	for _, it := range items {
		a, err := alertKind.read(it)
		if err != nil {
			return nil, err
		}
		if a.Activity = nil; !a.Expired(now) {
			found[a.IID] = a
		}
	}
	return found, nil
}

func countsOnSlot(a alert.Alert) bool { return a.Grouped && a.Open() }

// OpenAlert returns the open grouped alert with the fingerprint.
func (s *Store) OpenAlert(ctx context.Context, projectID int64, f alert.Fingerprint) (alert.Alert, error) {
	found, _, err := s.slot(ctx, slotKey(projectID, f))
	if err != nil {
		return alert.Alert{}, err
	}
	a, err := s.alert(ctx, projectID, found.iid)
	if err == nil && !countsOnSlot(a.Alert) { // resolved meanwhile
		err = alertKind.notFound
	}
	if err != nil {
		return alert.Alert{}, err
	}
	return a.Alert, nil
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
	again, err := s.alert(ctx, a.ProjectID, a.IID)
	return again.Alert, err
}
