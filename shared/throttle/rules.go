package throttle

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"gatehouse/shared/secret"
)

// Kind is what the attempt guesses. Each kind has its own counters.
type Kind string

// The kinds. Password counts attempts on the sign-in page, at the password grant
// and in the settings together. CrossSitePassword counts requests that a page of
// another site made a browser send: any page can do that, and must not be able
// to stop its visitors from signing in.
const (
	Password          Kind = "password"
	CrossSitePassword Kind = "password from another site"
	SecondFactor      Kind = "second factor"
)

// Guess describes an attempt.
type Guess struct {
	Kind    Kind
	Account string // as typed; case-insensitive
	Address netip.Addr
}

// NetworkOf returns what counts as one address. For IPv6 that is the /64 network,
// since its owner can choose any address in it.
func NetworkOf(address netip.Addr) netip.Prefix {
	address, bits := address.Unmap().WithZone(""), 64
	if address.Is4() {
		bits = 32
	}
	network, _ := address.Prefix(bits) // all attempts without an address count together
	return network
}

// Rules accept and refuse attempts.
type Rules struct {
	store Store
	keys  secret.MACs
	limit Limit
	now   func() time.Time
}

// NewRules returns the rules over a store. The store never sees the account's
// name, since people type passwords into that field by mistake.
func NewRules(store Store, keys secret.Keys, limit Limit, now func() time.Time) *Rules {
	return &Rules{store, keys.Derive("throttle"), limit, now}
}

// Attempt is an accepted attempt. It counts as a failure until Succeed or
// Withdraw is called, which do nothing for the zero Attempt.
type Attempt struct {
	key   Key
	since time.Time
}

// Begin counts an attempt. It must be called before the password or code is
// checked. After too many failures the error is a *Refused.
func (r *Rules) Begin(ctx context.Context, g Guess) (Attempt, error) {
	if r.limit.Failures <= 0 {
		return Attempt{}, nil
	}
	key := r.key(g)
	since, err := r.count(ctx, key)
	if refused := (*Refused)(nil); errors.As(err, &refused) {
		slog.WarnContext(ctx, "attempt throttled",
			"kind", string(g.Kind), "network", NetworkOf(g.Address).String(), "wait", refused.Wait)
	}
	if err != nil {
		return Attempt{}, err
	}
	return Attempt{key, since}, nil
}

// glance is how long a waiting attempt sleeps between two tries.
const glance = 100 * time.Millisecond

// count counts an attempt. If the counter is full, it waits as long as the last
// counted attempt is younger than the limit's patience, since that one may still
// succeed.
func (r *Rules) count(ctx context.Context, key Key) (time.Time, error) {
	for {
		since, err := r.store.CountAttempt(ctx, key, r.limit, r.now())
		var refused *Refused
		if !errors.As(err, &refused) || r.limit.Window-refused.Wait >= r.limit.Patience {
			return since, err
		}
		select {
		case <-ctx.Done():
			return time.Time{}, ctx.Err()
		case <-time.After(glance):
		}
	}
}

// Succeed removes all failures at the account from the address.
func (r *Rules) Succeed(ctx context.Context, a Attempt) error {
	if a == (Attempt{}) {
		return nil
	}
	return r.store.ForgetAttempts(ctx, a.key)
}

// Withdraw uncounts an attempt whose password or code was not checked.
func (r *Rules) Withdraw(ctx context.Context, a Attempt) error {
	if a == (Attempt{}) {
		return nil
	}
	return r.store.WithdrawAttempt(ctx, a.key, a.since)
}

func (r *Rules) key(g Guess) Key {
	return r.keys[0].Sum([]byte(g.Kind), []byte(NetworkOf(g.Address).String()), []byte(strings.ToLower(g.Account)))
}
