package twofactor

import (
	"encoding/base32"
	"math/bits"
	"strings"

	"gatehouse/shared/secret"
)

const (
	recoveryCodes  = 10
	recoverySize   = 10 // bytes in each code: 80 bits cannot be guessed
	recoveryLength = 16 // characters
	digestSize     = len(secret.Digest{})
)

// RecoveryCodes replace a lost app. Each works once.
type RecoveryCodes struct {
	Digests []byte // of all codes, concatenated
	Used    int64  // bit i is set when code i was used
}

// Left returns the number of unused codes.
func (c RecoveryCodes) Left() int {
	return len(c.Digests)/digestSize - bits.OnesCount64(uint64(c.Used))
}

var lowerBase32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// newRecoveryCodes returns codes as the store and as the user keeps them.
func newRecoveryCodes() (codes RecoveryCodes, texts []secret.Text) {
	for range recoveryCodes {
		code := lowerBase32.EncodeToString(secret.Random(recoverySize))
		digest := secret.NewText(code).Digest()
		codes.Digests = append(codes.Digests, digest[:]...)
		texts = append(texts, secret.NewText(strings.Join([]string{code[:4], code[4:8], code[8:12], code[12:]}, "-")))
	}
	return codes, texts
}

// use returns the codes with this one marked as used. It is not ok if the code
// is not one of them or was used before.
func (c RecoveryCodes) use(code secret.Text) (after RecoveryCodes, ok bool) {
	for i := range len(c.Digests) / digestSize {
		digest, bit := secret.Digest(c.Digests[i*digestSize:(i+1)*digestSize]), int64(1)<<i
		if digest.Matches(code) && c.Used&bit == 0 {
			return RecoveryCodes{c.Digests, c.Used | bit}, true
		}
	}
	return c, false
}
