package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

// fillVersion changes when stores are filled differently, so that no store of an
// earlier version is used again.
const fillVersion = 2

// filler fills an empty store. What it makes depends only on the size, apart from
// the ids: things of one kind are made side by side.
type filler struct {
	storage.Store
	size    size
	workers int
	now     time.Time

	name     string // for the progress
	progress io.Writer

	users    []user.User
	groups   []project.Group
	projects []project.Project
	busy     project.Project
	clients  []oauth.Client
}

func (f *filler) fill(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		f.addUsers, f.addGroups, f.addProjects, f.addMembers, f.addClients, f.addGrants, f.addTokens, f.addSessions,
		f.addHistory, f.mark,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// addHistory adds what takes longest, side by side: the workers of the alerts are few.
func (f *filler) addHistory(ctx context.Context) error {
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error { return f.addEntries(ctx) })
	work.Go(func() error { return f.addAlerts(ctx) })
	return work.Wait()
}

// each makes n things of a kind side by side, and reports its progress now and then.
func (f *filler) each(ctx context.Context, what string, n int, do func(ctx context.Context, i int) error) error {
	return f.eachBy(ctx, f.workers, what, n, do)
}

// reportEvery is the time between two lines of progress.
const reportEvery = 10 * time.Second

func (f *filler) eachBy(ctx context.Context, workers int, what string, n int, do func(ctx context.Context, i int) error) error {
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(workers)
	var done atomic.Int64
	next := time.Now().Add(reportEvery)
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		if time.Now().After(next) {
			fmt.Fprintf(f.progress, "%s: %d of %d %s\n", f.name, done.Load(), n, what)
			next = time.Now().Add(reportEvery)
		}
		work.Go(func() error {
			defer done.Add(1)
			if err := do(ctx, i); err != nil {
				return fmt.Errorf("%s %d: %w", what, i, err)
			}
			return nil
		})
	}
	return work.Wait()
}

// chance returns the random numbers of the i-th thing of a kind, always the same.
func chance(kind string, i int) *rand.Rand {
	seed := uint64(0)
	for _, c := range kind {
		seed = seed*31 + uint64(c)
	}
	return rand.New(rand.NewPCG(seed, uint64(i)))
}

// randomBytes fills a value with the numbers.
func randomBytes(r *rand.Rand, into []byte) {
	for i := range into {
		into[i] = byte(r.Uint32())
	}
}

// ago returns when the i-th of n things was made that were made evenly since so
// long ago.
func (f *filler) ago(since time.Duration, i, n int) time.Time {
	return f.now.Add(-since + since/time.Duration(n+1)*time.Duration(i)).Truncate(time.Microsecond)
}

// spread returns the i-th of n positions that are spread evenly over a list.
func spread[T any](list []T, i, n int) T { return list[i*len(list)/n] }

func ignoreConflict(err error) error {
	if errors.Is(err, fault.Conflict) {
		return nil
	}
	return err
}
