package storagetest

import (
	"encoding/hex"
	"testing"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

// unknownID is the id of nothing.
const unknownID = 987654321

// unique returns a name that nothing else in the store has.
func unique(word string) string { return word + "-" + hex.EncodeToString(secret.Random(5)) }

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func newUser() user.User {
	name := unique("User")
	return user.User{
		Username: name, Name: "Ada Lovelace", Email: name + "@Example.com", PasswordHash: "$argon2id$…",
		State: user.Active, Admin: true, PrivateProfile: true, TwoFactorEnabled: true,
		CreatedAt: now, UpdatedAt: now.Add(time.Second), SessionEpoch: now.Add(time.Millisecond), ConfirmedAt: now.Add(2 * time.Millisecond),
		LastSignInAt: now.Add(3 * time.Millisecond),
	}
}

func addUser(t *testing.T, s storage.Store) user.User {
	t.Helper()
	return must[user.User](t)(s.CreateUser(t.Context(), newUser()))
}

func newToken(userID int64) accesstoken.Token {
	return accesstoken.Token{
		UserID: userID, Name: "deploy", Scopes: scope.Of(scope.API, scope.Sudo),
		Digest: secret.New("", 20).Digest(), CreatedAt: now, ExpiresAt: now.Add(time.Hour),
	}
}

func addToken(t *testing.T, s storage.Store, userID int64) accesstoken.Token {
	t.Helper()
	return must[accesstoken.Token](t)(s.CreateAccessToken(t.Context(), newToken(userID)))
}

func newSession(userID int64) session.Session {
	return session.Session{
		UserID: userID, ID: hex.EncodeToString(secret.Random(16)), Digest: secret.New("", 32).Digest(),
		CreatedAt: now, LastSeenAt: now, SessionEpoch: now.Add(-time.Hour),
		Browser: audit.Browser{UserAgent: "Mozilla/5.0 (X11; Linux x86_64)", Address: "2001:db8::1"},
	}
}

func addSession(t *testing.T, s storage.Store, userID int64) session.Session {
	t.Helper()
	added := newSession(userID)
	if err := s.CreateSession(t.Context(), added); err != nil {
		t.Fatal(err)
	}
	return added
}

func newGroup() project.Group {
	path := unique("Group")
	return project.Group{
		Name: "A group", Path: path, FullPath: path, Visibility: project.Private, CreatedAt: now,
	}
}

func newSubgroup(parent project.Group) project.Group {
	g := newGroup()
	g.ParentID, g.Ancestors, g.FullPath = parent.ID, parent.Lineage(), parent.FullPath+"/"+g.Path
	return g
}

func addGroup(t *testing.T, s storage.Store, creator int64) project.Group {
	t.Helper()
	return must[project.Group](t)(s.CreateGroup(t.Context(), newGroup(), creator))
}

func addSubgroup(t *testing.T, s storage.Store, parent project.Group, creator int64) project.Group {
	t.Helper()
	return must[project.Group](t)(s.CreateGroup(t.Context(), newSubgroup(parent), creator))
}

func newProject(namespace project.Group) project.Project {
	path := unique("Project")
	return project.Project{
		NamespaceID: namespace.ID, NamespacePath: namespace.FullPath, OwnerID: namespace.OwnerID,
		Lineage: namespace.Lineage(), Name: "A project", Path: path, FullPath: namespace.FullPath + "/" + path,
		Visibility: project.Private, CreatedAt: now,
	}
}

func addProject(t *testing.T, s storage.Store, namespace project.Group) project.Project {
	t.Helper()
	return must[project.Project](t)(s.CreateProject(t.Context(), newProject(namespace)))
}

func namespaceOf(t *testing.T, s storage.Store, u user.User) project.Group {
	t.Helper()
	return must[project.Group](t)(s.Group(t.Context(), u.NamespaceID))
}

func addMember(t *testing.T, s storage.Store, place project.Place, userID int64, role project.Role) project.Member {
	t.Helper()
	m := project.Member{Place: place, UserID: userID, Role: role, CreatedAt: now}
	if err := s.AddMember(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return m
}

func newClient(ownerID int64) oauth.Client {
	return oauth.Client{
		ClientID: hex.EncodeToString(secret.Random(32)), SecretDigest: secret.New("", 32).Digest(),
		Name: "A client", RedirectURIs: []string{"https://client.example/callback", "com.example.app:/callback"},
		Scopes: scope.Of(scope.API, scope.OpenID), Confidential: true, Trusted: true, RequireSecret: true,
		PasswordGrant: true, OwnRefreshRetry: true, RefreshRetry: 12, OwnerID: ownerID, CreatedAt: now,
	}
}

func addClient(t *testing.T, s storage.Store, ownerID int64) oauth.Client {
	t.Helper()
	return must[oauth.Client](t)(s.CreateClient(t.Context(), newClient(ownerID)))
}

// newGrant returns a grant with an outstanding code.
func newGrant(userID, clientID int64) oauth.Grant {
	return oauth.Grant{
		GrantID:     oauth.GrantID{UserID: userID, ClientID: clientID, Random: [12]byte(secret.Random(12))},
		Application: hex.EncodeToString(secret.Random(32)), Nonce: [16]byte(secret.Random(16)),
		RedirectURI: "https://client.example/callback", Scopes: scope.Of(scope.API, scope.ReadUser),
		Challenge: oauth.ChallengeOf("a verifier"), Refreshable: true, OIDCNonce: "a nonce",
		AuthenticatedAt: now.Add(-time.Minute), SessionEpoch: now.Add(-time.Hour), CreatedAt: now,
	}
}

func addGrant(t *testing.T, s storage.Store) oauth.Grant {
	t.Helper()
	return addGrantOf(t, s, 11, 22)
}

func addGrantOf(t *testing.T, s storage.Store, userID, clientID int64) oauth.Grant {
	t.Helper()
	g := newGrant(userID, clientID)
	if err := s.CreateGrant(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	return g
}

// addRedeemed returns a stored grant whose code was exchanged.
func addRedeemed(t *testing.T, s storage.Store) oauth.Grant {
	t.Helper()
	g := addGrant(t, s).Redeemed(now.Add(time.Second))
	if _, err := s.AdvanceGrant(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	return g
}
