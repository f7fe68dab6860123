// Package apptest makes an App over a SQLite store for a test, and calls endpoints as
// a client does.
package apptest

import (
	"encoding/base64"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/app"
	"gatehouse/shared/audit"
	"gatehouse/shared/integration"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

// BaseURL is where clients reach the App.
const BaseURL = "https://gatehouse.example"

// Password is every user's password.
const Password = "correct horse"

// App is an App whose clock stands still until the test moves it, with its store,
// instance keys and writable trail.
type App struct {
	*app.App
	Store storage.Store
	Keys  secret.Keys
	// KeyFile is what a file with the instance keys has.
	KeyFile string
	Trail   *audit.Trail
	// Receiver gets what webhooks send.
	Receiver *Receiver
	t        testing.TB
	start    time.Time
	elapsed  atomic.Int64
}

// New returns an App without users. Its clock starts at the present.
func New(t testing.TB) *App {
	t.Helper()
	return Over(t, sqlitetest.Open(t))
}

// Over returns such an App over another store, which must be empty.
func Over(t testing.TB, store storage.Store) *App {
	t.Helper()
	key := secret.Random(secret.KeySize)
	keys, err := secret.NewKeys(key)
	if err != nil {
		t.Fatal(err)
	}
	a := &App{t: t, Keys: keys, KeyFile: base64.StdEncoding.EncodeToString(key), Receiver: &Receiver{}, start: time.Now().UTC().Truncate(time.Millisecond)}
	return a.Moved(store)
}

// Moved returns an App as it is by now over another store.
func (a *App) Moved(store storage.Store) *App {
	return a.moved(store, oauth.Settings{PasswordGrant: true})
}

// WithSudo returns an App as it is by now over the same store, of which clients need the
// scope sudo to act with an administrator's rights.
func (a *App) WithSudo() *App {
	return a.moved(a.Store, oauth.Settings{PasswordGrant: true, Sudo: true})
}

func (a *App) moved(store storage.Store, settings oauth.Settings) *App {
	moved := &App{t: a.t, Store: store, Keys: a.Keys, KeyFile: a.KeyFile, Receiver: a.Receiver, start: a.start}
	moved.Pass(time.Duration(a.elapsed.Load()))
	moved.App = app.New(store, app.Config{
		BaseURL: BaseURL, Keys: a.Keys, Passwords: secret.Passwords{Time: 1, Memory: 64}, Attempts: throttle.DefaultLimit,
		OAuth: settings, Features: integration.AllFeatures,
		Webhooks: webhook.Delivery{Sender: a.Receiver},
		Now:      func() time.Time { return moved.start.Add(time.Duration(moved.elapsed.Load())) },
	})
	moved.Trail = audit.NewTrail(store, moved.Now)
	return moved
}

// Pass moves the clock forward.
func (a *App) Pass(d time.Duration) { a.elapsed.Add(int64(d)) }

// User adds a user with this name.
func (a *App) User(username string) user.User {
	a.t.Helper()
	return a.register(username, false)
}

// Admin adds an administrator with this name.
func (a *App) Admin(username string) user.User {
	a.t.Helper()
	return a.register(username, true)
}

func (a *App) register(username string, admin bool) user.User {
	a.t.Helper()
	return must[user.User](a.t)(a.Users.Create(a.t.Context(), audit.Setup, user.Registration{
		Username: username, Name: "The user " + username, Email: username + "@example.com",
		Password: secret.NewText(Password), Admin: admin,
	}))
}

// Block blocks the user.
func (a *App) Block(u user.User) {
	a.t.Helper()
	must[user.User](a.t)(a.Users.Block(a.t.Context(), audit.Setup, u.ID))
}

// Token adds a personal access token of the user, with scope api if none is
// named, and returns it in the clear.
func (a *App) Token(u user.User, scopes ...scope.Scope) string {
	a.t.Helper()
	_, text := a.AddToken(u, scopes...)
	return text
}

// AddToken is Token, but also returns the token's record.
func (a *App) AddToken(u user.User, scopes ...scope.Scope) (accesstoken.Token, string) {
	a.t.Helper()
	if len(scopes) == 0 {
		scopes = scope.Of(scope.API)
	}
	token, text, err := a.Tokens.Create(a.t.Context(), audit.Setup, accesstoken.Request{
		UserID: u.ID, Admin: u.Admin, Name: "test", Scopes: scope.Of(scopes...),
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return token, text.Reveal()
}

// RevokedToken returns a token that the user revoked.
func (a *App) RevokedToken(u user.User) string {
	a.t.Helper()
	token, text := a.AddToken(u)
	if err := a.Tokens.Revoke(a.t.Context(), audit.Setup, token); err != nil {
		a.t.Fatal(err)
	}
	return text
}

// OAuthToken returns an access token of the user by the password grant.
func (a *App) OAuthToken(u user.User, scopes ...scope.Scope) string {
	a.t.Helper()
	tokens := must[oauth.Tokens](a.t)(a.OAuth.Token(a.t.Context(), oauth.TokenRequest{
		GrantType: "password", Username: u.Username, Password: secret.NewText(Password), Scope: scope.Of(scopes...).String(),
	}))
	return tokens.Access.Reveal()
}

// Group adds a group below the parent, or at the top below the zero Group. The
// owner is its only member.
func (a *App) Group(path string, parent project.Group, owner user.User, v project.Visibility) project.Group {
	a.t.Helper()
	draft := project.Draft{Name: "The group " + path, Path: path, Visibility: v}
	return must[project.Group](a.t)(a.Projects.CreateGroup(a.t.Context(), audit.ByUser(owner.ID), draft, parent))
}

// Namespace returns the user's own namespace.
func (a *App) Namespace(u user.User) project.Group {
	a.t.Helper()
	return must[project.Group](a.t)(a.Projects.Group(a.t.Context(), u.NamespaceID))
}

// Project adds a project to the namespace.
func (a *App) Project(path string, namespace project.Group, v project.Visibility) project.Project {
	a.t.Helper()
	draft := project.Draft{Name: "The project " + path, Path: path, Visibility: v}
	return must[project.Project](a.t)(a.Projects.CreateProject(a.t.Context(), audit.Setup, draft, namespace))
}

// Member gives the user a role in the place.
func (a *App) Member(at project.Place, u user.User, role project.Role) {
	a.t.Helper()
	a.MemberUntil(at, u, role, time.Time{})
}

// MemberUntil gives the user a role in the place that ends on that day.
func (a *App) MemberUntil(at project.Place, u user.User, role project.Role, end time.Time) {
	a.t.Helper()
	m := project.Member{Place: at, UserID: u.ID, Role: role, ExpiresAt: end, CreatedAt: a.Now()}
	if err := a.Store.AddMember(a.t.Context(), m); err != nil {
		a.t.Fatal(err)
	}
}

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
