package main

import (
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The sizes that a function may have, with and without pages.
const (
	maxSize      = 13 << 20
	maxSizePages = 19 << 20
)

// withPages are the functions that link html/template.
var withPages = map[string]bool{"account": true, "console": true}

// forbidden are modules that no function may link.
var forbidden = []string{"modernc.org/sqlite"}

// inspectAll checks every bootstrap below the directories.
func inspectAll(directories []string) error {
	var errs []error
	for _, dir := range directories {
		paths, err := filepath.Glob(filepath.Join(dir, "*/bootstrap"))
		if err != nil || len(paths) != len(names()) {
			errs = append(errs, fmt.Errorf("%s holds %d functions, want %d (%v)", dir, len(paths), len(names()), err))
		}
		for _, path := range paths {
			if err := inspect(path); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", path, err))
			}
		}
	}
	return errors.Join(errs...)
}

// inspect returns everything that is wrong with a bootstrap.
func inspect(path string) error {
	// SAM names the directory AccountFunction, scripts/build names it account.
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(filepath.Dir(path))), "function")
	return errors.Join(checkSize(path, name), checkBinary(path), checkBuild(path))
}

func checkSize(path, name string) error {
	limit := int64(maxSize)
	if withPages[name] {
		limit = maxSizePages
	}
	file, err := os.Stat(path)
	if err != nil {
		return err
	}
	if file.Size() > limit {
		return fmt.Errorf("%d bytes, at most %d", file.Size(), limit)
	}
	fmt.Printf("ok %-10s %9d bytes of at most %d (%s)\n", name, file.Size(), limit, path)
	return nil
}

// checkBinary requires a static and stripped ELF file for the deployed
// processor.
func checkBinary(path string) error {
	binary, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer binary.Close()
	var errs []error
	if binary.Machine != elf.EM_AARCH64 {
		errs = append(errs, fmt.Errorf("built for %s", binary.Machine))
	}
	for _, p := range binary.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			errs = append(errs, fmt.Errorf("linked dynamically: %s", p.Type))
		}
	}
	for _, s := range binary.Sections {
		if s.Name == ".symtab" || strings.HasPrefix(s.Name, ".debug_") || strings.HasPrefix(s.Name, ".zdebug_") {
			errs = append(errs, fmt.Errorf("not stripped: section %s", s.Name))
		}
	}
	return errors.Join(errs...)
}

// checkBuild checks the build settings and the modules that the Go linker
// wrote into the bootstrap.
func checkBuild(path string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	want := map[string]string{"-trimpath": "true", "-tags": "lambda.norpc,nethttpomithttp2", "CGO_ENABLED": "0"}
	for _, setting := range info.Settings {
		if want[setting.Key] == setting.Value {
			delete(want, setting.Key)
		}
	}
	var errs []error
	if len(want) > 0 {
		errs = append(errs, fmt.Errorf("built without %v", want))
	}
	for _, module := range info.Deps {
		for _, f := range forbidden {
			if module.Path == f {
				errs = append(errs, fmt.Errorf("links %s", f))
			}
		}
	}
	return errors.Join(errs...)
}
