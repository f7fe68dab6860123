// Command load measures a running Gatehouse over loopback: code exchanges,
// refreshes, token infos, revocations and alerts by eight clients at once, and
// webhooks of a hundred alerts by one. It prints a line for each with the rate
// and the latencies.
//
// GATEHOUSE_URL names the server, GATEHOUSE_ROOT_TOKEN an administrator's
// token.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	clients := flag.Int("clients", 8, "how many clients at once")
	duration := flag.Duration("duration", 10*time.Second, "how long each operation is measured")
	codes := flag.Int("codes", 4000, "how many codes to exchange")
	flag.Parse()
	if err := run(os.Getenv("GATEHOUSE_URL"), os.Getenv("GATEHOUSE_ROOT_TOKEN"), *clients, *codes, *duration); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(base, token string, clients, codes int, duration time.Duration) error {
	s, err := newSubject(base, token)
	if err != nil {
		return err
	}
	fmt.Printf("%-14s %10s %9s %9s %9s\n", "operation", "per second", "p50", "p99", "max")
	grants, err := s.codes(clients, codes)
	if err != nil {
		return err
	}
	pairs := make([]pair, len(grants))
	if err := measure("code exchange", clients, times(len(grants)), s.exchange(grants, pairs)); err != nil {
		return err
	}
	if err := measure("refresh", clients, lasting(duration), s.refresh(pairs[:clients])); err != nil {
		return err
	}
	if err := measure("token info", clients, lasting(duration), s.info(pairs[clients].access)); err != nil {
		return err
	}
	if err := measure("revoke", clients, times(len(pairs)-2*clients), s.revoke(pairs[2*clients:])); err != nil {
		return err
	}
	return runAlerts(s, clients, duration)
}

// runAlerts measures the intake. The webhook comes alone, as a hundred alerts
// at once do.
func runAlerts(s *subject, clients int, duration time.Duration) error {
	in, err := s.intake()
	if err != nil {
		return err
	}
	if err := measure("alert repeated", clients, lasting(duration), in.repeat()); err != nil {
		return err
	}
	if err := measure("alert new", clients, lasting(duration), in.open()); err != nil {
		return err
	}
	return measure("webhook of 100", 1, lasting(duration/2), in.webhook())
}
