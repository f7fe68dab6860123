package openapi_test

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse/shared/openapi"
)

func TestServeSendsTheDocumentOnce(t *testing.T) {
	first := httptest.NewRecorder()
	openapi.Serve(first, httptest.NewRequest("GET", "/api/v4/openapi.json", nil))
	if first.Code != 200 || !bytes.Equal(first.Body.Bytes(), openapi.Document) {
		t.Errorf("the first answer is %d with %d bytes, want 200 with the document", first.Code, first.Body.Len())
	}
	for name, want := range map[string]string{"Content-Type": "application/json", "Cache-Control": "public, max-age=300"} {
		if got := first.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for condition, want := range map[string]int{
		first.Header().Get("ETag"):             304,
		`"x", W/` + first.Header().Get("ETag"): 304,
		`"` + strings.Repeat("0", 16) + `"`:    200,
	} {
		r := httptest.NewRequest("GET", "/api/v4/openapi.json", nil)
		r.Header.Set("If-None-Match", condition)
		w := httptest.NewRecorder()
		openapi.Serve(w, r)
		if sent := w.Body.Len() > 0; w.Code != want || sent != (want == 200) {
			t.Errorf("If-None-Match: %s: %d with %d bytes, want %d", condition, w.Code, w.Body.Len(), want)
		}
	}
}
