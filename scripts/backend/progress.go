package backend

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"gatehouse/shared/storage/sqlite"
)

// The times of showing how far a migration has come.
const (
	firstShown = 2 * time.Second
	shownEvery = time.Second
)

// showProgress returns a function that is told how far the migration of a file has
// come, and one that ends it. Meanwhile that is printed: nothing in the first two
// seconds, and then a line each second if it is another one than before.
func showProgress(out io.Writer) (report func(sqlite.Progress), end func()) {
	var now atomic.Value
	now.Store("")
	ended := make(chan struct{})
	go func() {
		printed := ""
		for next := time.After(firstShown); ; next = time.After(shownEvery) {
			select {
			case <-ended:
				return
			case <-next:
			}
			if line := now.Load().(string); line != printed {
				fmt.Fprintln(out, line)
				printed = line
			}
		}
	}()
	return func(p sqlite.Progress) { now.Store(line(p)) }, func() { close(ended) }
}

func line(p sqlite.Progress) string {
	if p.Total == 0 {
		return fmt.Sprintf("Bringing the data to schema %d …", p.Version)
	}
	return fmt.Sprintf("Bringing the data to schema %d: %s, %d %% …", p.Version, p.Table, 100*p.Done/p.Total)
}
