package web_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse/shared/web"
)

// A token in an address is in no log line, whatever comes of the request.
func TestQueryStringTokensAreNotLogged(t *testing.T) {
	outcomes := map[string]web.Handler{
		"answered": func(w http.ResponseWriter, _ *http.Request) error { return web.NoContent(w) },
		"failed":   func(http.ResponseWriter, *http.Request) error { return errors.New("disk full") },
		"panicked": func(http.ResponseWriter, *http.Request) error { panic("out of tokens") },
	}
	for name, outcome := range outcomes {
		for _, target := range []string{
			"/things?access_token=opensesame", "/things?page=1&private_token=opensesame", "/things?access_token=opensesame;x=%zz",
			"/things%3Faccess_token=opensesame", "/things%3faccess_token=opensesame?page=1",
		} {
			log := captureLog(t)
			web.Wrap(outcome).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", target, nil))
			if line := log.String(); !strings.Contains(line, `"path":"/things"`) || strings.Contains(line, "opensesame") {
				t.Errorf("GET %s that %s logs %q, want the path alone", target, name, line)
			}
		}
	}
}
