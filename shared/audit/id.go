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

// newID returns an ID for an entry of that time.
func newID(at time.Time) string { return idOf(at) + hex.EncodeToString(secret.Random(8)) }

// sharedID returns the ID that all attempts on unknown accounts share if they come
// from one address within a minute. Strangers can cause any number of them with
// made-up names, so each replaces the entry before it; only the log has them all.
// Nothing is counted, as responses to existing names would then be faster. There
// are at most 256 IDs per minute, however many addresses there are.
func sharedID(minute time.Time, address string) string {
	ip, _ := netip.ParseAddr(address) // fails for requests without an address only
	digest := sha256.Sum256([]byte(throttle.NetworkOf(ip).String()))
	return fmt.Sprintf("%s%016x", idOf(minute), digest[0])
}

// idOf returns the prefix of the IDs of that time, which sorts before all of them.
func idOf(at time.Time) string { return fmt.Sprintf("%016x", at.UnixMicro()) }

// IsID reports whether the text can be an entry's ID.
func IsID(text string) bool {
	decoded, err := hex.DecodeString(text)
	return err == nil && len(text) == idLength && text == hex.EncodeToString(decoded)
}

// TimeOf returns the time of an entry with this ID.
func TimeOf(id string) time.Time {
	micros, _ := strconv.ParseInt(id[:idLength/2], 16, 64) // fails for malformed IDs only
	return time.UnixMicro(micros).UTC()
}

// Start returns the lowest ID of that time, as a bound for older entries.
func Start(at time.Time) string { return idOf(at) + "0000000000000000" }

// OldestKept returns the lowest ID of an entry that has not expired.
func OldestKept(now time.Time) string { return Start(now.Add(time.Microsecond - Retention)) }
