package alert

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"

	"gatehouse/shared/payload"
)

// givenFingerprint returns the fingerprint of what a sender calls one. A number
// is its text, and an array of one element is that element. It is the same
// whatever the format of the payload: a plain payload can resolve an alert of
// the metrics format.
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
// about one thing.
var varying = []string{"start_time", "end_time", "hosts"}

// payloadFingerprint returns the fingerprint of everything in a plain payload
// but what varies, or none if nothing is left.
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

// digest returns the fingerprint that stands for a value. The kind keeps apart
// what means different things.
func digest(kind string, value any) Fingerprint {
	sum := sha256.Sum256(payload.AppendCanonical([]byte(kind+":"), value))
	return Fingerprint(hex.EncodeToString(sum[:]))
}
