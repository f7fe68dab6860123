// Package secret makes, recognises and hides secrets. A secret that only has to be
// recognised is kept as a Digest. In memory it is a Text, which prints as
// [redacted] wherever it is logged or formatted.
package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"log/slog"
)

const redacted = "[redacted]"

// Text is a secret in the clear. It can be read only through Reveal.
type Text struct{ value string }

// NewText wraps a secret that arrived from outside.
func NewText(value string) Text { return Text{value} }

// New returns a fresh secret: the prefix, then n random bytes in hexadecimal.
func New(prefix string, n int) Text { return Text{prefix + hex.EncodeToString(Random(n))} }

// Random returns n bytes from the operating system's random source.
func Random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand ends the process instead
	return b
}

// Reveal returns the secret itself, for the one answer that shows it.
func (t Text) Reveal() string { return t.value }

// Empty reports whether there is no secret.
func (t Text) Empty() bool { return t.value == "" }

// Format hides the secret from every fmt verb.
func (t Text) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// String hides the secret.
func (t Text) String() string { return redacted }

// LogValue hides the secret from log/slog.
func (t Text) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON hides the secret from encoders that do not call Reveal.
func (t Text) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// Digest returns what a store keeps of the secret.
func (t Text) Digest() Digest { return sha256.Sum256([]byte(t.value)) }

// Digest is the SHA-256 of a high-entropy secret.
type Digest [sha256.Size]byte

// Matches reports in constant time whether t is the digest's secret.
func (d Digest) Matches(t Text) bool {
	other := t.Digest()
	return subtle.ConstantTimeCompare(d[:], other[:]) == 1
}

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }
