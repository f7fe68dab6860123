package functions_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/web"
)

// Every call in the table of deprecations is a route.
func TestDeprecatedCallsAreServed(t *testing.T) {
	handlers := functions.Handlers(apptest.New(t).App)
	var served []string
	for _, h := range handlers {
		if rest, ok := h.(web.REST); ok {
			served = append(served, rest.Patterns...)
		}
	}
	for _, e := range deprecation.Table {
		for _, p := range e.Places {
			method, path, _ := strings.Cut(p.Call, " ")
			known := slices.Contains(served, p.Call) || p.Call == "GET /oauth/token/info" && serves(handlers["oauth"], method, path)
			if !known {
				t.Errorf("%s of %s is not served", p.Call, e.ID)
			}
		}
	}
}

// Every deprecated address says so, and names the served address that takes its place.
func TestDeprecatedAddressesNameTheirSuccessors(t *testing.T) {
	for _, h := range functions.Handlers(apptest.New(t).App) {
		rest, _ := h.(web.REST)
		for _, pattern := range rest.Patterns {
			for _, n := range deprecation.At(pattern) {
				if n.In == deprecation.Address {
					checkSuccessor(t, rest, pattern, n)
				}
			}
		}
	}
}

var wildcard = regexp.MustCompile(`\{\w+\}`)

func checkSuccessor(t *testing.T, rest web.REST, pattern string, n deprecation.Named) {
	t.Helper()
	method, path, _ := strings.Cut(pattern, " ")
	header := apptest.Call(t, rest, method, wildcard.ReplaceAllString(path, "1"), "", nil).Header
	links := strings.Join(header.Values("Link"), ", ")
	row := "#" + n.Entry.ID + `>; rel="deprecation"`
	successor := n.SuccessorPath(func(string) string { return "1" }) + `>; rel="successor-version"`
	if header.Get("Deprecation") == "" || !strings.Contains(links, row) || !strings.Contains(links, successor) {
		t.Errorf("%s answers with %v, want the headers of %s", pattern, header, n.Entry.ID)
	}
	if !slices.Contains(rest.Patterns, method+" "+n.Successor) {
		t.Errorf("%s leads to %s, which is not served", pattern, n.Successor)
	}
}

// serves reports whether the handler knows the address and the method.
func serves(h http.Handler, method, path string) bool {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w.Code != http.StatusNotFound && w.Code != http.StatusMethodNotAllowed
}

// The scenarios of the REST API also pass in the preview of v5, unless they use a
// deprecated name, and get the same bytes but for what is left out.
func TestScenariosInThePreview(t *testing.T) {
	handlers := functions.Handlers(apptest.New(t).App)
	for _, g := range groups {
		if _, rest := handlers[g.name].(web.REST); rest {
			t.Run(g.name, func(t *testing.T) {
				s := startServer(t)
				w := newWalk(t, s, false)
				s.preview = true
				w.all(g.scenarios())
			})
		}
	}
}

// inThePreview checks what the preview makes of a call, if the server's calls ask for
// it. A call that uses a deprecated name must be refused, and is then made without.
// What a GET answers is compared with the answer without the preview.
func (w *walk) inThePreview(x scenario, method, path string) (restore func()) {
	switch {
	case !w.preview:
	case x.deprecated:
		w.call(w.t, method, path, w.token(x), w.things.expand(x.send), http.StatusBadRequest)
		w.preview = false
		return func() { w.preview = true }
	case method == "GET" && x.status == http.StatusOK:
		previewed := w.call(w.t, method, path, w.token(x), "", x.status)
		w.preview = false
		plain := w.call(w.t, method, path, w.token(x), "", x.status)
		w.preview = true
		if err := sameBut(plain, previewed, omittedNames(method, path)); err != nil {
			w.t.Errorf("%s in the preview: %v", x, err)
		}
	}
	return func() {}
}

// omittedNames returns the deprecated members of the answer to a call.
var omittedNames = func() func(method, path string) []string {
	mux, known := http.NewServeMux(), map[string]bool{}
	for _, e := range deprecation.Table {
		for _, p := range e.Places {
			if !known[p.Call] {
				mux.Handle(p.Call, http.NotFoundHandler())
			}
			known[p.Call] = true
		}
	}
	return func(method, path string) (names []string) {
		_, call := mux.Handler(httptest.NewRequest(method, "/api/v4"+path, nil))
		for _, n := range deprecation.At(call) {
			if n.In == deprecation.Answer {
				names = append(names, n.Name)
			}
		}
		return names
	}
}()

// sameBut returns how two answers differ but for members with these names, which
// only the first may have.
func sameBut(plain, previewed []byte, names []string) error {
	if bytes.Equal(plain, previewed) {
		return nil
	}
	was, is := objectsIn(plain), objectsIn(previewed)
	if len(names) == 0 || len(was) != len(is) {
		return fmt.Errorf("%s became %s", plain, previewed)
	}
	for n := range was {
		left := 0
		for name, value := range was[n] {
			if now, ok := is[n][name]; ok {
				left++
				if !bytes.Equal(value, now) {
					return fmt.Errorf("%s became %s", value, now)
				}
			} else if !slices.Contains(names, name) {
				return fmt.Errorf("%s was left out", name)
			}
		}
		if left != len(is[n]) {
			return fmt.Errorf("%s has more than %s", previewed, plain)
		}
	}
	return nil
}

// objectsIn returns the object that the answer is, or those in the list that it is.
func objectsIn(answer []byte) (objects []map[string]json.RawMessage) {
	if json.Unmarshal(answer, &objects) != nil {
		objects = make([]map[string]json.RawMessage, 1)
		json.Unmarshal(answer, &objects[0])
	}
	return objects
}
