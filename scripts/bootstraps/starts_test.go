package main

import (
	"testing"
	"time"
)

// startingIn returns a function that needed these milliseconds to start.
func startingIn(name string, size int64, times ...time.Duration) *measured {
	m := &measured{function: function{name: name}, size: size}
	for _, t := range times {
		m.times = append(m.times, t*time.Millisecond)
	}
	return m
}

func TestJudge(t *testing.T) {
	base := startingIn("oauth", 8, 90, 10, 90, 90)
	tests := []struct {
		name string
		m    *measured
		ok   bool
	}{
		{"as fast", startingIn("alerts", 9, 10, 10, 10, 10), true},
		{"at the limit", startingIn("alerts", 9, 15, 15, 15, 15), true},
		{"too slow", startingIn("alerts", 9, 16, 16, 16, 16), false},
		{"slow only when the machine was busy", startingIn("alerts", 9, 14, 80, 90, 90), true},
		{"pages at the limit", startingIn("console", 9, 20, 20, 20, 20), true},
		{"pages too slow", startingIn("console", 9, 21, 21, 21, 21), false},
		{"faster than the smallest", startingIn("alerts", 9, 1, 1, 1, 1), true},
		{"smaller, so that the other one is too slow", startingIn("alerts", 7, 5, 5, 5, 5), false},
	}
	for _, test := range tests {
		if err := judge([]*measured{base, test.m}); (err == nil) != test.ok {
			t.Errorf("%s: judge() = %v", test.name, err)
		}
	}
}
