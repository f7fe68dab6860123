package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/attention"
	"gatehouse/shared/project"
)

var projectSummaries = newKind("project_summaries", func(s *attention.Summary) columns {
	return columns{
		{"project_id", &s.ProjectID}, {"alerts", (*numbersOpen)(&s.Alerts)}, {"incidents", (*numbersOpen)(&s.Incidents)},
		{"counted_at", &s.CountedAt}, {"version", &s.Version},
	}
}, project.ErrNotFound, attention.ErrChanged)

// numbersOpen is stored as JSON.
type numbersOpen attention.Numbers

func (n *numbersOpen) Scan(stored any) error {
	from, ok := stored.(string)
	if !ok {
		return fmt.Errorf("stored numbers are a %T", stored)
	}
	*n = nil
	return json.Unmarshal([]byte(from), n)
}

func (n *numbersOpen) value() any { return text(*n) }

const byProject = "WHERE project_id = ?"

// SaveProjectSummary stores a summary and lists the project by its rank.
func (s *Store) SaveProjectSummary(ctx context.Context, p project.Project, was, next attention.Summary) error {
	next.ProjectID, next.Version = p.ID, was.Version+1
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireProject(p.ID); err != nil {
			return err
		}
		err := projectSummaries.requireVersion(tx, was.Version, byProject, p.ID)
		if errors.Is(err, projectSummaries.notFound) {
			err = nil
			if was.Version != 0 {
				err = attention.ErrChanged
			}
		}
		if err != nil {
			return err
		}
		if err := projectSummaries.put(tx, &next); err != nil {
			return err
		}
		return tx.listInNeed(p, next.Rank())
	})
}

// listInNeed lists a project in the groups above it.
func (tx *transaction) listInNeed(p project.Project, rank int64) error {
	if err := tx.exec("DELETE FROM projects_in_need "+byProject, p.ID); err != nil || rank == 0 {
		return err
	}
	return tx.exec("INSERT INTO projects_in_need (group_id, rank, project_id) SELECT value, ?, ? FROM json_each(?)", rank, p.ID, text(p.Lineage))
}

// ProjectSummaries returns the summaries of projects.
func (s *Store) ProjectSummaries(ctx context.Context, projectIDs []int64) (map[int64]attention.Summary, error) {
	found, err := projectSummaries.all(ctx, s.readers, "WHERE project_id IN (SELECT value FROM json_each(?))", text(projectIDs))
	byID := make(map[int64]attention.Summary, len(found))
	for _, one := range found {
		byID[one.ProjectID] = one
	}
	return byID, err
}

const selectInNeed = "SELECT project_id, rank FROM projects_in_need WHERE group_id = ? ORDER BY rank DESC, project_id DESC LIMIT ?"

// ProjectsInNeed returns the first projects of the lists of the groups.
func (s *Store) ProjectsInNeed(ctx context.Context, groupIDs []int64, n int) (all []attention.Needing, err error) {
	for _, id := range groupIDs {
		some, err := many(ctx, s.readers, func(r row) (one attention.Needing, err error) {
			return one, r.Scan(&one.ProjectID, &one.Rank)
		}, selectInNeed, id, n)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, attention.Needing.Compare)
	all = slices.Compact(all) // a project is below several of the groups
	return all[:min(n, len(all))], nil
}

const waitingFor = "WHERE assignee_id = ? AND assignee_id > 0 AND status IN ('triggered', 'acknowledged') ORDER BY created_at DESC, id DESC LIMIT ?"

// AssignedAlerts returns the newest alerts that wait for a user.
func (s *Store) AssignedAlerts(ctx context.Context, userID int64, n int, now time.Time) ([]alert.Alert, error) {
	return listedAlerts.all(ctx, s.readers, waitingFor, userID, n)
}
