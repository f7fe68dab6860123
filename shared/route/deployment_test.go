package route_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"gatehouse/shared/route"
)

// root is the top of the repository, seen from this package.
const root = "../.."

// resource is a resource of template.yaml. CloudFormation's short forms come
// out as their argument: !GetAtt Api.Arn is "Api.Arn".
type resource struct {
	Type                string         `yaml:"Type"`
	DeletionPolicy      string         `yaml:"DeletionPolicy"`
	UpdateReplacePolicy string         `yaml:"UpdateReplacePolicy"`
	DependsOn           []string       `yaml:"DependsOn"`
	Metadata            map[string]any `yaml:"Metadata"`
	Properties          map[string]any `yaml:"Properties"`
}

// resources returns the template's resources of a type by their logical ids.
func resources(t *testing.T, kind string) map[string]resource {
	t.Helper()
	all := read(t).Resources
	maps.DeleteFunc(all, func(_ string, r resource) bool { return r.Type != kind })
	if len(all) == 0 {
		t.Fatalf("template.yaml has no %s", kind)
	}
	return all
}

// template is template.yaml, as far as it is checked here.
type template struct {
	Metadata struct {
		Interface consoleForm `yaml:"AWS::CloudFormation::Interface"`
	} `yaml:"Metadata"`
	Parameters map[string]parameter `yaml:"Parameters"`
	Globals    struct {
		Function struct {
			Architectures []string    `yaml:"Architectures"`
			Environment   environment `yaml:"Environment"`
		} `yaml:"Function"`
	} `yaml:"Globals"`
	Resources map[string]resource `yaml:"Resources"`
}

// environment is what a function is told. A value that is not text in the template, such
// as a reference, is a node of another kind or with a tag.
type environment struct {
	Variables map[string]yaml.Node `yaml:"Variables"`
}

func read(t *testing.T) (parsed template) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &parsed); err != nil {
		t.Fatal(err)
	}
	return parsed
}

// functionName returns the directory of the function with a logical id.
func functionName(logicalID string) string {
	return strings.ToLower(strings.TrimSuffix(logicalID, "Function"))
}

func TestTemplateHasTheRoutesOfTheTable(t *testing.T) {
	integrations := resources(t, "AWS::ApiGatewayV2::Integration")
	got := map[string]string{}
	for id, r := range resources(t, "AWS::ApiGatewayV2::Route") {
		key := r.Properties["RouteKey"].(string)
		target := strings.TrimSuffix(strings.TrimPrefix(r.Properties["Target"].(string), "integrations/${"), "}")
		function, _ := strings.CutSuffix(fmt.Sprint(integrations[target].Properties["IntegrationUri"]), ".Arn")
		if got[key] != "" {
			t.Errorf("%s repeats %s", id, key)
		}
		got[key] = functionName(function)
	}
	want := map[string]string{}
	for _, r := range route.Table {
		want[r.Key()] = r.Function
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes (-route.Table +template.yaml):\n%s", diff)
	}
}

func TestEveryFunctionHasItsMain(t *testing.T) {
	var deployed, written, routed []string
	for id, f := range resources(t, "AWS::Serverless::Function") {
		deployed = append(deployed, functionName(id))
		if f.Metadata["BuildMethod"] != "makefile" || f.Metadata["ContextPath"] != "functions/build/${Architecture}" {
			t.Errorf("%s is not built by the Makefile of the architecture: %v", id, f.Metadata)
		}
	}
	mains, err := filepath.Glob(filepath.Join(root, "functions/*/main.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range mains {
		written = append(written, filepath.Base(filepath.Dir(path)))
	}
	routed = []string{route.Dispatcher}
	for _, r := range route.Table {
		routed = append(routed, r.Function)
	}
	for _, names := range []*[]string{&deployed, &written, &routed} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	if diff := cmp.Diff(written, deployed); diff != "" {
		t.Errorf("functions (-with a main.go +in template.yaml):\n%s", diff)
	}
	if diff := cmp.Diff(written, routed); diff != "" {
		t.Errorf("functions (-with a main.go +in route.Table):\n%s", diff)
	}
}

func TestEveryArchitectureHasItsMakefile(t *testing.T) {
	goarch := map[string]string{"arm64": "arm64", "x86_64": "amd64"}
	parsed := read(t)
	if got := parsed.Globals.Function.Architectures; !slices.Equal(got, []string{"Architecture"}) {
		t.Errorf("functions run on %q, want what the parameter Architecture says", got)
	}
	for _, name := range parsed.Parameters["Architecture"].AllowedValues {
		text, err := os.ReadFile(filepath.Join(root, "functions/build", name, "Makefile"))
		if err != nil || !strings.HasPrefix(string(text), "GOARCH := "+goarch[name]+"\n") {
			t.Errorf("%s: %q, %v, want one for %q", name, text, err, goarch[name])
		}
	}
}

// What a function is told leads it to AWS and to the secret with the key, and to nothing
// that only `sam local` has: a key is no variable, and no parameter leads elsewhere.
func TestFunctionsGetNothingOfTheLocalOnes(t *testing.T) {
	told := read(t).Globals.Function.Environment.Variables
	names := slices.Sorted(maps.Keys(told))
	want := []string{
		"AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_SECRETS_MANAGER", "GATEHOUSE_ALERT_GROUPING", "GATEHOUSE_ALERT_RETENTION_DAYS",
		"GATEHOUSE_BASE_URL", "GATEHOUSE_GIT_URL", "GATEHOUSE_KEY_REVISION", "GATEHOUSE_KEY_SECRET_ARN", "GATEHOUSE_LOG_LEVEL", "GATEHOUSE_METRICS", "GATEHOUSE_OAUTH_SUDO", "GATEHOUSE_PASSWORD_GRANT",
		"GATEHOUSE_PAYLOAD_MAPPING", "GATEHOUSE_REFRESH_RETRY_SECONDS", "GATEHOUSE_SEVERAL_ENDPOINTS", "GATEHOUSE_SIGN_IN_FAILURES",
		"GATEHOUSE_SIGN_IN_WINDOW_SECONDS", "GATEHOUSE_TABLE_PREFIX", "GATEHOUSE_TOP_LEVEL_GROUPS",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
	for _, name := range names {
		if value := told[name]; strings.HasPrefix(name, "AWS_ENDPOINT_URL") && (value.Tag != "!!str" || value.Value != "") {
			t.Errorf("%s is %s %q, want empty text", name, value.Tag, value.Value)
		}
	}
	for id, f := range resources(t, "AWS::Serverless::Function") {
		if own := fmt.Sprint(f.Properties["Environment"]); strings.Contains(own, "AWS_") || strings.Contains(own, "KEY") {
			t.Errorf("%s has an environment of its own with %s", id, own)
		}
	}
	if secret := told["GATEHOUSE_KEY_SECRET_ARN"]; secret.Tag != "!Ref" || secret.Value != "InstanceKey" {
		t.Errorf("the key comes from %s %s, want the secret of the stack", secret.Tag, secret.Value)
	}
}

func TestTheGatewayMayCallEveryFunction(t *testing.T) {
	callable, answering := map[string]bool{}, map[string]bool{}
	for _, p := range resources(t, "AWS::Lambda::Permission") {
		callable[fmt.Sprint(p.Properties["FunctionName"])] = p.Properties["Principal"] == "apigateway.amazonaws.com"
	}
	for _, i := range resources(t, "AWS::ApiGatewayV2::Integration") {
		function, _ := strings.CutSuffix(fmt.Sprint(i.Properties["IntegrationUri"]), ".Arn")
		answering[function] = i.Properties["PayloadFormatVersion"] == "2.0"
	}
	for id := range resources(t, "AWS::Serverless::Function") {
		if id == "DispatcherFunction" {
			if callable[id] || answering[id] {
				t.Errorf("the gateway may call %s, which answers no requests", id)
			}
			continue
		}
		if !callable[id] || !answering[id] {
			t.Errorf("%s: permission %v, integration in format 2.0 %v, want both", id, callable[id], answering[id])
		}
	}
}

// Where anybody can have a password hashed or a mail sent, there are lower limits than on
// other routes. The stage can name them only when they are there.
func TestTheGatewayLimitsRequests(t *testing.T) {
	limits := func(prefix string) map[string]any {
		return map[string]any{"ThrottlingRateLimit": prefix + "ThrottleRate", "ThrottlingBurstLimit": prefix + "ThrottleBurst"}
	}
	stage := resources(t, "AWS::ApiGatewayV2::Stage")["Stage"]
	if diff := cmp.Diff(limits(""), stage.Properties["DefaultRouteSettings"]); diff != "" {
		t.Errorf("every route (-want +got):\n%s", diff)
	}
	want := map[string]any{
		"ANY /users/sign_in": limits("SignIn"), "ANY /users/password": limits("SignIn"), "ANY /users/password/new": limits("SignIn"),
		"ANY /oauth/token": limits("Token"),
	}
	if diff := cmp.Diff(want, stage.Properties["RouteSettings"]); diff != "" {
		t.Errorf("single routes (-want +got):\n%s", diff)
	}
	var first []string
	for id, r := range resources(t, "AWS::ApiGatewayV2::Route") {
		if want[fmt.Sprint(r.Properties["RouteKey"])] != nil {
			first = append(first, id)
		}
	}
	slices.Sort(first)
	if diff := cmp.Diff(first, stage.DependsOn); diff != "" {
		t.Errorf("the stage waits for (-want +got):\n%s", diff)
	}
	parameters := read(t).Parameters
	for _, of := range []string{"Rate", "Burst"} {
		for _, lower := range []string{"SignIn", "Token"} {
			if parameters[lower+"Throttle"+of].number(t) >= parameters["Throttle"+of].number(t) {
				t.Errorf("%sThrottle%s is not below that of other routes", lower, of)
			}
		}
	}
}

func TestTheAPIHasOneStageAndNoCORSOfItsOwn(t *testing.T) {
	for id, api := range resources(t, "AWS::ApiGatewayV2::Api") {
		if api.Properties["CorsConfiguration"] != nil {
			t.Errorf("%s answers CORS itself, over what the functions answer", id)
		}
	}
	for id, stage := range resources(t, "AWS::ApiGatewayV2::Stage") {
		if stage.Properties["StageName"] != "$default" {
			t.Errorf("%s is named %v, which would begin every path", id, stage.Properties["StageName"])
		}
		format := fmt.Sprint(stage.Properties["AccessLogSettings"])
		for _, secret := range []string{"query", "path", "Path", "$context.requestOverride"} {
			if strings.Contains(format, secret) {
				t.Errorf("%s logs %s, where %q may hold a key", id, format, secret)
			}
		}
		if !strings.Contains(format, "$context.status") || !strings.Contains(format, "$context.routeKey") {
			t.Errorf("%s logs %s, want the status and the route", id, format)
		}
	}
}

// hyphenated writes a logical id as the names of tables are written:
// ClientKeys is client-keys.
func hyphenated(id string) string {
	return strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(id, "$1-$2"))
}

func TestTablesSurviveAccidents(t *testing.T) {
	want := map[string]any{
		"BillingMode":                      "PAY_PER_REQUEST",
		"TimeToLiveSpecification":          map[string]any{"AttributeName": "ttl", "Enabled": true},
		"PointInTimeRecoverySpecification": map[string]any{"PointInTimeRecoveryEnabled": true},
		"SSESpecification":                 map[string]any{"SSEEnabled": true},
		"DeletionProtectionEnabled":        []any{"ProtectsTables", true, false},
		"AttributeDefinitions": []any{
			map[string]any{"AttributeName": "pk", "AttributeType": "S"}, map[string]any{"AttributeName": "sk", "AttributeType": "S"},
		},
		"KeySchema": []any{
			map[string]any{"AttributeName": "pk", "KeyType": "HASH"}, map[string]any{"AttributeName": "sk", "KeyType": "RANGE"},
		},
	}
	for id, table := range resources(t, "AWS::DynamoDB::Table") {
		name := hyphenated(strings.TrimSuffix(id, "Table"))
		want["TableName"] = []any{"HasTablePrefix", "${TablePrefix}-" + name, "${AWS::StackName}-" + name}
		if id == "MessagesTable" { // has an index and a stream besides, see tables.Read
			for _, own := range []string{"AttributeDefinitions", "GlobalSecondaryIndexes", "StreamSpecification"} {
				table.Properties[own] = want[own]
			}
			maps.DeleteFunc(table.Properties, func(_ string, value any) bool { return value == nil })
		}
		if diff := cmp.Diff(want, table.Properties); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

// What cannot be made again stays when its stack goes, except when that could not even be
// made: what is empty would then be in the way of the next attempt.
func TestWhatCannotBeMadeAgainIsKept(t *testing.T) {
	for _, kind := range []string{"AWS::DynamoDB::Table", "AWS::SecretsManager::Secret"} {
		for id, r := range resources(t, kind) {
			if r.DeletionPolicy != "RetainExceptOnCreate" || r.UpdateReplacePolicy != "Retain" {
				t.Errorf("%s goes with the stack: deletion %q, replacement %q", id, r.DeletionPolicy, r.UpdateReplacePolicy)
			}
		}
	}
}

func TestFunctionsMayDoOnlyWhatIsNamed(t *testing.T) {
	known := []string{"InstanceKey"}
	for id := range resources(t, "AWS::DynamoDB::Table") {
		known = append(known, id+".Arn")
	}
	known = append(known, "${MessagesTable.Arn}/index/due",
		"arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}:identity/*") // those that the account has verified
	for id, f := range resources(t, "AWS::Serverless::Function") {
		policies := f.Properties["Policies"].([]any)
		if len(policies) != 1 {
			t.Errorf("%s has %d policies, want one of its own", id, len(policies))
		}
		for _, s := range policies[0].(map[string]any)["Statement"].([]any) {
			statement := s.(map[string]any)
			if !slices.Contains(known, fmt.Sprint(statement["Resource"])) {
				t.Errorf("%s: resource %v, want one of %v", id, statement["Resource"], known)
			}
			for _, action := range statement["Action"].([]any) {
				if strings.Contains(fmt.Sprint(action), "*") {
					t.Errorf("%s may do %v", id, action)
				}
			}
		}
	}
}

func TestNoNamespaceCanTakeARoute(t *testing.T) {
	for _, r := range route.Table {
		first, _, _ := strings.Cut(r.Pattern[1:], "/")
		if r.Pattern != route.Default && first != "" && !route.Reserved(first) {
			t.Errorf("%q begins the route %s and is not reserved", first, r.Pattern)
		}
	}
}
