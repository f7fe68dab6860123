package functions_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"gatehouse/functions"
	"gatehouse/shared/accesstoken"
	"gatehouse/shared/audit"
	"gatehouse/shared/boot"
	"gatehouse/shared/gateway"
	"gatehouse/shared/gateway/localgateway"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
	"gatehouse/shared/route"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/tables"
)

// statement is one of those by which template.yaml allows a function something.
type statement struct {
	Sid       string                         `yaml:"Sid"`
	Action    []string                       `yaml:"Action"`
	Resource  string                         `yaml:"Resource"`
	Condition map[string]map[string][]string `yaml:"Condition"`
}

// allows reports whether the statement allows the access, to all its partitions.
func (s statement) allows(a access) bool {
	if !slices.Contains(s.Action, "dynamodb:"+a.action) || tableOf(s.Resource) != a.table {
		return false
	}
	for _, pk := range a.pks {
		if s.Condition != nil && !slices.ContainsFunc(s.patterns(), func(pattern string) bool { return leads(pk, pattern) }) {
			return false
		}
	}
	return true
}

// patterns returns those of the partitions that the statement is about; nil: of all.
func (s statement) patterns() []string {
	return s.Condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
}

// tableOf returns what is special of a table's name: client-keys of
// ClientKeysTable.Arn, and messages/index/due of its index.
func tableOf(resource string) string {
	if table, index, ok := strings.Cut(strings.TrimPrefix(resource, "${"), "}"); ok {
		return tableOf(table) + index
	}
	var name strings.Builder
	for n, r := range strings.TrimSuffix(resource, "Table.Arn") {
		if n > 0 && r >= 'A' && r <= 'Z' {
			name.WriteByte('-')
		}
		name.WriteRune(r)
	}
	return strings.ToLower(name.String())
}

// policies returns the statements of each function.
func policies(t testing.TB) map[string][]statement {
	t.Helper()
	all, err := readPolicies()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func readPolicies() (map[string][]statement, error) {
	text, err := os.ReadFile("../template.yaml")
	if err != nil {
		return nil, err
	}
	var template struct {
		Resources map[string]yaml.Node `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(text, &template); err != nil {
		return nil, err
	}
	all := map[string][]statement{}
	for id, node := range template.Resources {
		name, ok := strings.CutSuffix(id, "Function")
		var function struct {
			Properties struct {
				Policies []struct {
					Statement []statement `yaml:"Statement"`
				} `yaml:"Policies"`
			} `yaml:"Properties"`
		}
		if !ok {
			continue
		}
		if err := node.Decode(&function); err != nil {
			return nil, err
		}
		for _, policy := range function.Properties.Policies {
			all[strings.ToLower(name)] = append(all[strings.ToLower(name)], policy.Statement...)
		}
	}
	return all, nil
}

// access is what a request does in one way in one table: one statement must
// allow it as a whole, as IAM is asked about all of a batch at once.
type access struct {
	action, table string
	pks           []string
}

// leads reports whether the partition is one that the pattern of a condition
// names.
func leads(pk, pattern string) bool {
	prefix, all := strings.CutSuffix(pattern, "*")
	return pk == pattern || all && strings.HasPrefix(pk, prefix)
}

// text is a string as DynamoDB's requests have it.
type text struct{ S string }

// part is a request about one item, or a part of one about several.
type part struct {
	TableName, IndexName      string
	Key, Item                 map[string]json.RawMessage
	ExpressionAttributeValues map[string]json.RawMessage
}

// pk reads which partition the part of a request is about.
func (p part) pk(t testing.TB) string {
	t.Helper()
	var pk text
	for _, at := range []json.RawMessage{p.Key["pk"], p.Item["pk"], p.ExpressionAttributeValues[":pk"]} {
		if at != nil && pk.S == "" {
			if err := json.Unmarshal(at, &pk); err != nil {
				t.Error(err)
			}
		}
	}
	return pk.S
}

// tableName leaves out the prefix test-<number>-.
func tableName(name string) string { return strings.SplitN(name, "-", 3)[2] }

func read[T any](t testing.TB, raw json.RawMessage) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Error(err)
	}
	return v
}

// accesses returns all that a request does.
func accesses(t testing.TB, operation string, body []byte) (all []access) {
	t.Helper()
	var request struct {
		part
		RequestItems  map[string]json.RawMessage
		TransactItems []map[string]part
	}
	if err := json.Unmarshal(body, &request); err != nil {
		t.Errorf("%s: %v", operation, err)
	}
	add := func(action string, p part) {
		table := tableName(p.TableName)
		if p.IndexName != "" {
			table += "/index/" + p.IndexName
		}
		n := slices.IndexFunc(all, func(a access) bool { return a.action == action && a.table == table })
		if n < 0 {
			n, all = len(all), append(all, access{action: action, table: table})
		}
		all[n].pks = append(all[n].pks, p.pk(t))
	}
	switch operation {
	case "BatchGetItem":
		for table, raw := range request.RequestItems {
			items := read[struct{ Keys []map[string]json.RawMessage }](t, raw)
			for _, key := range items.Keys {
				add(operation, part{TableName: table, Key: key})
			}
		}
	case "BatchWriteItem":
		for table, raw := range request.RequestItems {
			for _, item := range read[[]map[string]part](t, raw) {
				for _, p := range item { // a DeleteRequest or PutRequest
					p.TableName = table
					add(operation, p)
				}
			}
		}
	case "TransactWriteItems":
		actions := map[string]string{"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
		for _, item := range request.TransactItems {
			for kind, p := range item {
				add(actions[kind], p)
			}
		}
	default:
		add(operation, request.part)
	}
	return all
}

// guard stands between a function and DynamoDB, and allows it what its policy
// does.
type guard struct {
	t        testing.TB
	function string
	policy   []statement
	counter  *steps
}

func (g guard) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	for _, a := range accesses(g.t, strings.TrimPrefix(path.Ext(r.Header.Get("X-Amz-Target")), "."), body) {
		n := slices.IndexFunc(g.policy, func(s statement) bool { return s.allows(a) })
		if n < 0 {
			g.t.Errorf("template.yaml does not allow %s to %s %s of %s", g.function, a.action, a.pks, a.table)
			continue
		}
		usedRights.note(g.function, g.policy[n], a)
	}
	return g.counter.Do(r)
}

// overPolicies returns a server on the emulator, where each function has its own
// store and the policy of the template.
func overPolicies(t testing.TB) *server {
	t.Helper()
	return overPoliciesWith(t, integration.AllFeatures)
}

func overPoliciesWith(t testing.TB, f integration.Features) *server {
	t.Helper()
	options := emulated(t)
	options.FewMembers = 1
	s := serverOver(t, dynamodb.New(options), f)
	s.counter = &steps{}
	invokers, all := map[string]localgateway.Invoker{}, policies(t)
	for name := range functions.Handlers(s.app) {
		options.HTTPClient = guard{t, name, all[name], s.counter}
		store := dynamodb.New(options)
		if err := store.Ping(t.Context()); err != nil { // as a function does when it starts
			t.Fatal(err)
		}
		invokers[name] = gateway.New(functions.Handlers(s.newApp(store))[name])
	}
	s.serve(t, localgateway.New(invokers, route.Table))
	return s
}

// The role of a caller with many memberships, and of one in whose name another one
// acts, is read in another way than that of most.
func TestPoliciesLetEachFunctionReadAnyRole(t *testing.T) {
	needEmulator(t)
	s := overPolicies(t)
	p, root := s.project(t), s.administrator(t)
	byRoot := s.root.Token.Reveal()
	s.call(t, "POST", "/users", byRoot, `{"username":"ada","name":"Ada","email":"ada@example.com","password":"the password of ada"}`, 201)
	ada, err := s.app.Users.UserByUsername(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	s.call(t, "POST", fmt.Sprintf("/projects/%d/members", p.ID), byRoot, fmt.Sprintf(`{"user_id":%d,"access_level":40}`, ada.ID), 201)
	for n := range 26 { // one more than are read with the project
		draft := project.Draft{Name: "Team", Path: fmt.Sprintf("team%d", n), Visibility: project.Private}
		if _, err := s.app.Projects.CreateGroup(t.Context(), audit.Actor{ID: root.ID, UserID: ada.ID}, draft, project.Group{}); err != nil {
			t.Fatal(err)
		}
	}
	_, token, err := s.app.Tokens.Create(t.Context(), audit.Setup, accesstoken.Request{UserID: ada.ID, Name: "test", Scopes: scope.Of(scope.API)})
	if err != nil {
		t.Fatal(err)
	}
	project := fmt.Sprintf("/projects/%d", p.ID)
	for _, address := range []string{
		project, project + "/environments", project + "/monitor/settings", project + "/error_tracking/client_keys", "/groups/team0",
	} {
		s.call(t, "GET", address, token.Reveal(), "", 200)
		s.call(t, "GET", address+"?sudo=ada", byRoot, "", 200)
	}
	usedRights.end("roles")
}

// Alerts are stored in another way where they are kept forever, or not grouped.
func TestPoliciesLetIntakeDoAsItIsConfigured(t *testing.T) {
	needEmulator(t)
	const (
		fires    = `{"title":"Down","fingerprint":"down"}`
		recovers = `{"title":"Down","fingerprint":"down","end_time":"2199-01-01T00:00:00Z"}`
	)
	forever, alone := integration.AllFeatures, integration.AllFeatures
	forever.KeptDays, alone.Grouping = 0, false
	for _, f := range []integration.Features{forever, alone} {
		s := overPoliciesWith(t, f)
		p, token := s.project(t), s.root.Token.Reveal()
		monitor := fmt.Sprintf("/projects/%d/monitor", p.ID)
		things := things{}
		created := s.call(t, "POST", monitor+"/integrations", token, `{"name":"Tool","type":"http","active":true}`, 201)
		things.keep("integration", read[any](t, created))
		i := things["integration"]
		deliver := func(payload string) {
			s.notify(t, strings.TrimPrefix(i["url"].(string), s.app.BaseURL), i["authorization_key"].(string), payload)
		}
		deliver(fires)
		deliver(fires)
		for _, status := range []string{"resolved", "triggered"} {
			s.call(t, "PUT", monitor+"/alerts/1", token, `{"status":"`+status+`"}`, 200)
		}
		s.call(t, "PUT", monitor+"/settings", token, `{"retention_days":1}`, 200)
		deliver(recovers)
	}
	usedRights.end("configured")
}

// needEmulator skips the test where there is no DynamoDB to test on.
func needEmulator(t *testing.T) {
	t.Helper()
	if os.Getenv("AWS_ENDPOINT_URL_DYNAMODB") == "" {
		t.Skip("AWS_ENDPOINT_URL_DYNAMODB is not set: there is no DynamoDB to test on (scripts/test starts an emulator)")
	}
}

// emulated names fresh tables on the emulator that the environment tells of.
func emulated(t testing.TB) dynamodb.Options {
	t.Helper()
	env, err := boot.ReadEnv(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	env.TablePrefix = "test-" + hex.EncodeToString(secret.Random(6))
	options := boot.DynamoDB(env)
	if err := tables.Create(t.Context(), options, "../template.yaml"); err != nil {
		t.Fatal(err)
	}
	return options
}
