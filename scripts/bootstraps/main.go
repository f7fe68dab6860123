// Command bootstraps builds the Lambda functions as SAM does and holds each to
// what the deployment promises: small, static and stripped, without the
// embedded store, and answering recorded events over a Runtime API. It prints
// how long each takes from its start to its first poll, which no run fails
// on: that depends on the machine.
//
// Run it from the top of the repository. Arguments are further directories
// with built functions to look into, such as .aws-sam/build.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"gatehouse/shared/route"
)

const (
	deployed = "arm64"              // the architecture in template.yaml
	starts   = 20                   // how often a start is timed
	budget   = 6 * time.Millisecond // for one, on an idle machine
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(directories []string) error {
	for _, architecture := range slices.Compact([]string{deployed, runtime.GOARCH}) {
		if err := build(architecture); err != nil {
			return err
		}
	}
	recorded, err := readEvents("events")
	if err != nil {
		return err
	}
	errs := []error{inspectAll(append([]string{built(deployed)}, directories...))}
	for _, name := range functions() {
		errs = append(errs, try(name, recorded[name]))
	}
	return errors.Join(errs...)
}

// functions returns the name of every function that has a route.
func functions() []string {
	var names []string
	for _, r := range route.Table {
		names = append(names, r.Function)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func build(architecture string) error {
	cmd := exec.Command("scripts/build", architecture)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build the functions for %s: %w", architecture, err)
	}
	return nil
}

// built is where scripts/build leaves the functions.
func built(architecture string) string { return filepath.Join(".cache/lambda", architecture) }

// try starts the function often, lets it answer its events once, and prints
// the middle of the times that the starts took.
func try(name string, recorded []event) error {
	if len(recorded) == 0 {
		return fmt.Errorf("%s: events/ holds no event for it", name)
	}
	path, err := filepath.Abs(filepath.Join(built(runtime.GOARCH), name, "bootstrap"))
	if err != nil {
		return err
	}
	if err := answers(path, recorded); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var times []time.Duration
	for range starts {
		took, err := timeStart(path)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		times = append(times, took)
	}
	slices.Sort(times)
	fmt.Printf("ok %-10s start to first poll: median %5.1f ms, best %5.1f ms (budget %d ms)\n",
		name, milliseconds(times[starts/2]), milliseconds(times[0]), budget.Milliseconds())
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
