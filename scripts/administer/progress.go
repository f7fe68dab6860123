package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// bar shows how far something has come: on a terminal in one line that changes, and else
// with a line now and then.
type bar struct {
	out      io.Writer
	doing    string
	total    int64 // zero: not known
	done     int64
	terminal bool
	next     time.Time
}

// The pauses between two shows.
const (
	onTerminal = 200 * time.Millisecond
	inLog      = 10 * time.Second
)

func newBar(out io.Writer, doing string, total int64) *bar {
	b := &bar{out: out, doing: doing, total: total}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		b.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	b.next = time.Now().Add(b.pause())
	return b
}

func (b *bar) pause() time.Duration {
	if b.terminal {
		return onTerminal
	}
	return inLog
}

// add counts n more and shows that, if it is time.
func (b *bar) add(n int64, what string) {
	b.done += n
	now := time.Now()
	if now.Before(b.next) {
		return
	}
	b.next = now.Add(b.pause())
	text := b.text(what)
	if b.terminal {
		fmt.Fprintf(b.out, "\r\x1b[K%s", text)
	} else {
		fmt.Fprintln(b.out, text)
	}
}

func (b *bar) text(what string) string {
	if b.total == 0 {
		return fmt.Sprintf("%s: %d things, now %s", b.doing, b.done, what)
	}
	const width = 30
	full := int(width * min(b.done, b.total) / b.total) // there may be more than was expected
	return fmt.Sprintf("%s: [%s%s] %d %%, %d of %d, now %s",
		b.doing, strings.Repeat("#", full), strings.Repeat(" ", width-full), 100*b.done/b.total, b.done, b.total, what)
}

// end leaves the line that changes.
func (b *bar) end() {
	if b.terminal {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
}
