package twofactor

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"time"

	"gatehouse/shared/secret"
)

// Every authenticator app assumes SHA-1, six digits and thirty seconds. SHA-1
// is no weakness here, as HMAC needs no collision resistance.
const (
	seedSize = 20 // as long as the hash (RFC 4226 section 4, R6)
	period   = 30 // seconds
	digits   = 6
	// drift is the number of steps by which an app's clock may be wrong.
	drift = 1
)

// Seed is the secret that an authenticator app makes its codes from.
type Seed []byte

func newSeed() Seed { return secret.Random(seedSize) }

// String returns the seed as people type it into an app.
func (s Seed) String() string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(s)
}

// Code returns the code that an app shows at this time.
func (s Seed) Code(at time.Time) string { return s.code(step(at)) }

// step numbers the time step (RFC 6238 section 4.2).
func step(at time.Time) int64 { return at.Unix() / period }

// code returns the code of a step (RFC 4226 section 5.3).
func (s Seed) code(step int64) string {
	mac := hmac.New(sha1.New, s)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	number := binary.BigEndian.Uint32(sum[offset:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", digits, number%1_000_000)
}

// recognise returns the step of the code, which must be later than last.
func (s Seed) recognise(code string, last int64, now time.Time) (found int64, ok bool) {
	for n := step(now) - drift; n <= step(now)+drift; n++ {
		if subtle.ConstantTimeCompare([]byte(s.code(n)), []byte(code)) == 1 && n > last && !ok {
			found, ok = n, true
		}
	}
	return found, ok
}
