package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
)

// Box encrypts, for one purpose, what has to be used again and not only
// recognised (AES-256 in GCM, NIST SP 800-38D). It holds one key for each of
// the instance's, the one in use first: that one seals, each of them opens.
type Box []cipher.AEAD

// Box returns the box for one purpose. No key of it is one that Derive gives.
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

// ErrSealed tells that a sealed text was changed, has another label, or was
// sealed under a key that the instance does not have any more.
var ErrSealed = errors.New("the sealed text does not open with the instance's keys and its label")

// Seal encrypts the text under the key in use. Open wants the same label,
// which says what the text belongs to, so that nobody who can write to the
// store makes one thing's secret another's.
func (b Box) Seal(text []byte, label string) []byte {
	return b[0].Seal(nil, nil, text, []byte(label))
}

// Open returns the text. When it is stale, the key in use is not the one that
// sealed it, and it should be sealed again before that one is taken away.
func (b Box) Open(sealed []byte, label string) (text []byte, stale bool, err error) {
	for i, aead := range b {
		text, err := aead.Open(nil, nil, sealed, []byte(label))
		if err == nil {
			return text, i > 0, nil
		}
	}
	return nil, false, ErrSealed
}

// Anew returns the text sealed under the key in use; nil, if it is that
// already. The error is ErrSealed.
func (b Box) Anew(sealed []byte, label string) ([]byte, error) {
	text, stale, err := b.Open(sealed, label)
	if err != nil || !stale {
		return nil, err
	}
	return b.Seal(text, label), nil
}
