package paging_test

import (
	"io"
	"log/slog"
	"os"
	"testing"
)

// TestMain keeps the log quiet: what scenes do is audited, and their failures are wanted.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	os.Exit(m.Run())
}
