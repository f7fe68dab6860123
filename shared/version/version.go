// Package version names the release of Gatehouse that a program is.
package version

import (
	"runtime/debug"
	"sync"
)

// Number is the release, by the rules of semantic versioning.
const Number = "0.10.0"

// Revision returns the commit that the program was built from, or "unknown" if the build
// did not note it.
var Revision = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return revisionOf(info)
})

func revisionOf(info *debug.BuildInfo) string {
	if info != nil {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && s.Value != "" {
				return s.Value
			}
		}
	}
	return "unknown"
}
