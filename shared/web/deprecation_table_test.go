package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"gatehouse/shared/deprecation"
	"gatehouse/shared/web"
)

// everyCall serves all calls of the table with the same answer.
type everyCall struct {
	http.Handler
	answer string
}

func newEveryCall() *everyCall {
	every, mux, known := &everyCall{}, web.NewMux(), map[string]bool{}
	for _, e := range deprecation.Table {
		for _, p := range e.Places {
			if !known[p.Call] {
				mux.HandleFunc(p.Call, func(w http.ResponseWriter, r *http.Request) { web.WriteJSON(w, http.StatusOK, []byte(every.answer)) })
			}
			known[p.Call] = true
		}
	}
	every.Handler = web.NewREST(base, mux)
	return every
}

// with returns the handler with another answer.
func (h *everyCall) with(answer string) *everyCall {
	h.answer = answer
	return h
}

var wildcard = regexp.MustCompile(`\{[a-z_]+\}`)

// call is what the place's call is for things with the id 1.
func callAt(p deprecation.Place) string { return wildcard.ReplaceAllString(p.Call, "1") }

// valuesAt are values that the place names, of all types.
func valuesAt(p deprecation.Place) []any {
	if len(p.Values) > 0 {
		return p.Values
	}
	return []any{nil, true, false, 0, 2.5, "", "x", []any{}, map[string]any{"access_level": 30}}
}

// object returns a JSON object with the member that a place names.
func objectAt(t *testing.T, p deprecation.Place, value any) string {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	object := `{"first":1.0,"` + p.Name + `":` + string(encoded)
	if p.Beside.Name != "" {
		object += `,"` + p.Beside.Name + `":"` + p.Beside.Value + `"`
	}
	return object + `,"last":[null]}`
}

func tells(w *httptest.ResponseRecorder, e deprecation.Entry) bool {
	links := strings.Join(w.Header().Values("Link"), ", ")
	return w.Header().Get("Deprecation") != "" && strings.Contains(links, row+e.ID+rel)
}

// Every place in the table is told, refused or left out, whatever its value.
func TestEveryPlaceInTheTable(t *testing.T) {
	h := newEveryCall()
	check := map[deprecation.In]func(*testing.T, *everyCall, deprecation.Entry, deprecation.Place){
		deprecation.Address: checkAddress, deprecation.Parameter: checkParameter, deprecation.Answer: checkAnswer,
	}
	for _, e := range deprecation.Table {
		t.Run(e.ID, func(t *testing.T) {
			for _, p := range e.Places {
				check[p.In](t, h, e, p)
			}
		})
	}
}

func checkAddress(t *testing.T, h *everyCall, e deprecation.Entry, p deprecation.Place) {
	t.Helper()
	w := ask(h.with(`{}`), callAt(p), "")
	follow := "<" + base + p.SuccessorPath(func(string) string { return "1" }) + successor
	if w.Code != 200 || !tells(w, e) || !strings.Contains(strings.Join(w.Header().Values("Link"), ", "), follow) {
		t.Errorf("%s: %d with %v, want 200 and the link %s", p.Call, w.Code, w.Header(), follow)
	}
	w = ask(h.with(`{}`), callAt(p), "", "v5")
	if w.Code != 400 || !strings.Contains(w.Body.String(), e.Instead) {
		t.Errorf("%s in the preview: %d %s, want 400 with %q", p.Call, w.Code, w.Body, e.Instead)
	}
}

func checkParameter(t *testing.T, h *everyCall, e deprecation.Entry, p deprecation.Place) {
	t.Helper()
	for _, value := range valuesAt(p) {
		call, body := callAt(p), objectAt(t, p, value)
		if strings.HasPrefix(call, "GET ") {
			call, body = call+"?"+p.Name+"="+value.(string), ""
		}
		if w := ask(h.with(`{}`), call, body); w.Code != 200 || !tells(w, e) {
			t.Errorf("%s %s: %d with %v, want 200 and the headers", call, body, w.Code, w.Header())
		}
		if w := ask(h.with(`{}`), call, body, "v5"); w.Code != 400 || !strings.Contains(w.Body.String(), p.Name+" is deprecated") || !strings.Contains(w.Body.String(), e.Instead) {
			t.Errorf("%s %s in the preview: %d %s, want 400 with %q", call, body, w.Code, w.Body, e.Instead)
		}
	}
	other := `{"` + p.Name + `s":true}`
	if len(p.Values) > 0 {
		other = objectAt(t, p, "another value")
	}
	for _, preview := range [][]string{nil, {"v5"}} {
		if w := ask(h.with(`{}`), callAt(p), other, preview...); w.Code == 200 && tells(w, e) || w.Code != 200 && !movedCall(p.Call) {
			t.Errorf("%s %s: %d with %v, want 200 without a word", p.Call, other, w.Code, w.Header())
		}
	}
}

func movedCall(call string) bool {
	for _, n := range deprecation.At(call) {
		if n.In == deprecation.Address {
			return true
		}
	}
	return false
}

func checkAnswer(t *testing.T, h *everyCall, e deprecation.Entry, p deprecation.Place) {
	t.Helper()
	for _, value := range valuesAt(p) {
		answer := objectAt(t, p, value)
		left := `{"first":1.0` + answer[strings.LastIndex(answer, `,"last"`):]
		if p.Beside.Name != "" {
			left = `{"first":1.0,"` + p.Beside.Name + `":"` + p.Beside.Value + `","last":[null]}`
		}
		for answer, left := range map[string]string{answer: left, "[" + answer + `,{"other":1}]`: "[" + left + `,{"other":1}]`} {
			w := ask(h.with(answer), callAt(p), "")
			if w.Code != 200 || w.Body.String() != answer || !movedCall(p.Call) && !p.Sole && tells(w, e) {
				t.Errorf("%s: %d %s with %v, want %s", p.Call, w.Code, w.Body, w.Header(), answer)
			}
			if movedCall(p.Call) {
				continue // which the preview refuses
			}
			if w := ask(h.with(answer), callAt(p), "", "v5"); w.Code != 200 || w.Body.String() != left || w.Header().Get("Deprecation") != "" {
				t.Errorf("%s in the preview: %d %s with %v, want %s", p.Call, w.Code, w.Body, w.Header(), left)
			}
		}
	}
}
