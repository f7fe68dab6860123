package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/boot"
	"gatehouse/shared/integration"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
)

// stack is a deployment of template.yaml, as far as the instance key is concerned: functions
// that run go on with the keys that they have, until a deployment changes what they are told.
type stack struct {
	t       *testing.T
	store   storage.Store
	manager *httptest.Server // of secrets
	secret  string           // what the secret holds
	told    map[string]string
	*app.App
}

func newStack(t *testing.T, store storage.Store) *stack {
	s := &stack{t: t, store: store}
	s.manager = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]string{"SecretString": s.secret})
	}))
	t.Cleanup(s.manager.Close)
	return s
}

// deploy deploys the template with a revision of the key. It reports whether functions
// started anew.
func (s *stack) deploy(revision string) bool {
	s.t.Helper()
	told := variables(s.t, map[string]string{"KeyRevision": revision})
	if maps.Equal(told, s.told) {
		return false
	}
	env, err := boot.ReadEnv(func(name string) string { return told[name] })
	if err != nil {
		s.t.Fatal(err)
	}
	env.SecretsManagerEndpoint = s.manager.URL
	keys, err := boot.SecretKeys(s.t.Context(), env)
	if err != nil {
		s.t.Fatal(err)
	}
	s.told, s.App = told, boot.New(env, s.store, keys)
	return true
}

// variables returns what the template tells every function, with these parameters and else
// with their defaults. Of what is made with the stack only the name is left.
func variables(t *testing.T, chosen map[string]string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Parameters map[string]struct {
			Default string `yaml:"Default"`
		} `yaml:"Parameters"`
		Globals map[string]struct {
			Environment map[string]map[string]yaml.Node `yaml:"Environment"`
		} `yaml:"Globals"`
	}
	if err := yaml.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for name, node := range template.Globals["Function"].Environment["Variables"] {
		value, ok := chosen[node.Value]
		if p, known := template.Parameters[node.Value]; known && !ok {
			value = p.Default
		}
		told[name] = value
	}
	return told
}

// The instance key is rotated as functions/docs/deployment.md says, and nobody is refused on
// the way.
func TestRotationOverDeployments(t *testing.T) {
	a := apptest.New(t)
	root := a.Admin("root")
	web := a.Project("web", a.Group("acme", project.Group{}, root, project.Private), project.Private)
	old, next := newKey(), newKey()
	s := newStack(t, a.Store)

	s.secret = old
	s.deploy("1")
	trackElsewhere(t, s.App, web)
	i, err := s.Integrations.Create(t.Context(), audit.Setup, web, integration.Draft{Name: "Uptime", Type: integration.HTTP, Active: true})
	if err != nil {
		t.Fatal(err)
	}
	first := grant(t, s.App, root.Username)

	s.secret = old + " " + next
	if s.deploy("1") {
		t.Error("a deployment without a change started functions anew")
	}
	if !s.deploy("2") {
		t.Fatal("a deployment with another KeyRevision left functions as they were")
	}
	second, earlier := grant(t, s.App, root.Username), s.App
	wantKnown(t, "by the old key, with the new one behind it", s.App, first, second)

	s.secret = next + " " + old
	s.deploy("3")
	third := grant(t, s.App, root.Username)
	wantKnown(t, "by the new key in front", s.App, first, second, third)
	wantKnown(t, "by a function that still runs", earlier, first, second, third)
	var out strings.Builder
	if err := reseal(t.Context(), s.App, &out); err != nil || !strings.HasPrefix(out.String(), "2 sealed anew") {
		t.Fatalf("reseal = %v: %s, want 2 sealed anew", err, out.String())
	}

	s.secret = next
	s.deploy("4")
	wantKnown(t, "by the new key alone", s.App, third)
	if _, err := s.OAuth.Access(t.Context(), first); err == nil {
		t.Error("the new key alone knows a token of the old one")
	}
	if i, err = s.Integrations.Find(t.Context(), web, i.ID); err != nil {
		t.Fatal(err)
	}
	if key, err := s.Integrations.Key(i); err != nil || !i.Authorizes(key, secret.Text{}) {
		t.Errorf("the key of the integration is %v", err)
	}
	out.Reset()
	if err := reseal(t.Context(), s.App, &out); err != nil || !strings.HasPrefix(out.String(), "0 sealed anew under the instance key in use, 0 that") {
		t.Errorf("reseal = %v: %s, want that nothing is left or lost", err, out.String())
	}
}

// newKey makes a key as openssl rand -base64 32 does.
func newKey() string { return base64.StdEncoding.EncodeToString(secret.Random(secret.KeySize)) }

// grant returns an access token of the user.
func grant(t *testing.T, a *app.App, username string) secret.Text {
	t.Helper()
	tokens, err := a.OAuth.Token(t.Context(), oauth.TokenRequest{
		GrantType: "password", Username: username, Password: secret.NewText(apptest.Password),
	})
	if err != nil {
		t.Fatal(err)
	}
	return tokens.Access
}

func wantKnown(t *testing.T, how string, a *app.App, tokens ...secret.Text) {
	t.Helper()
	for n, token := range tokens {
		if _, err := a.OAuth.Access(t.Context(), token); err != nil {
			t.Error(fmt.Errorf("token %d %s: %w", n+1, how, err))
		}
	}
}
