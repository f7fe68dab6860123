package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

const (
	starts = 20 // of each function in a round
	rounds = 6  // before a slow start counts
)

// How often as long as the smallest function's a start may take. Pages have
// templates to parse.
const (
	maxRatio      = 1.5
	maxRatioPages = 2.0
)

// measured is a function with the times from its starts to its first polls.
type measured struct {
	function
	size  int64
	times []time.Duration
}

// compareStarts fails when a function starts slowly compared with the smallest
// one. The functions take turns, so that a busy machine slows all of them, and a
// slow one gets further rounds.
func compareStarts(functions []function) error {
	var all []*measured
	for _, f := range functions {
		info, err := os.Stat(f.path)
		if err != nil {
			return err
		}
		all = append(all, &measured{function: f, size: info.Size()})
	}
	var verdict error
	for range rounds {
		if err := startInTurns(all); err != nil {
			return err
		}
		if verdict = judge(all); verdict == nil {
			break
		}
	}
	report(all)
	return verdict
}

func startInTurns(all []*measured) error {
	for range starts {
		for _, m := range all {
			took, err := timeStart(m.path)
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			m.times = append(m.times, took)
		}
	}
	return nil
}

// judge returns an error for each function that starts too slowly.
func judge(all []*measured) error {
	base := smallest(all)
	var errs []error
	for _, m := range all {
		if ratio := m.ratio(base); ratio > m.maxRatio() {
			errs = append(errs, fmt.Errorf("%s takes %.2f times as long to start as %s, at most %.1f", m.name, ratio, base.name, m.maxRatio()))
		}
	}
	return errors.Join(errs...)
}

func report(all []*measured) {
	base := smallest(all)
	for _, m := range all {
		fmt.Printf("ok %-13s start to first poll: best %5.1f ms, median %5.1f ms of %d; %.2f times the best of %s (at most %.1f)\n",
			m.name, milliseconds(m.best()), milliseconds(m.median()), len(m.times), m.ratio(base), base.name, m.maxRatio())
	}
}

func smallest(all []*measured) *measured {
	return slices.MinFunc(all, func(a, b *measured) int { return cmp.Compare(a.size, b.size) })
}

// ratio compares the best times: another process can only add to a time, and on
// a busy machine it adds ten times as much to the median.
func (m *measured) ratio(base *measured) float64 {
	return float64(m.best()) / float64(base.best())
}

func (m *measured) maxRatio() float64 {
	if withPages[m.name] {
		return maxRatioPages
	}
	return maxRatio
}

func (m *measured) best() time.Duration { return slices.Min(m.times) }

func (m *measured) median() time.Duration {
	return slices.Sorted(slices.Values(m.times))[len(m.times)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
