package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// distance returns the statistic of Kolmogorov and Smirnov: how far the distributions of
// two sorted samples are apart at most.
func distance(a, b []float64) float64 {
	most, i, j := 0.0, 0, 0
	for i < len(a) && j < len(b) {
		x := min(a[i], b[j])
		for i < len(a) && a[i] <= x {
			i++
		}
		for j < len(b) && b[j] <= x {
			j++
		}
		most = max(most, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return most
}

// chance returns how likely two samples of these sizes from one distribution are at least so
// far apart (Stephens' approximation).
func chance(d float64, n, m int) float64 {
	root := math.Sqrt(float64(n) * float64(m) / float64(n+m))
	lambda := (root + 0.12 + 0.11/root) * d
	if lambda < 0.2 {
		return 1 // the sum converges too slowly
	}
	sum, sign := 0.0, 1.0
	for k := 1.0; k <= 100; k++ {
		sum += sign * math.Exp(-2*k*k*lambda*lambda)
		sign = -sign
	}
	return min(1, max(0, 2*sum))
}

// median returns the median of a sorted sample: the upper one of an even number.
func median(sorted []float64) float64 { return sorted[len(sorted)/2] }

// resamples is how many samples a bootstrap draws.
const resamples = 1000

// bootstrap returns the bounds between which the difference of the medians of two sorted
// samples lies with a confidence of 95 %.
func bootstrap(a, b []float64, random *rand.Rand) (low, high float64) {
	differences := make([]float64, resamples)
	for n := range differences {
		differences[n] = medianDrawn(b, random) - medianDrawn(a, random)
	}
	slices.Sort(differences)
	return differences[resamples/40], differences[resamples-1-resamples/40]
}

// medianDrawn returns the median of a sample of the same size, drawn with replacement.
func medianDrawn(sorted []float64, random *rand.Rand) float64 {
	times := make([]int, len(sorted)) // how often each value is drawn
	for range sorted {
		times[random.IntN(len(sorted))]++
	}
	left, n := len(sorted)/2, 0
	for ; left >= times[n]; n++ {
		left -= times[n]
	}
	return sorted[n]
}

// finest returns the smallest delay, in steps of a hundredth, of a whole sample that would be
// found at the level.
func finest(sample []float64, level float64) float64 {
	delayed := make([]float64, len(sample))
	steps := sort.Search(1e6, func(n int) bool {
		for i, x := range sample {
			delayed[i] = x + float64(n)/100
		}
		return chance(distance(sample, delayed), len(sample), len(sample)) < level
	})
	return float64(steps) / 100
}
