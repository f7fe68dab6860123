package functions_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"gatehouse/functions"
	"gatehouse/shared/boot"
	"gatehouse/shared/gateway"
	"gatehouse/shared/gateway/localgateway"
	"gatehouse/shared/project"
	"gatehouse/shared/route"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage/dynamodb"
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
	patterns := s.Condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
	for _, pk := range a.pks {
		if s.Condition != nil && !slices.ContainsFunc(patterns, func(pattern string) bool { return leads(pk, pattern) }) {
			return false
		}
	}
	return true
}

// tableOf returns what is special of a table's name: client-keys of
// ClientKeysTable.Arn.
func tableOf(resource string) string {
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
func policies(t *testing.T) map[string][]statement {
	t.Helper()
	text, err := os.ReadFile("../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Resources map[string]yaml.Node `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
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
			t.Fatal(err)
		}
		for _, policy := range function.Properties.Policies {
			all[strings.ToLower(name)] = append(all[strings.ToLower(name)], policy.Statement...)
		}
	}
	return all
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
	TableName                 string
	Key, Item                 map[string]json.RawMessage
	ExpressionAttributeValues map[string]json.RawMessage
}

// pk reads which partition the part of a request is about.
func (p part) pk(t *testing.T) string {
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

// accesses returns all that a request does.
func accesses(t *testing.T, operation string, body []byte) (all []access) {
	t.Helper()
	var request struct {
		part
		RequestItems  map[string]struct{ Keys []map[string]json.RawMessage }
		TransactItems []map[string]part
	}
	if err := json.Unmarshal(body, &request); err != nil {
		t.Errorf("%s: %v", operation, err)
	}
	add := func(action string, p part) {
		table := tableName(p.TableName)
		n := slices.IndexFunc(all, func(a access) bool { return a.action == action && a.table == table })
		if n < 0 {
			n, all = len(all), append(all, access{action: action, table: table})
		}
		all[n].pks = append(all[n].pks, p.pk(t))
	}
	switch operation {
	case "BatchGetItem":
		for table, items := range request.RequestItems {
			for _, key := range items.Keys {
				add(operation, part{TableName: table, Key: key})
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
	t        *testing.T
	function string
	policy   []statement
}

func (g guard) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	for _, a := range accesses(g.t, strings.TrimPrefix(path.Ext(r.Header.Get("X-Amz-Target")), "."), body) {
		if !slices.ContainsFunc(g.policy, func(s statement) bool { return s.allows(a) }) {
			g.t.Errorf("template.yaml does not allow %s to %s %s of %s", g.function, a.action, a.pks, a.table)
		}
	}
	return http.DefaultClient.Do(r)
}

// overPolicies returns a server on the emulator whose functions have the
// policies of the template.
func overPolicies(t *testing.T) *server {
	t.Helper()
	options := emulated(t)
	s := serverOver(t, dynamodb.New(options))
	invokers, all := map[string]localgateway.Invoker{}, policies(t)
	for name := range functions.Handlers(s.app) {
		options.HTTPClient = guard{t, name, all[name]}
		store := dynamodb.New(options)
		if err := store.Ping(t.Context()); err != nil { // as a function does when it starts
			t.Fatal(err)
		}
		invokers[name] = gateway.New(functions.Handlers(s.newApp(store))[name])
	}
	s.Server = httptest.NewServer(described(t, localgateway.New(invokers, route.Table)))
	t.Cleanup(s.Server.Close)
	return s
}

// Whatever the functions do with alerts, projects and tokens, the template
// allows; what they do with accounts is walked for the audit trail.
func TestPoliciesSuffice(t *testing.T) {
	if os.Getenv("AWS_ENDPOINT_URL_DYNAMODB") == "" {
		t.Skip("AWS_ENDPOINT_URL_DYNAMODB is not set: there is no DynamoDB to test on (scripts/test starts an emulator)")
	}
	s := overPolicies(t)
	root, err := s.app.Users.UserByLogin(t.Context(), boot.RootName)
	if err != nil {
		t.Fatal(err)
	}
	browser := s.signIn(t)
	pair, other := s.exchange(t, s.code(t, browser, scope.API, scope.OpenID)), s.exchange(t, s.code(t, browser))
	s.introspect(t, other.Access, pair.Access)
	s.pass(time.Hour) // so that every use is noted
	s.walkTokens(t, s.project(t, root), s.gitToken(t, root), pair)
	s.walkPlaces(t)
	for _, named := range []string{"/projects/2", "/projects/team%2Fsite"} { // functions monitor and projects
		s.walkAlerts(t, named+"/monitor")
		s.rest(t, "PUT", named+"/error_tracking/settings", params{"active": true, "integrated": true}, 200)
		key := s.rest(t, "POST", named+"/error_tracking/client_keys", nil, 201)["id"]
		s.rest(t, "POST", named+"/error_tracking/client_keys", nil, 201)
		s.get(t, "/api/v4"+named+"/error_tracking/client_keys", s.root.Token.Reveal())
		s.rest(t, "DELETE", fmt.Sprintf("%s/error_tracking/client_keys/%.0f", named, key), nil, 200)
		environment := s.rest(t, "POST", named+"/environments", params{"name": "production"}, 201)["id"]
		s.rest(t, "DELETE", fmt.Sprintf("%s/environments/%.0f", named, environment), nil, 204)
	}
	s.walkConsole(t, browser, "/console/team/site")
	s.rest(t, "DELETE", "/projects/2", nil, 204)
	s.rest(t, "DELETE", "/groups/2", nil, 204)
}

// walkTokens has the function for machines do all that it does.
func (s *server) walkTokens(t *testing.T, p project.Project, git secret.Text, pair tokens) {
	t.Helper()
	s.info(t, pair.Access)
	s.get(t, "/oauth/userinfo", pair.Access)
	s.ask(t, p, git)
	s.get(t, "/oauth/discovery/keys", "")
	pair = s.refresh(t, pair.Refresh)
	s.fail(t, values("grant_type", "password", "username", boot.RootName, "password", "a wrong password"))
	s.token(t, values("grant_type", "password", "username", boot.RootName, "password", s.root.Password.Reveal()))
	s.revoke(t, pair.Access)
}

// walkPlaces makes group 2 and project 2 in it, and changes and lists them.
func (s *server) walkPlaces(t *testing.T) {
	t.Helper()
	s.rest(t, "POST", "/groups", params{"name": "Team", "path": "team"}, 201)
	s.rest(t, "PUT", "/groups/2", params{"name": "The team"}, 200)
	s.rest(t, "POST", "/projects", params{"name": "Site", "path": "site", "namespace_id": 2}, 201)
	s.rest(t, "PUT", "/projects/2", params{"name": "The site"}, 200)
	ada := s.rest(t, "POST", "/users", params{"username": "ada", "name": "Ada", "email": "ada@example.com", "password": "the password of ada"}, 201)["id"]
	s.rest(t, "POST", "/projects/2/members", params{"user_id": ada, "access_level": 30}, 201)
	s.rest(t, "PUT", fmt.Sprintf("/projects/2/members/%.0f", ada), params{"access_level": 40}, 200)
	for _, list := range []string{"/groups", "/projects", "/users", "/users?username=ada", "/projects/2/members/all", "/projects/2/environments"} {
		s.get(t, "/api/v4"+list, s.root.Token.Reveal())
	}
	s.rest(t, "DELETE", fmt.Sprintf("/users/%.0f", ada), nil, 204)
}

// walkAlerts has alerts come in, and works on them.
func (s *server) walkAlerts(t *testing.T, monitor string) {
	t.Helper()
	made := s.rest(t, "POST", monitor+"/integrations", params{
		"name": "Uptime", "type": "http", "active": true, "rate_limit": 100, "payload_example": params{"what": "Down"},
		"payload_attribute_mapping": params{"title": params{"path": []string{"what"}, "type": "string"}},
	}, 201)
	one := fmt.Sprintf("%s/integrations/%.0f", monitor, made["id"])
	at := strings.TrimPrefix(made["url"].(string), s.app.BaseURL)
	for _, body := range []string{
		`{"what":"Down","fingerprint":"a"}`, `{"what":"Down","fingerprint":"a"}`, `{"what":"Slow","fingerprint":"b"}`, `{"what":"Odd"}`,
		`{"what":"Down","fingerprint":"a","end_time":"2199-01-01T00:00:00Z"}`,
	} {
		s.notify(t, at, made["authorization_key"].(string), body)
	}
	s.send(t, "POST", "/api/v4"+one+"/test", values("payload", `{"what":"Try","fingerprint":"c"}`).Encode(), s.root.Token.Reveal(), 200)
	s.rest(t, "POST", one+"/preview", params{"payload": params{"what": "Try"}}, 200)
	s.rest(t, "GET", one+"/last_payload", nil, 200)
	for _, status := range []string{"acknowledged", "resolved", "triggered"} {
		s.rest(t, "PUT", monitor+"/alerts/2", params{"status": status, "assignee_id": 1}, 200)
	}
	s.get(t, "/api/v4"+monitor+"/alerts", s.root.Token.Reveal())
	s.rest(t, "PUT", monitor+"/settings", params{"generic_alert_fingerprinting": true}, 200)
	s.rest(t, "PATCH", one, params{"payload_example": params{"what": "Else"}, "rate_limit": 0}, 200)
	s.rest(t, "DELETE", one, nil, 204)
}

// walkConsole opens the pages of a project, and sends what is on them.
func (s *server) walkConsole(t *testing.T, browser *http.Client, console string) {
	t.Helper()
	send := func(path string, pairs ...string) {
		s.form(t, browser, console+path, values(pairs...), http.StatusSeeOther)
	}
	send("/settings/integrations", "name", "Uptime", "type", "http", "active", "1")
	send("/alerts/1/status", "status", "acknowledged")
	send("/alerts/1/assignee", "user_id", "1")
	send("/environments", "name", "staging")
	send("/settings/alerts", "fingerprinting", "1")
	for _, path := range []string{"", "/alerts", "/alerts/1", "/alerts/test", "/environments", "/settings/integrations", "/settings/error_tracking"} {
		s.see(t, browser, console+path)
	}
}
