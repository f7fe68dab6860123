package twofactor_test

import (
	"testing"
	"time"

	"gatehouse/shared/twofactor"
)

// The vectors of RFC 6238, appendix B, for SHA-1: of their eight digits the
// last six.
func TestCodesAreThoseOfRFC6238(t *testing.T) {
	seed := twofactor.Seed("12345678901234567890")
	for seconds, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130",
	} {
		if got := seed.Code(time.Unix(seconds, 0)); got != want {
			t.Errorf("Code at %d = %s, want %s", seconds, got, want)
		}
	}
	if got, want := seed.String(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"; got != want {
		t.Errorf("the seed is typed as %s, want %s", got, want)
	}
}

func TestParseAnswer(t *testing.T) {
	tests := map[string]struct{ ok, recovery bool }{
		"123456": {true, false}, "123 456": {true, false}, " 123-456\n": {true, false},
		"abcd-efgh-ijkl-mnop": {true, true}, "ABCD EFGH IJKL MNOP": {true, true}, "abcdefghijklmnop": {true, true},
		"abcd-efgh-ijk1-mn0p": {true, true}, "": {}, "12345": {}, "1234567": {}, "12345a": {}, "１２": {}, "abcd-efgh-ijkl-mno8": {},
		"abcd-efgh-ijkl-mno": {}, "abcd-efgh-ijkl-mn\x00p": {}, "abcd-efgh-ijkl-mé": {},
	}
	for typed, want := range tests {
		a, ok := twofactor.ParseAnswer(typed)
		if ok != want.ok || ok && a.Recovery() != want.recovery {
			t.Errorf("ParseAnswer(%q) = recovery %t, %t, want %t, %t", typed, a.Recovery(), ok, want.recovery, want.ok)
		}
	}
}

func FuzzParseAnswer(f *testing.F) {
	for _, seed := range []string{"123456", "abcd-efgh-ijkl-mnop", "", "1 2", "ſ\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, typed string) { twofactor.ParseAnswer(typed) })
}
