package secret

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
)

// Passwords hashes passwords with argon2id (RFC 9106) and verifies them. It also
// verifies the bcrypt hashes of imported users.
type Passwords struct {
	Time   uint32 // passes
	Memory uint32 // KiB
}

// DefaultPasswords is OWASP's second recommendation: 19 MiB and two passes, which
// a small Lambda function can afford.
var DefaultPasswords = Passwords{Time: 2, Memory: 19 * 1024}

const (
	saltSize = 16
	hashSize = 32
)

// Hash returns the password's hash in the PHC string format.
func (p Passwords) Hash(password Text) string {
	salt := Random(saltSize)
	hash := derive(password, salt, p.Time, p.Memory, hashSize)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s", argon2.Version, p.Memory, p.Time,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(hash))
}

// Verify reports whether the password has this hash. An empty hash matches no
// password but takes as long, so that the time does not reveal unknown users.
func (p Passwords) Verify(hash string, password Text) bool {
	switch {
	case strings.HasPrefix(hash, "$2"):
		return bcrypt.CompareHashAndPassword([]byte(hash), []byte(password.value)) == nil
	case hash == "":
		derive(password, make([]byte, saltSize), p.Time, p.Memory, hashSize)
		return false
	}
	parsed, err := parsePHC(hash)
	if err != nil {
		return false
	}
	got := derive(password, parsed.salt, parsed.time, parsed.memory, uint32(len(parsed.hash)))
	return subtle.ConstantTimeCompare(got, parsed.hash) == 1
}

// turns lets one derivation run per processor. More would not be faster, and each
// takes megabytes of memory.
var turns = make(chan struct{}, runtime.GOMAXPROCS(0))

func derive(password Text, salt []byte, time, memory, size uint32) []byte {
	turns <- struct{}{}
	defer func() { <-turns }()
	return argon2.IDKey([]byte(password.value), salt, time, memory, 1, size)
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
