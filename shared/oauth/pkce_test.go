package oauth_test

import (
	"strings"
	"testing"

	"gatehouse/shared/oauth"
)

// The verifier and challenge of RFC 7636 appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

func TestChallengeVerify(t *testing.T) {
	tests := []struct {
		challenge oauth.Challenge
		verifier  string
		want      bool
	}{
		{challenge, verifier, true},
		{challenge, strings.Replace(verifier, "d", "e", 1), false},
		{challenge, challenge, false}, // the method plain is not accepted
		{challenge, "", false},
		{"", verifier, false},
		{"", "", true},
	}
	for _, test := range tests {
		if got := test.challenge.Verify(test.verifier); got != test.want {
			t.Errorf("Challenge(%q).Verify(%q) = %t, want %t", test.challenge, test.verifier, got, test.want)
		}
	}
}

func TestChallengeWellFormed(t *testing.T) {
	tests := map[string]bool{
		challenge:               true,
		challenge[:42]:          false,
		challenge + "A":         false,
		challenge[:42] + "=":    false,
		challenge[:42] + "+":    false,
		strings.Repeat("~", 43): false,
	}
	for text, want := range tests {
		if got := oauth.Challenge(text).WellFormed(); got != want {
			t.Errorf("Challenge(%q).WellFormed() = %t, want %t", text, got, want)
		}
	}
}

func FuzzChallenge(f *testing.F) {
	f.Add(verifier)
	f.Add("")
	f.Fuzz(func(t *testing.T, v string) {
		c := oauth.ChallengeOf(v)
		if !c.WellFormed() || !c.Verify(v) {
			t.Errorf("the challenge %q of %q is not one that the verifier answers", c, v)
		}
	})
}
