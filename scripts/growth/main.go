// Command growth shows how much slower Gatehouse becomes when it holds more. It
// fills a small store and a big one of the same kind, times the same calls on
// both in turn, in one process and without a network, and prints a table in
// Markdown. It exits with 1 when a call takes much longer on the big store.
//
// On DynamoDB it also counts the requests and the read units of each call, and
// exits with 1 when a call takes more than the budget beyond finding out who asks
// and what about. It needs an emulator there, which AWS_ENDPOINT_URL_DYNAMODB names.
//
// With "partitions" as its first argument, it simulates the load on single
// partitions of DynamoDB's tables: it makes each call of a busy instance some times
// on a store of the emulator, notes what it takes of which partition, and repeats
// that for a million users. It exits with 1 when a partition is too busy and nothing
// says what to do about it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"strings"
	"time"
)

// options are what a run is asked for.
type options struct {
	dynamoDB bool
	data     string // where filled stores are kept; empty: nowhere
	scale    float64
	rounds   int
	change   float64 // the highest ratio that passes
	only     *regexp.Regexp
	template string
	progress io.Writer
}

func main() {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	debug.SetGCPercent(400) // as the local server does
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run, args := growth, os.Args[1:]
	if other := map[string]func(context.Context, options, []string) error{"partitions": partitions, "cost": costs}; len(args) > 0 && other[args[0]] != nil {
		run, args = other[args[0]], args[1:]
	}
	err := run(ctx, options{progress: os.Stderr}, args)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "growth:", err)
	if _, measured := errors.AsType[finding](err); measured {
		os.Exit(1)
	}
	os.Exit(2)
}

// finding is the error of a measurement that does not pass.
type finding string

func (f finding) Error() string { return string(f) }

// flags are those of every measurement.
func (o *options) flags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ExitOnError)
	f.StringVar(&o.data, "data", "", "keep the filled stores under this name: a directory, or on DynamoDB a prefix of tables")
	f.StringVar(&o.template, "template", "template.yaml", "the template that defines the DynamoDB tables")
	return f
}

// growth compares a small and a big store.
func growth(ctx context.Context, o options, args []string) error {
	f := o.flags("growth")
	f.Float64Var(&o.scale, "scale", 1, "the big store in proportion to the full one")
	f.BoolVar(&o.dynamoDB, "dynamodb", false, "measure the DynamoDB store, on the emulator that AWS_ENDPOINT_URL_DYNAMODB names")
	f.IntVar(&o.rounds, "rounds", 15, "how often each call is timed on each store")
	f.Float64Var(&o.change, "change", 3, "the highest ratio of big to small that passes")
	only := f.String("only", "", "time only the calls with a name that this regular expression matches")
	if err := f.Parse(args); err != nil {
		return err
	}
	o.only = regexp.MustCompile(*only)
	t, err := compare(ctx, o, smallSize, fullSize.scaled(o.scale))
	if err != nil {
		return err
	}
	t.print(os.Stdout)
	if slow := t.slow(); len(slow) > 0 {
		return finding(fmt.Sprintf("above %.1f or the budget, or refused: %s", o.change, strings.Join(slow, "; ")))
	}
	return nil
}

// compare measures a big store against a small one.
func compare(ctx context.Context, o options, small, big size) (*table, error) {
	now := time.Now().UTC().Truncate(time.Second)
	stores, err := newStores(o)
	if err != nil {
		return nil, err
	}
	defer stores.close()
	smallSite, err := stores.site(ctx, "small", small, now)
	if err != nil {
		return nil, err
	}
	bigSite, err := stores.site(ctx, "big", big, now)
	if err != nil {
		return nil, err
	}
	t := &table{small: small, big: big, meter: stores.meter, change: o.change}
	for _, c := range calls {
		if !o.only.MatchString(c.name) && !c.isBase() {
			continue
		}
		fmt.Fprintln(o.progress, "timing", c.name)
		if err := t.measure(ctx, c, smallSite, bigSite, o.rounds); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return t, nil
}
