package errortracking

import (
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/secret"
)

// ClientKey lets a project's applications report errors. It is public, because it
// is in their code.
type ClientKey struct {
	ID        int64
	ProjectID int64
	PublicKey string
	Active    bool
	CreatedAt time.Time
}

// keyPrefix begins every public key. Some SDKs accept no hyphen there.
const keyPrefix = "gtet_"

// NewClientKey makes an active key.
func NewClientKey(projectID int64, now time.Time) ClientKey {
	public := secret.New(keyPrefix, 16).Reveal()
	return ClientKey{ID: keyID(public), ProjectID: projectID, PublicKey: public, Active: true, CreatedAt: now}
}

// keyID returns the id of the key: one more than its first 30 bits. So a new key
// needs no write to a counter, and the key itself leads to its item in a store.
// When two keys have the same id, CreateKey makes the later one again.
func keyID(public string) int64 {
	first, err := strconv.ParseUint(public[len(keyPrefix):][:8], 16, 32)
	if err != nil {
		panic(err) // not reached: these are hexadecimal digits
	}
	return int64(first>>2) + 1
}

// DSN returns the address for an application's SDK, made of Gatehouse's address,
// the key and the project.
func (k ClientKey) DSN(baseURL string) string {
	scheme, place, _ := strings.Cut(baseURL, "://")
	return scheme + "://" + k.PublicKey + "@" + place + "/api/v4/error_tracking/collector/" + strconv.FormatInt(k.ProjectID, 10)
}
