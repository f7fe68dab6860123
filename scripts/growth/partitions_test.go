package main

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"gatehouse/scripts/growth/partition"
)

const items = "../../shared/storage/dynamodb/doc.go"

func TestEveryCallIsSimulatedOnDynamoDB(t *testing.T) {
	needDynamoDB(t)
	quiet(t)
	p := partitionOptions{
		options: testOptions(t, true), World: partition.World{Sizes: maps.Clone(populations), Skew: 1, Seconds: 1, Seed: 1}, actors: 2, items: items,
	}
	report, err := p.simulate(t.Context(), tiny, works)
	if err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	report.Print(&printed)
	for _, shape := range []string{"alerts COUNTER#<project>", "directory LIST#visible-projects", "tokens AUDIT#<month>"} {
		if n := slices.IndexFunc(report.Busiest, func(b partition.Busiest) bool { return b.String() == shape }); n < 0 {
			t.Errorf("nothing touches %s:\n%s", shape, &printed)
		}
	}
	if missing := report.Unadvised(); len(missing) > 0 {
		t.Errorf("too busy without advice: %q\n%s", missing, &printed)
	}
}

func TestAdviceIsAboutDeclaredShapes(t *testing.T) {
	doc, err := os.Open(items)
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	shapes, err := partition.ReadShapes(doc)
	if err != nil {
		t.Fatal(err)
	}
	for name := range advice {
		if !slices.ContainsFunc(shapes, func(s partition.Shape) bool { return s.String() == name }) {
			t.Errorf("there is advice about %s, which the store does not declare", name)
		}
	}
}

func TestRatesOfCallsCanBeSet(t *testing.T) {
	load := slices.Clone(works)
	if err := setRate(load, "token info=7.5"); err != nil {
		t.Fatal(err)
	}
	n := slices.IndexFunc(load, func(w work) bool { return w.name == "token info" })
	if load[n].rate != 7.5 || works[n].rate == 7.5 {
		t.Errorf("the rate is %v, and the usual one %v", load[n].rate, works[n].rate)
	}
	for _, wrong := range []string{"token=1", "token info", "token info=many"} {
		if err := setRate(load, wrong); err == nil {
			t.Errorf("setRate(%q) gives no error", wrong)
		}
	}
}
