// Package judge compares what a client reads in an answer with what it should be. The
// clients are libraries that nobody of this project wrote. Their tests run against a
// server: scripts/test clients.
package judge

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Server returns the address of the server under test and an administrator's token.
func Server(t *testing.T) (base, token string) {
	t.Helper()
	base, token = os.Getenv("GATEHOUSE_URL"), os.Getenv("GATEHOUSE_ROOT_TOKEN")
	if base == "" || token == "" {
		t.Fatal("there is no server: scripts/test clients starts one")
	}
	return base, token
}

// Unique returns a name that nothing else on the server has.
func Unique(prefix string) string { return fmt.Sprintf("%s-%d", prefix, time.Now().UnixNano()) }

// Equal fails the test unless both are the same.
func Equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// Answer is an answer as a client read it.
type Answer[T any] struct {
	Value  T
	Header http.Header
	Err    error
}

// Silent returns what the client read. It fails the test unless the call succeeded and
// the answer tells of no deprecation.
func (a Answer[T]) Silent(t *testing.T) T {
	t.Helper()
	a.succeeded(t)
	Equal(t, "Deprecation", a.Header.Values("Deprecation"), nil)
	Equal(t, "links to rows", a.links("deprecation"), nil)
	Equal(t, "links to successors", a.links("successor-version"), nil)
	return a.Value
}

// Told returns what the client read. It fails the test unless the call succeeded and
// the answer tells of the row, which has no other address.
func (a Answer[T]) Told(t *testing.T, row string) T {
	t.Helper()
	a.tells(t, row)
	Equal(t, "links to successors", a.links("successor-version"), nil)
	return a.Value
}

// Moved is Told for a row with another address: the API's path of it.
func (a Answer[T]) Moved(t *testing.T, row, successor string) T {
	t.Helper()
	a.tells(t, row)
	Equal(t, "links to successors", a.links("successor-version"), []string{os.Getenv("GATEHOUSE_URL") + "/api/v4" + successor})
	return a.Value
}

// Refused fails the test unless the call failed with this in its error.
func (a Answer[T]) Refused(t *testing.T, with string) {
	t.Helper()
	if a.Err == nil || !strings.Contains(a.Err.Error(), with) {
		t.Fatalf("the call gave the error %v, want one with %q", a.Err, with)
	}
}

var date = regexp.MustCompile(`^@[0-9]{10}$`)

func (a Answer[T]) tells(t *testing.T, row string) {
	t.Helper()
	a.succeeded(t)
	if told := a.Header.Get("Deprecation"); !date.MatchString(told) {
		t.Fatalf("Deprecation is %q, want a date", told)
	}
	Equal(t, "links to rows", a.links("deprecation"), []string{os.Getenv("GATEHOUSE_URL") + "/-/deprecations#" + row})
}

func (a Answer[T]) succeeded(t *testing.T) {
	t.Helper()
	if a.Err != nil {
		t.Fatal(a.Err)
	}
}

var link = regexp.MustCompile(`<([^>]*)>; rel="([^"]*)"`)

// links returns the targets of the links with a relation, sorted.
func (a Answer[T]) links(relation string) (targets []string) {
	for _, header := range a.Header.Values("Link") {
		for _, found := range link.FindAllStringSubmatch(header, -1) {
			if found[2] == relation {
				targets = append(targets, found[1])
			}
		}
	}
	slices.Sort(targets)
	return targets
}
