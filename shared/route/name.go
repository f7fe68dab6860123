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

// afterGroup are the words that can follow a group's path besides, as the end of an
// address. Older groups can have these names, with further words behind them.
var afterGroup = []string{"projects", "subgroups"}

// topLevel are further words that are no names for new users and top-level groups: what
// may become an address of Gatehouse's own, what browsers and programs look for at the top
// of every site, and what software of the field reserves there.
var topLevel = []string{
	"404.html", "422.html", "500.html", "502.html", "503.html", "about", "abuse", "abuse_reports", "account", "accounts",
	"apple-touch-icon.png", "apple-touch-icon-precomposed.png", "clusters", "contact", "dashboard", "deploy.html", "docs", "explore",
	"favicon.ico", "favicon.png", "files", "graphql", "groups", "health", "health_check", "healthz", "help", "import", "invites", "jwks",
	"jwt", "legal", "livez", "login", "logout", "manifest.json", "metrics", "notifications", "organizations", "ping", "privacy", "profile",
	"public", "readiness", "ready", "readyz", "register", "robots.txt", "s", "saml", "scim", "search", "security",
	"security.txt", "service-worker.js", "sessions", "sign_in", "sign_out", "sign_up", "signin", "signout", "signup", "sitemap",
	"sitemap.xml", "sitemap.xml.gz", "slash-command-logo.png", "snippets", "static", "status", "support", "terms", "unsubscribe",
	"unsubscribes", "uploads", "v1", "v2", "v3", "v4", "v5", "version", "well-known",
}

// CheckTopLevel is CheckSegment for a new user or top-level group.
func CheckTopLevel(name string) string {
	if slices.Contains(topLevel, strings.ToLower(name)) {
		return reserved
	}
	return CheckSegment(name)
}

// reserved is the complaint about a reserved name.
const reserved = "is a reserved name"

// Reserved reports whether a word has a meaning of its own in addresses.
func Reserved(word string) bool {
	word = strings.ToLower(word)
	return slices.Contains(firstSegments, word) || slices.Contains(afterReference, word) || slices.Contains(afterGroup, word)
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
		return reserved
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

// SplitGroup does the same behind /groups/.
func SplitGroup(path string) (reference, rest string) {
	reference, rest = SplitReference(path)
	if n := strings.LastIndexByte(reference, '/'); rest == "" && n > 0 && slices.Contains(afterGroup, strings.ToLower(reference[n+1:])) {
		return reference[:n], reference[n+1:]
	}
	return reference, rest
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
