// Package shared_test checks the structure of the whole module.
package shared_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layers lists the packages below shared/ from the bottom up, but for the rules: a
// package that is not listed holds the rules of a noun. A package imports only
// packages of its own layer or a lower one.
var layers = [][]string{
	{"fault", "secret", "page", "scope", "route", "text", "payload", "host", "telemetry", "batch"},
	rules: nil,
	{"storage", "storage/packed", "storage/walk"},
	{"storage/sqlite", "storage/dynamodb", "storage/dynamodb/tables", "storage/dynamodb/dynamodbtest", "storage/sqlite/sqlitetest", "storage/storagetest"},
	{"web", "gateway", "openapi", "webhook/outgoing", "mail/relay", "mail/ses"},
	{"auth", "openapi/openapitest"},
	{"app"},
	{"listing", "directory", "site", "memberapi", "runnerapi", "projectapi", "webhookapi", "boot", "boot/mailer", "boot/dispatching", "apptest", "gateway/localgateway"},
}

// rules is the layer that knows neither HTTP nor a database nor AWS.
const rules = 1

func layerOf(pkg string) int {
	name, ok := strings.CutPrefix(pkg, "gatehouse/shared/")
	if !ok {
		return len(layers)
	}
	if n := slices.IndexFunc(layers, func(layer []string) bool { return slices.Contains(layer, name) }); n >= 0 {
		return n
	}
	return rules
}

// packages returns the imports of every package that the pattern matches.
func packages(t *testing.T, pattern string) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", pattern).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	imports := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		imports[words[0]] = words[1:]
	}
	return imports
}

func TestArrowsPointDown(t *testing.T) {
	for pkg, imports := range packages(t, "gatehouse/shared/...") {
		layer := layerOf(pkg)
		for _, imported := range imports {
			if strings.HasPrefix(imported, "gatehouse/") && layerOf(imported) > layer {
				t.Errorf("%s imports %s, which is above it", pkg, imported)
			}
		}
	}
}

func TestRulesKnowNeitherHTTPNorAWS(t *testing.T) {
	for pkg, imports := range packages(t, "gatehouse/shared/...") {
		if layerOf(pkg) > rules {
			continue
		}
		for _, imported := range imports {
			if imported == "net/http" || imported == "database/sql" || strings.Contains(imported, "aws") {
				t.Errorf("%s imports %s", pkg, imported)
			}
		}
	}
}

// Only projects mounts the routes of others: the gateway sends what is below a
// project there when the project is named by its path.
func TestFunctionsDoNotImportEachOther(t *testing.T) {
	const projects = "gatehouse/functions/projects/projectsapi"
	group := func(pkg string) string { return strings.Split(pkg, "/")[2] }
	for pkg, imports := range packages(t, "gatehouse/functions/...") {
		if pkg == "gatehouse/functions" {
			continue // puts them together
		}
		for _, imported := range imports {
			if strings.HasPrefix(imported, "gatehouse/functions/") && group(imported) != group(pkg) && (pkg != projects || !strings.HasSuffix(imported, "api")) {
				t.Errorf("%s imports %s", pkg, imported)
			}
		}
	}
}

// Functions must not become larger by what only the local server and tests need, nor by
// what sends mails or checks passkeys, which one of them does.
func TestFunctionsLinkNothingLocal(t *testing.T) {
	local := []string{"modernc.org/sqlite", "go.yaml.in/", "gatehouse/scripts/", "gatehouse/shared/gateway/localgateway", "testing",
		"github.com/getkin/", "github.com/santhosh-tekuri/", "github.com/standard-webhooks/", "github.com/emersion/"}
	sending := []string{"gatehouse/shared/boot/mailer", "gatehouse/shared/mail/", "github.com/aws/aws-sdk-go-v2/service/sesv2"}
	for pkg := range packages(t, "gatehouse/functions/...") {
		if strings.Count(pkg, "/") != 2 {
			continue // not a main
		}
		unwanted := slices.Clone(local)
		if pkg != "gatehouse/functions/dispatcher" {
			unwanted = append(unwanted, sending...)
		}
		if pkg != "gatehouse/functions/account" {
			unwanted = append(unwanted, "github.com/go-webauthn/")
		}
		out, err := exec.Command("go", "list", "-deps", pkg).Output()
		if err != nil {
			t.Fatalf("go list -deps %s: %v", pkg, err)
		}
		for dependency := range strings.Lines(string(out)) {
			for _, unwanted := range unwanted {
				if dependency = strings.TrimSpace(dependency); dependency == unwanted || strings.HasPrefix(dependency, strings.TrimSuffix(unwanted, "/")+"/") {
					t.Errorf("%s links %s", pkg, dependency)
				}
			}
		}
	}
}

// Only boot reads the environment, so that everything else can be configured by
// its caller.
func TestOnlyBootReadsTheEnvironment(t *testing.T) {
	reading := regexp.MustCompile(`\bos\.(Getenv|LookupEnv|Environ)\b`)
	eachFile(t, func(path, text string) {
		if reading.MatchString(text) && filepath.Dir(path) != "boot" {
			t.Errorf("%s reads the environment", path)
		}
	})
}

// eachFile visits every Go file of shared and functions that is no test.
func eachFile(t *testing.T, visit func(path, text string)) {
	t.Helper()
	for _, root := range []string{".", "../functions"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			visit(path, string(text))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Only the methods of rules write to stores and record that in the audit trail, so
// that a page and a REST handler cannot do the same deed in different ways.
func TestFunctionsWriteThroughRulesAlone(t *testing.T) {
	for pkg, imports := range packages(t, "gatehouse/functions/...") {
		for _, imported := range imports {
			if strings.HasPrefix(imported, "gatehouse/shared/storage") {
				t.Errorf("%s imports %s", pkg, imported)
			}
		}
	}
	handlers := regexp.MustCompile(`^(\.\./functions|auth|site|memberapi)/`)
	around := regexp.MustCompile(`\baudit\.(Setup|NewTrail)\b|\.Store(\(\))?\.`)
	embedding := regexp.MustCompile(`struct \{[^}]*\n\t(\w+\.)?Store\n`)
	field := regexp.MustCompile(`\n\t[A-Z]\w*\s+storage\.`)
	eachFile(t, func(path, text string) {
		shared := !strings.HasPrefix(path, "../")
		switch found := around.FindAllString(text, -1); {
		case handlers.MatchString(path) && found != nil:
			t.Errorf("%s goes around the rules: %q", path, found)
		case shared && layerOf("gatehouse/shared/"+filepath.Dir(path)) == rules && embedding.MatchString(text):
			t.Errorf("%s embeds a store, so that every caller can write", path)
		case path == "app/app.go" && field.MatchString(text):
			t.Errorf("%s gives out a store", path)
		}
	})
}
