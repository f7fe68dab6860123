package boot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/app"
	"gatehouse/shared/telemetry"
)

func TestLambdaCanReadTheLog(t *testing.T) {
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before); slog.SetLogLoggerLevel(slog.LevelInfo) })
	for name, test := range map[string]struct {
		log   func()
		level string // empty: there is no line
	}{
		"what happened":          {func() { slog.Info("told", "time", "noon") }, "INFO"},
		"what may be wrong":      {func() { slog.Warn("told") }, "WARN"},
		"what is wrong":          {func() { slog.Error("told") }, "ERROR"},
		"details":                {func() { slog.Debug("told") }, ""},
		"a library's complaints": {func() { log.Print("told") }, "ERROR"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			LogTo(&out, slog.LevelInfo, "oauth")
			test.log()
			if test.level == "" {
				if out.Len() > 0 {
					t.Errorf("logged %s, want nothing", &out)
				}
				return
			}
			var line struct{ Timestamp, Level, Msg, Function string }
			if err := json.Unmarshal(out.Bytes(), &line); err != nil {
				t.Fatalf("%q: %v", &out, err)
			}
			at, err := time.Parse(time.RFC3339, line.Timestamp)
			if err != nil || time.Since(at) > time.Minute || line.Level != test.level || line.Msg != "told" || line.Function != "oauth" {
				t.Errorf("logged %s, want level %s, function oauth and a time", &out, test.level)
			}
		})
	}
}

// A function that cannot start says so as an error, and why.
func TestAFailedStartIsAnError(t *testing.T) {
	if os.Getenv("START_A_FUNCTION") != "" {
		Start(func(*app.App) http.Handler { return nil })
	}
	start := exec.Command(os.Args[0], "-test.run=^TestAFailedStartIsAnError$")
	start.Env = []string{"START_A_FUNCTION=1", "GATEHOUSE_SIGN_IN_FAILURES=many"}
	out, err := start.Output()
	line := string(out)
	if err == nil || strings.Count(line, "\n") != 1 || !strings.Contains(line, `"level":"ERROR","msg":"function not started"`) || !strings.Contains(line, "GATEHOUSE_SIGN_IN_FAILURES is") {
		t.Errorf("logged %s, ended with %v, want an error with the variable and a failure", line, err)
	}
}

// handling is a handler of events.
type handling func() ([]byte, error)

func (h handling) Invoke(context.Context, []byte) ([]byte, error) { return h() }

func TestMetricsAreToldAfterEachEvent(t *testing.T) {
	var out bytes.Buffer
	m := telemetry.NewMetrics(&out, "Gatehouse/acme", "oauth")
	telemetry.Use(m)
	t.Cleanup(func() { telemetry.Use(nil) })
	gone := errors.New("the store is down")
	h := telling{handling(func() ([]byte, error) { telemetry.Add(telemetry.ServerErrors, 1); return []byte("x"), gone }), m}
	if answer, err := h.Invoke(t.Context(), nil); string(answer) != "x" || err != gone || !strings.Contains(out.String(), `"ServerErrors":1`) {
		t.Errorf("Invoke = %s, %v, and told %s", answer, err, &out)
	}
	if _, told := (Booted{}).measured(h.next).(telling); told {
		t.Error("metrics are told without a namespace")
	}
}
