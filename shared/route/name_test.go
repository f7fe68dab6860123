package route_test

import (
	"strings"
	"testing"

	"gatehouse/shared/route"
)

func TestCheckSegment(t *testing.T) {
	const (
		characters = "can contain only letters, digits, '_', '-' and '.', and must start with a letter, a digit or '_'"
		ending     = "must not end in '.git', '.atom' or '.'"
		reserved   = "is a reserved name"
	)
	tests := map[string]string{
		"acme":                      "",
		"_acme":                     "",
		"4you":                      "",
		"a.b-c_D":                   "",
		"a":                         "",
		"members2":                  "",
		strings.Repeat("x", 255):    "",
		"":                          "can't be blank",
		strings.Repeat("x", 256):    "is too long (maximum is 255 characters)",
		"-acme":                     characters,
		".acme":                     characters,
		"a/b":                       characters,
		"a b":                       characters,
		"acmé":                      characters,
		"acme\n":                    characters,
		"acme\x00":                  characters,
		"acme.":                     ending,
		"acme.git":                  ending,
		"acme.Atom":                 ending,
		"42":                        "must not be all digits",
		"api":                       reserved,
		"OAuth":                     reserved,
		"user_settings":             reserved,
		"members":                   reserved,
		"projects":                  reserved,
		"Error_Tracking":            reserved,
		"prometheus":                reserved,
		"settings":                  reserved,
		"Incidents":                 reserved,
		"oncall":                    reserved,
		"-":                         reserved,
		".well-known":               reserved,
		strings.Repeat("x", 100000): "is too long (maximum is 255 characters)",
	}
	for name, want := range tests {
		if got := route.CheckSegment(name); got != want {
			t.Errorf("CheckSegment(%.20q) = %q, want %q", name, got, want)
		}
	}
}

// What is no name at the top may be one below it.
func TestCheckTopLevel(t *testing.T) {
	tests := map[string]string{
		"acme": "", "vault-admins": "", "healthy": "",
		"health": "is a reserved name", "Login": "is a reserved name", "robots.txt": "is a reserved name", "api": "is a reserved name",
		"members": "is a reserved name", "projects": "is a reserved name", ".well-known": "is a reserved name", "42": "must not be all digits", "": "can't be blank",
	}
	for _, name := range []string{
		"help", "groups", "dashboard", "favicon.ico", "metrics", "version", "ready", "explore", "search", "security", "support", "well-known",
	} {
		tests[name] = "is a reserved name"
		if got := route.CheckSegment(name); got != "" {
			t.Errorf("CheckSegment(%q) = %q, want it to be a name below the top", name, got)
		}
	}
	for name, want := range tests {
		if got := route.CheckTopLevel(name); got != want {
			t.Errorf("CheckTopLevel(%q) = %q, want %q", name, got, want)
		}
	}
}

// A namespace named like the first segment of one of Gatehouse's own addresses
// could not be reached.
func TestFirstSegmentsOfRoutesAreReserved(t *testing.T) {
	for _, r := range route.Table {
		first, _, _ := strings.Cut(strings.TrimPrefix(r.Pattern, "/"), "/")
		if first != "" && r.Pattern != route.Default && !route.Reserved(first) {
			t.Errorf("the route %s begins with %q, which is not reserved", r.Pattern, first)
		}
	}
}

// A greedy pattern does not match its bare prefix. Every prefix that means
// something by itself needs a route, and nothing under /users, /assets or /-
// does.
func TestGreedyRoutesHaveABareOne(t *testing.T) {
	patterns := map[string]string{}
	for _, r := range route.Table {
		if _, twice := patterns[r.Pattern]; twice {
			t.Errorf("two routes have the pattern %s", r.Pattern)
		}
		patterns[r.Pattern] = r.Function
	}
	for pattern, function := range patterns {
		bare, greedy := strings.CutSuffix(pattern, "/{proxy+}")
		if !greedy || bare == "/assets" || bare == "/-" {
			continue
		}
		if patterns[bare] != function {
			t.Errorf("%s goes to %q, but %s to %q", pattern, function, bare, patterns[bare])
		}
	}
}

func TestSplitGroup(t *testing.T) {
	tests := map[string][2]string{
		"5/projects": {"5", "projects"}, "acme/projects": {"acme", "projects"}, "acme/deep/Subgroups": {"acme/deep", "Subgroups"},
		"acme%2Fdeep/projects": {"acme%2Fdeep", "projects"}, "acme/projects/members": {"acme/projects", "members"},
		"acme/projects/projects": {"acme/projects", "projects"}, "projects": {"projects", ""}, "acme/members": {"acme", "members"},
	}
	for path, want := range tests {
		reference, rest := route.SplitGroup(path)
		if reference != want[0] || rest != want[1] {
			t.Errorf("%s is %q and %q, want %q", path, reference, rest, want)
		}
	}
}

func TestSplitReference(t *testing.T) {
	tests := map[string][2]string{
		"5":                          {"5", ""},
		"acme/web":                   {"acme/web", ""},
		"acme%2Fweb":                 {"acme%2Fweb", ""},
		"acme/web/members":           {"acme/web", "members"},
		"acme/web/members/5":         {"acme/web", "members/5"},
		"acme%2Fweb/members/all":     {"acme%2Fweb", "members/all"},
		"acme/team/web/environments": {"acme/team/web", "environments"},
		"acme/web/error_tracking/client_keys/members": {"acme/web", "error_tracking/client_keys/members"},
		"acme/team/web/settings/error_tracking":       {"acme/team/web", "settings/error_tracking"},
		"acme/web/incidents/7":                        {"acme/web", "incidents/7"},
		"acme/web/oncall":                             {"acme/web", "oncall"},
		"acme/Members/5":                              {"acme", "Members/5"},
		"members":                                     {"members", ""}, // the reference itself is never empty
		"members/members":                             {"members", "members"},
		"":                                            {"", ""},
		"acme/web/unheard":                            {"acme/web/unheard", ""},
	}
	for path, want := range tests {
		reference, rest := route.SplitReference(path)
		if got := [2]string{reference, rest}; got != want {
			t.Errorf("SplitReference(%q) = %q, want %q", path, got, want)
		}
	}
}

func FuzzSplitReference(f *testing.F) {
	for _, path := range []string{"5", "acme/web/members/5", "acme%2Fweb/members", "members/members", "//", "a/MEMBERS"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		reference, rest := route.SplitReference(path)
		joined := reference
		if rest != "" {
			joined += "/" + rest
		}
		if joined != path {
			t.Errorf("SplitReference(%q) = %q and %q, which are not the path", path, reference, rest)
		}
		if again, more := route.SplitReference(reference); again != reference || more != "" {
			t.Errorf("SplitReference(%q) = %q, which splits again", path, reference)
		}
		if word, _, _ := strings.Cut(rest, "/"); rest != "" && !route.Reserved(word) {
			t.Errorf("SplitReference(%q) ends before %q, which is not reserved", path, word)
		}
	})
}
