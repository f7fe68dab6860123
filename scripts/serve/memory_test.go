package main

import "testing"

// Passwords that all processors hash leave the rest of the server as much memory as ever.
func TestMemoryLimitGrowsWithProcessors(t *testing.T) {
	const hash = 19 << 20
	for processors, want := range map[int]int64{1: 256<<20 + hash, 32: 256<<20 + 32*hash} {
		if got := memoryLimit(processors); got != want {
			t.Errorf("memoryLimit(%d) = %d, want %d", processors, got, want)
		}
	}
}
