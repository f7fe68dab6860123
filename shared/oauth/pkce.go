package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"regexp"
)

// Challenge is a PKCE code challenge of the method S256, the only one that is
// accepted (RFC 7636 section 4.2); empty when the request had none.
type Challenge string

var (
	challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]*$`)
	verifierForm  = regexp.MustCompile(`^[A-Za-z0-9._~-]*$`)
)

// ChallengeOf returns the challenge of a code verifier.
func ChallengeOf(verifier string) Challenge {
	sum := sha256.Sum256([]byte(verifier))
	return Challenge(base64.RawURLEncoding.EncodeToString(sum[:]))
}

// WellFormed reports whether the challenge can be one of the method S256: the
// unpadded base64url of a SHA-256.
func (c Challenge) WellFormed() bool { return len(c) == 43 && challengeForm.MatchString(string(c)) }

// Verify reports whether the verifier matches the challenge. An empty challenge
// matches the empty verifier only.
func (c Challenge) Verify(verifier string) bool {
	if c == "" {
		return verifier == ""
	}
	return subtle.ConstantTimeCompare([]byte(c), []byte(ChallengeOf(verifier))) == 1
}

// wellFormedVerifier reports whether the text has the form of a code verifier
// (RFC 7636 section 4.1).
func wellFormedVerifier(verifier string) bool {
	return 43 <= len(verifier) && len(verifier) <= 128 && verifierForm.MatchString(verifier)
}
