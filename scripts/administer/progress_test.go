package main

import (
	"io"
	"testing"
)

func TestProgress(t *testing.T) {
	for want, b := range map[string]bar{
		"exporting: 3 things, now user":                                       {doing: "exporting", done: 3},
		"comparing: [###############               ] 50 %, 2 of 4, now user":  {doing: "comparing", done: 2, total: 4},
		"comparing: [##############################] 125 %, 5 of 4, now user": {doing: "comparing", done: 5, total: 4},
	} {
		b.out = io.Discard
		if got := b.text("user"); got != want {
			t.Errorf("%d of %d: %q, want %q", b.done, b.total, got, want)
		}
	}
}
