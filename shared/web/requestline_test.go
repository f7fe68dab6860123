package web_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/telemetry"
	"gatehouse/shared/web"
)

// logged answers a request as a group does and returns the line in the log.
func logged(t *testing.T, level slog.Level, r *http.Request, ids telemetry.IDs, caller telemetry.Caller) map[string]any {
	t.Helper()
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: level})))
	t.Cleanup(func() { slog.SetDefault(before) })

	mux := web.NewMux()
	mux.HandleFunc("GET /things/{id}", func(w http.ResponseWriter, r *http.Request) {
		telemetry.NoteCaller(r.Context(), caller)
		w.WriteHeader(http.StatusTeapot)
	})
	ctx, _ := telemetry.WithRequest(r.Context(), ids)
	web.Wrap("", mux).ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))

	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("%q is not one line of JSON: %v", out.String(), err)
	}
	delete(line, "time")
	return line
}

func TestTheLineOfARequest(t *testing.T) {
	ids := telemetry.IDs{Gateway: "JKJaXmPLvHcESHA=", Lambda: "c793869b-ee49"}
	tests := map[string]struct {
		target, id string
		level      slog.Level
		caller     telemetry.Caller
		want       map[string]any
	}{
		"by a personal access token": {
			target: "/things/7?access_token=opensesame", caller: telemetry.Caller{UserID: 3, Proof: telemetry.ByToken, TokenID: 5},
			want: map[string]any{"route": "/things/{id}", "status": 418.0, "user_id": 3.0, "proof": "personal", "token_id": 5.0, "request_id": "JKJaXmPLvHcESHA="},
		},
		"by an application, with sudo": {
			target: "/things/7", caller: telemetry.Caller{UserID: 3, SudoBy: 1, Proof: telemetry.ByOAuth, ApplicationID: 9},
			want: map[string]any{"route": "/things/{id}", "status": 418.0, "user_id": 3.0, "sudo_by": 1.0, "proof": "oauth", "application_id": 9.0, "request_id": "JKJaXmPLvHcESHA="},
		},
		"with an id of its own": {
			target: "/things/7", id: "mine",
			want: map[string]any{"route": "/things/{id}", "status": 418.0, "request_id": "mine", "gateway_id": "JKJaXmPLvHcESHA="},
		},
		"at an unknown address": {
			target: "/nowhere?access_token=opensesame",
			want:   map[string]any{"path": "/nowhere", "status": 404.0, "request_id": "JKJaXmPLvHcESHA="},
		},
		"for a search of faults": {
			target: "/things/7", level: slog.LevelDebug,
			want: map[string]any{"route": "/things/{id}", "path": "/things/7", "status": 418.0, "request_id": "JKJaXmPLvHcESHA="},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("GET", test.target, nil)
			r.Header.Set("X-Request-Id", test.id)
			line := logged(t, test.level, r, ids, test.caller)
			if took, isNumber := line["ms"].(float64); !isNumber || took < 0 || took > time.Minute.Seconds()*1000 {
				t.Errorf("ms is %v, want a number of milliseconds", line["ms"])
			}
			delete(line, "ms")
			test.want["level"], test.want["msg"], test.want["method"], test.want["lambda_id"] = "INFO", "request served", "GET", "c793869b-ee49"
			if diff := cmp.Diff(test.want, line); diff != "" {
				t.Errorf("line (-want +got):\n%s", diff)
			}
		})
	}
}

// The gateway's id is the request's for clients too, unless it could not be a header.
func TestTheRequestHasTheIDOfTheGateway(t *testing.T) {
	captureLog(t)
	for gateway, want := range map[string]string{"JKJaXmPLvHcESHA=": `^JKJaXmPLvHcESHA=$`, "": `^[0-9a-f]{32}$`, "two\nlines": `^[0-9a-f]{32}$`} {
		r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
		ctx, _ := telemetry.WithRequest(r.Context(), telemetry.IDs{Gateway: gateway})
		web.Wrap("", http.NotFoundHandler()).ServeHTTP(w, r.WithContext(ctx))
		if got := w.Header().Get("X-Request-Id"); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("X-Request-Id for %q is %q, want %s", gateway, got, want)
		}
	}
}
