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

// measured is a function with its best time from the start to the first poll:
// another process can only add to a time.
type measured struct {
	function
	size int64
	best time.Duration
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
		all = append(all, &measured{function: f, size: info.Size(), best: patience})
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
	for _, m := range all {
		fmt.Printf("ok %-13s start to first poll: %5.1f ms at best\n", m.name, float64(m.best.Microseconds())/1000)
	}
	return verdict
}

func startInTurns(all []*measured) error {
	for range starts {
		for _, m := range all {
			took, err := timeStart(m.path)
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			m.best = min(m.best, took)
		}
	}
	return nil
}

// judge returns an error for each function that starts too slowly.
func judge(all []*measured) error {
	base := slices.MinFunc(all, func(a, b *measured) int { return cmp.Compare(a.size, b.size) })
	var errs []error
	for _, m := range all {
		limit := maxRatio
		if withPages[m.name] {
			limit = maxRatioPages
		}
		if ratio := float64(m.best) / float64(base.best); ratio > limit {
			errs = append(errs, fmt.Errorf("%s takes %.2f times as long to start as %s, at most %.1f", m.name, ratio, base.name, limit))
		}
	}
	return errors.Join(errs...)
}
