package web_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"gatehouse/shared/fault"
	"gatehouse/shared/web"
)

// pack returns the text as the writer compresses it.
func pack(t *testing.T, open func(io.Writer) io.WriteCloser, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := open(&out)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func gzipped(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
func zlibbed(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }
func deflated(w io.Writer) io.WriteCloser {
	raw, _ := flate.NewWriter(w, flate.BestSpeed) // there is such a level
	return raw
}

func decode(coding, body string, most int64) (string, error) {
	r := httptest.NewRequest("POST", "/", nil)
	r.Header.Set("Content-Encoding", coding)
	plain, err := web.Decoded(r, []byte(body), most)
	return string(plain), err
}

func TestContentCodings(t *testing.T) {
	const text, most = `{"title":"Disk full"}`, 1 << 20
	long := strings.Repeat("x", most)
	zipped := pack(t, gzipped, text)
	tests := map[string]struct {
		coding, body, want string
		kind               fault.Kind
	}{
		"none":                           {"", text, text, ""},
		"identity":                       {"Identity", text, text, ""},
		"gzip":                           {"gzip", zipped, text, ""},
		"gzip by another name":           {" X-GZIP ", zipped, text, ""},
		"deflate with zlib's header":     {"deflate", pack(t, zlibbed, text), text, ""},
		"deflate without":                {"deflate", pack(t, deflated, text), text, ""},
		"just the limit":                 {"gzip", pack(t, gzipped, long), long, ""},
		"a byte beyond the limit":        {"gzip", pack(t, gzipped, long+"x"), "", fault.TooLarge},
		"beyond it in deflate":           {"deflate", pack(t, deflated, long+"x"), "", fault.TooLarge},
		"gzip that ends early":           {"gzip", zipped[:len(zipped)-3], "", fault.Invalid},
		"gzip with something behind":     {"gzip", zipped + text, "", fault.Invalid},
		"gzip with a wrong sum":          {"gzip", zipped[:len(zipped)-5] + "\x00" + zipped[len(zipped)-4:], "", fault.Invalid},
		"plain text that claims gzip":    {"gzip", text, "", fault.Invalid},
		"plain text that claims deflate": {"deflate", text, "", fault.Invalid},
		"nothing that claims gzip":       {"gzip", "", "", fault.Invalid},
		"nothing that claims deflate":    {"deflate", "", "", fault.Invalid},
		"a coding that nobody knows":     {"br", text, "", fault.Unsupported},
		"two codings":                    {"gzip, gzip", zipped, "", fault.Unsupported},
	}
	for name, test := range tests {
		got, err := decode(test.coding, test.body, most)
		if test.kind == "" && (err != nil || got != test.want) || test.kind != "" && (!fault.Is(err, test.kind) || fault.Message(err) == "") {
			t.Errorf("%s: %.40q, %v, want %.40q and the kind %q", name, got, err, test.want, test.kind)
		}
	}
}

// A body that would inflate to a hundred times the limit costs about what one of the limit
// does: the buffer grows by doubling, which makes four to nine times the limit in all.
func TestABombCostsNoMoreThanTheLimit(t *testing.T) {
	const most = 1 << 20
	block := strings.Repeat("\x00", 64<<10)
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	for range 1600 {
		if _, err := io.WriteString(w, block); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := decode("gzip", bomb.String(), most)
	runtime.ReadMemStats(&after)
	if !fault.Is(err, fault.TooLarge) {
		t.Errorf("a bomb of %d bytes gave %v, want fault.TooLarge", bomb.Len(), err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 16*most {
		t.Errorf("it took %d bytes of memory, want a few times the limit of %d", took, most)
	}
}

func FuzzDecoded(f *testing.F) {
	f.Add("gzip", "\x1f\x8b")
	f.Add("deflate", "\x78\x9c")
	f.Fuzz(func(t *testing.T, coding, body string) {
		if plain, err := decode(coding, body, 4096); err == nil && len(plain) > max(4096, len(body)) {
			t.Errorf("%q in %q gave %d bytes", body, coding, len(plain))
		}
	})
}
