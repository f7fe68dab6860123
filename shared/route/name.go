package route

import (
	"regexp"
	"slices"
	"strings"
)

// firstSegments are the words that Gatehouse's own addresses begin with, now or
// later. They are no names for namespaces, because the addresses of the alert
// intake begin with the namespace.
var firstSegments = []string{
	"-", ".well-known", "admin", "api", "assets", "console", "git", "oauth", "user_settings", "users",
}

// afterReference are the words that can follow a project's or a group's path in
// an address. They are no names for namespaces and projects, so that the end of
// the path can be found after the gateway has decoded its slashes.
var afterReference = []string{
	"alerts", "approval_rules", "approvals", "environments", "error_tracking", "incidents",
	"license_approval_policies", "managed_licenses", "members", "merge_request_approval_setting", "merge_requests", "mirror", "monitor", "oncall", "prometheus", "runners", "settings",
}

// Reserved reports whether a word has a meaning of its own in addresses.
func Reserved(word string) bool {
	word = strings.ToLower(word)
	return slices.Contains(firstSegments, word) || slices.Contains(afterReference, word)
}

// segment matches any length. CheckSegment checks that: compiling a counted
// repetition takes a millisecond of every function's start.
var segment = regexp.MustCompile(`^[a-zA-Z0-9_][a-zA-Z0-9_.-]*$`)

// CheckSegment returns what is wrong with a name as one segment of a path
// (Interface: "Names and paths"), or "" when it can be used. User names, group
// paths and project paths all follow it.
func CheckSegment(name string) string {
	lower := strings.ToLower(name)
	switch {
	case name == "":
		return "can't be blank"
	case len(name) > 255:
		return "is too long (maximum is 255 characters)"
	case Reserved(name):
		return "is a reserved name"
	case !segment.MatchString(name):
		return "can contain only letters, digits, '_', '-' and '.', and must start with a letter, a digit or '_'"
	case strings.HasSuffix(lower, ".git"), strings.HasSuffix(lower, ".atom"), strings.HasSuffix(lower, "."):
		return "must not end in '.git', '.atom' or '.'"
	case allDigits(name):
		return "must not be all digits"
	}
	return ""
}

// maxFullPath bounds what lists of full paths grow to, such as the claims about a
// user. Older groups and projects may have longer ones.
const maxFullPath = 1024

// CheckFullPath returns what is wrong with the full path of a new group or project
// with valid segments, or "" when it can be used.
func CheckFullPath(fullPath string) string {
	if len(fullPath) > maxFullPath {
		return "makes the full path too long (maximum is 1024 characters)"
	}
	return ""
}

// SplitReference splits the segments behind /projects/ or /groups/ into the
// reference and the rest: "acme/web/members/5" into "acme/web" and
// "members/5". A reference whose slashes are still encoded is one segment, and
// splits the same. An id is one segment, since no name is all digits.
func SplitReference(path string) (reference, rest string) {
	segments := strings.Split(path, "/")
	if allDigits(segments[0]) {
		reference, rest, _ = strings.Cut(path, "/")
		return reference, rest
	}
	for i := 1; i < len(segments); i++ {
		if slices.Contains(afterReference, strings.ToLower(segments[i])) {
			return strings.Join(segments[:i], "/"), strings.Join(segments[i:], "/")
		}
	}
	return path, ""
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
