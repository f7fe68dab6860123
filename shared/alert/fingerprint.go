package alert

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"strconv"

	"gatehouse/shared/payload"
)

// givenFingerprint returns the fingerprint for a value that the sender calls
// fingerprint. A number equals its text, and an array of one element equals the
// element. It does not depend on the format, so a plain payload can resolve an
// alert of the metrics format.
func givenFingerprint(value any) Fingerprint {
	var texts []any
	blank := true
	for _, element := range payload.Flatten(value) {
		texts = append(texts, payload.Text(element))
		blank = blank && payload.Blank(element)
	}
	if blank {
		return ""
	}
	if len(texts) == 1 {
		return digest("given", texts[0])
	}
	return digest("given", texts)
}

// varying are the members of a plain payload that differ between notifications
// about the same problem.
var varying = []string{"start_time", "end_time", "hosts"}

// payloadFingerprint returns the fingerprint of a plain payload without the
// varying members, or none if nothing is left.
func payloadFingerprint(object payload.Object) Fingerprint {
	rest := maps.Clone(object)
	for _, name := range varying {
		delete(rest, name)
	}
	for _, value := range rest {
		if !payload.Blank(value) {
			return digest("payload", rest)
		}
	}
	return ""
}

// of returns the fingerprint that only the payloads of the integration have.
func (f Fingerprint) of(integrationID int64) Fingerprint {
	return digest("integration", []any{strconv.FormatInt(integrationID, 10), string(f)})
}

// digest returns the fingerprint for a value. Different kinds have different
// fingerprints for the same value.
func digest(kind string, value any) Fingerprint {
	sum := sha256.Sum256(payload.AppendCanonical([]byte(kind+":"), value))
	return Fingerprint(hex.EncodeToString(sum[:]))
}
