package dynamodb_test

import (
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

// wire stands between a store and DynamoDB. It notes the requests and lets a
// test answer in DynamoDB's place.
type wire struct {
	mu         sync.Mutex
	operations []string
	// answer replaces DynamoDB's answer, which is nil before the request is
	// sent; nil leaves all as it is.
	answer func(operation string, theirs *http.Response) *http.Response
}

func (w *wire) Do(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	w.mu.Lock()
	w.operations = append(w.operations, operation)
	answer := w.answer
	w.mu.Unlock()
	if answer == nil {
		return http.DefaultClient.Do(r)
	}
	if ours := answer(operation, nil); ours != nil {
		return ours, nil
	}
	theirs, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if ours := answer(operation, theirs); ours != nil {
		return ours, theirs.Body.Close()
	}
	return theirs, nil
}

// during returns the operations that a call needs.
func (w *wire) during(call func()) []string {
	w.operations = nil
	call()
	return w.operations
}

func response(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:   io.NopCloser(strings.NewReader(body)),
	}
}

// now has no fraction of a microsecond, which the store would not keep.
var now = time.Now().UTC().Truncate(time.Microsecond)

func must[T any](t testing.TB) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func unique(word string) string { return word + hex.EncodeToString(secret.Random(5)) }

func newUser() user.User {
	name := unique("user")
	return user.User{Username: name, Name: name, Email: name + "@example.com", State: user.Active, CreatedAt: now}
}

func newAdmin() user.User {
	u := newUser()
	u.Admin = true
	return u
}

func addUser(t testing.TB, s storage.Store) user.User {
	t.Helper()
	return must[user.User](t)(s.CreateUser(t.Context(), newUser()))
}

func newGroup(parent project.Group, path string) project.Group {
	g := project.Group{Name: path, Path: path, FullPath: path, Visibility: project.Private, CreatedAt: now}
	if parent.ID != 0 {
		g.ParentID, g.Ancestors, g.FullPath = parent.ID, parent.Lineage(), parent.FullPath+"/"+path
	}
	return g
}

func addGroup(t testing.TB, s storage.Store, parent project.Group, path string, creator int64) project.Group {
	t.Helper()
	return must[project.Group](t)(s.CreateGroup(t.Context(), newGroup(parent, path), creator))
}

func newProject(g project.Group) project.Project {
	path := unique("project")
	return project.Project{
		NamespaceID: g.ID, NamespacePath: g.FullPath, Lineage: g.Lineage(), Name: path, Path: path,
		FullPath: g.FullPath + "/" + path, Visibility: project.Private, CreatedAt: now,
	}
}

func newClient() oauth.Client {
	return oauth.Client{
		ClientID: hex.EncodeToString(secret.Random(32)), Name: "client",
		RedirectURIs: []string{"https://client.example/"}, Scopes: []string{"api"}, CreatedAt: now,
	}
}

func newGrant() oauth.Grant {
	return oauth.Grant{
		GrantID: oauth.GrantID{UserID: 1, ClientID: 2, Random: [12]byte(secret.Random(12))},
		Nonce:   [16]byte(secret.Random(16)), Scopes: []string{"api"}, Refreshable: true, CreatedAt: now,
	}
}

func addGrant(t testing.TB, s storage.Store) oauth.Grant {
	t.Helper()
	g := newGrant()
	if err := s.CreateGrant(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	return g
}

func newSession(userID int64) session.Session {
	return session.Session{
		UserID: userID, ID: hex.EncodeToString(secret.Random(16)), CreatedAt: now, LastSeenAt: now,
	}
}

func newToken(userID int64) accesstoken.Token {
	return accesstoken.Token{
		UserID: userID, Name: "token", Scopes: []string{"api"}, Digest: secret.New("", 20).Digest(), CreatedAt: now,
	}
}
