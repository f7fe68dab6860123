package web_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/web"
)

type level int

func paramsOf(contentType, body string) *web.Values {
	r := httptest.NewRequest("PUT", "/", strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	return web.Params(r)
}

func TestObjectsOfIntegers(t *testing.T) {
	const form, asJSON = "application/x-www-form-urlencoded", "application/json"
	tests := []struct {
		contentType, body string
		want              []level
		complaint         string
	}{
		{asJSON, `{}`, nil, ""},
		{asJSON, `{"box":null}`, nil, ""},
		{asJSON, `{"box":{}}`, nil, ""},
		{asJSON, `{"box":{"sizes":null}}`, nil, ""},
		{asJSON, `{"box":{"sizes":[30,{"size":0},"40",{"size":"30"}]}}`, []level{0, 30, 40}, ""},
		{asJSON, `{"box":[]}`, nil, "box is invalid"},
		{asJSON, `{"box":"x"}`, nil, "box is invalid"},
		{asJSON, `{"box":1}`, nil, "box is invalid"},
		{asJSON, `{"box":{"sizes":30}}`, nil, "box[sizes] is invalid"},
		{asJSON, `{"box":{"sizes":{"size":30}}}`, nil, "box[sizes] is invalid"},
		{asJSON, `{"box":{"sizes":[]}}`, nil, "box[sizes] is empty"},
		{asJSON, `{"box":{"sizes":[30.5]}}`, nil, "box[sizes] is invalid"},
		{asJSON, `{"box":{"sizes":[true]}}`, nil, "box[sizes] is invalid"},
		{asJSON, `{"box":{"sizes":[null]}}`, nil, "box[sizes] is invalid"},
		{asJSON, `{"box":{"sizes":[{"width":30}]}}`, nil, "box[sizes] is invalid"},
		{asJSON, `{"box":{"sizes":[30,35]}}`, nil, "box[sizes] does not have a valid value"},
		{form, "box[sizes]=30", nil, "box[sizes] is invalid"},
		{form, "box[sizes][]=40&box[sizes][]=30", []level{30, 40}, ""},
		{form, "box[sizes][][size]=40&box[sizes][][size]=30&box[sizes][][width]=1", []level{30, 40}, ""},
		{form, "box[sizes][][width]=40", nil, "box[sizes] is invalid"},
		{form, "box[sizes][][size][]=40", nil, "box[sizes] is invalid"},
		{form, "box[sizes][big]=40", nil, "box[sizes] is invalid"},
		{form, "box[]=40", nil, "box is invalid"},
		{form, "box=30", nil, "box is invalid"},
	}
	for _, test := range tests {
		params := paramsOf(test.contentType, test.body)
		var got []level
		if box := params.OptionalObject("box"); box != nil {
			got = web.OptionalIntsOf(box, "sizes", "size", []level{0, 30, 40})
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.body, diff)
		}
		if err := params.Err(); (err == nil) != (test.complaint == "") || err != nil && err.Error() != test.complaint {
			t.Errorf("%s: %v, want %q", test.body, err, test.complaint)
		}
	}
}

func TestOneOfIntegers(t *testing.T) {
	for body, want := range map[string]string{
		`{}`: "", `{"n":null}`: "", `{"n":30}`: "", `{"n":"0"}`: "", `{"n":31}`: "n does not have a valid value",
		`{"n":4294967326}`: "n does not have a valid value", `{"n":1.5}`: "n is invalid", `{"n":true}`: "n is invalid", `{"n":[30]}`: "n is invalid",
	} {
		params := paramsOf("application/json", body)
		n := web.OptionalIntOf(params, "n", []level{0, 30})
		if sent := strings.Contains(body, "30}") || strings.Contains(body, `"0"`); (n != nil) != sent {
			t.Errorf("%s: sent: %t, want %t", body, n != nil, sent)
		}
		if err := params.Err(); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

func TestObjectsNeedAKnownMember(t *testing.T) {
	const refused = "box has no known member"
	for body, want := range map[string]string{
		`{"box":{"a":1}}`: "", `{"box":{"b":null,"x":1}}`: "", `{"box":{"a":1,"b":2}}`: "", `{"box":{}}`: refused, `{"box":{"x":1},"a":1}`: refused,
	} {
		params := paramsOf("application/json", body)
		params.OptionalObject("box").NeedsOneOf("a", "b")
		if err := params.Err(); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

// Each object of a list is read, and what is wrong with one is wrong with the parameters.
func TestListsOfObjects(t *testing.T) {
	const form, asJSON = "application/x-www-form-urlencoded", "application/json"
	tests := []struct {
		contentType, body string
		want              []int64
		complaint         string
	}{
		{asJSON, `{}`, nil, ""},
		{asJSON, `{"boxes":null}`, nil, ""},
		{asJSON, `{"boxes":[]}`, nil, ""},
		{asJSON, `{"boxes":[{"size":3},{"size":"4"}]}`, []int64{3, 4}, ""},
		{form, "boxes[][size]=3&boxes[][size]=4", []int64{3, 4}, ""},
		{asJSON, `{"boxes":[{"size":3},{}]}`, nil, "boxes[1][size] is missing"},
		{asJSON, `{"boxes":[{"size":"x"}]}`, nil, "boxes[0][size] is invalid"},
		{asJSON, `{"boxes":[{"size":3},4]}`, nil, "boxes is invalid"},
		{asJSON, `{"boxes":{"size":3}}`, nil, "boxes is invalid"},
		{asJSON, `{"boxes":"x"}`, nil, "boxes is invalid"},
	}
	for _, test := range tests {
		params := paramsOf(test.contentType, test.body)
		var got []int64
		for _, box := range params.OptionalObjects("boxes") {
			box.Require("size")
			if n := box.OptionalInt("size"); n != nil {
				got = append(got, *n)
			}
		}
		err := params.Err()
		if complaint := web.BadParameters(test.complaint); test.complaint != "" && err != complaint {
			t.Errorf("%s: %v, want %s", test.body, err, complaint)
		}
		if diff := cmp.Diff(test.want, got); test.complaint == "" && (err != nil || diff != "") {
			t.Errorf("%s: %v (-want +got):\n%s", test.body, err, diff)
		}
	}
}

// A private document is for its reader, who asks each time.
func TestPrivateDocument(t *testing.T) {
	document := web.NewPrivateDocument([]byte("BEGIN"), "text/calendar")
	first := httptest.NewRecorder()
	document.ServeHTTP(first, httptest.NewRequest("GET", "/", nil))
	if first.Body.String() != "BEGIN" || first.Header().Get("Content-Type") != "text/calendar" || first.Header().Get("Cache-Control") != "private, no-cache" {
		t.Errorf("answered %q with %v", first.Body, first.Header())
	}
	again, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	r.Header.Set("If-None-Match", first.Header().Get("ETag"))
	document.ServeHTTP(again, r)
	if again.Code != 304 || again.Body.Len() > 0 {
		t.Errorf("for the same ETag answered %d %q, want 304", again.Code, again.Body)
	}
}
