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
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

var projectSummaries = newKind("project_summaries", func(s *attention.Summary) columns {
	return columns{
		{"project_id", &s.ProjectID}, {"alerts", &asJSON[attention.Numbers]{&s.Alerts}}, {"incidents", &asJSON[attention.Numbers]{&s.Incidents}},
		{"on_call", &asJSON[[]attention.Duty]{&s.OnCall}}, {"counted_at", &s.CountedAt}, {"version", &s.Version},
	}
}, project.ErrNotFound, attention.ErrChanged)

// asJSON stores what it points to as JSON.
type asJSON[T any] struct{ to *T }

func (j *asJSON[T]) Scan(stored any) error {
	from, ok := stored.(string)
	if !ok {
		return fmt.Errorf("stored JSON is a %T", stored)
	}
	*j.to = *new(T)
	return json.Unmarshal([]byte(from), j.to)
}

func (j *asJSON[T]) value() any { return text(*j.to) }

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

// ProjectRows returns projects with their summaries.
func (s *Store) ProjectRows(ctx context.Context, projectIDs []int64) (map[int64]attention.Row, error) {
	found, err := s.ProjectsByID(ctx, projectIDs)
	if err != nil {
		return nil, err
	}
	summaries, err := s.ProjectSummaries(ctx, projectIDs)
	rows := make(map[int64]attention.Row, len(found))
	for id, p := range found {
		rows[id] = attention.Row{Project: p, Summary: summaries[id]}
	}
	return rows, err
}

const selectInNeed = "SELECT project_id, rank FROM projects_in_need WHERE group_id = ? ORDER BY rank DESC, project_id DESC LIMIT ?"

// ProjectsBelow returns the first projects of the lists of the groups, and the newest in them.
func (s *Store) ProjectsBelow(ctx context.Context, groupIDs []int64, calm bool, n int) (all []attention.Needing, err error) {
	if !calm {
		if all, err = s.inNeed(ctx, groupIDs, n); err != nil {
			return nil, err
		}
	}
	ofGroups, inGroups, ofInstance := contentsOf(project.Selection{MembersOnly: true}, groupIDs)
	newest, err := s.firstOf(ctx, false, n, firstInside, ofGroups, inGroups, ofInstance, project.InProject, numberBeyond(false, page.Position{}))
	for _, e := range newest {
		all = append(all, attention.Needing{ProjectID: e.id})
	}
	return attention.First(all, n), err
}

// inNeed returns the first n of each list.
func (s *Store) inNeed(ctx context.Context, groupIDs []int64, n int) (all []attention.Needing, err error) {
	for _, id := range groupIDs {
		some, err := many(ctx, s.readers, func(r row) (one attention.Needing, err error) {
			return one, r.Scan(&one.ProjectID, &one.Rank)
		}, selectInNeed, id, n)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// UsersWithRoles returns users and memberships.
func (s *Store) UsersWithRoles(ctx context.Context, userIDs []int64, wanted []project.Member) (map[int64]user.User, project.Memberships, error) {
	people, err := s.UsersByID(ctx, userIDs)
	if err != nil {
		return nil, nil, err
	}
	byUser := map[int64][]project.Place{}
	for _, m := range wanted {
		if !slices.Contains(byUser[m.UserID], m.Place) {
			byUser[m.UserID] = append(byUser[m.UserID], m.Place)
		}
	}
	var all project.Memberships
	for id, places := range byUser {
		some, err := s.MembershipsAt(ctx, id, places...)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, some...)
	}
	return people, all, nil
}

const waitingFor = "WHERE assignee_id = ? AND assignee_id > 0 AND status IN ('triggered', 'acknowledged') ORDER BY created_at DESC, id DESC LIMIT ?"

// AssignedAlerts returns the newest alerts that wait for a user.
func (s *Store) AssignedAlerts(ctx context.Context, userID int64, n int, now time.Time) ([]alert.Alert, error) {
	return listedAlerts.all(ctx, s.readers, waitingFor, userID, n)
}
