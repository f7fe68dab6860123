package dynamodb

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/attention"
	"gatehouse/shared/project"
)

var (
	attentionItem  = shape{directory, "PROJECT#<id>", "ATTENTION", "how many alerts and incidents of a project are open", ""}
	attentionEntry = shape{directory, "ATTENTION#<group>", "<rank>#<project>", "a project with open alerts or incidents in the list of a group above it", ""}
)

var projectSummaries = kind[attention.Summary]{
	noun: "summary", notFound: project.ErrNotFound, changed: attention.ErrChanged,
	key: func(s attention.Summary) key { return attentionItem.key(s.ProjectID) },
	fields: func(s *attention.Summary) fields {
		return fields{
			{"project_id", &s.ProjectID}, {"alerts", (*numbersOpen)(&s.Alerts)}, {"incidents", (*numbersOpen)(&s.Incidents)},
			{"counted_at", &s.CountedAt}, {"version", &s.Version},
		}
	},
}

// numbersOpen is stored as JSON.
type numbersOpen attention.Numbers

func (n *numbersOpen) value() types.AttributeValue {
	encoded, err := json.Marshal(*n)
	if err != nil {
		panic(err) // words and numbers always have a form
	}
	return binary(encoded)
}

func (n *numbersOpen) set(value types.AttributeValue) error {
	encoded, err := parseBytes(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(encoded, n)
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
			changes = append(changes, putEntry(attentionEntry.key(groupID, is, p.ID), fields{{"project_id", &p.ID}, {"rank", &is}}))
		}
	}
	return changes
}

// ProjectSummaries returns the summaries of projects.
func (s *Store) ProjectSummaries(ctx context.Context, projectIDs []int64) (map[int64]attention.Summary, error) {
	return projectSummaries.withIDs(ctx, s, projectIDs, func(of *attention.Summary) *int64 { return &of.ProjectID })
}

// ProjectsInNeed returns the first projects of the lists of the groups.
func (s *Store) ProjectsInNeed(ctx context.Context, groupIDs []int64, n int) ([]attention.Needing, error) {
	var mu sync.Mutex
	var all []attention.Needing
	err := inParallel(ctx, groupIDs, func(ctx context.Context, groupID int64) error {
		input := s.partition(attentionEntry.key(groupID), backward)
		input.Limit = atOnce(n)
		left := n
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
	slices.SortFunc(all, attention.Needing.Compare)
	all = slices.Compact(all) // a project is below several of the groups
	return all[:min(n, len(all))], nil
}

// removeSummary removes the summary of a deleted project. None is stored any more, because
// that requires the project.
func (s *Store) removeSummary(ctx context.Context, p project.Project) error {
	found, err := s.ProjectSummaries(ctx, []int64{p.ID})
	of, there := found[p.ID]
	if err != nil || !there {
		return err
	}
	return s.writeEach(ctx, append(reattend(p, of.Rank(), 0), remove(attentionItem.key(p.ID))))
}
