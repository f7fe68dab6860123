package main

import (
	"testing"
	"time"
)

// startingIn returns a function that needed these milliseconds to start at best.
func startingIn(name string, size int64, best time.Duration) *measured {
	return &measured{function: function{name: name}, size: size, best: best * time.Millisecond}
}

func TestJudge(t *testing.T) {
	base := startingIn("oauth", 8, 10)
	tests := []struct {
		name string
		m    *measured
		ok   bool
	}{
		{"as fast", startingIn("alerts", 9, 10), true},
		{"at the limit", startingIn("alerts", 9, 15), true},
		{"too slow", startingIn("alerts", 9, 16), false},
		{"pages at the limit", startingIn("console", 9, 20), true},
		{"pages too slow", startingIn("console", 9, 21), false},
		{"faster than the smallest", startingIn("alerts", 9, 1), true},
		{"smaller, so that the other one is too slow", startingIn("alerts", 7, 5), false},
	}
	for _, test := range tests {
		if err := judge([]*measured{base, test.m}); (err == nil) != test.ok {
			t.Errorf("%s: judge() = %v", test.name, err)
		}
	}
}
