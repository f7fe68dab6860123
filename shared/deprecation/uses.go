package deprecation

import (
	"context"
	"slices"
	"sync"
)

// Uses are the entries that a request uses. They are counted once the caller is
// known, beside everything else that the request does.
type Uses struct {
	mu       sync.Mutex
	ids      []string
	count    func(id string) // nil while the caller is unknown
	counting sync.WaitGroup
}

// Add adds an entry, unless it is there.
func (u *Uses) Add(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if slices.Contains(u.ids, id) {
		return
	}
	u.ids = append(u.ids, id)
	u.begin(id)
}

func (u *Uses) begin(id string) {
	if count := u.count; count != nil {
		u.counting.Go(func() { count(id) })
	}
}

// CountBy has every entry counted by the function, also those that are added later.
// It does not wait.
func (u *Uses) CountBy(count func(id string)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.count = count
	for _, id := range u.ids {
		u.begin(id)
	}
}

// Wait waits until all is counted.
func (u *Uses) Wait() { u.counting.Wait() }

type usesKey struct{}

// WithUses returns a context in which Of finds the uses.
func WithUses(ctx context.Context, u *Uses) context.Context {
	return context.WithValue(ctx, usesKey{}, u)
}

// Of returns the uses of the request, nil if its call is not in the table.
func Of(ctx context.Context) *Uses {
	u, _ := ctx.Value(usesKey{}).(*Uses)
	return u
}
