package boot_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gatehouse/shared/boot"
	"gatehouse/shared/secret"
)

func TestKeyFileIsMadeOnceAndForItsOwnerAlone(t *testing.T) {
	dir := t.TempDir()
	made := make([]secret.Keys, 8)
	var starts sync.WaitGroup
	for i := range made {
		starts.Go(func() {
			var err error
			if made[i], err = boot.KeyFile(dir); err != nil {
				t.Error(err)
			}
		})
	}
	starts.Wait()
	for _, keys := range made {
		if keys.Derive("test")[0].Sum() != made[0].Derive("test")[0].Sum() {
			t.Error("two starts at once got two keys")
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v, want the key alone", files, err)
	}
	info, err := files[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
}

func TestDamagedKeyFileIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "instance.key")
	if err := os.WriteFile(path, []byte("%%%"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := boot.KeyFile(filepath.Dir(path)); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names the file", err)
	}
}
