package route_test

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"gatehouse/shared/boot"
)

// parameter is what whoever deploys the template may choose.
type parameter struct {
	Type           string   `yaml:"Type"`
	Default        *string  `yaml:"Default"`
	AllowedValues  []string `yaml:"AllowedValues"`
	AllowedPattern string   `yaml:"AllowedPattern"`
	MinValue       *int     `yaml:"MinValue"`
	MaxValue       *int     `yaml:"MaxValue"`
	Description    string   `yaml:"Description"`
}

func (p parameter) number(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(*p.Default)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// consoleForm is how the console of CloudFormation asks for parameters.
type consoleForm struct {
	Groups []struct {
		Parameters []string `yaml:"Parameters"`
	} `yaml:"ParameterGroups"`
	Labels map[string]yaml.Node `yaml:"ParameterLabels"`
}

func TestEveryParameterIsExplained(t *testing.T) {
	parsed := read(t)
	all := slices.Sorted(maps.Keys(parsed.Parameters))
	var grouped []string
	for _, g := range parsed.Metadata.Interface.Groups {
		grouped = append(grouped, g.Parameters...)
	}
	slices.Sort(grouped)
	if diff := cmp.Diff(all, grouped); diff != "" {
		t.Errorf("groups (-parameters +grouped):\n%s", diff)
	}
	if diff := cmp.Diff(all, slices.Sorted(maps.Keys(parsed.Metadata.Interface.Labels))); diff != "" {
		t.Errorf("labels (-parameters +labelled):\n%s", diff)
	}
	pages := documents(t)
	for name, p := range parsed.Parameters {
		if p.Default == nil || p.Description == "" || !strings.Contains(pages, "`"+name+"`") {
			t.Errorf("%s needs a default, a description and a place in functions/docs", name)
		}
		if p.AllowedPattern == "" && p.AllowedValues == nil && (p.Type != "Number" || p.MinValue == nil) {
			t.Errorf("%s takes anything", name)
		}
	}
}

// documents returns all pages of functions/docs.
func documents(t *testing.T) (all string) {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(root, "functions/docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		all += document(t, filepath.Base(page))
	}
	return all
}

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "functions/docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// told returns the parameters that functions are told as they are, by the names of the
// variables.
func told(t *testing.T) map[string]parameter {
	t.Helper()
	parsed, all := read(t), map[string]parameter{}
	for variable, value := range parsed.Globals.Function.Environment.Variables {
		if p, ok := parsed.Parameters[value.Value]; ok && value.Tag == "!Ref" {
			all[variable] = p
		}
	}
	return all
}

// started reads the environment of a function with this variable.
func started(variable, value string) (boot.Env, error) {
	return boot.ReadEnv(func(name string) string {
		if name == variable {
			return value
		}
		return ""
	})
}

// A function starts with whatever CloudFormation accepts, and CloudFormation refuses what no
// function would start with.
func TestParametersAreWhatFunctionsAccept(t *testing.T) {
	untold, _ := started("", "")
	for variable, p := range told(t) {
		if variable == "GATEHOUSE_KEY_REVISION" { // which no function reads
			continue
		}
		if env, err := started(variable, *p.Default); err != nil || !reflect.DeepEqual(env, untold) {
			t.Errorf("%s: the default %q is another one than that of the functions: %v", variable, *p.Default, err)
		}
		accepted, refused := p.AllowedValues, []string{"none of these"}
		if p.Type == "Number" {
			accepted = []string{strconv.Itoa(*p.MinValue), strconv.Itoa(*p.MaxValue)}
			refused = []string{strconv.Itoa(*p.MinValue - 1), strconv.Itoa(*p.MaxValue + 1)}
		}
		for _, value := range accepted {
			if _, err := started(variable, value); err != nil {
				t.Errorf("CloudFormation accepts what no function starts with: %v", err)
			}
		}
		for _, value := range refused {
			if _, err := started(variable, value); err == nil {
				t.Errorf("%s: a function starts with %q, which CloudFormation refuses", variable, value)
			}
		}
	}
}

func TestPatternsOfParameters(t *testing.T) {
	parameters := read(t).Parameters
	for name, values := range map[string]struct{ good, bad []string }{
		"BaseUrl": {
			[]string{"", "https://gatehouse.example.com", "https://gatehouse.example.com:8443"},
			[]string{"http://gatehouse.example.com", "https://gatehouse.example.com/", "https://a@b", "https://a b", "gatehouse.example.com"},
		},
		"DomainName": {
			[]string{"", "gatehouse.example.com", "a.b", "g-1.example.co.uk", "xn--bcher-kva.example"},
			[]string{"https://gatehouse.example.com", "gatehouse", "-a.example.com", "a..b", "a.b.", "A.example.com", "*.example.com"},
		},
		"CertificateArn": {
			[]string{"", "arn:aws:acm:eu-central-1:123456789012:certificate/5f1c6c2e-1d2b-4d3c-9a57-5a9a3d1c0e11", "arn:aws-cn:acm:cn-north-1:123456789012:certificate/a"},
			[]string{"certificate", "arn:aws:iam::123456789012:server-certificate/a", "arn:aws:acm:eu-central-1:1:certificate/a"},
		},
		"MailFrom": {
			[]string{"", "gatehouse@example.com", "a+b@example.com"},
			[]string{"gatehouse", "a@b@c", "a@example.com, b@example.com", "Gatehouse <gatehouse@example.com>"},
		},
		"TablePrefix": {[]string{"", "gatehouse", "team_1.a-b"}, []string{"ab", "a b c", "gate/house"}},
	} {
		pattern := regexp.MustCompile(parameters[name].AllowedPattern)
		for _, value := range values.good {
			if !pattern.MatchString(value) {
				t.Errorf("%s refuses %q", name, value)
			}
		}
		for _, value := range values.bad {
			if pattern.MatchString(value) {
				t.Errorf("%s accepts %q", name, value)
			}
		}
	}
}

// notInTheCloud are the variables that no deployment sets.
var notInTheCloud = []string{
	"GATEHOUSE_SMTP_URL",                  // holds a password; SES sends the mails
	"GATEHOUSE_WEBHOOK_PRIVATE_ADDRESSES", // of a function these are Lambda's own interfaces
}

// Whatever configures both can be chosen in a deployment.
func TestConfigurationIsAParameter(t *testing.T) {
	both, _, _ := strings.Cut(document(t, "configuration.md"), "## The local server alone")
	parsed := read(t)
	for _, name := range regexp.MustCompile("GATEHOUSE_[A-Z_]+").FindAllString(both, -1) {
		set := parsed.Globals.Function.Environment.Variables[name].Kind != 0
		for _, f := range resources(t, "AWS::Serverless::Function") {
			own, _ := f.Properties["Environment"].(map[string]any)
			variables, _ := own["Variables"].(map[string]any)
			set = set || variables[name] != nil
		}
		if set == slices.Contains(notInTheCloud, name) {
			t.Errorf("%s: the template sets it: %t", name, set)
		}
	}
}
