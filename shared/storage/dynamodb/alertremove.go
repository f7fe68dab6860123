package dynamodb

import (
	"context"
	"fmt"

	"gatehouse/shared/alert"
)

var deletedProjects = shape{alerts, "LIST#gone", "<id>", "a deleted project that may have alerts left", ""}

// maxRemoved is how many alerts the deletion of a project removes, to be done in
// the time of a request.
const maxRemoved = 1000

// markDeleted marks a deleted project, because its alerts are still to be removed.
func markDeleted(projectID int64) change {
	return replace(deletedProjects.key(projectID), fields{{"project_id", &projectID}})
}

// removeAlerts removes alerts of the project that has just been deleted, and of
// earlier ones that had too many for one request. A mark stays until a later
// deletion finds no alert, because one may still be recorded meanwhile.
func (s *Store) removeAlerts(ctx context.Context, deleted int64) error {
	marked, err := s.deletedProjects(ctx)
	if err != nil {
		return fmt.Errorf("list deleted projects: %w", err)
	}
	left := maxRemoved
	for _, projectID := range marked {
		n, err := s.removeSomeAlerts(ctx, projectID, left)
		if err == nil {
			err = s.removeCounts(ctx, projectID)
		}
		if err == nil && n == 0 && projectID != deleted {
			err = s.writeEach(ctx, []change{remove(deletedProjects.key(projectID)), remove(alertCounter.key(projectID))})
		}
		if left -= n; left <= 0 || err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) deletedProjects(ctx context.Context) (ids []int64, err error) {
	err = s.query(ctx, deletedProjects.key(), forward, func(it item) (bool, error) {
		var id int64
		err := (fields{{"project_id", &id}}).read(it)
		ids = append(ids, id)
		return true, err
	})
	return ids, err
}

// removeSomeAlerts removes at most so many alerts of a deleted project and
// returns how many. Each goes after the items that are found only through it.
func (s *Store) removeSomeAlerts(ctx context.Context, projectID int64, most int) (n int, err error) {
	var parts, themselves []change
	err = s.query(ctx, alertItem.key(projectID), forward, func(it item) (bool, error) {
		a, err := readRelisted(it)
		if err != nil {
			return false, err
		}
		name, chunks, err := payloadIn(it)
		for _, k := range payloadKeys(name, chunks) {
			parts = append(parts, remove(k))
		}
		if a.Fingerprint != "" {
			parts = append(parts, remove(slotKey(projectID, a.Fingerprint)), remove(aloneKey(a.Alert)))
		}
		parts = append(parts, removeLatest(a.Alert)...)
		parts = append(parts, reassign(a.Alert, alert.Alert{})...)
		listed := a.Alert
		listed.Status = a.as
		parts = append(parts, unlist(listed)...)
		themselves = append(themselves, remove(alertItem.key(projectID, a.IID)))
		return len(themselves) < most, err
	})
	if err == nil {
		err = s.writeEach(ctx, parts)
	}
	if err == nil {
		err = s.writeEach(ctx, themselves)
	}
	if err != nil {
		return 0, fmt.Errorf("remove alerts of a deleted project: %w", err)
	}
	return len(themselves), nil
}

// removeCounts removes the counts of a deleted project's alerts.
func (s *Store) removeCounts(ctx context.Context, projectID int64) error {
	var parts []change
	for _, of := range []key{alertCount.key(projectID), alertDay.key(projectID), alertExpiry.key(projectID)} {
		err := s.query(ctx, of, forward, func(it item) (bool, error) {
			k := key{table: of.table}
			err := fields{{"pk", &k.pk}, {"sk", &k.sk}}.read(it)
			parts = append(parts, remove(k))
			return true, err
		})
		if err != nil {
			return fmt.Errorf("list the counts of a deleted project: %w", err)
		}
	}
	return s.writeEach(ctx, parts)
}
