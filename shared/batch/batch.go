// Package batch lets reads that are made at the same time ask a store once. The caller says
// which reads these are, and a store that can answer several of them in one request does so.
package batch

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Together makes the reads in parallel, and returns the first error. What they ask through
// Ask waits until none of them has anything else to do, so they should ask early.
func Together(ctx context.Context, reads ...func(context.Context) error) error {
	all, ctx := errgroup.WithContext(ctx)
	g := &group{ctx: ctx, running: len(reads)}
	within := context.WithValue(ctx, groupKey{}, g)
	for _, read := range reads {
		all.Go(func() error {
			defer g.leave()
			return read(within)
		})
	}
	return all.Wait()
}

// Ask returns what do answers. If it is called by reads that are made together, do is called
// once with the questions of all who wait, and all get its answer.
func Ask[Q, A any](ctx context.Context, question Q, do func(context.Context, []Q) (A, error)) (A, error) {
	g, _ := ctx.Value(groupKey{}).(*group)
	if g == nil {
		return do(ctx, []Q{question})
	}
	answered := g.wait(question, func(ctx context.Context, questions []any) (any, error) {
		all := make([]Q, len(questions))
		for n, q := range questions {
			all[n] = q.(Q)
		}
		return do(ctx, all)
	})
	select {
	case <-answered.done:
		a, _ := answered.answer.(A)
		return a, answered.err
	case <-ctx.Done():
		var none A
		return none, ctx.Err()
	}
}

type groupKey struct{}

// group is reads that are made together.
type group struct {
	ctx context.Context // without the group

	mu      sync.Mutex
	running int    // reads that have not returned
	next    *round // of those who wait; nil: nobody does
}

// round is questions that are answered together.
type round struct {
	questions []any
	do        func(context.Context, []any) (any, error)

	done   chan struct{} // closed when there are answer and err
	answer any
	err    error
}

// wait adds the question to the next round, which begins when as many wait as are running. A
// read that asks twice at once only has it begin earlier.
func (g *group) wait(question any, do func(context.Context, []any) (any, error)) *round {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next == nil {
		g.next = &round{do: do, done: make(chan struct{})}
	}
	joined := g.next
	joined.questions = append(joined.questions, question)
	g.begin()
	return joined
}

// leave ends a read, so that nobody waits for it.
func (g *group) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	g.begin()
}

// begin has the next round answered if nobody else can join it.
func (g *group) begin() {
	r := g.next
	if r == nil || len(r.questions) < g.running {
		return
	}
	g.next = nil
	go func() {
		defer close(r.done)
		r.answer, r.err = r.do(g.ctx, r.questions)
	}()
}
