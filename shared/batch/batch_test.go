package batch_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/batch"
)

// book answers with twice the number, and keeps what it was asked at once.
type book struct {
	mu    sync.Mutex
	asked [][]int
	err   error
}

func (b *book) find(ctx context.Context, n int) (int, error) {
	found, err := batch.Ask(ctx, n, func(_ context.Context, numbers []int) (map[int]int, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.asked = append(b.asked, slices.Sorted(slices.Values(numbers)))
		all := map[int]int{}
		for _, n := range numbers {
			all[n] = 2 * n
		}
		return all, b.err
	})
	return found[n], err
}

// read returns a read that looks the numbers up one after the other.
func (b *book) read(t *testing.T, numbers ...int) func(context.Context) error {
	return func(ctx context.Context) error {
		for _, n := range numbers {
			got, err := b.find(ctx, n)
			if err != nil {
				return err
			}
			if got != 2*n {
				t.Errorf("find(%d) = %d, want %d", n, got, 2*n)
			}
		}
		return nil
	}
}

func TestReadsTogetherAskOnce(t *testing.T) {
	later := func(b *book) func(context.Context) error {
		return func(ctx context.Context) error {
			time.Sleep(time.Second) // reads something else first
			_, err := b.find(ctx, 9)
			return err
		}
	}
	tests := map[string]struct {
		reads func(b *book) []func(context.Context) error
		asked [][]int
	}{
		"side by side": {func(b *book) []func(context.Context) error {
			return []func(context.Context) error{b.read(t, 1), b.read(t, 2)}
		}, [][]int{{1, 2}}},
		"one asks more": {func(b *book) []func(context.Context) error {
			return []func(context.Context) error{b.read(t, 1, 3), b.read(t, 2)}
		}, [][]int{{1, 2}, {3}}},
		"one asks nothing": {func(b *book) []func(context.Context) error {
			return []func(context.Context) error{b.read(t), b.read(t, 2)}
		}, [][]int{{2}}},
		"one asks later": {func(b *book) []func(context.Context) error {
			return []func(context.Context) error{b.read(t, 1), later(b)}
		}, [][]int{{1, 9}}},
		"two rounds of each": {func(b *book) []func(context.Context) error {
			return []func(context.Context) error{b.read(t, 1, 3), b.read(t, 2, 4)}
		}, [][]int{{1, 2}, {3, 4}}},
		"nobody reads at once": {func(b *book) []func(context.Context) error { return nil }, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &book{}
				if err := batch.Together(t.Context(), test.reads(b)...); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.asked, b.asked); diff != "" {
					t.Errorf("asked at once (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestAskAloneAsksAtOnce(t *testing.T) {
	b := &book{}
	if got, err := b.find(t.Context(), 4); got != 8 || err != nil {
		t.Errorf("find = %d, %v, want 8", got, err)
	}
}

func TestErrorsReachAllWhoAsked(t *testing.T) {
	b := &book{err: errors.New("away")}
	var mu sync.Mutex
	var got []error
	note := func(n int) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := b.find(ctx, n)
			mu.Lock()
			defer mu.Unlock()
			got = append(got, err)
			return err
		}
	}
	if err := batch.Together(t.Context(), note(1), note(2)); !errors.Is(err, b.err) {
		t.Errorf("Together = %v, want %v", err, b.err)
	}
	for _, err := range got {
		if !errors.Is(err, b.err) && !errors.Is(err, context.Canceled) {
			t.Errorf("Ask = %v, want %v", err, b.err)
		}
	}
}

// A read that fails must not leave the others waiting for it.
func TestNobodyWaitsForOneThatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, failed := &book{}, errors.New("no such alert")
		err := batch.Together(t.Context(), b.read(t, 1), func(context.Context) error { time.Sleep(time.Second); return failed })
		if !errors.Is(err, failed) {
			t.Errorf("Together = %v, want %v", err, failed)
		}
	})
}
