package version

import (
	"regexp"
	"runtime/debug"
	"testing"
)

func TestNumberIsASemanticVersion(t *testing.T) {
	if !regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`).MatchString(Number) {
		t.Errorf("Number = %q, want major.minor.patch", Number)
	}
}

func TestRevisionIsTheCommitOfTheBuild(t *testing.T) {
	tests := []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "unknown"},
		{&debug.BuildInfo{}, "unknown"},
		{&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.time", Value: "today"}, {Key: "vcs.revision", Value: "3a3877a"}}}, "3a3877a"},
	}
	for _, test := range tests {
		if got := revisionOf(test.info); got != test.want {
			t.Errorf("revisionOf(%+v) = %q, want %q", test.info, got, test.want)
		}
	}
}
