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

// Kind is what is guessed. Each kind is counted by itself, wherever it is
// tried.
type Kind string

// The kinds. A password is guessed on the sign-in page, at the password grant
// and where a page asks for it again; a second factor is guessed by who has the
// password. Guesses that a page of another site has a browser make count apart:
// any page that somebody visits can make them, and would else keep that person
// from signing in.
const (
	Password          Kind = "password"
	CrossSitePassword Kind = "password from another site"
	SecondFactor      Kind = "second factor"
)

// Guess says what is tried, at which account, and from where.
type Guess struct {
	Kind    Kind
	Account string // as it was typed; letter case does not count
	Address netip.Addr
}

// NetworkOf is what counts as one address: of IPv6 the half that its owner was
// given, who is free to choose the other.
func NetworkOf(address netip.Addr) netip.Prefix {
	address, bits := address.Unmap().WithZone(""), 64
	if address.Is4() {
		bits = 32
	}
	network, _ := address.Prefix(bits) // those who come from nowhere are counted together
	return network
}

// Rules let attempts through and refuse them.
type Rules struct {
	store Store
	keys  secret.MACs
	limit Limit
	now   func() time.Time
}

// NewRules returns the rules over a store, which gets to know no account by
// name: people type passwords where the name belongs.
func NewRules(store Store, keys secret.Keys, limit Limit, now func() time.Time) *Rules {
	return &Rules{store, keys.Derive("throttle"), limit, now}
}

// Attempt is an attempt that was let through and counted. It stays counted,
// as a failure, unless it is said to have succeeded or is withdrawn. Of the
// zero Attempt both say nothing.
type Attempt struct {
	key   Key
	since time.Time
}

// Begin counts an attempt. After too many failures it lets none through and
// returns a *Refused error. What is tried must not be looked at before.
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

// glance is how often an attempt that waits looks whether there is room.
const glance = 100 * time.Millisecond

// count counts an attempt. Where there is no room it waits, as long as the last
// attempt that was counted is younger than the limit's patience: it is perhaps
// not decided yet.
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

// Succeed forgets all failures at the account from the address.
func (r *Rules) Succeed(ctx context.Context, a Attempt) error {
	if a == (Attempt{}) {
		return nil
	}
	return r.store.ForgetAttempts(ctx, a.key)
}

// Withdraw takes back an attempt of which nothing was looked at after all.
func (r *Rules) Withdraw(ctx context.Context, a Attempt) error {
	if a == (Attempt{}) {
		return nil
	}
	return r.store.WithdrawAttempt(ctx, a.key, a.since)
}

func (r *Rules) key(g Guess) Key {
	return r.keys[0].Sum([]byte(g.Kind), []byte(NetworkOf(g.Address).String()), []byte(strings.ToLower(g.Account)))
}
