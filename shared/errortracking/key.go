package errortracking

import (
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/secret"
)

// ClientKey is what a project's applications report errors with. It is in
// their code, for everybody to read.
type ClientKey struct {
	ID        int64
	ProjectID int64
	PublicKey string
	Active    bool
	CreatedAt time.Time
}

// keyPrefix begins every public key. With a hyphen in it some SDKs would not
// take the DSN.
const keyPrefix = "gtet_"

// NewClientKey makes an active key.
func NewClientKey(projectID int64, now time.Time) ClientKey {
	public := secret.New(keyPrefix, 16).Reveal()
	return ClientKey{ID: keyID(public), ProjectID: projectID, PublicKey: public, Active: true, CreatedAt: now}
}

// keyID returns the id of the key with this public key: one more than its
// first 30 bits. A number that is in the key needs no counter, which would
// have every new key wait for one more write, and it leads whoever has the key
// to the item that a store keeps under the id. Two keys with the same one
// cannot be; the later is made again.
func keyID(public string) int64 {
	first, err := strconv.ParseUint(public[len(keyPrefix):][:8], 16, 32)
	if err != nil {
		panic(err) // not reached: these are hexadecimal digits
	}
	return int64(first>>2) + 1
}

// DSN returns the address that the SDK in an application is given: where
// Gatehouse is, the key and the project.
func (k ClientKey) DSN(baseURL string) string {
	scheme, place, _ := strings.Cut(baseURL, "://")
	return scheme + "://" + k.PublicKey + "@" + place + "/api/v4/error_tracking/collector/" + strconv.FormatInt(k.ProjectID, 10)
}
