// Package git holds the rules for Git over HTTP: which operation on which
// project's repository a request is, and what scope and role that takes.
//
// It serves a front end that asks before it lets a request through to a Git
// server. The two must never read one address in two ways, or somebody would
// be let through to another repository than the one that was asked about.
// Hence an address counts only when it is, to the letter, one that Git itself
// sends.
package git

import (
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/route"
	"gatehouse/shared/scope"
)

// Operation is what a request does to a repository.
type Operation string

// The operations.
const (
	Fetch Operation = "fetch" // reads: clone, fetch, pull, ls-remote
	Push  Operation = "push"
)

// Request is a request of Git's smart HTTP protocol.
type Request struct {
	Operation Operation
	Project   string // full path, in the letters that the client chose
}

// endings are how the addresses of the smart protocol end, behind the
// repository, with the method each is for.
var endings = []struct {
	ending, method string
	operation      Operation
}{
	{"/info/refs?service=git-upload-pack", "GET", Fetch},
	{"/git-upload-pack", "POST", Fetch},
	{"/info/refs?service=git-receive-pack", "GET", Push},
	{"/git-receive-pack", "POST", Push},
}

var errNotServed = fault.New(fault.NotFound, "This is no address of Git's smart HTTP protocol.")

// Parse reads the address of a request, which is its path and query as they
// were sent, and its method; "" means that the front end did not tell it. The
// operation follows from the address alone. Whatever is not of the smart
// protocol is fault.NotFound: the dumb protocol and large file storage, and
// every address with an escape, an empty or dot segment, or another query.
func Parse(method, address string) (Request, error) {
	for _, e := range endings {
		repository, ok := strings.CutSuffix(address, e.ending)
		if !ok || method != "" && method != e.method {
			continue
		}
		path, ok := projectPath(repository)
		if !ok {
			break
		}
		return Request{e.operation, path}, nil
	}
	return Request{}, errNotServed
}

// projectPath returns the path of the project in a repository's address:
// "/acme/web.git" or "/acme/web". No name can end in ".git", so there is only
// one way to read it.
func projectPath(repository string) (string, bool) {
	path, rooted := strings.CutPrefix(strings.TrimSuffix(repository, ".git"), "/")
	segments := strings.Split(path, "/")
	for _, s := range segments {
		if route.CheckSegment(s) != "" {
			return "", false
		}
	}
	return path, rooted && len(segments) > 1
}

// Scopes returns the scopes of which a token needs one. The scope api is about
// the API alone, as people are told who are asked for it.
func (o Operation) Scopes() scope.Set {
	if o == Fetch {
		return scope.Of(scope.ReadRepository, scope.WriteRepository)
	}
	return scope.Of(scope.WriteRepository)
}

// Role returns the role that the operation takes in a project of this
// visibility: everybody who sees an internal or public project may fetch from
// it, but of a private one's members only those who may read its code.
func (o Operation) Role(v project.Visibility) project.Role {
	switch {
	case o != Fetch:
		return project.Developer
	case project.Sees(project.NoRole, v):
		return project.NoRole
	}
	return project.Reporter
}
