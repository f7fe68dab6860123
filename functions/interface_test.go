// Package functions_test holds the functions as a whole to their promises.
package functions_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// filesBelow returns the texts of our files below the directories whose names end in
// the suffix, by path.
func filesBelow(t *testing.T, suffix string, directories ...string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, directory := range directories {
		err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			if err != nil || !strings.HasSuffix(path, suffix) {
				return err
			}
			text, err := os.ReadFile(path)
			texts[path] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

var heading = regexp.MustCompile(`(?m)^#+ (.+)$`)

func headings(page string) []string {
	var found []string
	for _, match := range heading.FindAllStringSubmatch(page, -1) {
		found = append(found, match[1])
	}
	return found
}

// A comment that names a heading of the interface documentation can be followed.
func TestCommentsNameHeadingsOfTheInterface(t *testing.T) {
	known := map[string]bool{}
	for _, page := range filesBelow(t, ".md", ".") {
		for _, h := range headings(page) {
			known[h] = true
		}
	}
	lineBreak, reference := regexp.MustCompile(`\s*\n\s*//\s*`), regexp.MustCompile(`Interface: "([^"]+)"\)`)
	references := 0
	for path, code := range filesBelow(t, ".go", ".", "../shared", "../scripts") {
		for _, match := range reference.FindAllStringSubmatch(lineBreak.ReplaceAllString(code, " "), -1) {
			references++
			if !known[match[1]] {
				t.Errorf("%s names %q, which no page below functions/ has as a heading", path, match[1])
			}
		}
	}
	if references == 0 {
		t.Error("no comment names the interface")
	}
}

func TestEveryVariableIsDocumented(t *testing.T) {
	page, err := os.ReadFile("docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	for path, code := range filesBelow(t, ".go", "../shared/boot") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, variable := range regexp.MustCompile(`GATEHOUSE_\w+`).FindAllString(code, -1) {
			if !strings.Contains(string(page), "`"+variable+"`") {
				t.Errorf("%s reads %s, which docs/configuration.md does not list", path, variable)
			}
		}
	}
}

// anchor is what a link writes for a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

func TestLinksBetweenPagesLead(t *testing.T) {
	pages := filesBelow(t, ".md", ".", "../README.md")
	link := regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	for path, page := range pages {
		for _, match := range link.FindAllStringSubmatch(page, -1) {
			target := path
			if match[1] != "" {
				target = filepath.Join(filepath.Dir(path), match[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", path, match[1])
				continue
			}
			anchors := map[string]bool{"": true}
			for _, h := range headings(pages[target]) {
				anchors[anchor(h)] = true
			}
			if !anchors[match[2]] {
				t.Errorf("%s links to the heading #%s of %s, which does not exist", path, match[2], target)
			}
		}
	}
}
