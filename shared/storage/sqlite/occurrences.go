package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/storage/packed"
)

// The open alerts of a project with a fingerprint: the one that counts further
// occurrences, and those that count none. Both have an index.
const (
	counting = "project_id = ? AND fingerprint = ? AND grouped AND status <> 'resolved'"
	alone    = "project_id = ? AND fingerprint = ? AND NOT grouped AND status <> 'resolved' AND fingerprint <> ''"
)

// RecordOccurrences records the occurrences of a request, all or none.
func (s *Store) RecordOccurrences(ctx context.Context, projectID int64, occurrences [][]alert.Occurrence, now time.Time) ([][]alert.Recorded, error) {
	payloads := packPayloads(occurrences)
	recorded := make([][]alert.Recorded, len(occurrences))
	err := s.writer.do(ctx, func(tx *transaction) error {
		r := recording{tx, projectID, now, newTally()}
		for i, list := range occurrences {
			for j, o := range list {
				done, err := r.record(o, payloads[i][j])
				if err != nil {
					return err
				}
				recorded[i] = append(recorded[i], done...)
			}
		}
		return r.keep(tx, projectID)
	})
	if err != nil {
		return nil, err
	}
	return recorded, nil
}

// packPayloads compresses outside of the writer, for which others wait.
func packPayloads(occurrences [][]alert.Occurrence) [][][]byte {
	all := make([][][]byte, len(occurrences))
	for i, list := range occurrences {
		all[i] = make([][]byte, len(list))
		for j, o := range list {
			if !o.Recovery {
				all[i][j] = packed.Pack(o.Payload)
			}
		}
	}
	return all
}

// recording is the operation that records the occurrences of a request.
type recording struct {
	*transaction
	projectID int64
	now       time.Time
	tally
}

func (r recording) record(o alert.Occurrence, payload []byte) ([]alert.Recorded, error) {
	if o.Recovery {
		return r.recover(o)
	}
	if o.Acknowledges() {
		if acknowledged, err := r.acknowledge(o); err != nil || len(acknowledged) > 0 {
			return acknowledged, err
		}
	}
	if o.Joins() {
		repeated, err := r.count(o, payload)
		if !errors.Is(err, sql.ErrNoRows) {
			return []alert.Recorded{repeated}, err
		}
	}
	opened, err := r.open(o, payload)
	return []alert.Recorded{opened}, err
}

// count counts an occurrence on the open alert, or returns sql.ErrNoRows.
func (r recording) count(o alert.Occurrence, payload []byte) (alert.Recorded, error) {
	const query = `UPDATE alerts SET events = events + ?, last_event_at = max(last_event_at, ?)
		WHERE ` + counting + " RETURNING id, iid, title, severity, peak_severity, latest_payload_at"
	found, err := one(context.Background(), r, scanRepeated, query, o.Count, micros(r.now), r.projectID, o.Fingerprint)
	if err != nil {
		return alert.Recorded{}, err
	}
	repeated := alert.Recorded{Outcome: alert.Repeated, IID: found.IID, Title: found.Title, Graver: o.Severity.Graver(found.PeakSeverity)}
	if repeated.Graver {
		err = r.raise(found, o)
	}
	if err == nil && alert.KeepsPayload(found.latestAt, r.now) {
		err = r.keepPayload(found, payload)
	}
	return repeated, err
}

// repeated is what the store returns of an alert that counts an occurrence.
type repeated struct {
	id int64 // of its row
	alert.Alert
	latestAt time.Time // when the payload of a repeat was kept; zero: never
}

func scanRepeated(r row) (found repeated, err error) {
	err = r.Scan(&found.id, &found.IID, &found.Title, &found.Severity, &found.PeakSeverity, (*moment)(&found.latestAt))
	completeAlert(&found.Alert)
	return found, err
}

// raise stores that the alert has become graver, and the messages about it.
func (r recording) raise(found repeated, o alert.Occurrence) error {
	if err := r.exec("UPDATE alerts SET peak_severity = ? WHERE id = ?", o.Severity, found.id); err != nil {
		return err
	}
	raised, err := alerts.find(context.Background(), r, "WHERE id = ?", found.id)
	return errors.Join(err, r.tell(raised.ToldGraver(o, r.now)))
}

// keepPayload keeps the payload of a repeat instead of the former one.
func (r recording) keepPayload(found repeated, payload []byte) error {
	return errors.Join(
		r.exec("UPDATE alerts SET latest_payload_at = ? WHERE id = ?", micros(r.now), found.id),
		r.exec("INSERT OR REPLACE INTO alert_latest_payloads (alert_id, at, packed) VALUES (?, ?, ?)", found.id, micros(r.now), payload),
	)
}

// open stores a new alert.
func (r recording) open(o alert.Occurrence, payload []byte) (alert.Recorded, error) {
	const next = `INSERT INTO alert_counters (project_id, last_iid) VALUES (?, 1)
		ON CONFLICT (project_id) DO UPDATE SET last_iid = last_iid + 1 RETURNING last_iid`
	iid, err := one(context.Background(), r, scalar[int64], next, r.projectID)
	if err != nil {
		return alert.Recorded{}, err
	}
	opened := o.Alert(r.projectID, iid, r.now)
	id, err := alerts.insert(r.transaction, &opened)
	if err != nil {
		return alert.Recorded{}, err
	}
	r.opened(opened)
	err = r.exec("INSERT INTO alert_payloads (alert_id, packed) VALUES (?, ?)", id, payload)
	if err == nil {
		err = r.tell(opened.ToldOpened(o))
	}
	return alert.Recorded{Outcome: alert.Opened, IID: iid, Title: o.Title}, err
}

// recover resolves every open alert to which the recovery applies.
func (r recording) recover(o alert.Occurrence) (recorded []alert.Recorded, err error) {
	open, err := r.openAlerts(r.projectID, o.Fingerprint)
	if err != nil {
		return nil, err
	}
	for _, a := range open {
		if !o.Resolves(a) {
			continue
		}
		resolution := o.Resolution(r.now)
		resolved := a.Changed(resolution)
		if err := errors.Join(r.saveAlert(resolved), r.tell(resolved.ToldChanged(a, resolution))); err != nil {
			return nil, err
		}
		r.changed(a, resolved)
		recorded = append(recorded, alert.Recorded{Outcome: alert.Recovered, IID: a.IID, Title: a.Title})
	}
	if len(recorded) == 0 {
		recorded = []alert.Recorded{{Outcome: alert.Unmatched}}
	}
	return recorded, nil
}

// acknowledge acknowledges every open alert with the fingerprint of the occurrence.
func (r recording) acknowledge(o alert.Occurrence) (recorded []alert.Recorded, err error) {
	if o.Fingerprint == "" {
		return nil, nil
	}
	open, err := r.openAlerts(r.projectID, o.Fingerprint)
	for _, a := range open {
		c := o.Acknowledgement(a, r.now)
		if acknowledged := a.Changed(c); acknowledged.Version != a.Version {
			if err := errors.Join(r.saveAlert(acknowledged), r.tell(acknowledged.ToldChanged(a, c))); err != nil {
				return nil, err
			}
			r.changed(a, acknowledged)
		}
		recorded = append(recorded, alert.Recorded{Outcome: alert.Acked, IID: a.IID, Title: a.Title})
	}
	return recorded, err
}

// openAlerts returns the open alerts with a fingerprint, by their iids.
func (tx *transaction) openAlerts(projectID int64, fingerprint alert.Fingerprint) ([]alert.Alert, error) {
	var open []alert.Alert
	for _, which := range []string{counting, alone} {
		found, err := alerts.all(context.Background(), tx, "WHERE "+which, projectID, fingerprint)
		if err != nil {
			return nil, err
		}
		open = append(open, found...)
	}
	slices.SortFunc(open, func(a, b alert.Alert) int { return cmp.Compare(a.IID, b.IID) })
	return open, nil
}
