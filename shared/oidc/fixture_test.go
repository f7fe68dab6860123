package oidc_test

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"gatehouse/shared/oauth"
	"gatehouse/shared/oidc"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage/sqlite"
	"gatehouse/shared/user"
)

const issuer = "https://gatehouse.example"

var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// fixture is a store in a file, and a clock that the test moves.
type fixture struct {
	*sqlite.Store
	path  string
	clock atomic.Int64
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{path: filepath.Join(t.TempDir(), "gatehouse.db")}
	store, err := sqlite.Open(f.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	f.Store = store
	return f
}

func (f *fixture) now() time.Time       { return start.Add(time.Duration(f.clock.Load())) }
func (f *fixture) pass(d time.Duration) { f.clock.Add(int64(d)) }

// instanceKey is one instance key, made of one letter.
func instanceKey(letter byte) []byte {
	key := make([]byte, secret.KeySize)
	for i := range key {
		key[i] = letter
	}
	return key
}

// process is a provider as a newly started process has it, under the instance
// keys of these letters.
func (f *fixture) process(t *testing.T, letters string) *oidc.Provider {
	t.Helper()
	return f.processOver(t, f.Store, letters)
}

func (f *fixture) processOver(t *testing.T, store oidc.Store, letters string) *oidc.Provider {
	t.Helper()
	var previous [][]byte
	for _, letter := range []byte(letters[1:]) {
		previous = append(previous, instanceKey(letter))
	}
	keys, err := secret.NewKeys(instanceKey(letters[0]), previous...)
	if err != nil {
		t.Fatal(err)
	}
	return oidc.New(store, project.NewRules(f.Store, nil, nil, nil, f.now), keys, issuer, f.now)
}

var ada = user.User{ID: 7, Username: "ada", Name: "Ada Lovelace", Email: "ada@example.com"}

// sign has the provider make an id_token for a grant that gives tokens now.
func (f *fixture) sign(t *testing.T, p *oidc.Provider) string {
	t.Helper()
	token, err := f.trySign(t, p)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (f *fixture) trySign(t *testing.T, p *oidc.Provider) (string, error) {
	identity, err := p.Identity(t.Context(), ada.ID)
	if err != nil {
		return "", err
	}
	g := oauth.Grant{Application: "client", Scopes: scope.Of(scope.OpenID), Generation: 1, IssuedAt: f.now()}
	token, err := identity.IDToken(ada, g, secret.NewText("access token"))
	return token.Reveal(), err
}

func keySet(t *testing.T, p *oidc.Provider) []string {
	t.Helper()
	set, err := p.KeySet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, k := range set.Keys {
		ids = append(ids, k.ID)
	}
	return ids
}

// parsed reads a token without verifying it.
func parsed(t *testing.T, token string) (keyID string, claims map[string]any) {
	t.Helper()
	signed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	if err := signed.UnsafeClaimsWithoutVerification(&claims); err != nil {
		t.Fatal(err)
	}
	return signed.Headers[0].KeyID, claims
}

func keyOf(t *testing.T, token string) string {
	t.Helper()
	id, _ := parsed(t, token)
	return id
}
