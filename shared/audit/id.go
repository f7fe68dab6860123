package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"gatehouse/shared/secret"
	"gatehouse/shared/throttle"
)

// idLength is how many characters an ID has, the first half of them the time.
const idLength = 32

// newID returns an ID for what happened then.
func newID(at time.Time) string { return idOf(at) + hex.EncodeToString(secret.Random(8)) }

// sharedID returns the one ID of all that somebody at the address does within
// the minute to nobody's account. Every stranger can cause such events without
// end, with a name made up for each; their entries take each other's place, and
// only the log has them all. That is not told by counting them, or the answer
// to a name that exists would come sooner than to one that does not. However
// many addresses there are, the IDs of a minute are 256.
func sharedID(minute time.Time, address string) string {
	ip, _ := netip.ParseAddr(address) // no error but for those who come from nowhere
	digest := sha256.Sum256([]byte(throttle.NetworkOf(ip).String()))
	return fmt.Sprintf("%s%016x", idOf(minute), digest[0])
}

// idOf returns the beginning of the IDs of what happened then, which is less
// than all of them.
func idOf(at time.Time) string { return fmt.Sprintf("%016x", at.UnixMicro()) }

// IsID reports whether the text can be an entry's ID.
func IsID(text string) bool {
	decoded, err := hex.DecodeString(text)
	return err == nil && len(text) == idLength && text == hex.EncodeToString(decoded)
}

// TimeOf returns when an entry with this ID happened.
func TimeOf(id string) time.Time {
	micros, _ := strconv.ParseInt(id[:idLength/2], 16, 64) // no error but for what is no ID
	return time.UnixMicro(micros).UTC()
}

// Start returns the ID that an entry from the first instant of then could
// have, as a bound for what is older.
func Start(at time.Time) string { return idOf(at) + "0000000000000000" }
