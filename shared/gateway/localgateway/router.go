package localgateway

import (
	"cmp"
	"slices"
	"strings"

	"gatehouse/shared/route"
)

// router lists the patterns, the most specific first.
type router []pattern

// pattern is a route with the segments of its path, without the greedy
// variable.
type pattern struct {
	route    route.Route
	segments []string
	greedy   bool
	rest     bool // of the default route: everything
}

const greedyVariable = "/{proxy+}"

func newRouter(table []route.Route) router {
	var patterns router
	for _, r := range table {
		path, greedy := strings.CutSuffix(r.Pattern, greedyVariable)
		patterns = append(patterns, pattern{r, strings.Split(path, "/")[1:], greedy, r.Pattern == route.Default})
	}
	slices.SortStableFunc(patterns, moreSpecific)
	return patterns
}

// moreSpecific orders patterns as the gateway does: full matches before greedy
// ones, longer before shorter, fewer variables before more, and the default
// route last.
func moreSpecific(a, b pattern) int {
	if a.rest != b.rest {
		if b.rest {
			return -1
		}
		return 1
	}
	if a.greedy != b.greedy {
		if b.greedy {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(len(b.segments), len(a.segments)), cmp.Compare(a.variables(), b.variables()))
}

func (p pattern) variables() int {
	return strings.Count(strings.Join(p.segments, "/"), "{")
}

// find returns the route of a decoded path.
func (r router) find(path string) (route.Route, bool) {
	for _, p := range r {
		if p.matches(path) {
			return p.route, true
		}
	}
	return route.Route{}, false
}

func (p pattern) matches(path string) bool {
	if p.rest {
		return true
	}
	rest, rooted := strings.CutPrefix(path, "/")
	more := rooted
	for _, want := range p.segments {
		if !more {
			return false
		}
		var got string
		if got, rest, more = strings.Cut(rest, "/"); got != want && !(isVariable(want) && got != "") {
			return false
		}
	}
	if p.greedy {
		return more && rest != ""
	}
	return rooted && !more
}

func isVariable(segment string) bool { return strings.HasPrefix(segment, "{") }
