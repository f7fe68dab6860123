package oidc_test

import (
	"bytes"
	"context"
	"crypto"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"gatehouse/shared/oauth"
	"gatehouse/shared/oidc"
	"gatehouse/shared/secret"
)

// A library that nobody here wrote reads the published keys and verifies what
// they signed.
func TestPublishedKeysVerifyIDTokens(t *testing.T) {
	f := newFixture(t)
	p := f.process(t, "a")
	token := f.sign(t, p)
	published, err := p.KeySet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(published)
	if err != nil {
		t.Fatal(err)
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(encoded, &set); err != nil {
		t.Fatalf("the key set cannot be read: %v", err)
	}
	signed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	keys := set.Key(signed.Headers[0].KeyID)
	if len(keys) != 1 || keys[0].Use != "sig" || keys[0].Algorithm != "RS256" || !keys[0].IsPublic() {
		t.Fatalf("the key set %s has no one key for %q", encoded, signed.Headers[0].KeyID)
	}
	var claims jwt.Claims
	if err := signed.Claims(keys[0].Key, &claims); err != nil || claims.Subject != "7" {
		t.Errorf("the id_token of %q is not verified: %v", claims.Subject, err)
	}
	if thumbprint, err := keys[0].Thumbprint(crypto.SHA256); err != nil || base64.RawURLEncoding.EncodeToString(thumbprint) != keys[0].KeyID {
		t.Errorf("the key is named %q, which is not its thumbprint (%v)", keys[0].KeyID, err)
	}
}

func TestProcessesThatNeedTheFirstKeyAtOnceEndWithTheSame(t *testing.T) {
	f := newFixture(t)
	tokens := make([]string, 6)
	var processes sync.WaitGroup
	for i := range tokens {
		p := f.process(t, "a")
		processes.Go(func() { tokens[i], _ = f.trySign(t, p) })
	}
	processes.Wait()
	want := keySet(t, f.process(t, "a"))
	for _, token := range tokens {
		if got := keyOf(t, token); len(want) != 1 || got != want[0] {
			t.Errorf("a process signed with the key %q, published are %q", got, want)
		}
	}
	if _, first := parsed(t, tokens[0]); first["sub_legacy"] == "" {
		t.Error("sub_legacy is empty")
	}
}

// signedToken is an id_token until it expires.
type signedToken struct {
	keyID   string
	expires time.Time
}

// Over two rotations: a key signs only after everybody who may have kept the
// published keys had to fetch them again, and is published until the last
// id_token that it signed has expired.
func TestKeysOverlapWhenTheyRotate(t *testing.T) {
	f := newFixture(t)
	published, signed := map[string]time.Time{}, map[string]time.Time{}
	var tokens []signedToken
	step := func() {
		p := f.process(t, "a")
		set := keySet(t, p)
		for _, id := range set {
			if _, seen := published[id]; !seen {
				published[id] = f.now()
			}
		}
		id := keyOf(t, f.sign(t, p))
		if _, seen := signed[id]; !seen {
			signed[id] = f.now()
			if ahead := f.now().Sub(published[id]); len(signed) > 1 && ahead <= oidc.KeySetLifetime {
				t.Errorf("the key %d signs %s after it was published", len(signed), ahead)
			}
		}
		tokens = append(tokens, signedToken{id, f.now().Add(oauth.AccessLifetime)})
		for _, token := range tokens {
			if f.now().Before(token.expires) && !slices.Contains(set, token.keyID) {
				t.Errorf("after %s a key is gone whose id_token is still good", f.now().Sub(start))
			}
		}
		if len(set) > 2 {
			t.Errorf("after %s there are %d keys", f.now().Sub(start), len(set))
		}
	}
	for range 2 {
		step()
		f.pass(88 * 24 * time.Hour)
		for range 72 {
			step()
			f.pass(time.Hour)
		}
	}
	var began []time.Time
	for _, at := range signed {
		began = append(began, at)
	}
	slices.SortFunc(began, time.Time.Compare)
	if len(began) != 3 || len(published) != 3 {
		t.Fatalf("%d keys signed and %d were published, want 3", len(began), len(published))
	}
	for i, at := range began[1:] {
		if term := at.Sub(began[i]); term < 90*24*time.Hour || term > 90*24*time.Hour+2*time.Hour {
			t.Errorf("a key signed for %s, want 90 days", term)
		}
	}
	if last := keySet(t, f.process(t, "a")); len(last) != 1 {
		t.Errorf("%d keys are published at the end, want the last", len(last))
	}
}

// An instance that nobody used for a year goes on with its old key until the
// next one was published long enough.
func TestKeyRotatesAfterALongSleep(t *testing.T) {
	f := newFixture(t)
	old := keyOf(t, f.sign(t, f.process(t, "a")))
	f.pass(365 * 24 * time.Hour)
	if got := keyOf(t, f.sign(t, f.process(t, "a"))); got != old {
		t.Error("a key signs that nobody can have")
	}
	f.pass(oidc.KeySetLifetime + 2*time.Hour)
	p := f.process(t, "a")
	if got := keyOf(t, f.sign(t, p)); got == old || !slices.Contains(keySet(t, p), old) {
		t.Error("the next key does not sign, or the old one is gone at once")
	}
}

// A process whose clock is behind uses the first key all the same.
func TestFirstKeySignsForAClockThatIsBehind(t *testing.T) {
	f := newFixture(t)
	key := keyOf(t, f.sign(t, f.process(t, "a")))
	f.pass(-time.Minute)
	p := f.process(t, "a")
	if got := keyOf(t, f.sign(t, p)); got != key || !slices.Equal(keySet(t, p), []string{key}) {
		t.Errorf("signed with %q, want %q", got, key)
	}
}

func TestKeysAreEncryptedAtRest(t *testing.T) {
	f := newFixture(t)
	p := f.process(t, "a")
	f.sign(t, p)
	set, err := p.KeySet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	modulus, err := base64.RawURLEncoding.DecodeString(set.Keys[0].Modulus)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(f.path + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("the store has no files: %v", err)
	}
	// A private key in the clear, in whichever encoding, holds its modulus.
	for what, mark := range map[string][]byte{
		"PEM": []byte("PRIVATE KEY"), "DER": modulus[:24], "DER of an RSA key": {0x02, 0x01, 0x00, 0x02, 0x82, 0x01, 0x01},
		"base64url": []byte(set.Keys[0].Modulus[:24]), "base64": []byte(base64.StdEncoding.EncodeToString(modulus)[:24]),
		"the name of a field": []byte("signs_from"),
	} {
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(content, mark) {
				t.Errorf("%s holds a signing key in the clear: %s", filepath.Base(file), what)
			}
		}
	}
}

// Once any process has used the keys under both instance keys, the old instance
// key can be taken away; neither the signing key nor sub_legacy changes.
func TestInstanceKeyRotation(t *testing.T) {
	f := newFixture(t)
	id, claims := parsed(t, f.sign(t, f.process(t, "a")))
	for _, letters := range []string{"ba", "b", "cb", "c"} {
		again, now := parsed(t, f.sign(t, f.process(t, letters)))
		if again != id || now["sub_legacy"] != claims["sub_legacy"] {
			t.Errorf("under the instance keys %q the key is %q and the subject %v, want %q and %v",
				letters, again, now["sub_legacy"], id, claims["sub_legacy"])
		}
	}
	if _, err := f.trySign(t, f.process(t, "a")); !errors.Is(err, secret.ErrSealed) {
		t.Errorf("with an instance key that was taken away: %v, want ErrSealed", err)
	}
}

// counted is a store that counts reads and may refuse to write.
type counted struct {
	oidc.Store
	reads  atomic.Int64
	refuse error
}

func (c *counted) SigningKeys(ctx context.Context) (oidc.SealedKeys, error) {
	c.reads.Add(1)
	return c.Store.SigningKeys(ctx)
}

func (c *counted) ReplaceSigningKeys(ctx context.Context, next oidc.SealedKeys) error {
	if c.refuse != nil {
		return c.refuse
	}
	return c.Store.ReplaceSigningKeys(ctx, next)
}

func TestKeysAreReadOnceInAWhile(t *testing.T) {
	f := newFixture(t)
	store := &counted{Store: f.Store}
	p := f.processOver(t, store, "a")
	for range 5 {
		f.sign(t, p)
		keySet(t, p)
	}
	if got := store.reads.Load(); got != 1 {
		t.Errorf("the keys were read %d times, want once", got)
	}
	f.pass(5 * time.Minute)
	f.sign(t, p)
	f.pass(-time.Hour)
	f.sign(t, p)
	if got := store.reads.Load(); got != 3 {
		t.Errorf("the keys were read %d times, want anew after a while and when the clock was set back", got)
	}
}

func TestKeysAreStoredOnlyWhenTheyChange(t *testing.T) {
	f := newFixture(t)
	for range 3 {
		f.sign(t, f.process(t, "a"))
	}
	if stored, err := f.SigningKeys(t.Context()); err != nil || stored.Version != 1 {
		t.Errorf("the keys were stored %d times, %v, want once", stored.Version, err)
	}
}

// That the next key cannot be stored yet is no reason to sign nobody in.
func TestKeysServeWhileTheyCannotBeReplaced(t *testing.T) {
	f := newFixture(t)
	store := &counted{Store: f.Store, refuse: errors.New("no writes today")}
	if _, err := f.trySign(t, f.processOver(t, store, "a")); !errors.Is(err, store.refuse) {
		t.Errorf("without a first key: %v, want the store's error", err)
	}
	key := keyOf(t, f.sign(t, f.process(t, "a")))
	f.pass(95 * 24 * time.Hour)
	if got := keyOf(t, f.sign(t, f.processOver(t, store, "a"))); got != key {
		t.Errorf("signed with %q, want the present key", got)
	}
}
