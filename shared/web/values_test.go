package web_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/web"
)

func TestListsMayBeTextsWithCommas(t *testing.T) {
	tests := map[string]struct {
		want      []string
		complaint string
	}{
		`{}`:                          {},
		`{"a":null}`:                  {},
		`{"a":""}`:                    {want: []string{}},
		`{"a":[]}`:                    {want: []string{}},
		`{"a":" arm 64 , linux,,x "}`: {want: []string{"arm 64", "linux", "x"}},
		`{"a":["arm 64","a,b",""]}`:   {want: []string{"arm 64", "a,b"}},
		`{"a":["x",1]}`:               {want: []string{"x"}, complaint: "a is invalid"},
		`{"a":{"b":"c"}}`:             {want: []string{""}, complaint: "a is invalid"},
		`{"a":"x\u0000"}`:             {want: []string{"x\x00"}, complaint: "a is invalid"},
	}
	for body, test := range tests {
		params := web.Params(post("", jsonType, body))
		got := params.OptionalList("a")
		complaint := ""
		if err := params.Err(); err != nil {
			complaint = err.Error()
		}
		if diff := cmp.Diff(test.want, got); complaint != test.complaint || complaint == "" && diff != "" {
			t.Errorf("OptionalList of %s = %q, %q, want %q, %q", body, got, complaint, test.want, test.complaint)
		}
	}
}
