package bill

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

var columns = []string{"gateway", "functions", "reads", "writes", "storage", "logs", "mails", "traffic", "standing", "a month"}

// Report is what is printed.
type Report struct {
	Prices   Prices
	Measured Measured
	Standing Standing
	Typed    Load // besides the usual loads; empty: none
}

//go:embed prices.json
var prices []byte

//go:embed measured.json
var measured []byte

// Read returns a report of the prices and of what was measured last.
func Read() (r Report, err error) {
	err = errors.Join(json.Unmarshal(prices, &r.Prices), json.Unmarshal(measured, &r.Measured))
	r.Standing = Standing{Secrets: 1}
	return r, err
}

// Print prints what months cost, and what a million of each call does, in Markdown.
func (r Report) Print(w io.Writer) error {
	fmt.Fprintf(w, "Dollars a month in %s at the prices of %s, with what calls took on %s.\n\n", r.Prices.Region, r.Prices.AsOf, r.Measured.On)
	heading(w, "load", columns)
	if len(r.Typed) > 0 {
		if err := r.month(w, "yours", r.Typed); err != nil {
			return err
		}
	}
	for _, p := range profiles {
		if err := r.month(w, p.name, p.load()); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	heading(w, "a million of", []string{"read units", "write units", "milliseconds", "log bytes", "dollars", "of that stored"})
	for _, name := range slices.Sorted(maps.Keys(r.Measured.Takes)) {
		r.million(w, name, r.Measured.Takes[name])
	}
	return nil
}

func heading(w io.Writer, first string, others []string) {
	line, rule := "| "+first+" |", "|---|"
	for _, c := range others {
		line, rule = line+" "+c+" |", rule+"--:|"
	}
	fmt.Fprintf(w, "%s\n%s\n", line, rule)
}

// month prints what a month with this load costs.
func (r Report) month(w io.Writer, name string, l Load) error {
	l = maps.Clone(l)
	l[Schedule] += minutes
	take, err := r.Measured.Take(l)
	if err != nil {
		return err
	}
	month := r.Prices.Month(take, r.Standing)
	fmt.Fprintf(w, "| %s |", name)
	for _, dollars := range append(month.parts(), month.Total()) {
		fmt.Fprintf(w, " %.2f |", dollars)
	}
	fmt.Fprintln(w)
	return nil
}

// million prints what a million of a call take.
func (r Report) million(w io.Writer, name string, t Take) {
	month := r.Prices.Month(t.Times(million), Standing{})
	fmt.Fprintf(w, "| %s | %.4g | %.4g | %.1f | %.0f | %.2f | %.2f |\n",
		name, t.Reads, t.Writes, r.Prices.milliseconds(t), r.Prices.logged(t), month.Total(), month.Storage)
}
