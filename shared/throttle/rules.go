package throttle

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

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
	Passkey           Kind = "passkey"
	Invitation        Kind = "invitation" // this and the next are no guesses, see Count
	Invited           Kind = "invited"
	PasswordMail      Kind = "mail to set a password"
	ConfirmationMail  Kind = "mail to confirm an address"
	PasswordByLink    Kind = "password set by a link"
)

// Guess describes an attempt.
type Guess struct {
	Kind    Kind
	Account string // as typed; case-insensitive
	Address netip.Addr
	// Total limits the attempts at the account from all addresses together; the
	// zero Limit does not. It is for attempts that need a secret to begin with:
	// otherwise strangers could lock the account's user out.
	Total Limit
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
type Attempt struct{ counters []counted }

// counted is an attempt in one counter; the zero value is in none.
type counted struct {
	key   Key
	since time.Time
}

// Begin counts an attempt. It must be called before the password or code is
// checked. After too many failures the error is a *Refused, and the attempt
// counts nowhere.
func (r *Rules) Begin(ctx context.Context, g Guess) (Attempt, error) {
	network := NetworkOf(g.Address).String()
	a, err := r.countAll(ctx, // errors.As finds the wait of the total, which is the longer one
		countable{r.key(g, allAddresses), g.Total}, countable{r.key(g, network), r.limit})
	if refused := (*Refused)(nil); errors.As(err, &refused) {
		slog.WarnContext(ctx, "attempt throttled", "kind", string(g.Kind), "network", network, "wait", refused.Wait)
	}
	return a, err
}

// Deed is something that an account may do, or that may be done to it, so many
// times in a window.
type Deed struct {
	Kind    Kind
	Account string
	Limit   Limit
}

// Count counts what are deeds of several accounts; Withdraw uncounts what was not
// done. If one of the accounts has too many, the error is a *Refused, and nothing
// is counted.
func (r *Rules) Count(ctx context.Context, deeds ...Deed) (Attempt, error) {
	all := make([]countable, len(deeds))
	for n, d := range deeds {
		all[n] = countable{r.key(Guess{Kind: d.Kind, Account: d.Account}, allAddresses), d.Limit}
	}
	return r.countAll(ctx, all...)
}

// countable is what an attempt counts in.
type countable struct {
	key   Key
	limit Limit
}

// countAll counts an attempt in each of the counters, or in none.
func (r *Rules) countAll(ctx context.Context, all ...countable) (Attempt, error) {
	a, refused := Attempt{make([]counted, len(all))}, make([]error, len(all))
	var counts sync.WaitGroup
	for n, c := range all {
		counts.Go(func() { a.counters[n], refused[n] = r.count(ctx, c.key, c.limit) })
	}
	counts.Wait()
	if err := errors.Join(refused...); err != nil {
		return Attempt{}, errors.Join(err, r.Withdraw(ctx, a))
	}
	return a, nil
}

// glance is how long a waiting attempt sleeps between two tries.
const glance = 100 * time.Millisecond

// count counts an attempt. If the counter is full, it waits as long as the last
// counted attempt is younger than the limit's patience, since that one may still
// succeed. An attempt from further in the future than that was counted before the
// clock was set back, and nobody waits for it.
func (r *Rules) count(ctx context.Context, key Key, l Limit) (counted, error) {
	if l.Failures <= 0 {
		return counted{}, nil
	}
	for {
		since, err := r.store.CountAttempt(ctx, key, l, r.now())
		if err == nil {
			return counted{key, since}, nil
		}
		var refused *Refused
		if !errors.As(err, &refused) || (l.Window-refused.Wait).Abs() >= l.Patience {
			return counted{}, err
		}
		select {
		case <-ctx.Done():
			return counted{}, ctx.Err()
		case <-time.After(glance):
		}
	}
}

// Succeed removes all failures at the account from the address and, if the guess
// had a limit in total, those from all addresses.
func (r *Rules) Succeed(ctx context.Context, a Attempt) error {
	return a.each(ctx, func(ctx context.Context, c counted) error { return r.store.ForgetAttempts(ctx, c.key) })
}

// Withdraw uncounts an attempt whose password or code was not checked.
func (r *Rules) Withdraw(ctx context.Context, a Attempt) error {
	return a.each(ctx, func(ctx context.Context, c counted) error { return r.store.WithdrawAttempt(ctx, c.key, c.since) })
}

// each calls do at once for each counter that has the attempt.
func (a Attempt) each(ctx context.Context, do func(context.Context, counted) error) error {
	calls, ctx := errgroup.WithContext(ctx)
	for _, c := range a.counters {
		if c != (counted{}) {
			calls.Go(func() error { return do(ctx, c) })
		}
	}
	return calls.Wait()
}

// allAddresses stands for the network in the key of a counter of all attempts at
// an account.
const allAddresses = "all addresses"

func (r *Rules) key(g Guess, network string) Key {
	return r.keys[0].Sum([]byte(g.Kind), []byte(network), []byte(strings.ToLower(g.Account)))
}
