package oidc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
)

// cachedFor is how long a process uses the ring that it read. The ring controls no
// access, and a key is published for much longer before it signs.
const cachedFor = 5 * time.Minute

// ringLabel is the label of the sealed ring.
const ringLabel = "signing keys"

// keyring keeps the ring that all processes share in the store up to date.
type keyring struct {
	store Store
	box   secret.Box
	now   func() time.Time

	mu     sync.Mutex
	cached ring
	readAt time.Time
}

func newKeyring(store Store, keys secret.Keys, now func() time.Time) *keyring {
	return &keyring{store: store, box: keys.Box("signing keys"), now: now}
}

// ring returns the ring that is due now. The first caller reads it, and makes and
// stores the keys that are due, while the others wait.
func (k *keyring) ring(ctx context.Context) (ring, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	if age := now.Sub(k.readAt); age >= 0 && age < cachedFor {
		return k.cached, nil
	}
	r, err := k.load(ctx, now)
	if err != nil {
		return ring{}, fmt.Errorf("load the signing keys: %w", err)
	}
	k.cached, k.readAt = r, now
	return r, nil
}

// attempts bounds how often the ring is read again because another process
// replaced it. After the first time nothing is left to replace.
const attempts = 5

// load reads the ring and updates it in one conditional write, so that all
// processes end with the same keys. If that write fails, a ring that has a key is
// used as it is.
func (k *keyring) load(ctx context.Context, now time.Time) (ring, error) {
	for range attempts {
		stored, stale, err := k.read(ctx)
		if err != nil {
			return ring{}, err
		}
		next, changed := stored.due(now)
		if !changed && !stale {
			return stored, nil
		}
		switch err = k.replace(ctx, next); {
		case err == nil:
			return next, nil
		case errors.Is(err, fault.Conflict):
		case len(stored.keys) > 0:
			slog.WarnContext(ctx, "signing keys not brought up to date", "error", err)
			return stored, nil
		default:
			return ring{}, err
		}
	}
	return ring{}, errors.New("others keep replacing them")
}

// read returns the stored ring, or the zero ring if there is none. It is stale if
// it has to be sealed again under the instance's current key.
func (k *keyring) read(ctx context.Context) (r ring, stale bool, err error) {
	stored, err := k.store.SigningKeys(ctx)
	switch {
	case errors.Is(err, fault.NotFound):
		return ring{}, false, nil
	case err != nil:
		return ring{}, false, err
	}
	text, stale, err := k.box.Open(stored.Sealed, ringLabel)
	if err != nil {
		return ring{}, false, err
	}
	r, err = parseRing(text)
	r.version = stored.Version
	return r, stale, err
}

func (k *keyring) replace(ctx context.Context, next ring) error {
	return k.store.ReplaceSigningKeys(ctx, SealedKeys{Version: next.version, Sealed: k.box.Seal(next.text(), ringLabel)})
}

// reseal seals the stored keys under the instance's present key, unless they are, and
// reports whether it did. If there are none it makes none.
func (k *keyring) reseal(ctx context.Context) (bool, error) {
	for {
		stored, err := k.store.SigningKeys(ctx)
		if err != nil {
			return false, fault.IgnoreNotFound(err)
		}
		anew, err := k.box.Anew(stored.Sealed, ringLabel)
		if err != nil || anew == nil {
			return false, err
		}
		err = k.store.ReplaceSigningKeys(ctx, SealedKeys{Version: stored.Version + 1, Sealed: anew})
		if !errors.Is(err, ErrReplaced) {
			return err == nil, err
		}
	}
}

// Reseal seals the keys of id_tokens under the instance's present key, unless they are,
// and reports whether it did.
func (p *Provider) Reseal(ctx context.Context) (bool, error) { return p.keys.reseal(ctx) }
