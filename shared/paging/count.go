package paging

import (
	"context"
	"slices"

	"gatehouse/shared/dispatch"
	"gatehouse/shared/fault"
	"gatehouse/shared/outbox"
)

// mostCounted is how many messages one count of a project can stand for.
const mostCounted = 1000

// count counts what is open in a project. All messages that wait by now are about changes
// that are stored, so that one count stands for all of them.
func (r *Rules) count(ctx context.Context, first outbox.Message) (dispatch.Result, error) {
	behind, err := r.store.Waiting(ctx, first.Lane, mostCounted)
	if err != nil {
		return dispatch.Result{}, err
	}
	behind = slices.DeleteFunc(behind, func(m outbox.Message) bool { return m.Seq == first.Seq })
	p, err := r.store.Project(ctx, first.ProjectID)
	if err == nil {
		err = r.Attention.Count(ctx, p)
	}
	return dispatch.Result{Behind: behind}, fault.IgnoreNotFound(err)
}
