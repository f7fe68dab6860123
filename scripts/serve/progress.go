package main

import (
	"fmt"
	"io"
	"time"

	"gatehouse/shared/storage/sqlite"
)

// The times of showing how far a migration has come.
const (
	firstShown = 2 * time.Second
	shownEvery = time.Second
)

// showProgress returns a function that prints how far the migration of a file has
// come: nothing in the first two seconds, and then a line each second.
func showProgress(out io.Writer, now func() time.Time) func(sqlite.Progress) {
	next := now().Add(firstShown)
	return func(p sqlite.Progress) {
		if now().Before(next) {
			return
		}
		next = now().Add(shownEvery)
		fmt.Fprintf(out, "Bringing the data to schema %d%s …\n", p.Version, share(p))
	}
}

func share(p sqlite.Progress) string {
	if p.Total == 0 {
		return ""
	}
	return fmt.Sprintf(": %s, %d %%", p.Table, 100*p.Done/p.Total)
}
