// Command bootstraps builds the Lambda functions as SAM does and checks what the
// deployment promises: each is static and stripped, not too large, without the
// embedded store, answers recorded events over a Runtime API, and starts about
// as fast as the smallest one.
//
// Run it from the top of the repository. Arguments are further directories
// with built functions to check, such as .aws-sam/build.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"gatehouse/shared/route"
)

const deployed = "arm64" // the architecture in template.yaml

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
	functions, err := built(runtime.GOARCH, recorded)
	if err != nil {
		return err
	}
	errs := []error{inspectAll(append([]string{builtDirectory(deployed)}, directories...))}
	for _, f := range functions {
		errs = append(errs, f.answer())
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return compareStarts(functions)
}

// function is a built function and the events that were recorded for it.
type function struct {
	name, path string
	events     []event
}

// built returns the functions that scripts/build has built.
func built(architecture string, recorded map[string][]event) ([]function, error) {
	var all []function
	for _, name := range names() {
		path, err := filepath.Abs(filepath.Join(builtDirectory(architecture), name, "bootstrap"))
		if err != nil {
			return nil, err
		}
		all = append(all, function{name, path, recorded[name]})
	}
	return all, nil
}

// builtDirectory is where scripts/build leaves the functions.
func builtDirectory(architecture string) string { return filepath.Join(".cache/lambda", architecture) }

// names returns the name of every function.
func names() []string {
	all := []string{route.Dispatcher}
	for _, r := range route.Table {
		all = append(all, r.Function)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func build(architecture string) error {
	cmd := exec.Command("scripts/build", architecture)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build the functions for %s: %w", architecture, err)
	}
	return nil
}
