package git_test

import (
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"gatehouse/shared/fault"
	"gatehouse/shared/git"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
)

func fetch(project string) git.Request { return git.Request{Operation: git.Fetch, Project: project} }
func push(project string) git.Request  { return git.Request{Operation: git.Push, Project: project} }

func TestRequestsOfTheSmartProtocol(t *testing.T) {
	tests := []struct {
		method, address string
		want            git.Request
	}{
		{"GET", "/acme/web.git/info/refs?service=git-upload-pack", fetch("acme/web")},
		{"POST", "/acme/web.git/git-upload-pack", fetch("acme/web")},
		{"GET", "/acme/web.git/info/refs?service=git-receive-pack", push("acme/web")},
		{"POST", "/acme/web.git/git-receive-pack", push("acme/web")},
		{"", "/acme/web.git/info/refs?service=git-receive-pack", push("acme/web")},
		{"", "/acme/web/git-upload-pack", fetch("acme/web")},
		{"POST", "/acme/team/tools/web/git-receive-pack", push("acme/team/tools/web")},
		{"GET", "/Acme/WEB.git/info/refs?service=git-upload-pack", fetch("Acme/WEB")},
		{"POST", "/_a/w.e-b_2.git/git-upload-pack", fetch("_a/w.e-b_2")},
		{"GET", "/acme/info/info/refs?service=git-upload-pack", fetch("acme/info")},
		{"POST", "/acme/git-upload-pack/git-receive-pack", push("acme/git-upload-pack")},
	}
	for _, test := range tests {
		if got, err := git.Parse(test.method, test.address); got != test.want || err != nil {
			t.Errorf("Parse(%q, %q) = %v, %v, want %v", test.method, test.address, got, err, test.want)
		}
	}
}

// Whatever two programs could read in two ways is not read at all.
func TestAddressesThatGitDoesNotSend(t *testing.T) {
	const fetch = "/info/refs?service=git-upload-pack"
	tests := map[string][]string{
		"no project":       {"", "/", "/git-upload-pack", "/web.git/git-upload-pack", "/web" + fetch, "/.git/git-upload-pack", "/info/refs", fetch},
		"no operation":     {"/acme/web", "/acme/web.git", "/acme/web.git/", "/acme/web.git/git-upload-archive", "/acme/web.gitgit-upload-pack"},
		"not rooted":       {"acme/web.git/git-upload-pack", "https://git.example/acme/web.git/git-upload-pack", "*"},
		"dumb protocol":    {"/acme/web.git/info/refs", "/acme/web.git/HEAD", "/acme/web.git/objects/info/packs", "/acme/web.git/objects/pack/pack-1.pack"},
		"large files":      {"/acme/web.git/info/lfs/objects/batch", "/acme/web.git/info/lfs/locks/verify"},
		"empty segment":    {"//acme/web.git/git-upload-pack", "/acme//web.git/git-upload-pack", "/acme/web.git//git-upload-pack", "/acme/web.git/git-upload-pack/", "/acme/web.git/info//refs?service=git-upload-pack"},
		"dot segment":      {"/acme/./web.git/git-upload-pack", "/acme/x/../web.git/git-upload-pack", "/../acme/web.git/git-upload-pack", "/acme/...git/git-upload-pack", "/acme/web.git/./git-upload-pack", "/acme/public.git/../web.git/git-upload-pack"},
		"escape":           {"/acme%2Fweb.git/git-upload-pack", "/acme/%77eb.git/git-upload-pack", "/acme/web%2Egit/git-upload-pack", "/acme/web.git/git%2Dupload-pack", "/acme/x/%2e%2e/web.git/git-upload-pack", "/acme/web.git/git-upload-pack%3Fx", "/acme/web.git/info/refs%3Fservice=git-upload-pack", "/acme/web%00.git/git-upload-pack"},
		"other characters": {"/acme\\web.git/git-upload-pack", "/acme/web.git;x/git-upload-pack", "/acme/web.git#/git-upload-pack", "/acme/web.git\x00/git-upload-pack", "/acme/web.git\n/git-upload-pack", "/acme/wéb.git/git-upload-pack", "/acme/ web.git/git-upload-pack", "/a:b@acme/web.git/git-upload-pack"},
		"two addresses":    {"/acme/web.git/git-upload-pack,/acme/other.git/git-upload-pack", "/acme/web.git/git-upload-pack, /acme/web.git/git-upload-pack"},
		"query of a pack":  {"/acme/web.git/git-upload-pack?", "/acme/web.git/git-upload-pack?service=git-upload-pack", "/acme/web.git/git-receive-pack?service=git-upload-pack"},
		"service":          {"/acme/web.git/info/refs?", "/acme/web.git/info/refs?service", "/acme/web.git/info/refs?service=", "/acme/web.git/info/refs?service=git-upload-archive", "/acme/web.git/info/refs?service=git-Upload-pack", "/acme/web.git/info/refs?service=upload-pack", "/acme/web.git/info/refs?SERVICE=git-upload-pack", "/acme/web.git/info/refs?service=git%2Dupload-pack"},
		"repeated service": {"/acme/web.git/info/refs?service=git-upload-pack&service=git-receive-pack", "/acme/web.git/info/refs?service=git-receive-pack&service=git-upload-pack", "/acme/web.git/info/refs?%73ervice=git-receive-pack&service=git-upload-pack", "/acme/web.git/info/refs?service=git-upload-pack&service=git-upload-pack"},
		"more query":       {"/acme/web.git/info/refs?x=1&service=git-upload-pack", "/acme/web.git/info/refs?service=git-upload-pack&x=1", "/acme/web.git/info/refs?service=git-upload-pack;x", "/acme/web.git/info/refs?service=git-upload-pack#x", "/acme/web.git/info/refs?/info/refs?service=git-upload-pack"},
		"names":            {"/acme/web.git.git/git-upload-pack", "/acme/web.GIT/git-upload-pack", "/acme/web.atom/git-upload-pack", "/acme/5.git/git-upload-pack", "/acme/-web.git/git-upload-pack", "/api/web.git/git-upload-pack", "/acme/members.git/git-upload-pack", "/acme/" + strings.Repeat("a", 256) + ".git/git-upload-pack"},
	}
	for kind, addresses := range tests {
		for _, address := range addresses {
			if got, err := git.Parse("", address); !errors.Is(err, fault.NotFound) {
				t.Errorf("%s: Parse(%q) = %v, %v, want not found", kind, address, got, err)
			}
		}
	}
}

func TestMethodMustBeTheOneThatGitUses(t *testing.T) {
	tests := []struct{ method, address string }{
		{"POST", "/acme/web.git/info/refs?service=git-upload-pack"},
		{"HEAD", "/acme/web.git/info/refs?service=git-upload-pack"},
		{"POST", "/acme/web.git/info/refs?service=git-receive-pack"},
		{"GET", "/acme/web.git/git-upload-pack"},
		{"PUT", "/acme/web.git/git-receive-pack"},
		{"OPTIONS", "/acme/web.git/git-receive-pack"},
		{"post", "/acme/web.git/git-receive-pack"},
	}
	for _, test := range tests {
		if got, err := git.Parse(test.method, test.address); !errors.Is(err, fault.NotFound) {
			t.Errorf("Parse(%q, %q) = %v, %v, want not found", test.method, test.address, got, err)
		}
	}
}

func TestScopesThatSuffice(t *testing.T) {
	tests := map[scope.Scope][]git.Operation{
		scope.ReadRepository: {git.Fetch}, scope.WriteRepository: {git.Fetch, git.Push},
		scope.API: nil, scope.ReadAPI: nil, scope.ReadUser: nil, scope.OpenID: nil, scope.Profile: nil, scope.Email: nil, scope.Sudo: nil,
	}
	for s, want := range tests {
		for _, o := range []git.Operation{git.Fetch, git.Push} {
			if got, want := o.Scopes().Has(s), slices.Contains(want, o); got != want {
				t.Errorf("%s with the scope %s: %v, want %v", o, s, got, want)
			}
		}
	}
}

func TestRoles(t *testing.T) {
	tests := []struct {
		operation  git.Operation
		visibility project.Visibility
		want       project.Role
	}{
		{git.Fetch, project.Private, project.Reporter},
		{git.Fetch, project.Internal, project.NoRole},
		{git.Fetch, project.Public, project.NoRole},
		{git.Push, project.Private, project.Developer},
		{git.Push, project.Internal, project.Developer},
		{git.Push, project.Public, project.Developer},
	}
	for _, test := range tests {
		if got := test.operation.Role(test.visibility); got != test.want {
			t.Errorf("%s in a %s project takes the role %d, want %d", test.operation, test.visibility, got, test.want)
		}
	}
}

// An address that is accepted has one reading: parsed and cleaned as any
// server would, it stays what it is, and it says what the request says.
func FuzzParse(f *testing.F) {
	endings := []string{
		"", "/info/refs?service=git-upload-pack", "/info/refs?service=git-receive-pack", "/git-upload-pack", "/git-receive-pack",
	}
	f.Add("GET", "/acme/web.git", byte(1), "")
	f.Add("POST", "/acme/team/web", byte(4), "")
	f.Add("GET", "/acme/x/%2e%2e/web.git", byte(2), "&service=git-upload-pack")
	f.Add("", "//acme/./web.git#", byte(0), "/info//refs?%73ervice=git-upload-pack")
	f.Fuzz(func(t *testing.T, method, repository string, ending byte, rest string) {
		address := repository + endings[int(ending)%len(endings)] + rest
		got, err := git.Parse(method, address)
		if err != nil {
			if got != (git.Request{}) || !errors.Is(err, fault.NotFound) {
				t.Errorf("Parse(%q, %q) = %v, %v", method, address, got, err)
			}
			return
		}
		u, err := url.ParseRequestURI(address)
		if err != nil || u.Path != path.Clean(u.Path) || u.EscapedPath() != u.Path || u.RequestURI() != address {
			t.Fatalf("Parse(%q, %q) accepts what servers read in other ways: %v, %v", method, address, u, err)
		}
		if !strings.HasPrefix(u.Path, "/"+got.Project+"/") && !strings.HasPrefix(u.Path, "/"+got.Project+".git/") {
			t.Errorf("Parse(%q, %q) reads the project as %q", method, address, got.Project)
		}
		writes := strings.HasSuffix(u.Path, "/git-receive-pack") || u.Query().Get("service") == "git-receive-pack"
		if writes != (got.Operation == git.Push) {
			t.Errorf("Parse(%q, %q) reads the operation as %s", method, address, got.Operation)
		}
	})
}
