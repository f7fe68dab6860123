package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"
)

// row is what was measured of a call.
type row struct {
	call
	small, big time.Duration // medians
	refused    int           // the status of the big store, if it is not the wanted one
	cost       cost          // on the big store
}

func (r row) ratio() float64 { return float64(r.big) / float64(max(r.small, 1)) }

// table is what was measured.
type table struct {
	small, big size
	meter      *meter // nil: nothing is counted
	change     float64
	rows       []row
}

// patience ends the rounds of a slow call early, but not before the third.
const patience = 10 * time.Second

// measure times a call on both stores in turn, after two rounds that do not count.
func (t *table) measure(ctx context.Context, c call, small, big *site, rounds int) error {
	if c.do != nil {
		if can, err := c.do(ctx, big); !can || err != nil {
			return err
		}
	}
	runtime.GC()
	r := row{call: c}
	var times [2][]time.Duration
	start := time.Now()
	for round := range rounds + 2 {
		for i, s := range []*site{small, big} {
			took, refused, err := c.make(ctx, s)
			switch {
			case err != nil:
				return err
			case refused != 0 && s == small:
				return fmt.Errorf("the small store answered %d", refused)
			}
			if r.refused = refused; round >= 2 {
				times[i] = append(times[i], took)
			}
		}
		if round >= 4 && time.Since(start) > patience {
			break
		}
	}
	r.small, r.big = median(times[0]), median(times[1])
	err := t.count(ctx, &r, big)
	t.rows = append(t.rows, r)
	return err
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// count counts what the call takes of DynamoDB.
func (t *table) count(ctx context.Context, r *row, big *site) (err error) {
	if t.meter != nil {
		r.cost = t.meter.during(func() { _, _, err = r.make(ctx, big) })
	}
	return err
}

// print prints the table in Markdown. What does not pass is bold.
func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "Small: %s.\n\nBig: %s.\n\n", t.small, t.big)
	head, line := "| call | small | big | ratio |", "|---|---|---|---|"
	if t.meter != nil {
		head, line = head+" reads | writes | in a row | read units | own in a row, 3 at most | own units, 60 at most |", line+"---|---|---|---|---|---|"
	}
	fmt.Fprintf(w, "%s\n%s\n", head, line)
	for _, r := range t.rows {
		fmt.Fprintf(w, "| %s | %s | %s | %s |", r.name, milliseconds(r.small), r.bigText(), r.ratioText(t.change))
		if t.meter != nil {
			fmt.Fprintf(w, " %d | %d | %d | %.4g |%s", r.cost.reads, r.cost.writes, r.cost.inRow, r.cost.units, t.ownText(r))
		}
		fmt.Fprintln(w)
	}
	t.printReasons(w)
}

// ownText says what the call takes beyond who asks and the place that it is about.
func (t *table) ownText(r row) string {
	if r.base == "" {
		return " | |"
	}
	own := t.own(r)
	if !own.within(budget) {
		return fmt.Sprintf(" **%d** | **%.4g** |", own.inRow, own.units)
	}
	return fmt.Sprintf(" %d | %.4g |", own.inRow, own.units)
}

func (t *table) own(r row) cost { return r.cost.minus(t.costOf(r.base)) }

func (t *table) overBudget(r row) bool {
	return t.meter != nil && r.base != "" && !t.own(r).within(budget)
}

// printReasons prints why calls may be above the budget that are.
func (t *table) printReasons(w io.Writer) {
	heading := "\nAbove the budget, and why:\n\n"
	for _, r := range t.rows {
		if t.overBudget(r) && r.above != "" {
			fmt.Fprintf(w, "%s- %s: %s\n", heading, r.name, r.above)
			heading = ""
		}
	}
}

func (r row) bigText() string {
	if r.refused != 0 {
		return fmt.Sprintf("**%d**", r.refused)
	}
	return milliseconds(r.big)
}

func (r row) ratioText(change float64) string {
	switch {
	case r.refused != 0:
		return ""
	case r.ratio() > change:
		return fmt.Sprintf("**%.1f**", r.ratio())
	}
	return fmt.Sprintf("%.1f", r.ratio())
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000) }

// costOf returns the cost of a call that was measured before.
func (t *table) costOf(name string) cost {
	for _, r := range t.rows {
		if r.name == name {
			return r.cost
		}
	}
	return cost{}
}

// slow returns the calls that do not pass.
func (t *table) slow() (names []string) {
	for _, r := range t.rows {
		switch {
		case r.refused != 0:
			names = append(names, fmt.Sprintf("%s (%d)", r.name, r.refused))
		case r.ratio() > t.change:
			names = append(names, fmt.Sprintf("%s (%.1f)", r.name, r.ratio()))
		case t.overBudget(r) && r.above == "":
			own := t.own(r)
			names = append(names, fmt.Sprintf("%s (%d in a row, %.4g units)", r.name, own.inRow, own.units))
		}
	}
	return names
}
