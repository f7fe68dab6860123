package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// operation is one request of one client; n counts the operations of all.
type operation func(c *conn, client, n int) error

// more reports whether there is an n-th operation to do.
type more func(n int) bool

// times allows that many operations.
func times(count int) more { return func(n int) bool { return n < count } }

// lasting allows operations for so long.
func lasting(d time.Duration) more {
	end := time.Now().Add(d)
	return func(int) bool { return time.Now().Before(end) }
}

// measure repeats the operation with all clients at once and prints the result.
func measure(name string, clients int, more more, do operation) error {
	var next atomic.Int64
	var group sync.WaitGroup
	latencies := make([][]time.Duration, clients)
	failures := make([]error, clients)
	start := time.Now()
	for client := range clients {
		group.Go(func() {
			c := &conn{}
			defer c.close()
			for n := int(next.Add(1)) - 1; more(n) && failures[client] == nil; n = int(next.Add(1)) - 1 {
				begin := time.Now()
				failures[client] = do(c, client, n)
				latencies[client] = append(latencies[client], time.Since(begin))
			}
		})
	}
	group.Wait()
	elapsed := time.Since(start)
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	report(name, elapsed, slices.Concat(latencies...))
	return nil
}

func report(name string, elapsed time.Duration, latencies []time.Duration) {
	slices.Sort(latencies)
	quantile := func(q float64) time.Duration {
		return latencies[int(q*float64(len(latencies)-1))].Round(10 * time.Microsecond)
	}
	rate := float64(len(latencies)) / elapsed.Seconds()
	fmt.Printf("%-14s %10.0f %9s %9s %9s\n", name, rate, quantile(0.5), quantile(0.99), quantile(1))
}
