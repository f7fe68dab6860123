package storagetest

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/fault"
)

func wantOK(t *testing.T, call string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s = %v, want no error", call, err)
	}
}

// wantError checks which error it is, so that every store says the same words.
func wantError(t *testing.T, call string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s = %v, want the error %q", call, err, want)
	}
}

// wantTaken checks that the error says of this field alone that it is taken.
func wantTaken(t *testing.T, call string, err error, field string) {
	t.Helper()
	wantComplaint(t, call, err, field, fault.Taken)
}

// wantComplaint checks that the error complains about this field alone.
func wantComplaint(t *testing.T, call string, err error, field, complaint string) {
	t.Helper()
	var got fault.Fields
	errors.As(err, &got)
	if want := (fault.Fields{field: {complaint}}); !cmp.Equal(got, want) {
		t.Errorf("%s = %v, want %v", call, err, want)
	}
}

// isTaken returns a function that reports whether an error says that one of
// these fields is taken.
func isTaken(fields ...string) func(error) bool {
	return func(err error) bool {
		var got fault.Fields
		errors.As(err, &got)
		return slices.ContainsFunc(fields, func(f string) bool { return cmp.Equal(got, fault.Fields{f: {fault.Taken}}) })
	}
}

// wantSame compares, taking an empty list for a missing one.
func wantSame(t *testing.T, call string, got, want any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, append(options, cmpopts.EquateEmpty())...); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", call, diff)
	}
}

// race makes n calls at once and returns their errors.
func race(n int, call func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var callers sync.WaitGroup
	for i := range n {
		callers.Go(func() {
			<-start
			errs[i] = call(i)
		})
	}
	close(start)
	callers.Wait()
	return errs
}

// wantOneWinner checks that exactly one of the errors is nil and that all others
// mean a loss. It returns the number of the winner.
func wantOneWinner(t *testing.T, call string, errs []error, loss func(error) bool) int {
	t.Helper()
	winner, winners := -1, 0
	for i, err := range errs {
		switch {
		case err == nil:
			winner = i
			winners++
		case !loss(err):
			t.Errorf("%s: a losing caller got %v", call, err)
		}
	}
	if winners != 1 {
		t.Fatalf("%s: %d of %d concurrent callers won, want 1", call, winners, len(errs))
	}
	return winner
}

// is returns a function that reports whether an error is one of these.
func is(wants ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(wants, func(want error) bool { return errors.Is(err, want) })
	}
}
