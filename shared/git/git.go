// Package git holds the rules for Git over HTTP: which operation on which
// project's repository a request is, and which scope and role it needs.
//
// A front end asks before it passes a request on to a Git server. If the two
// read an address differently, a caller could reach another repository than the
// one that was checked. So an address counts only if Git itself sends it in
// exactly this form.
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
	Project   string // full path, in any letter case
}

// endings follow the repository in the addresses of the smart protocol.
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

// Parse parses a request's address, which is its path and query as they were
// sent. The method is "" if the front end did not send it: the operation follows
// from the address alone. Everything outside the smart protocol is a
// fault.NotFound error: the dumb protocol, large file storage, and every address
// with an escape, an empty or dot segment, or another query.
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
// "/acme/web.git" or "/acme/web". It is unambiguous: no name ends in ".git".
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

// Scopes returns the scopes of which a token needs one. The scope api is not
// among them: the consent page describes it as access to the API alone.
func (o Operation) Scopes() scope.Set {
	if o == Fetch {
		return scope.Of(scope.ReadRepository, scope.WriteRepository)
	}
	return scope.Of(scope.WriteRepository)
}

// Role returns the role that the operation needs in a project with this
// visibility. Everyone may fetch from an internal or public project; in a private
// one it takes a member who may read code.
func (o Operation) Role(v project.Visibility) project.Role {
	switch {
	case o != Fetch:
		return project.Developer
	case project.Sees(project.NoRole, v):
		return project.NoRole
	}
	return project.Reporter
}
