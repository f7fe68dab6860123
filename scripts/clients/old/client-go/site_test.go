// Package clientgo has the calls of Gatehouse's deprecated surfaces made by client-go,
// of the last release that has all of them.
package clientgo

import (
	"net/http"
	"slices"
	"testing"

	"gatehouse/scripts/clients/old/judge"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

// administrator returns a client with an administrator's token.
func administrator(t *testing.T) *gitlab.Client {
	t.Helper()
	_, token := judge.Server(t)
	return client(t, token)
}

func client(t *testing.T, token string) *gitlab.Client {
	t.Helper()
	base, _ := judge.Server(t)
	git, err := gitlab.NewClient(token, gitlab.WithBaseURL(base), gitlab.WithoutRetries())
	if err != nil {
		t.Fatal(err)
	}
	return git
}

// call takes what a call of the client returned.
func call[T any](value T, r *gitlab.Response, err error) judge.Answer[T] {
	answer := judge.Answer[T]{Value: value, Err: err}
	if r != nil {
		answer.Header = r.Header
	}
	return answer
}

// done takes what a call without content returned.
func done(r *gitlab.Response, err error) judge.Answer[struct{}] { return call(struct{}{}, r, err) }

// report sends what the platform says of a thing. The client has no call for that.
func report(t *testing.T, git *gitlab.Client, path string, said map[string]any) judge.Answer[map[string]any] {
	t.Helper()
	r, err := git.NewRequest(http.MethodPut, path, said, nil)
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	answered, err := git.Do(r, &answer)
	return call(answer, answered, err)
}

// only returns the one thing in a list that this is true of.
func only[T any](t *testing.T, list []T, is func(T) bool) T {
	t.Helper()
	others := func(thing T) bool { return !is(thing) }
	found := slices.DeleteFunc(slices.Clone(list), others)
	if len(found) != 1 {
		t.Fatalf("%d of the %d listed are the one, want 1", len(found), len(list))
	}
	return found[0]
}

func newGroup(t *testing.T, git *gitlab.Client) *gitlab.Group {
	t.Helper()
	name := gitlab.Ptr(judge.Unique("makers"))
	return call(git.Groups.CreateGroup(&gitlab.CreateGroupOptions{Name: name, Path: name})).Silent(t)
}

func newProject(t *testing.T, git *gitlab.Client, group *gitlab.Group) *gitlab.Project {
	t.Helper()
	options := &gitlab.CreateProjectOptions{Name: gitlab.Ptr(judge.Unique("web")), NamespaceID: &group.ID}
	return call(git.Projects.CreateProject(options)).Silent(t)
}

// newDeveloper makes a user who is a developer of the project, and a client of theirs.
func newDeveloper(t *testing.T, git *gitlab.Client, p *gitlab.Project) (*gitlab.User, *gitlab.Client) {
	t.Helper()
	name := judge.Unique("ada")
	user := call(git.Users.CreateUser(&gitlab.CreateUserOptions{
		Username: &name, Name: gitlab.Ptr("Ada"), Email: gitlab.Ptr(name + "@example.com"), Password: gitlab.Ptr("a walk in the park"),
	})).Silent(t)
	call(git.ProjectMembers.AddProjectMember(p.ID, &gitlab.AddProjectMemberOptions{
		UserID: user.ID, AccessLevel: gitlab.Ptr(gitlab.DeveloperPermissions),
	})).Silent(t)
	token := call(git.Users.CreatePersonalAccessToken(user.ID, &gitlab.CreatePersonalAccessTokenOptions{
		Name: gitlab.Ptr("client-go"), Scopes: &[]string{"api"},
	})).Silent(t)
	return user, client(t, token.Token)
}

// whoami returns the client's user as others see them.
func whoami(t *testing.T, git *gitlab.Client) *gitlab.BasicUser {
	t.Helper()
	return basic(call(git.Users.CurrentUser()).Silent(t))
}

func basic(u *gitlab.User) *gitlab.BasicUser {
	return &gitlab.BasicUser{ID: u.ID, Username: u.Username, Name: u.Name, State: u.State, WebURL: u.WebURL}
}
