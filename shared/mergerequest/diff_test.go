package mergerequest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/fault"
	"gatehouse/shared/mergerequest"
)

func TestParseDiffs(t *testing.T) {
	list := func(text string) string {
		encoded, err := json.Marshal([]mergerequest.Diff{{NewPath: "a", Diff: text}})
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	around := len(list("")) // what it takes beside the text
	const tooLong = "is too long (maximum is 300 KiB; leave out the rest and set overflow)"
	for _, test := range []struct {
		list      string
		want      int // files
		complaint string
	}{
		{`[]`, 0, ""},
		{`[{"new_path":"a"},{"old_path":"b"}]`, 2, ""},
		{`[{"new_path":"a","else":1}]`, 1, ""},
		{list(strings.Repeat("x", 300<<10-around)), 1, ""},
		{list(strings.Repeat("x", 300<<10-around+1)), 0, tooLong},
		{list(strings.Repeat("<", 300<<10-around)), 1, ""}, // which takes six bytes where it is escaped
		{`[{"new_path":"a"},{"diff":"x"}]`, 0, "needs the paths of each file"},
		{`[null]`, 0, "needs the paths of each file"},
		{`[{"new_path":1}]`, 0, "is invalid"},
		{`{}`, 0, "is invalid"},
		{`[`, 0, "is invalid"},
	} {
		got, err := mergerequest.ParseDiffs([]byte(test.list))
		if len(got) != test.want || (err == nil) != (test.complaint == "") || (got == nil) != (err != nil) {
			t.Errorf("ParseDiffs(%.40s) = %d files, %v, want %d", test.list, len(got), err, test.want)
		}
		if test.complaint != "" && !cmp.Equal(err, fault.Field("diffs", test.complaint)) {
			t.Errorf("ParseDiffs(%.40s) = %v, want %s", test.list, err, test.complaint)
		}
	}
}
