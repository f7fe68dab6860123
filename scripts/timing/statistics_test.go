package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		name string
		a, b []float64
		want float64
	}{
		{"the same", []float64{1, 2, 3}, []float64{1, 2, 3}, 0},
		{"one all above the other", []float64{1, 2}, []float64{3, 4, 5}, 1},
		{"the last half apart", []float64{1, 2, 3, 4}, []float64{1, 2, 5, 6}, 0.5},
		{"equal values count together", []float64{1, 1, 1, 2}, []float64{1, 2, 2, 2}, 0.5},
		{"another number", []float64{1, 3}, []float64{1, 2, 3, 4}, 0.25},
	} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("%s: distance = %v, want %v", test.name, got, test.want)
		}
		if got := distance(test.b, test.a); got != test.want {
			t.Errorf("%s, the other way round: distance = %v, want %v", test.name, got, test.want)
		}
	}
}

// The critical values are those of the tables: c × sqrt(2/n).
func TestChance(t *testing.T) {
	for critical, want := range map[float64]float64{1.2238: 0.10, 1.3581: 0.05, 1.6276: 0.01, 1.9495: 0.001} {
		got := chance(critical*math.Sqrt(2.0/100000), 100000, 100000)
		if math.Abs(got/want-1) > 0.02 {
			t.Errorf("the chance of %v is %v, want %v", critical, got, want)
		}
	}
	if got := chance(0, 10, 10); got != 1 {
		t.Errorf("the chance of no distance is %v", got)
	}
}

func TestMedian(t *testing.T) {
	if got := median([]float64{1, 2, 9}); got != 2 {
		t.Errorf("the median of three is %v", got)
	}
	if got := median([]float64{1, 2, 4, 9}); got != 4 {
		t.Errorf("the median of four is %v", got)
	}
	same := []float64{7, 7, 7}
	if low, high := bootstrap(same, same, rand.New(rand.NewPCG(1, 2))); low != 0 || high != 0 {
		t.Errorf("the medians of equal values differ by %v to %v", low, high)
	}
}

// normal returns so many times around a mean, in milliseconds.
func normal(random *rand.Rand, mean float64) []time.Duration {
	times := make([]time.Duration, 1000)
	for n := range times {
		times[n] = time.Duration((mean + random.NormFloat64()) * float64(time.Millisecond))
	}
	return times
}

func sample(random *rand.Rand, twoFactors float64) map[visit][]time.Duration {
	taken := map[visit][]time.Duration{}
	for _, d := range doors {
		for _, a := range accounts {
			taken[visit{d, a}] = normal(random, 30)
		}
	}
	taken[visit{passwordGrant, "two factors"}] = normal(random, twoFactors)
	return taken
}

func TestReport(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var out bytes.Buffer
	if !report(&out, compare(sample(random, 30), random)) {
		t.Errorf("equal accounts are told apart:\n%s", &out)
	}
	all := compare(sample(random, 30.5), random)
	if report(&out, all) || !strings.Contains(out.String(), "differs") {
		t.Errorf("a delay of half a millisecond is not found:\n%s", &out)
	}
	for _, c := range all {
		late := c.visit == visit{passwordGrant, twoFactors}
		if c.distinguished != late || late && (c.low > 0.5 || c.high < 0.5 || c.low < 0.2) || c.finest < 0.05 || c.finest > 0.3 {
			t.Errorf("the comparison %+v", c)
		}
	}
}
