package functions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/web"
)

// routes lists the patterns of all functions.
func routes(t *testing.T) (all []string) {
	t.Helper()
	for name, h := range functions.Handlers(apptest.New(t).App) {
		switch h := h.(type) {
		case web.REST:
			all = append(all, h.Patterns...)
		case web.Routed:
			all = append(all, h.Patterns...)
		default:
			if name != "alerts" { // which takes what addresses of integrations get
				t.Errorf("the handler of %s does not tell its routes: return a web.REST or web.Routed", name)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestEveryRouteHasItsLine(t *testing.T) {
	served := routes(t)
	for _, pattern := range served {
		if !slices.ContainsFunc(permissions, func(r permission) bool { return r.call == pattern }) {
			t.Errorf("nothing says who may %s: add a line {%q, …} to permissions in functions/whomay_test.go", pattern, pattern)
		}
	}
	for _, r := range permissions {
		if !slices.Contains(served, r.call) {
			t.Errorf("permissions in functions/whomay_test.go has a line for %s, which no function serves", r.call)
		}
	}
}

// want returns what the call comes to, if the caller makes it about a place with the
// visibility.
func (r permission) want(c *caller, v project.Visibility) reply {
	switch {
	case r.who.kind == anybody:
		return served
	case c.refused != "":
		return c.refused
	case r.isPage() && c.cookies == nil, !r.isPage() && c.token == "":
		return refusedToken
	case !r.isPage() && !c.scopes.HasAny(r.enough()...):
		return refusedScope
	case r.who.kind == members && c.role == project.NoRole && v == project.Private && !r.who.known:
		return refusedToKnow
	case r.who.kind == ruling && !c.admin && r.isPage():
		return refusedToKnow
	case r.who.kind == members && c.role < r.who.role, r.who.kind == ruling && !c.admin, r.who.person && c.oauth:
		return refusedUser
	case r.who.kind == ofThing && !c.holder && !(r.who.admins && c.admin):
		return refusedToKnow
	}
	return served
}

// enough lists the scopes of which one suffices for the call.
func (r permission) enough() []scope.Scope {
	if r.reads() {
		return append([]scope.Scope{scope.API, scope.ReadAPI}, r.who.also...)
	}
	return []scope.Scope{scope.API}
}

// Every caller makes every call: what it comes to follows from the line of the call, and
// calls that are refused write nothing.
func TestEveryCallByEveryCaller(t *testing.T) {
	unlogged(t)
	s := newScene(t)
	t.Run("refused", func(t *testing.T) { s.checkRefused(t) })
	t.Run("without a proof", func(t *testing.T) { s.checkProofs(t) })
	t.Run("read", func(t *testing.T) { s.checkServed(t, permission.reads) })
	t.Run("changed", func(t *testing.T) { s.checkServed(t, func(r permission) bool { return !r.reads() }) })
}

func (s *scene) checkRefused(t *testing.T) {
	before := s.content()
	for _, r := range permissions {
		s.each(r, func(c *caller, v project.Visibility, want reply) {
			if want == served {
				return
			}
			at := s.places[v]
			got := s.ask(c, r, s.address(r, at), s.bodyOf(r, at))
			if got.reply != want {
				t.Errorf("%s: %s in a %s place is %d %.120s, want %s", c.name, r.call, v, got.status, got.body, want)
			}
			if got.written && !r.deprecated() {
				t.Errorf("%s: %s is %d, and something was written", c.name, r.call, got.status)
			}
		})
	}
	if diff := cmp.Diff(before, s.content()); diff != "" {
		t.Errorf("calls that were refused changed the store (-before +after):\n%s", diff)
	}
}

// each calls back for every caller of the line. Visibility matters to people alone, and
// only the role in the place and its account tell them apart.
func (s *scene) each(r permission, check func(c *caller, v project.Visibility, want reply)) {
	if r.who.kind == bearers {
		return
	}
	for _, c := range s.callers {
		check(c, project.Private, r.want(c, project.Private))
		if r.who.kind == members && c.person {
			check(c, project.Internal, r.want(c, project.Internal))
			check(c, project.Public, r.want(c, project.Public))
		}
	}
}

// deprecated reports whether the call is deprecated as a whole: also those that are
// refused are counted.
func (r permission) deprecated() bool {
	return slices.ContainsFunc([]string{"/geo_nodes", "/managed_licenses", "/changes"}, func(name string) bool { return strings.Contains(r.call, name) })
}

// checkServed makes the calls that are served. After one that changed something there are
// new things for the next caller.
func (s *scene) checkServed(t *testing.T, among func(permission) bool) {
	for _, r := range permissions {
		if !among(r) {
			continue
		}
		s.each(r, func(c *caller, v project.Visibility, want reply) {
			if want != served || r.who.kind == anybody && c.name != nobody {
				return
			}
			at := s.places[v]
			got := s.ask(c, r, s.address(r, at), s.bodyOf(r, at))
			if !got.isServed(r) || r.reads() && got.status >= 400 && !r.who.bare {
				t.Errorf("%s: %s in a %s place is %d %.200s, want it served", c.name, r.call, v, got.status, got.body)
			}
			if !r.reads() && got.status < 400 {
				s.renew(r, v)
			}
		})
	}
}

// isServed reports whether the caller was served, as far as rights go. Pages for everybody
// may still lead to the page to sign in.
func (o outcome) isServed(r permission) bool {
	switch o.reply {
	case refusedToken:
		return r.who.kind == anybody && o.status < 400
	case refusedToKnow:
		return r.mayMiss()
	}
	return o.reply == served
}

// mayMiss reports whether a thing that the call names may be gone, because a caller before
// used it up.
func (r permission) mayMiss() bool {
	return !r.reads() && (r.who.kind != members || r.who.known || strings.Count(r.call, "{") > 1)
}

// checkProofs makes the calls that ask for a proof of their own without one.
func (s *scene) checkProofs(t *testing.T) {
	for _, r := range permissions {
		if r.who.kind != bearers {
			continue
		}
		got := s.ask(s.named(nobody), r, s.address(r, s.places[project.Private]), "")
		counted := r.call == "POST /users/sign_in" // as an attempt
		if got.reply == served && got.status < 400 || got.reply == refusedByError || got.written && !counted {
			t.Errorf("%s without anything is %d %.200s, and something was written: %t", r.call, got.status, got.body, got.written)
		}
	}
}

// renew makes what the call is about anew.
func (s *scene) renew(r permission, v project.Visibility) {
	switch r.who.kind {
	case members:
		s.places[v] = s.newPlace(v)
	case ofThing, ruling:
		s.addOwn()
	}
}

func (s *scene) bodyOf(r permission, at *place) string {
	return strings.NewReplacer("{group}", s.id("/api/v4/groups", at), "{project}", s.id("/api/v4/projects", at)).Replace(r.who.body)
}
