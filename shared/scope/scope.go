// Package scope holds the scopes a token can have and what each allows.
package scope

import (
	"slices"
	"strings"
)

// A Scope names what a token may be used for (RFC 6749 section 3.3).
type Scope = string

// The scopes on offer.
const (
	API             Scope = "api"
	ReadAPI         Scope = "read_api"
	ReadUser        Scope = "read_user"
	ReadRepository  Scope = "read_repository"
	WriteRepository Scope = "write_repository"
	OpenID          Scope = "openid"
	Profile         Scope = "profile"
	Email           Scope = "email"
	// Sudo acts as another user; only administrators' tokens are good for that.
	Sudo Scope = "sudo"
)

// Default is the scope of a request that names none.
const Default = API

// Described is a scope with a description of what it allows.
type Described struct {
	Scope
	Allows string
}

// Client lists the scopes that OAuth clients can have everywhere, in the order
// people see them.
var Client = []Described{
	{API, "Read and change everything you can, through the API"},
	{ReadAPI, "Read everything you can see, through the API"},
	{ReadUser, "Read your profile: user name, name, e-mail address"},
	{ReadRepository, "Fetch from the Git repositories you can read"},
	{WriteRepository, "Fetch from and push to the Git repositories you can write"},
	{OpenID, "Sign you in with your Gatehouse account"},
	{Profile, "See your name and user name when signing you in"},
	{Email, "See your primary e-mail address when signing you in"},
}

// All lists every scope in that order.
var All = append(slices.Clone(Client), Described{Sudo, "Act as any other user and as an administrator, through the API"})

// Describe returns descriptions of the set's scopes, in the order people see them.
func Describe(s Set) []Described {
	return slices.DeleteFunc(slices.Clone(All), func(d Described) bool { return !s.Has(d.Scope) })
}

// Token lists the scopes that a personal access token can have.
var Token = []Scope{API, ReadAPI, ReadUser, ReadRepository, WriteRepository, Sudo}

// Set is a set of scopes in the order they were given, none twice.
type Set []Scope

// maxList is the longest list of scopes that is read, in bytes: about ten times
// the length of all scopes.
const maxList = 1024

// Parse splits a list of scopes at its spaces (RFC 6749 section 3.3). It rejects
// other white space, control characters and lists that are too long.
func Parse(list string) (s Set, ok bool) {
	if len(list) > maxList {
		return nil, false
	}
	for _, r := range list {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return nil, false
		}
	}
	return Of(strings.Split(list, " ")...), true
}

// Of returns the set of these scopes.
func Of(scopes ...Scope) Set {
	set, seen := Set{}, make(map[Scope]bool, len(scopes)) // lists can be long
	for _, s := range scopes {
		if s != "" && !seen[s] {
			set, seen[s] = append(set, s), true
		}
	}
	return set
}

// String joins the scopes with spaces, the form in which RFC 6749 sends them.
func (s Set) String() string { return strings.Join(s, " ") }

// Has reports whether the set holds the scope.
func (s Set) Has(scope Scope) bool { return slices.Contains(s, scope) }

// HasAny reports whether the set holds one of the scopes.
func (s Set) HasAny(scopes ...Scope) bool { return slices.ContainsFunc(scopes, s.Has) }

// Within reports whether every scope of the set is in the other one.
func (s Set) Within(other Set) bool {
	return !slices.ContainsFunc(s, func(x Scope) bool { return !other.Has(x) })
}

// Equal reports whether both sets hold the same scopes, in any order.
func (s Set) Equal(other Set) bool { return len(s) == len(other) && s.Within(other) }

// Without returns the set without the scope.
func (s Set) Without(scope Scope) Set {
	return slices.DeleteFunc(slices.Clone(s), func(x Scope) bool { return x == scope })
}

// And returns the scopes that both sets hold, in the order of s.
func (s Set) And(other Set) Set {
	both := Set{}
	for _, x := range s {
		if other.Has(x) {
			both = append(both, x)
		}
	}
	return both
}

// Or returns the scopes that one of the sets holds, in the order of the alphabet.
func (s Set) Or(other Set) Set { return Of(slices.Sorted(slices.Values(slices.Concat(s, other)))...) }
