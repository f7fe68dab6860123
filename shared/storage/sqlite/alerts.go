package sqlite

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/storage/packed"
)

var alerts = kind[alert.Alert]{
	table: "alerts", notFound: alert.ErrNotFound, columns: alertColumns, complete: completeAlert,
}.prepared()

// completeAlert is for an alert of a release that did not keep the gravest severity.
func completeAlert(a *alert.Alert) { a.PeakSeverity = cmp.Or(a.PeakSeverity, a.Severity) }

func alertColumns(a *alert.Alert) columns {
	return slices.Concat(columns{
		{"project_id", &a.ProjectID}, {"iid", &a.IID}, {"fingerprint", &a.Fingerprint},
		{"grouped", &a.Grouped}, {"title", &a.Title}, {"description", &a.Description},
		{"severity", &a.Severity}, {"peak_severity", &a.PeakSeverity}, {"service", &a.Service}, {"monitoring_tool", &a.MonitoringTool},
		{"hosts", (*list[string])(&a.Hosts)}, {"environment", &a.Environment}, {"runbook", &a.Runbook},
		{"labels", (*labels)(&a.Labels)}, {"group_title", &a.GroupTitle}, {"external_url", &a.ExternalURL},
		{"started_at", &a.StartedAt}, {"events", &a.Events}, {"last_event_at", &a.LastEventAt},
		{"integration_id", &a.IntegrationID}, {"created_at", &a.CreatedAt},
		{"search_text", derived(func() any { return a.SearchText() })},
	}, alertState(a))
}

// alertState are the columns that a change can change.
func alertState(a *alert.Alert) columns {
	return columns{
		{"status", &a.Status}, {"ended_at", &a.EndedAt}, {"assignee_id", &a.AssigneeID},
		{"incident_iid", &a.IncidentIID}, {"silenced_until", &a.SilencedUntil},
		{"activity", (*list[alert.Activity])(&a.Activity)}, {"updated_at", &a.UpdatedAt},
		{"expires_at", &a.ExpiresAt}, {"version", &a.Version},
	}
}

const byIID = "WHERE project_id = ? AND iid = ?"

// unexpired is a condition on the time. No index is made for it: the few alerts that
// have expired and are not swept yet are passed over.
const unexpired = "NOT expires_at BETWEEN 1 AND ?"

// Alert returns the alert.
func (s *Store) Alert(ctx context.Context, projectID, iid int64, now time.Time) (alert.Alert, error) {
	return alerts.find(ctx, s.readers, byIID+" AND "+unexpired, projectID, iid, micros(now))
}

// AlertsByIID returns those of the alerts that are there.
func (s *Store) AlertsByIID(ctx context.Context, projectID int64, iids []int64, now time.Time) (map[int64]alert.Alert, error) {
	found := make(map[int64]alert.Alert, len(iids))
	for _, iid := range iids {
		a, err := s.Alert(ctx, projectID, iid, now)
		switch {
		case errors.Is(err, alert.ErrNotFound):
			continue
		case err != nil:
			return nil, err
		}
		a.Activity = nil
		found[iid] = a
	}
	return found, nil
}

// WholeAlert returns the alert with its payloads, after the others have read what is beside it.
func (s *Store) WholeAlert(ctx context.Context, projectID, iid int64, now time.Time, others ...alert.Beside) (whole alert.Whole, err error) {
	if whole.Alert, err = s.Alert(ctx, projectID, iid, now); err != nil {
		return alert.Whole{}, err
	}
	for _, read := range others {
		if err := read(ctx, whole.Alert); err != nil {
			return alert.Whole{}, err
		}
	}
	if whole.Payload, err = s.AlertPayload(ctx, projectID, iid, now); err != nil {
		return alert.Whole{}, err
	}
	whole.Latest, err = s.LatestPayload(ctx, projectID, iid, now)
	return whole, err
}

// WholeAlertsFrom returns the newest alerts that the integration opened, with their payloads.
func (s *Store) WholeAlertsFrom(ctx context.Context, projectID, integrationID int64, n int, now time.Time) ([]alert.Whole, error) {
	newest, err := s.Alerts(ctx, projectID, alert.Query{IntegrationID: integrationID, Descending: true}, page.Request{Number: 1, Size: n}, now)
	if err != nil {
		return nil, err
	}
	var all []alert.Whole
	for _, a := range newest.Items {
		switch whole, err := s.WholeAlert(ctx, projectID, a.IID, now); {
		case errors.Is(err, alert.ErrNotFound):
			continue
		case err != nil:
			return nil, err
		default:
			whole.Activity = nil
			all = append(all, whole)
		}
	}
	return all, nil
}

// ofAlert selects what belongs to an alert.
const ofAlert = "alert_id = (SELECT id FROM alerts " + byIID + " AND " + unexpired + ")"

// AlertPayload returns the payload of the occurrence that opened the alert.
func (s *Store) AlertPayload(ctx context.Context, projectID, iid int64, now time.Time) ([]byte, error) {
	const query = "SELECT packed FROM alert_payloads WHERE " + ofAlert
	payload, err := find(ctx, s.readers, alert.ErrNotFound, scalar[[]byte], query, projectID, iid, micros(now))
	if err != nil {
		return nil, err
	}
	return packed.Unpack(payload)
}

// LatestPayload returns the newest payload of a repeat that is kept.
func (s *Store) LatestPayload(ctx context.Context, projectID, iid int64, now time.Time) (latest alert.LatestPayload, err error) {
	const query = "SELECT at, packed FROM alert_latest_payloads WHERE " + ofAlert
	var stored []byte
	_, err = find(ctx, s.readers, fault.NotFound, func(r row) (bool, error) { return true, r.Scan((*moment)(&latest.At), &stored) },
		query, projectID, iid, micros(now))
	if err != nil {
		return alert.LatestPayload{}, fault.IgnoreNotFound(err)
	}
	latest.Text, err = packed.Unpack(stored)
	return latest, err
}

// OpenAlert returns the open grouped alert with the fingerprint.
func (s *Store) OpenAlert(ctx context.Context, projectID int64, f alert.Fingerprint) (alert.Alert, error) {
	return alerts.find(ctx, s.readers, "WHERE "+counting, projectID, f)
}

// ChangeAlert changes the alert whose version is the stored one.
func (s *Store) ChangeAlert(ctx context.Context, a alert.Alert, c alert.Change) (changed alert.Alert, err error) {
	err = s.writer.do(ctx, func(tx *transaction) error {
		stored, err := alerts.find(context.Background(), tx, byIID, a.ProjectID, a.IID)
		if err != nil {
			return err
		}
		if stored.Expired(c.At) {
			return alert.ErrNotFound
		}
		if stored.Version != a.Version {
			return alert.ErrChanged
		}
		changed = stored.Changed(c)
		if err := tx.checkAlone(stored, changed); err != nil {
			return err
		}
		counts := newTally()
		counts.changed(stored, changed)
		return errors.Join(tx.saveAlert(changed), counts.keep(tx, a.ProjectID), tx.tell(changed.ToldChanged(stored, c)))
	})
	if err != nil {
		return alert.Alert{}, err
	}
	return changed, nil
}

// checkAlone returns an error if the change reopens an alert beside another open
// one with its fingerprint.
func (tx *transaction) checkAlone(was, is alert.Alert) error {
	if was.Open() || !is.Open() || !is.Grouped {
		return nil
	}
	found, err := tx.exists("SELECT 1 FROM alerts WHERE "+counting, is.ProjectID, is.Fingerprint)
	if err == nil && found {
		return alert.ErrDuplicateOpen
	}
	return err
}

var updateAlert = update("alerts", alertState, byIID)

// saveAlert stores a change.
func (tx *transaction) saveAlert(a alert.Alert) error {
	_, err := updateAlert.run(tx, &a, a.ProjectID, a.IID)
	return err
}
