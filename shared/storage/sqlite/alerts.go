package sqlite

import (
	"context"

	"gatehouse/shared/alert"
	"gatehouse/shared/storage/packed"
)

const alertColumns = `project_id, iid, fingerprint, grouped, title, description, severity, status, service,
	monitoring_tool, hosts, environment, runbook, started_at, ended_at, events, last_event_at, integration_id,
	assignee_id, activity, created_at, updated_at, version`

func scanAlert(r row) (a alert.Alert, err error) {
	return a, r.Scan(&a.ProjectID, &a.IID, &a.Fingerprint, &a.Grouped, &a.Title, &a.Description, &a.Severity,
		&a.Status, &a.Service, &a.MonitoringTool, intoList(&a.Hosts), &a.Environment, &a.Runbook,
		intoTime(&a.StartedAt), intoTime(&a.EndedAt), &a.Events, intoTime(&a.LastEventAt), &a.IntegrationID,
		&a.AssigneeID, intoList(&a.Activity), intoTime(&a.CreatedAt), intoTime(&a.UpdatedAt), &a.Version)
}

// Alert returns the alert.
func (s *Store) Alert(ctx context.Context, projectID, iid int64) (alert.Alert, error) {
	return findAlert(ctx, s.readers, projectID, iid)
}

func findAlert(ctx context.Context, on statements, projectID, iid int64) (alert.Alert, error) {
	const query = "SELECT " + alertColumns + " FROM alerts WHERE project_id = ? AND iid = ?"
	return find(ctx, on, alert.ErrNotFound, scanAlert, query, projectID, iid)
}

// AlertPayload returns the payload of the occurrence that opened the alert.
func (s *Store) AlertPayload(ctx context.Context, projectID, iid int64) ([]byte, error) {
	const query = `SELECT packed FROM alert_payloads
		WHERE alert_id = (SELECT id FROM alerts WHERE project_id = ? AND iid = ?)`
	payload, err := find(ctx, s.readers, alert.ErrNotFound, scanBytes, query, projectID, iid)
	if err != nil {
		return nil, err
	}
	return packed.Unpack(payload)
}

// RecentAlerts returns the newest alerts that pass the filter.
func (s *Store) RecentAlerts(ctx context.Context, projectID int64, f alert.Filter, limit int) ([]alert.Alert, bool, error) {
	const query = "SELECT " + alertColumns + ` FROM alerts WHERE project_id = ?1
		AND (?2 IN ('null', '[]') OR status IN (SELECT value FROM json_each(?2)))
		AND (?3 IN ('null', '[]') OR severity IN (SELECT value FROM json_each(?3)))
		AND created_at >= ?4 ORDER BY iid DESC LIMIT ?5`
	found, err := many(ctx, s.readers, scanAlert, query,
		projectID, text(f.Statuses), text(f.Severities), micros(f.Since), limit+1)
	if err != nil {
		return nil, false, err
	}
	return found[:min(len(found), limit)], len(found) > limit, nil
}

// ChangeAlert changes the alert whose version is the stored one.
func (s *Store) ChangeAlert(ctx context.Context, a alert.Alert, c alert.Change) (changed alert.Alert, err error) {
	err = s.writer.do(ctx, func(tx *transaction) error {
		stored, err := findAlert(context.Background(), tx, a.ProjectID, a.IID)
		if err != nil {
			return err
		}
		if stored.Version != a.Version {
			return alert.ErrChanged
		}
		changed = stored.Changed(c)
		if err := tx.checkAlone(stored, changed); err != nil {
			return err
		}
		return tx.saveAlert(changed)
	})
	if err != nil {
		return alert.Alert{}, err
	}
	return changed, nil
}

// checkAlone refuses to open an alert again beside another.
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

// saveAlert stores what a change can change.
func (tx *transaction) saveAlert(a alert.Alert) error {
	return tx.exec(`UPDATE alerts SET status = ?, ended_at = ?, assignee_id = ?, activity = ?, updated_at = ?, version = ?
		WHERE project_id = ? AND iid = ?`,
		a.Status, micros(a.EndedAt), a.AssigneeID, text(a.Activity), micros(a.UpdatedAt), a.Version, a.ProjectID, a.IID)
}
