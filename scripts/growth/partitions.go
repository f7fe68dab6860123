package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/scripts/growth/partition"
)

// partitionOptions are what a simulation is asked for.
type partitionOptions struct {
	options
	partition.World
	actors int
	items  string // the documentation with the table of items
}

// populations are how many there are of each entity, of alerts in each project.
var populations = map[string]int{
	partition.User: 1_000_000, partition.Project: 200_000, partition.Group: 20_000, partition.Application: 1000, partition.Alert: 1000,
}

// partitions simulates the load on single partitions of DynamoDB.
func partitions(ctx context.Context, o options, args []string) error {
	o.dynamoDB = true
	p := partitionOptions{options: o, World: partition.World{Sizes: maps.Clone(populations)}}
	load := slices.Clone(works)
	f := p.flags("partitions")
	for entity, n := range populations {
		f.Func(entity+"s", fmt.Sprintf("how many there are (default %d)", n), func(text string) (err error) {
			p.Sizes[entity], err = strconv.Atoi(text)
			return err
		})
	}
	f.Float64Var(&p.Skew, "skew", 1, "how much busier the busiest user, project and so on are: the exponent of Zipf's law")
	f.IntVar(&p.Seconds, "seconds", 30, "how many seconds are simulated")
	f.Uint64Var(&p.Seed, "seed", 1, "of the random numbers")
	f.IntVar(&p.actors, "actors", 24, "how often each call is made, each time by another person in another project")
	f.StringVar(&p.items, "items", "shared/storage/dynamodb/doc.go", "the documentation with the table of items")
	f.Func("rate", "how often a call comes in a second, such as \"token info=500\"; for several calls, repeat it", func(text string) error { return setRate(load, text) })
	if err := f.Parse(args); err != nil {
		return err
	}
	report, err := p.simulate(ctx, wideSize, load)
	if err != nil {
		return err
	}
	p.print(os.Stdout, load)
	report.Print(os.Stdout)
	if missing := report.Unadvised(); len(missing) > 0 {
		return finding("too busy, and nothing says what to do: " + strings.Join(missing, "; "))
	}
	return nil
}

// setRate changes the rate of a call.
func setRate(all []work, text string) error {
	name, rate, _ := strings.Cut(text, "=")
	n := slices.IndexFunc(all, func(w work) bool { return w.name == name })
	if n < 0 {
		return fmt.Errorf("there is no call %q", name)
	}
	var err error
	all[n].rate, err = strconv.ParseFloat(rate, 64)
	return err
}

// print says what is simulated.
func (p partitionOptions) print(w io.Writer, load []work) {
	var rates []string
	for _, l := range load {
		rates = append(rates, fmt.Sprintf("%g %s", l.rate, l.name))
	}
	fmt.Fprintf(w, "%d users, %d projects, %d groups and %d applications, with the exponent %g, for %d seconds. In each second: %s.\n\n",
		p.Sizes[partition.User], p.Sizes[partition.Project], p.Sizes[partition.Group], p.Sizes[partition.Application], p.Skew, p.Seconds,
		strings.Join(rates, ", "))
}

// simulate makes each call a few times, and simulates very many.
func (p partitionOptions) simulate(ctx context.Context, size size, load []work) (r partition.Report, err error) {
	doc, err := os.Open(p.items)
	if err != nil {
		return r, err
	}
	defer doc.Close()
	shapes, err := partition.ReadShapes(doc)
	if err != nil {
		return r, err
	}
	loads, err := p.sample(ctx, size, load)
	if err != nil {
		return r, err
	}
	r.Advice = advice
	r.Busiest, err = p.Simulate(shapes, loads)
	return r, err
}

// sample makes each call of each actor.
func (p partitionOptions) sample(ctx context.Context, size size, load []work) (loads []partition.Load, err error) {
	stores, err := newStores(p.options)
	if err != nil {
		return nil, err
	}
	defer stores.close()
	rec := &recorder{client: stores.meter.client}
	stores.client = rec
	site, err := stores.site(ctx, "wide", size, time.Now().UTC().Truncate(time.Second))
	if err != nil {
		return nil, err
	}
	all, err := newActors(ctx, site, p.actors)
	if err != nil {
		return nil, err
	}
	for _, w := range load {
		fmt.Fprintln(p.progress, "making", w.name)
		samples, err := w.samples(ctx, site, rec, all)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		loads = append(loads, partition.Load{Name: w.name, Rate: w.rate, Anew: w.anew, Samples: samples})
	}
	return loads, nil
}
