package boot

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gatehouse/shared/secret"
)

// KeyFileName is the name of the file with the instance keys in the data directory.
const KeyFileName = "instance.key"

// KeyFile returns the instance keys in the data directory, and makes one on the
// first start. Only the owner of the file can read it.
func KeyFile(dir string) (secret.Keys, error) {
	path := filepath.Join(dir, KeyFileName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = createKeyFile(path)
	}
	if err != nil {
		return secret.Keys{}, fmt.Errorf("instance key: %w", err)
	}
	keys, err := secret.ParseKeys(string(text))
	if err != nil {
		return secret.Keys{}, fmt.Errorf("%s: %w", path, err)
	}
	return keys, nil
}

// createKeyFile writes the whole key under another name first, so that a crash leaves
// either no key or a complete one.
func createKeyFile(path string) ([]byte, error) {
	text := []byte(base64.StdEncoding.EncodeToString(secret.Random(secret.KeySize)) + "\n")
	f, err := os.CreateTemp(filepath.Dir(path), KeyFileName+".*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(text); err != nil {
		return nil, err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	// Link, unlike Rename, does not replace the key of a server that started at the
	// same time. That key is used then.
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return os.ReadFile(path)
}
