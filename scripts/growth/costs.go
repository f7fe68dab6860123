package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"

	"gatehouse/scripts/growth/bill"
	"gatehouse/shared/boot"
	"gatehouse/shared/secret"
)

// costOptions are what a reckoning is asked for.
type costOptions struct {
	options
	measure string // the file to write
	actors  int
	typed   bill.Load
}

// costs reckons what a month costs, from what was measured last, or measures it anew.
func costs(ctx context.Context, o options, args []string) error {
	o.dynamoDB = true
	c := costOptions{options: o, typed: bill.Load{}}
	f := c.flags("cost")
	f.StringVar(&c.measure, "measure", "", "measure what calls take, on an emulator, and write it to this file")
	f.IntVar(&c.actors, "actors", 24, "how often each call is measured, each time by another person in another project")
	for _, typed := range bill.Parts {
		f.Func(typed.Name, typed.Usage, func(text string) error { return c.typed.Add(typed.Calls, text) })
	}
	f.Func("call", "how often a call that was measured is made in a month, such as \"GET /user=100000\"; for several calls, repeat it", func(text string) error {
		name, often, _ := strings.Cut(text, "=")
		return c.typed.Add(bill.Load{name: 1}, often)
	})
	if err := f.Parse(args); err != nil {
		return err
	}
	if c.measure != "" && c.actors < len(consequences) {
		return fmt.Errorf("-actors has to be at least %d", len(consequences))
	}
	if c.measure != "" {
		return c.write(ctx, pageSize)
	}
	return c.report(os.Stdout)
}

// report prints what was measured last, in dollars.
func (c costOptions) report(w io.Writer) error {
	r, err := bill.Read()
	if err != nil {
		return err
	}
	r.Typed = c.typed
	return r.Print(w)
}

// write measures what calls take.
func (c costOptions) write(ctx context.Context, size size) error {
	takes, err := c.takes(ctx, size)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(bill.Measured{On: time.Now().Format(time.DateOnly), Takes: takes}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(c.measure, append(text, '\n'), 0o644)
}

// takes measures each call, and what follows from alerts.
func (c costOptions) takes(ctx context.Context, size size) (map[string]bill.Take, error) {
	stores, err := newStores(c.options)
	if err != nil {
		return nil, err
	}
	defer stores.close()
	site, err := stores.site(ctx, "cost", size, time.Now().UTC().Truncate(time.Second))
	if err != nil {
		return nil, err
	}
	all, err := newActors(ctx, site, c.actors)
	if err != nil {
		return nil, err
	}
	sizes, err := stores.sizes("cost-" + size.digest())
	if err != nil {
		return nil, err
	}
	b := &bench{site: site, meter: stores.meter, tables: sizes, hash: hashing(), takes: map[string]bill.Take{}}
	for _, w := range works {
		fmt.Fprintln(c.progress, "measuring", w.name)
		if err := b.call(ctx, w, all); err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return b.takes, b.follow(ctx, all)
}

// bench measures what is done at a site.
type bench struct {
	*site
	tables   *tableSizes
	meter    *meter
	hash     time.Duration // of the processor, for one password
	function string        // that is called
	takes    map[string]bill.Take
}

// passwords is how often a call hashes one. The site's own hashes are cheap.
var passwords = map[string]time.Duration{"sign-in": 1, "new user": 1}

// call measures a call of each actor.
func (b *bench) call(ctx context.Context, w work, all actors) error {
	arrange := w.before
	if w.before = nil; arrange == nil {
		arrange = func(s *site) error { return w.once(ctx, s) }
	}
	var sum bill.Take
	b.function = w.on
	for _, actor := range all {
		b.act(actor)
		took, err := b.during(ctx, func() error { return arrange(b.site) }, func() error { return w.once(ctx, b.site) })
		if err != nil {
			return err
		}
		took.Requests, took.Invocations, took.Sent = 1, 1, float64(b.sent)
		took.Milliseconds += milli(passwords[w.name] * b.hash)
		sum = sum.Plus(1, took)
	}
	b.takes[w.name] = sum.Times(1 / float64(len(all)))
	for range 8 { // an alert that repeats notes the last eight
		if err := arrange(b.site); err != nil {
			return err
		}
	}
	grown, err := b.growth(ctx, func() error { return w.once(ctx, b.site) })
	b.add(w.name, bill.Take{ByteMonths: grown})
	return err
}

// add adds to what a call takes.
func (b *bench) add(name string, more bill.Take) { b.takes[name] = b.takes[name].Plus(1, more) }

// growth is what is stored because of something that is done, in bytes times months.
func (b *bench) growth(ctx context.Context, do func() error) (float64, error) {
	before, err := b.tables.byteMonths(ctx, b.Now())
	if err != nil {
		return 0, err
	}
	if err := do(); err != nil {
		return 0, err
	}
	after, err := b.tables.byteMonths(ctx, b.Now())
	return max(0, after-before), err
}

// during measures what is done after something is arranged. It does so twice: counting
// requests takes processor time of its own.
func (b *bench) during(ctx context.Context, arrange, do func() error) (t bill.Take, err error) {
	if err := arrange(); err != nil {
		return t, err
	}
	start := processorTime()
	if err := do(); err != nil {
		return t, err
	}
	t.Milliseconds = milli(processorTime() - start)
	if err := arrange(); err != nil {
		return t, err
	}
	log := logged(b.function, func() {
		took := b.meter.during(func() { err = do() })
		t.Steps, t.Reads, t.Writes = float64(took.inRow), took.units, took.written
	})
	t.LogLines, t.LogBytes = float64(log.n), float64(log.bytes)
	return t, err
}

func milli(d time.Duration) float64 { return d.Seconds() * 1000 }

// processorTime is how long processors worked for this process.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // the argument is one that every system knows
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// lines counts what is logged.
type lines struct{ n, bytes int }

func (l *lines) Write(p []byte) (int, error) {
	l.n += bytes.Count(p, []byte("\n"))
	l.bytes += len(p)
	return len(p), nil
}

// logged returns what is logged meanwhile, as a function writes it.
func logged(function string, do func()) (l lines) {
	before := slog.Default()
	defer slog.SetDefault(before)
	boot.LogTo(&l, slog.LevelInfo, function)
	do()
	return l
}

// hashing is the processor time that a password takes in a function.
func hashing() time.Duration {
	start := processorTime()
	_, _ = secret.DefaultPasswords.Hash(context.Background(), secret.NewText(actorsPassword))
	return processorTime() - start
}
