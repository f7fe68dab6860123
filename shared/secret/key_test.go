package secret_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"gatehouse/shared/secret"
)

const (
	generated = "9fKq0ZbT3mXw7LhRcVnY2sDgJp5eAuWo8tCiBxQyGHk" // 43 letters and digits, as Secrets Manager makes them
	padded    = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
)

func parseKeys(t *testing.T, text string) secret.Keys {
	t.Helper()
	keys, err := secret.ParseKeys(text)
	if err != nil {
		t.Fatalf("ParseKeys(%q): %v", text, err)
	}
	return keys
}

// sums returns what each of the keys makes of one message.
func sums(keys secret.Keys) [][32]byte {
	var all [][32]byte
	for _, mac := range keys.Derive("test") {
		all = append(all, mac.Sum([]byte("message")))
	}
	return all
}

func TestParseKeysTakesGeneratedAndPaddedKeys(t *testing.T) {
	tests := map[string]int{
		generated:                      1,
		padded:                         1,
		strings.TrimRight(padded, "="): 1,
		" " + padded + "\n":            1,
		generated + " " + padded:       2,
		generated + "\n" + padded + "\t" + padded: 3,
	}
	for text, want := range tests {
		if got := len(sums(parseKeys(t, text))); got != want {
			t.Errorf("ParseKeys(%q) has %d keys, want %d", text, got, want)
		}
	}
}

func TestParseKeysReadsTheSameKeyWithAndWithoutPadding(t *testing.T) {
	key, err := base64.StdEncoding.DecodeString(padded)
	if err != nil {
		t.Fatal(err)
	}
	direct, err := secret.NewKeys(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{padded, strings.TrimRight(padded, "=")} {
		if got, want := sums(parseKeys(t, text))[0], sums(direct)[0]; !bytes.Equal(got[:], want[:]) {
			t.Errorf("ParseKeys(%q) is another key than its 32 bytes", text)
		}
	}
}

func TestRotationKeepsTheOldKeySecond(t *testing.T) {
	before := sums(parseKeys(t, padded))
	after := sums(parseKeys(t, generated+" "+padded))
	if after[1] != before[0] || after[0] == before[0] {
		t.Error("a word put in front of the old key did not become the key in use, with the old one behind it")
	}
}

func TestParseKeysRefusesWhatIsNoKey(t *testing.T) {
	for _, text := range []string{"", " \n", "short", generated + "X", generated[1:], "not base64 at all!", generated + " short", padded + "!"} {
		_, err := secret.ParseKeys(text)
		if err == nil {
			t.Errorf("ParseKeys(%q) has no error", text)
			continue
		}
		if strings.Contains(err.Error(), generated) {
			t.Errorf("the error %q shows a key", err)
		}
	}
}

func TestParseKeysSaysWhichWordIsNoKey(t *testing.T) {
	_, err := secret.ParseKeys(padded + " " + padded + "!")
	if want := "instance key 2 is not base64"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}
