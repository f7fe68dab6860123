package packed_test

import (
	"bytes"
	"testing"

	"gatehouse/shared/secret"
	"gatehouse/shared/storage/packed"
)

func TestPack(t *testing.T) {
	tests := map[string]struct {
		text    []byte
		longest int
	}{
		"nothing":         {nil, 10},
		"a short text":    {[]byte(`{"title":"Disk full"}`), 40},
		"much repetition": {bytes.Repeat([]byte(`{"host":"web-1"},`), 50_000), 10_000},
		"no repetition":   {secret.Random(1 << 20), 1<<20 + 1<<10},
	}
	for name, test := range tests {
		p := packed.Pack(test.text)
		if len(p) > test.longest {
			t.Errorf("Pack of %s has %d bytes, want at most %d", name, len(p), test.longest)
		}
		if got, err := packed.Unpack(p); err != nil || !bytes.Equal(got, test.text) {
			t.Errorf("Unpack of %s = %d bytes, %v, want the %d of before", name, len(got), err, len(test.text))
		}
	}
}

func TestUnpackNotices(t *testing.T) {
	whole := packed.Pack([]byte(`{"title":"Disk full"}`))
	for name, damaged := range map[string][]byte{"cut": whole[:len(whole)-3], "empty": {}, "other": []byte("{}")} {
		if got, err := packed.Unpack(damaged); err == nil {
			t.Errorf("Unpack of what is %s = %q, want an error", name, got)
		}
	}
}
