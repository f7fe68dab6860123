package scope_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/scope"
)

func TestParse(t *testing.T) {
	tests := map[string]struct {
		want scope.Set
		ok   bool
	}{
		"":                        {scope.Set{}, true},
		"api":                     {scope.Set{"api"}, true},
		"read_user api":           {scope.Set{"read_user", "api"}, true},
		"  api   api read_api ":   {scope.Set{"api", "read_api"}, true},
		"api\tread_api":           {nil, false},
		"api\nread_api":           {nil, false},
		"api\r":                   {nil, false},
		"api\x00":                 {nil, false},
		"api\u00a0read_api":       {nil, false},
		"\xff":                    {nil, false},
		`"api"`:                   {nil, false},
		`a\pi`:                    {nil, false},
		strings.Repeat("a ", 513): {nil, false}, // beyond all measure
	}
	for list, test := range tests {
		got, ok := scope.Parse(list)
		if ok != test.ok || !cmp.Equal(test.want, got) {
			t.Errorf("Parse(%q) = %q, %v, want %q, %v", list, got, ok, test.want, test.ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, list := range []string{"", "api", "api read_user api", "a\tb", "ü", "\xff"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		set, ok := scope.Parse(list)
		if !ok {
			return
		}
		again, ok := scope.Parse(set.String())
		if !ok || !cmp.Equal(set, again) {
			t.Errorf("Parse(%q) = %q, which reads again as %q, %v", list, set, again, ok)
		}
		for _, s := range set {
			if !strings.Contains(list, s) || strings.ContainsAny(s, " \t\r\n") || s == "" {
				t.Errorf("Parse(%q) holds %q", list, s)
			}
		}
	})
}

func TestSets(t *testing.T) {
	set := scope.Of("api", "read_user")
	if !set.Has("api") || set.Has("read_api") {
		t.Errorf("%q.Has is wrong", set)
	}
	if !set.HasAny("sudo", "api") || set.HasAny("sudo", "openid") || set.HasAny() {
		t.Errorf("%q.HasAny is wrong", set)
	}
	tests := []struct {
		a, b          scope.Set
		within, equal bool
		and, or       scope.Set
	}{
		{scope.Of(), scope.Of(), true, true, scope.Of(), scope.Of()},
		{scope.Of("a"), scope.Of(), false, false, scope.Of(), scope.Of("a")},
		{scope.Of(), scope.Of("a"), true, false, scope.Of(), scope.Of("a")},
		{scope.Of("a", "b"), scope.Of("b", "a"), true, true, scope.Of("a", "b"), scope.Of("a", "b")},
		{scope.Of("a", "b"), scope.Of("b", "c"), false, false, scope.Of("b"), scope.Of("a", "b", "c")},
		{scope.Of("c", "a"), scope.Of("a", "b", "c"), true, false, scope.Of("c", "a"), scope.Of("a", "b", "c")},
	}
	for _, test := range tests {
		if got := test.a.Within(test.b); got != test.within {
			t.Errorf("%q.Within(%q) = %v", test.a, test.b, got)
		}
		if got := test.a.Equal(test.b); got != test.equal {
			t.Errorf("%q.Equal(%q) = %v", test.a, test.b, got)
		}
		if got := test.a.And(test.b); !cmp.Equal(got, test.and) {
			t.Errorf("%q.And(%q) = %q, want %q", test.a, test.b, got, test.and)
		}
		if got := test.a.Or(test.b); !cmp.Equal(got, test.or) {
			t.Errorf("%q.Or(%q) = %q, want %q", test.a, test.b, got, test.or)
		}
	}
}

func TestOfferedScopes(t *testing.T) {
	for _, d := range scope.All {
		if d.Allows == "" {
			t.Errorf("scope %s does not say what it allows", d.Scope)
		}
	}
}
