package secret

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// However many passwords come, those that are hashed at one time stay within the memory, and
// one that gets no turn is refused soon instead of waiting for all the others.
func TestPasswordsWaitTheirTurn(t *testing.T) {
	for _, hash := range []string{"", "$2a$04$7EqJtq98hPqEX7fNZaFWoOhi5BFX6RkRkAm5hbmQqPk7mpZsXtzE."} {
		synctest.Test(t, func(t *testing.T) {
			if err := turns.Acquire(t.Context(), memoryBudget); err != nil {
				t.Fatal(err)
			}
			began, patience := time.Now(), 7*time.Second
			_, err := Passwords{Time: 1, Memory: 64, Patience: patience}.Verify(t.Context(), hash, NewText("guess"))
			if waited := time.Since(began); !errors.Is(err, ErrBusy) || waited != patience {
				t.Errorf("Verify = %v after %s, want ErrBusy after %s", err, waited, patience)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := (Passwords{Time: 1, Memory: 64}).Hash(ended, NewText("guess")); !errors.Is(err, context.Canceled) {
				t.Errorf("Hash for a client that has gone = %v, want that it was cancelled", err)
			}
			time.AfterFunc(time.Hour, func() { turns.Release(memoryBudget) })
			if _, err := (Passwords{Time: 1, Memory: 64}).Hash(t.Context(), NewText("guess")); err != nil {
				t.Errorf("Hash without an end of patience = %v", err)
			}
		})
	}
}

// Those who come from an address together leave room for somebody from another one.
func TestOneAddressDoesNotTakeAllTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if err := turns.Acquire(t.Context(), memoryBudget); err != nil {
			t.Fatal(err)
		}
		var order []string
		var lock sync.Mutex
		come := func(address string) {
			ctx := From(t.Context(), netip.MustParseAddr(address))
			err := Passwords{}.inTurn(ctx, 0, func() {
				lock.Lock()
				defer lock.Unlock()
				order = append(order, address)
			})
			if err != nil {
				t.Error(err)
			}
		}
		for range 20 {
			go come("192.0.2.1")
		}
		synctest.Wait()
		go come("192.0.2.2")
		synctest.Wait()
		turns.Release(memoryBudget)
		synctest.Wait()
		if place, beside := slices.Index(order, "192.0.2.2"), int(memoryBudget/share); place < 0 || place > 2*beside || len(order) != 21 {
			t.Errorf("the other address came %d. of %d, want it right after %d", place, len(order), beside)
		}
		if len(callers.of) != 0 {
			t.Errorf("%d addresses are remembered after all have left", len(callers.of))
		}
	})
}
