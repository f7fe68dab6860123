package secret

import (
	"context"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"gatehouse/shared/fault"
	"gatehouse/shared/telemetry"
)

const (
	// memoryBudget is how many KiB all derivations at one time may take together.
	memoryBudget = 128 << 10
	// maxGarbage is how many KiB derivations may leave behind before they are collected.
	maxGarbage = 64 << 10
)

// ErrBusy means that so many passwords are hashed that one did not get its turn. It was
// not looked at.
var ErrBusy = fault.New(fault.Unavailable, "Too many passwords are being checked. Try again in a few seconds.")

// turns are the KiB that derivations may take. Each takes at least its processor's share:
// more at once than there are processors would not be faster.
var turns, share = semaphore.NewWeighted(memoryBudget), int64(memoryBudget / runtime.GOMAXPROCS(0))

// garbage is how many KiB derivations left behind since the last collection.
var garbage atomic.Int64

// inTurn runs the derivation, which takes so many KiB, as soon as others leave room for it.
func (p Passwords) inTurn(ctx context.Context, memory uint32, run func()) error {
	room, asked := min(max(int64(memory), share), memoryBudget), time.Now()
	end, err := wait(ctx, p.Patience, room)
	if err != nil {
		return err
	}
	defer end()
	begun := time.Now()
	telemetry.AddTime(telemetry.PasswordWait, begun.Sub(asked))
	run()
	telemetry.AddTime(telemetry.PasswordTime, time.Since(begun))
	if garbage.Add(int64(memory)) >= maxGarbage {
		garbage.Store(0)
		runtime.GC() // the collector itself waits until the heap has grown several times
	}
	return nil
}

// wait returns the function that ends the turn.
func wait(ctx context.Context, patience time.Duration, room int64) (end func(), err error) {
	waiting := ctx
	if patience > 0 {
		var cancel context.CancelFunc
		waiting, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	leave, err := callers.enter(waiting)
	if err == nil {
		if err = turns.Acquire(waiting, room); err == nil {
			return func() { turns.Release(room); leave() }, nil
		}
		leave()
	}
	if ctx.Err() == nil {
		return nil, ErrBusy
	}
	return nil, err
}

type addressKey struct{}

// From returns a context for passwords that come from the address. From one address no more
// wait for a turn beside others than can have one at a time.
func From(ctx context.Context, address netip.Addr) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// callers are the addresses from which passwords come now.
var callers = crowd{of: map[netip.Addr]*group{}}

type crowd struct {
	sync.Mutex
	of map[netip.Addr]*group
}

// group is what comes from one address.
type group struct {
	places *semaphore.Weighted
	size   int
}

// enter takes a place among those from the context's address, as soon as there is one, and
// returns the function that leaves it.
func (c *crowd) enter(ctx context.Context) (leave func(), err error) {
	address, _ := ctx.Value(addressKey{}).(netip.Addr)
	if !address.IsValid() {
		return func() {}, nil
	}
	g := c.join(address)
	if err := g.places.Acquire(ctx, 1); err != nil {
		c.part(address)
		return nil, err
	}
	return func() { g.places.Release(1); c.part(address) }, nil
}

func (c *crowd) join(address netip.Addr) *group {
	c.Lock()
	defer c.Unlock()
	g := c.of[address]
	if g == nil {
		g = &group{places: semaphore.NewWeighted(memoryBudget / share)}
		c.of[address] = g
	}
	g.size++
	return g
}

func (c *crowd) part(address netip.Addr) {
	c.Lock()
	defer c.Unlock()
	g := c.of[address]
	if g.size--; g.size == 0 {
		delete(c.of, address)
	}
}
