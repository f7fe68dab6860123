package alert

import (
	"context"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/project"
)

// MaxChanged is how many alerts can be changed together.
const MaxChanged = 100

// changedAtOnce is how many of them are changed at the same time.
const changedAtOnce = 16

// Mark names an alert that is to be changed with others.
type Mark struct {
	IID  int64
	Seen int64 // as that of a Change
}

// ChangeAll makes the change of each of these alerts as Change does, whatever becomes of the
// others. It returns for each, in their order, why it was not changed; nil: it was. An alert
// that is named twice is changed once. An error is about the change: no alert was changed.
func (r *Rules) ChangeAll(ctx context.Context, by audit.Actor, p project.Project, marks []Mark, c Change) ([]error, error) {
	c, err := r.checked(ctx, by, p, c)
	if err != nil {
		return nil, err
	}
	policy, err := r.policies.AlertPolicy(ctx, p)
	if err != nil {
		return nil, err
	}
	why, first := make([]error, len(marks)), map[int64]int{}
	var changes errgroup.Group
	changes.SetLimit(changedAtOnce)
	for n, m := range marks {
		if _, again := first[m.IID]; again {
			continue
		}
		first[m.IID] = n
		changes.Go(func() error {
			why[n] = r.changeMarked(ctx, p, m, policy, c)
			return nil // the others are changed all the same
		})
	}
	_ = changes.Wait()
	for n, m := range marks {
		why[n] = why[first[m.IID]]
	}
	return why, nil
}

func (r *Rules) changeMarked(ctx context.Context, p project.Project, m Mark, policy Policy, c Change) error {
	a, err := r.Alert(ctx, p.ID, m.IID)
	if err != nil {
		return err
	}
	c.Seen = m.Seen
	_, err = r.change(ctx, Current{a, policy}, c)
	return err
}
