package secret_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"gatehouse/shared/secret"
)

func wantOpen(t *testing.T, box secret.Box, sealed []byte, label, want string, stale bool) {
	t.Helper()
	text, old, err := box.Open(sealed, label)
	if err != nil || string(text) != want || old != stale {
		t.Errorf("Open = %q, stale %t, %v, want %q, stale %t", text, old, err, want, stale)
	}
}

func wantShut(t *testing.T, what string, box secret.Box, sealed []byte, label string) {
	t.Helper()
	if text, _, err := box.Open(sealed, label); !errors.Is(err, secret.ErrSealed) {
		t.Errorf("Open of %s = %q, %v, want ErrSealed", what, text, err)
	}
}

func TestBoxOpensWhatItSealed(t *testing.T) {
	box := parseKeys(t, padded).Box("test")
	for _, text := range []string{"", "a seed", string(make([]byte, 100_000))} {
		wantOpen(t, box, box.Seal([]byte(text), "ada"), "ada", text, false)
	}
	if a, b := box.Seal([]byte("a seed"), "ada"), box.Seal([]byte("a seed"), "ada"); bytes.Equal(a, b) {
		t.Error("the same text was sealed to the same bytes twice")
	}
	if bytes.Contains(box.Seal([]byte("a seed"), "ada"), []byte("seed")) {
		t.Error("the sealed text can be read")
	}
}

func TestBoxRefusesWhatIsNotItsOwn(t *testing.T) {
	keys := parseKeys(t, padded)
	box := keys.Box("test")
	sealed := box.Seal([]byte("a seed"), "ada")
	wantShut(t, "another's text", box, sealed, "ben")
	wantShut(t, "another purpose's text", keys.Box("other"), sealed, "ada")
	wantShut(t, "another instance's text", parseKeys(t, generated).Box("test"), sealed, "ada")
	for i := range sealed {
		changed := slices.Clone(sealed)
		changed[i] ^= 1
		wantShut(t, "a changed text", box, changed, "ada")
		wantShut(t, "a text cut short", box, sealed[:i], "ada")
	}
}

func TestBoxOpensUnderEveryKeyAndSealsUnderTheFirst(t *testing.T) {
	before := parseKeys(t, padded).Box("test")
	during := parseKeys(t, generated+" "+padded).Box("test")
	after := parseKeys(t, generated).Box("test")
	old, fresh := before.Seal([]byte("a seed"), ""), during.Seal([]byte("a seed"), "")
	wantOpen(t, during, old, "", "a seed", true)
	wantOpen(t, during, fresh, "", "a seed", false)
	wantOpen(t, after, fresh, "", "a seed", false)
	wantShut(t, "what the old key sealed", after, old, "")
	wantShut(t, "what the new key sealed", before, fresh, "")
}

func TestBoxSealsAnewWhatAnOlderKeySealed(t *testing.T) {
	before := parseKeys(t, padded).Box("test")
	during := parseKeys(t, generated+" "+padded).Box("test")
	after := parseKeys(t, generated).Box("test")
	old := before.Seal([]byte("a seed"), "ada")
	anew, err := during.Anew(old, "ada")
	if err != nil {
		t.Fatal(err)
	}
	wantOpen(t, after, anew, "ada", "a seed", false)
	if again, err := during.Anew(anew, "ada"); again != nil || err != nil {
		t.Errorf("Anew of what the key in use sealed = %x, %v, want nothing", again, err)
	}
	if lost, err := after.Anew(old, "ada"); lost != nil || !errors.Is(err, secret.ErrSealed) {
		t.Errorf("Anew without the old key = %x, %v, want ErrSealed", lost, err)
	}
}
