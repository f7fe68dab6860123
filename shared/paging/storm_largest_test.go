//go:build !race

package paging_test

import "testing"

// The race detector makes this take minutes, so scripts/test runs it without.
func TestLargestStorm(t *testing.T) { sendsOnePageAndOneSummary(t, "sqlite", 10_000) }
