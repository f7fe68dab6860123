package dynamodb

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/attention"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

var (
	attentionItem  = shape{directory, "PROJECT#<id>", "ATTENTION", "how many alerts and incidents of a project are open", ""}
	attentionEntry = shape{directory, "ATTENTION#<group>", "<rank>#<project>", "a project in the list of a group above it: with the rank of what is open in it, and with zero", ""}
)

var projectSummaries = kind[attention.Summary]{
	noun: "summary", notFound: project.ErrNotFound, changed: attention.ErrChanged,
	key: func(s attention.Summary) key { return attentionItem.key(s.ProjectID) },
	fields: func(s *attention.Summary) fields {
		return fields{
			{"project_id", &s.ProjectID}, {"alerts", &asJSON[attention.Numbers]{&s.Alerts}}, {"incidents", &asJSON[attention.Numbers]{&s.Incidents}},
			{"on_call", &asJSON[[]attention.Duty]{&s.OnCall}}, {"counted_at", &s.CountedAt}, {"version", &s.Version},
		}
	},
}

// asJSON stores what it points to as JSON.
type asJSON[T any] struct{ to *T }

func (j *asJSON[T]) value() types.AttributeValue {
	encoded, err := json.Marshal(j.to)
	if err != nil {
		panic(err) // words, numbers and times always have a form
	}
	return binary(encoded)
}

func (j *asJSON[T]) set(value types.AttributeValue) error {
	encoded, err := parseBytes(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(encoded, j.to)
}

// SaveProjectSummary stores a summary. The entries change with its rank alone.
func (s *Store) SaveProjectSummary(ctx context.Context, p project.Project, was, next attention.Summary) error {
	next.ProjectID, next.Version = p.ID, was.Version+1
	saved := replace(attentionItem.key(p.ID), projectSummaries.fields(&next))
	if was.Version == 0 {
		saved = saved.when(isNew, nil)
	} else {
		saved = saved.version(was.Version)
	}
	return s.write(ctx, slices.Concat([]change{saved.orElse(attention.ErrChanged), requireProject(p.ID)}, reattend(p, was.Rank(), next.Rank()))...)
}

// reattend are the changes of the entries of a project that had one rank and has another.
func reattend(p project.Project, was, is int64) (changes []change) {
	if was == is {
		return nil
	}
	for _, groupID := range p.Lineage {
		if was > 0 {
			changes = append(changes, remove(attentionEntry.key(groupID, was, p.ID)))
		}
		if is > 0 {
			changes = append(changes, attend(groupID, p.ID, is))
		}
	}
	return changes
}

func attend(groupID, projectID, rank int64) change {
	return putEntry(attentionEntry.key(groupID, rank, projectID), fields{{"project_id", &projectID}, {"rank", &rank}})
}

// attendAll are the changes that put a project into the lists of the groups above it, where it
// stays.
func attendAll(p project.Project) (changes []change) {
	for _, groupID := range p.Lineage {
		changes = append(changes, attend(groupID, p.ID, 0))
	}
	return changes
}

// ListForAttention puts a project that an earlier release stored into the lists of the
// groups above it.
func (s *Store) ListForAttention(ctx context.Context, p project.Project) error {
	return fault.IgnoreNotFound(s.write(ctx, append(attendAll(p), requireProject(p.ID))...))
}

// ProjectSummaries returns the summaries of projects.
func (s *Store) ProjectSummaries(ctx context.Context, projectIDs []int64) (map[int64]attention.Summary, error) {
	return projectSummaries.withIDs(ctx, s, projectIDs, func(of *attention.Summary) *int64 { return &of.ProjectID })
}

// ProjectRows returns projects with their summaries, which have keys beside each other.
func (s *Store) ProjectRows(ctx context.Context, projectIDs []int64) (map[int64]attention.Row, error) {
	var keys []key
	for _, id := range slices.Compact(slices.Sorted(slices.Values(projectIDs))) {
		keys = append(keys, projectItem.key(id), attentionItem.key(id))
	}
	found, err := s.getAll(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("get projects with their summaries: %w", err)
	}
	rows := map[int64]attention.Row{}
	for _, id := range projectIDs {
		it := found[projectItem.key(id)]
		if it == nil {
			continue
		}
		var row attention.Row
		if row.Project, err = projects.read(it); err != nil {
			return nil, err
		}
		if row.Summary, err = projectSummaries.read(found[attentionItem.key(id)]); err != nil {
			return nil, err
		}
		rows[id] = row
	}
	return rows, nil
}

// ProjectsBelow returns the first projects of the lists of the groups. What needs attention is
// in a list twice, so that three times as many entries have n of the newest besides.
func (s *Store) ProjectsBelow(ctx context.Context, groupIDs []int64, calm bool, n int) ([]attention.Needing, error) {
	var mu sync.Mutex
	var all []attention.Needing
	err := inParallel(ctx, groupIDs, func(ctx context.Context, groupID int64) error {
		at, left := attentionEntry.key(groupID), 3*n
		if calm {
			at, left = attentionEntry.key(groupID, int64(0)), n
		}
		input := s.partition(at, backward)
		input.Limit = atOnce(left)
		return s.run(ctx, input, func(it item) (bool, error) {
			var one attention.Needing
			err := fields{{"project_id", &one.ProjectID}, {"rank", &one.Rank}}.read(it)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, one)
			left--
			return left > 0, err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list projects that need attention: %w", err)
	}
	return attention.First(all, n), nil
}

// UsersWithRoles returns users and memberships, which are read together.
func (s *Store) UsersWithRoles(ctx context.Context, userIDs []int64, wanted []project.Member) (map[int64]user.User, project.Memberships, error) {
	keys := map[key]bool{} // true: a membership
	for _, id := range userIDs {
		keys[userItem.key(id)] = false
	}
	for _, m := range wanted {
		keys[members.key(m)] = true
	}
	found, err := s.getAll(ctx, slices.Collect(maps.Keys(keys)))
	if err != nil {
		return nil, nil, fmt.Errorf("get people with their memberships: %w", err)
	}
	people, memberships := map[int64]user.User{}, project.Memberships(nil)
	for k, it := range found {
		if keys[k] {
			m, err := members.read(it)
			if err != nil {
				return nil, nil, err
			}
			memberships = append(memberships, m)
			continue
		}
		u, err := users.read(it)
		if err != nil {
			return nil, nil, err
		}
		people[u.ID] = u
	}
	return people, memberships, nil
}

// removeSummary removes the summary of a deleted project, and the project from the lists of
// groups. None is stored any more, because that requires the project.
func (s *Store) removeSummary(ctx context.Context, p project.Project) error {
	found, err := s.ProjectSummaries(ctx, []int64{p.ID})
	if err != nil {
		return err
	}
	changes := append(reattend(p, found[p.ID].Rank(), 0), remove(attentionItem.key(p.ID)))
	for _, groupID := range p.Lineage {
		changes = append(changes, remove(attentionEntry.key(groupID, int64(0), p.ID)))
	}
	return s.writeEach(ctx, changes)
}
