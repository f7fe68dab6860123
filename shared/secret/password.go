package secret

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
)

// Passwords hashes passwords with argon2id (RFC 9106) and verifies them. It also
// verifies the bcrypt hashes of imported users.
type Passwords struct {
	Time   uint32 // passes
	Memory uint32 // KiB
	// Patience is how long a password waits for its turn; zero: as long as its context.
	Patience time.Duration
}

// DefaultPasswords is OWASP's second recommendation: 19 MiB and two passes, which
// a small Lambda function can afford. Guessers of random names are stopped by no counter, and
// would make everybody wait for all of them: hence the patience.
var DefaultPasswords = Passwords{Time: 2, Memory: 19 * 1024, Patience: time.Second}

const (
	saltSize = 16
	hashSize = 32
)

// Hash returns the password's hash in the PHC string format, or ErrBusy.
func (p Passwords) Hash(ctx context.Context, password Text) (string, error) {
	salt := Random(saltSize)
	hash, err := p.derive(ctx, password, phc{p.Time, p.Memory, salt, make([]byte, hashSize)})
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s", argon2.Version, p.Memory, p.Time,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(hash)), err
}

// Verify reports whether the password has this hash, unless the error is ErrBusy. An
// empty hash matches no password but takes as long, so that the time does not reveal
// unknown users.
func (p Passwords) Verify(ctx context.Context, hash string, password Text) (ok bool, err error) {
	switch {
	case strings.HasPrefix(hash, "$2"):
		err = p.inTurn(ctx, 0, func() {
			ok = bcrypt.CompareHashAndPassword([]byte(hash), []byte(password.value)) == nil
		})
		return ok, err
	case hash == "":
		_, err := p.derive(ctx, password, phc{p.Time, p.Memory, make([]byte, saltSize), make([]byte, hashSize)})
		return false, err
	}
	parsed, err := parsePHC(hash)
	if err != nil {
		return false, nil
	}
	got, err := p.derive(ctx, password, parsed)
	return err == nil && subtle.ConstantTimeCompare(got, parsed.hash) == 1, err
}

// derive returns what a password with the settings of the hash gives.
func (p Passwords) derive(ctx context.Context, password Text, as phc) (hash []byte, err error) {
	err = p.inTurn(ctx, as.memory, func() {
		hash = argon2.IDKey([]byte(password.value), as.salt, as.time, as.memory, 1, uint32(len(as.hash)))
	})
	return hash, err
}

type phc struct {
	time, memory uint32
	salt, hash   []byte
}

func parsePHC(s string) (phc, error) {
	var h phc
	var version int
	fields := strings.Split(s, "$")
	if len(fields) != 6 || fields[1] != "argon2id" {
		return h, fmt.Errorf("not an argon2id hash")
	}
	if _, err := fmt.Sscanf(fields[2], "v=%d", &version); err != nil || version != argon2.Version {
		return h, fmt.Errorf("argon2 version %q is not supported", fields[2])
	}
	if _, err := fmt.Sscanf(fields[3], "m=%d,t=%d,p=1", &h.memory, &h.time); err != nil {
		return h, fmt.Errorf("parameters of an argon2id hash: %w", err)
	}
	var err error
	if h.salt, err = base64.RawStdEncoding.DecodeString(fields[4]); err != nil {
		return h, err
	}
	h.hash, err = base64.RawStdEncoding.DecodeString(fields[5])
	return h, err
}
