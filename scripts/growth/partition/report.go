package partition

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// Report is the result of a simulation.
type Report struct {
	Busiest []Busiest
	// Advice says by the name of a shape what to do when one of its partitions is
	// too busy.
	Advice map[string]string
}

// The shares of what a partition bears from which a shape has a line, and its advice
// is printed.
const (
	notable = 0.01
	near    = 0.5
)

// Print prints the report in Markdown. What is above a limit is bold.
func (r Report) Print(w io.Writer) {
	fmt.Fprintf(w, "| partition | holds | for each | peak reads/s, %d at most | peak writes/s, %d at most | of one call alone it bears in a second |\n", MaxReads, MaxWrites)
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	quiet := 0
	for _, b := range r.Busiest {
		if b.Share() < notable {
			quiet++
			continue
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s | %s | %s |\n", b.Shape, b.holds(), b.forEach(), bold(b.Reads, MaxReads), bold(b.Writes, MaxWrites), b.bears())
	}
	fmt.Fprintf(w, "\nThe partitions of %d other kinds take less than a hundredth of what they bear.\n", quiet)
	r.printAdvice(w)
}

// holds says what is in such a partition.
func (s Shape) holds() string {
	if others := len(s.Items) - 1; others > 0 {
		return fmt.Sprintf("%s, and %d more", s.Items[0], others)
	}
	return s.Items[0]
}

func (b Busiest) forEach() string {
	if b.Shared() {
		return "everybody"
	}
	return strings.Join(b.Entities(), " and ")
}

// Entities are what has such a partition of its own.
func (s Shape) Entities() (all []string) {
	for _, entity := range s.entities {
		if entity != Shared {
			all = append(all, entity)
		}
	}
	return all
}

func bold(units, most float64) string {
	if units > most {
		return "**" + thousands(units) + "**"
	}
	return thousands(units)
}

// share is the share of what a partition bears that one request takes.
func (t Take) share() float64 { return max(t.Reads/MaxReads, t.Writes/MaxWrites) }

// most is how many such requests a partition bears in a second, and no others.
func (t Take) most() float64 { return 1 / t.share() }

// bears says how often the calls that make the partition busy can come.
func (b Busiest) bears() string {
	var each []string
	for _, t := range b.Takes[:min(3, len(b.Takes))] {
		each = append(each, fmt.Sprintf("%s %s (%s)", thousands(t.most()), t.Load, t.price()))
	}
	return strings.Join(each, "; ")
}

func (t Take) price() string {
	switch {
	case t.Writes == 0:
		return fmt.Sprintf("%.3g read", t.Reads)
	case t.Reads == 0:
		return fmt.Sprintf("%.3g written", t.Writes)
	}
	return fmt.Sprintf("%.3g read, %.3g written", t.Reads, t.Writes)
}

func (r Report) printAdvice(w io.Writer) {
	var order []string
	about := map[string][]string{} // the shapes, by the advice
	for _, b := range r.Busiest {
		if b.Share() < near {
			continue
		}
		advice := cmp.Or(r.Advice[b.String()], "Nothing says what to do.")
		if about[advice] == nil {
			order = append(order, advice)
		}
		about[advice] = append(about[advice], "`"+b.String()+"`")
	}
	if len(order) > 0 {
		fmt.Fprint(w, "\nAbove half of what a partition bears:\n\n")
	}
	for _, advice := range order {
		fmt.Fprintf(w, "- %s: %s\n", strings.Join(about[advice], ", "), advice)
	}
}

// Unadvised returns the shapes above a limit for which there is no advice.
func (r Report) Unadvised() (names []string) {
	for _, b := range r.Busiest {
		if b.Share() > 1 && r.Advice[b.String()] == "" {
			names = append(names, b.String())
		}
	}
	return names
}

// thousands writes a whole number as in 1,234,567.
func thousands(n float64) string {
	digits := fmt.Sprintf("%.0f", n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
