package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"
)

// comparison is a kind of account beside unknown names at the same door, in milliseconds.
type comparison struct {
	visit
	tries            int
	unknown, median  float64
	low, high        float64 // the difference of the medians
	distance, chance float64
	finest           float64 // the smallest delay that would be found
	distinguished    bool
}

// level is how likely equal accounts seem to differ in any of the comparisons. Each of them
// has an equal part of it (Bonferroni).
const level = 0.01

// compare compares each other kind of account with unknown names.
func compare(taken map[visit][]time.Duration, random *rand.Rand) (all []comparison) {
	each := level / float64(len(doors)*(len(accounts)-1))
	for _, d := range doors {
		base := milliseconds(taken[visit{d, unknown}])
		shortest := finest(base, each)
		for _, a := range accounts[1:] {
			sample := milliseconds(taken[visit{d, a}])
			c := comparison{visit: visit{d, a}, tries: len(sample), unknown: median(base), median: median(sample), finest: shortest}
			c.low, c.high = bootstrap(base, sample, random)
			c.distance = distance(base, sample)
			c.chance = chance(c.distance, len(base), len(sample))
			c.distinguished = c.chance < each
			all = append(all, c)
		}
	}
	return all
}

// milliseconds returns the sorted sample.
func milliseconds(taken []time.Duration) []float64 {
	sample := make([]float64, len(taken))
	for n, took := range taken {
		sample[n] = float64(took) / float64(time.Millisecond)
	}
	slices.Sort(sample)
	return sample
}

// report prints the comparisons, and reports whether no kind of account can be told from an
// unknown name.
func report(w io.Writer, all []comparison) (alike bool) {
	fmt.Fprintf(w, "%-14s %-12s %6s %9s %9s %22s %7s %7s %9s\n",
		"door", "account", "tries", "unknown", "median", "difference (95 %)", "D", "p", "resolves")
	alike = true
	for _, c := range all {
		difference := fmt.Sprintf("%+.2f (%+.2f to %+.2f)", c.median-c.unknown, c.low, c.high)
		fmt.Fprintf(w, "%-14s %-12s %6d %9.2f %9.2f %22s %7.3f %7.4f %9.2f\n",
			c.door, c.account, c.tries, c.unknown, c.median, difference, c.distance, c.chance, c.finest)
		if c.distinguished {
			alike = false
			fmt.Fprintf(w, "  ^ differs from unknown names\n")
		}
	}
	if alike {
		fmt.Fprintf(w, "No kind of account differs from unknown names (Kolmogorov-Smirnov, %.0f %% for all comparisons together).\n", level*100)
	}
	return alike
}
