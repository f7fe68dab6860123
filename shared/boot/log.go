package boot

import (
	"io"
	"log/slog"
	"os"
	"path"
	"runtime/debug"
)

// LogTo has everything that is logged come out as lines that Lambda can read: it takes
// the level and the timestamp of a line of JSON for its own. All functions share one
// log group, so each line names its function. What libraries log by package log are
// complaints.
func LogTo(w io.Writer, level slog.Level, function string) {
	handler := slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: timestamp})
	slog.SetDefault(slog.New(handler).With("function", function))
	slog.SetLogLoggerLevel(slog.LevelError)
}

// timeFormat is RFC 3339 to the millisecond.
const timeFormat = "2006-01-02T15:04:05.000Z"

// timestamp names and writes the time of a line as Lambda reads it.
func timestamp(groups []string, a slog.Attr) slog.Attr {
	if a.Key != slog.TimeKey || len(groups) > 0 || a.Value.Kind() != slog.KindTime {
		return a
	}
	return slog.String("timestamp", a.Value.Time().UTC().Format(timeFormat))
}

// functionName returns the name of the function that this program is, such as "oauth".
func functionName() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	return path.Base(info.Path)
}

// fail ends a function that cannot start.
func fail(err error) {
	slog.Error("function not started", "error", err)
	os.Exit(1)
}
