// Command growth shows how much slower Gatehouse becomes when it holds more. It
// fills a small store and a big one of the same kind, times the same calls on
// both in turn, in one process and without a network, and prints a table in
// Markdown. It exits with 1 when a call takes much longer on the big store.
//
// On DynamoDB it also counts the requests and the read units of each call. It
// needs an emulator there, which AWS_ENDPOINT_URL_DYNAMODB names.
package main

import (
	"context"
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
	o := options{progress: os.Stderr}
	flag.BoolVar(&o.dynamoDB, "dynamodb", false, "measure the DynamoDB store, on the emulator that AWS_ENDPOINT_URL_DYNAMODB names")
	flag.StringVar(&o.data, "data", "", "keep the filled stores under this name: a directory, or on DynamoDB a prefix of tables")
	flag.Float64Var(&o.scale, "scale", 1, "the big store in proportion to the full one")
	flag.IntVar(&o.rounds, "rounds", 15, "how often each call is timed on each store")
	flag.Float64Var(&o.change, "change", 3, "the highest ratio of big to small that passes")
	flag.StringVar(&o.template, "template", "template.yaml", "the template that defines the DynamoDB tables")
	only := flag.String("only", "", "time only the calls with a name that this regular expression matches")
	flag.Parse()
	o.only = regexp.MustCompile(*only)

	slog.SetDefault(slog.New(slog.DiscardHandler))
	debug.SetGCPercent(400) // as the local server does
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	t, err := compare(ctx, o, smallSize, fullSize.scaled(o.scale))
	if err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(2)
	}
	t.print(os.Stdout)
	if slow := t.slow(); len(slow) > 0 {
		fmt.Fprintf(os.Stderr, "growth: above %.1f or refused: %s\n", o.change, strings.Join(slow, "; "))
		os.Exit(1)
	}
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
