package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
)

// Box encrypts secrets that have to be used again, for one purpose (AES-256 in
// GCM, NIST SP 800-38D). It has one key for each key of the instance. The first,
// current one seals; each of them opens.
type Box []cipher.AEAD

// Box returns the box for one purpose. Its keys differ from those of Derive.
func (k Keys) Box(purpose string) Box {
	var box Box
	for _, key := range k.all {
		derived, err := hkdf.Key(sha256.New, key, nil, "box: "+purpose, sha256.Size)
		if err != nil {
			panic(err) // only a length beyond 255 hashes is an error
		}
		block, err := aes.NewCipher(derived)
		if err != nil {
			panic(err) // not reached: 32 bytes are a key
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			panic(err) // not reached: AES has blocks of 16 bytes
		}
		box = append(box, aead)
	}
	return box
}

// ErrSealed means that a sealed text was changed, has another label, or was sealed
// under a key that the instance no longer has.
var ErrSealed = errors.New("the sealed text does not open with the instance's keys and its label")

// Seal encrypts the text under the current key. Open needs the same label, which
// names the owner of the text, so that writing one thing's secret to another in
// the store does not work.
func (b Box) Seal(text []byte, label string) []byte {
	return b[0].Seal(nil, nil, text, []byte(label))
}

// Open returns the text. It is stale if a former key sealed it, and should be
// sealed again before that key is removed.
func (b Box) Open(sealed []byte, label string) (text []byte, stale bool, err error) {
	for i, aead := range b {
		text, err := aead.Open(nil, nil, sealed, []byte(label))
		if err == nil {
			return text, i > 0, nil
		}
	}
	return nil, false, ErrSealed
}

// Anew seals the text again under the current key. It returns nil if the current
// key sealed it. The error is ErrSealed.
func (b Box) Anew(sealed []byte, label string) ([]byte, error) {
	text, stale, err := b.Open(sealed, label)
	if err != nil || !stale {
		return nil, err
	}
	return b.Seal(text, label), nil
}
