package sqlite

import (
	"context"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/page"
)

// tally is what an operation adds to the counts of a project's alerts.
type tally struct {
	counts alert.Counts
	days   map[int64]alert.Day // by the days since 1970
}

func newTally() tally { return tally{alert.Counts{}, map[int64]alert.Day{}} }

// opened counts a new alert.
func (t tally) opened(a alert.Alert) {
	t.counts[a.Class()]++
	number := dayNumber(a.CreatedAt)
	day := t.days[number]
	day.Total++
	if a.Severity.Grave() {
		day.Grave++
	}
	t.days[number] = day
}

// changed counts an alert that may have changed its class.
func (t tally) changed(was, is alert.Alert) {
	t.counts[was.Class()]--
	t.counts[is.Class()]++
}

// keep adds the tally to the counts.
func (t tally) keep(tx *transaction, projectID int64) error {
	for class, n := range t.counts {
		if n == 0 {
			continue
		}
		if err := tx.exec(`INSERT INTO alert_counts (project_id, status, severity, alerts) VALUES (?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET alerts = alerts + excluded.alerts`, projectID, class.Status, class.Severity, n); err != nil {
			return err
		}
	}
	for number, day := range t.days {
		if err := tx.exec(`INSERT INTO alert_days (project_id, day, alerts, grave) VALUES (?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET alerts = alerts + excluded.alerts, grave = grave + excluded.grave`,
			projectID, number, day.Total, day.Grave); err != nil {
			return err
		}
	}
	return nil
}

// countedAlerts are the numbers of a project's alerts, without those that have expired and
// are not swept yet.
const countedAlerts = `SELECT status, severity, alerts - CASE status WHEN 'resolved' THEN
		(SELECT count(*) FROM alerts AS a WHERE a.project_id = c.project_id AND a.severity = c.severity AND expires_at > 0 AND expires_at <= ?)
	ELSE 0 END FROM alert_counts AS c WHERE project_id = ?`

// CountedAlerts returns what Alerts and AlertCounts do, after the others have read what is
// beside the alerts.
func (s *Store) CountedAlerts(
	ctx context.Context, projectID int64, q alert.Query, r page.Request, now time.Time, others ...alert.BesideList,
) (found page.Of[alert.Alert], counts alert.Counts, err error) {
	if found, err = s.Alerts(ctx, projectID, q, r, now); err != nil {
		return found, nil, err
	}
	for _, read := range others {
		if err := read(ctx, found.Items); err != nil {
			return found, nil, err
		}
	}
	if !q.Searches() {
		counts, err = s.AlertCounts(ctx, projectID, now)
	}
	return found, counts, err
}

// AlertCounts returns the numbers of a project's alerts.
func (s *Store) AlertCounts(ctx context.Context, projectID int64, now time.Time) (alert.Counts, error) {
	type counted struct {
		alert.Class
		n int
	}
	found, err := many(ctx, s.readers, func(r row) (c counted, err error) {
		return c, r.Scan(&c.Status, &c.Severity, &c.n)
	}, countedAlerts, micros(now), projectID)
	counts := alert.Counts{}
	for _, c := range found {
		counts[c.Class] = c.n
	}
	return counts, err
}

// AlertDays returns the days since the first on which alerts were opened.
func (s *Store) AlertDays(ctx context.Context, projectID int64, first time.Time) ([]alert.Day, error) {
	return many(ctx, s.readers, func(r row) (d alert.Day, err error) {
		var number int64
		err = r.Scan(&number, &d.Total, &d.Grave)
		d.Date = time.Unix(number*secondsOfDay, 0).UTC()
		return d, err
	}, "SELECT day, alerts, grave FROM alert_days WHERE project_id = ? AND day >= ?", projectID, dayNumber(first))
}

const secondsOfDay = 24 * 60 * 60

// dayNumber counts the days from 1970, UTC.
func dayNumber(t time.Time) int64 { return t.Unix() / secondsOfDay }

// removeAlerts removes the alerts of a deleted project in small portions, and then
// their numbers.
func (s *Store) removeAlerts(ctx context.Context, projectID int64) error {
	err := s.portions(ctx, "DELETE FROM alerts WHERE id IN (SELECT id FROM alerts WHERE project_id = ? LIMIT 500)", projectID)
	if err == nil {
		err = s.exec(ctx, "DELETE FROM alert_counts WHERE project_id = ?", projectID)
	}
	return err
}
