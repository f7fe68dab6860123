package secret

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// KeySize is the length of an instance key in bytes.
const KeySize = 32

// Keys are the instance's keys: the current one and, during a rotation, the former
// one. The current key makes secrets; both recognise them.
type Keys struct{ all [][]byte }

// NewKeys returns keys of KeySize bytes each.
func NewKeys(current []byte, previous ...[]byte) (Keys, error) {
	keys := Keys{append([][]byte{current}, previous...)}
	for _, k := range keys.all {
		if len(k) != KeySize {
			return Keys{}, fmt.Errorf("an instance key has %d bytes, want %d", len(k), KeySize)
		}
	}
	return keys, nil
}

// With returns the keys with others behind them, which recognise only.
func (k Keys) With(others Keys) Keys {
	return Keys{append(k.all[:len(k.all):len(k.all)], others.all...)}
}

// Each returns each of the keys alone.
func (k Keys) Each() (each []Keys) {
	for _, one := range k.all {
		each = append(each, Keys{[][]byte{one}})
	}
	return each
}

// ParseKeys reads instance keys in standard base64, separated by white space, the
// current one first. The padding may be missing, so any 43 letters and digits are
// a key, such as a password from a secrets manager.
func ParseKeys(text string) (Keys, error) {
	var all [][]byte
	for i, word := range strings.Fields(text) {
		key, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(word, "="))
		if err != nil {
			return Keys{}, fmt.Errorf("instance key %d is not base64", i+1)
		}
		all = append(all, key)
	}
	if len(all) == 0 {
		return Keys{}, fmt.Errorf("no instance key")
	}
	return NewKeys(all[0], all[1:]...)
}

// Derive returns the keys for one purpose, which are of no use for any other (HKDF
// with SHA-256, RFC 5869).
func (k Keys) Derive(purpose string) MACs {
	var macs MACs
	for _, key := range k.all {
		derived, err := hkdf.Key(sha256.New, key, nil, purpose, sha256.Size)
		if err != nil {
			panic(err) // only a length beyond 255 hashes is an error
		}
		macs = append(macs, MAC{derived})
	}
	return macs
}

// MACs are the authentication keys of one purpose, the current one first.
type MACs []MAC

// MAC authenticates messages with HMAC-SHA-256 (RFC 2104).
type MAC struct{ key []byte }

// Sum returns the code of the parts. A length precedes each part, so that moving a
// byte from one part to the next changes the code.
func (m MAC) Sum(parts ...[]byte) [sha256.Size]byte {
	h := hmac.New(sha256.New, m.key)
	for _, p := range parts {
		h.Write([]byte{byte(len(p) >> 8), byte(len(p))})
		h.Write(p)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
