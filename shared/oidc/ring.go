package oidc

import (
	"encoding/json"
	"time"

	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
)

const (
	// KeySetLifetime is how long others may keep the published keys.
	KeySetLifetime = 24 * time.Hour
	// margin allows for clocks that differ and for cached rings.
	margin = time.Hour
	// publishedBefore is how long a key is published before it signs, so that
	// caches of the published keys have it by then.
	publishedBefore = KeySetLifetime + margin
	// signsFor is how long a key signs.
	signsFor = 90 * 24 * time.Hour
	// publishedAfter is how long a key stays published after it last signed:
	// until every id_token that it signed has expired.
	publishedAfter = oauth.AccessLifetime + margin
)

// ring holds the keys. Each signs until the time of the next one.
type ring struct {
	version int64
	// subjects is the secret in sub_legacy. It never changes, because users
	// would get other names.
	subjects []byte
	keys     []signingKey
}

// due returns the ring that is due at that time as its next version, and whether
// it changed. It has a key, the next key early enough, and no key that only signed
// id_tokens that have expired.
func (r ring) due(now time.Time) (next ring, changed bool) {
	next = ring{version: r.version + 1, subjects: r.subjects, keys: r.live(now)}
	changed = len(next.keys) < len(r.keys)
	switch n := len(next.keys); {
	case n == 0: // no cache has a list without keys, so the first need not wait
		next.subjects, changed = secret.Random(32), true
		next.keys = []signingKey{newSigningKey(now)}
	case !now.Before(next.keys[n-1].signsFrom.Add(signsFor - publishedBefore)):
		next.keys, changed = append(next.keys, newSigningKey(now.Add(publishedBefore))), true
	}
	return next, changed
}

// live returns the published keys.
func (r ring) live(now time.Time) []signingKey {
	for i := len(r.keys) - 1; i > 0; i-- {
		if !now.Before(r.keys[i].signsFrom.Add(publishedAfter)) {
			return r.keys[i:len(r.keys):len(r.keys)]
		}
	}
	return r.keys[:len(r.keys):len(r.keys)]
}

// signer returns the key that signs: the newest key that is due, or the first one
// if this clock is behind that of the process that made it.
func (r ring) signer(now time.Time) signingKey {
	signer := r.keys[0]
	for _, k := range r.keys[1:] {
		if !now.Before(k.signsFrom) {
			signer = k
		}
	}
	return signer
}

// ringText is the sealed form of the ring.
type ringText struct {
	Subjects []byte    `json:"subjects"`
	Keys     []keyText `json:"keys"`
}

type keyText struct {
	Private   []byte `json:"private"`    // PKCS #1
	SignsFrom int64  `json:"signs_from"` // microseconds since 1970
}

func (r ring) text() []byte {
	t := ringText{Subjects: r.subjects}
	for _, k := range r.keys {
		t.Keys = append(t.Keys, keyText{k.bytes(), k.signsFrom.UnixMicro()})
	}
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // not reached: bytes and numbers always have a text
	}
	return text
}

func parseRing(text []byte) (r ring, err error) {
	var t ringText
	if err := json.Unmarshal(text, &t); err != nil {
		return ring{}, err
	}
	r.subjects = t.Subjects
	for _, k := range t.Keys {
		key, err := parseSigningKey(k.Private, time.UnixMicro(k.SignsFrom))
		if err != nil {
			return ring{}, err
		}
		r.keys = append(r.keys, key)
	}
	return r, nil
}
