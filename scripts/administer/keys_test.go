package main

import (
	"bytes"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gatehouse/scripts/backend"
	"gatehouse/shared/boot"
	"gatehouse/shared/secret"
)

// A rotation with the file of a local server: what was sealed under the old key opens
// without it at the end, and the old key does not go before.
func TestKeysAreRotated(t *testing.T) {
	h := furnished(t, onSQLite(t))
	s := &session{env: boot.Env{Data: t.TempDir(), BaseURL: "https://gatehouse.example"}}
	path := filepath.Join(s.env.Data, boot.KeyFileName)
	if err := os.WriteFile(path, []byte(h.KeyFile+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(want string, args ...string) {
		t.Helper()
		s.backend = &backend.Backend{Store: h.Store, Keys: ok[secret.Keys](t)(boot.KeyFile(s.env.Data))}
		s.App = boot.New(s.env, h.Store, s.backend.Keys)
		var out bytes.Buffer
		s.out = &out
		c, rest, err := commandOf(args)
		if err == nil {
			err = c.run(t.Context(), s, rest)
		}
		report(&out, err)
		if !regexp.MustCompile("^(?s:" + want + ")$").MatchString(out.String()) {
			t.Errorf("%s says %q, want %q", strings.Join(args, " "), out.String(), want)
		}
	}
	run("[0-9a-f]{16}  in use       seals the secrets of 7 things\n", "keys")
	run("There is one key only.\n", "keys", "drop")
	server := ok[io.Closer](t)(backend.Running(s.env))
	run("scripts/admin: a server runs on this data; stop it first\n", "keys", "rotate")
	run("scripts/admin: a server runs on this data; stop it first\n", "keys", "drop")
	server.Close()
	next := h.KeyFile
	if _, err := s.writeKeys(path, []string{secretWord(), next}); err != nil {
		t.Fatal(err)
	}
	run(".*in use       seals the secrets of 0 things\n.*for reading  seals the secrets of 7 things\n", "keys")
	run(".*secrets of 7 things are sealed under the key .*; run scripts/admin reseal first\n", "keys", "drop")
	run("The key in use is .*7 sealed anew under the instance key in use, 0 that no key opens.\n.*", "keys", "rotate")
	run(".*in use       seals the secrets of 7 things\n.*for reading  seals the secrets of 0 things\n.*for reading  .* 0 things\n", "keys")
	run("Keys removed: 2. [0-9a-f]{16} is in use.\n", "keys", "drop")
	run("[0-9a-f]{16}  in use       seals the secrets of 7 things\n", "keys")
	if _, err := s.writeKeys(path, []string{secretWord()}); err != nil {
		t.Fatal(err)
	}
	run(".* 0 things\nThe secrets of 7 things are sealed under keys that this instance does not have.\n", "keys")
}

// A deployment is told what to do, with nothing secret.
func TestKeysOfADeploymentAreExplained(t *testing.T) {
	var out bytes.Buffer
	s := &session{env: boot.Env{KeySecretARN: "arn:aws:secretsmanager:x"}, out: &out}
	if err := rotateKeys(t.Context(), s, nil); err != nil || !strings.Contains(out.String(), "--secret-id arn:aws:secretsmanager:x --query") {
		t.Errorf("keys rotate = %v: %s", err, out.String())
	}
}

func secretWord() string { return base64.StdEncoding.EncodeToString(secret.Random(secret.KeySize)) }
