package auth_test

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/auth"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

type object = map[string]any

// guarded has a call behind every guard.
func guarded(a *app.App) http.Handler {
	whoami := func(w http.ResponseWriter, _ *http.Request, c auth.Caller) error {
		return web.JSON(w, http.StatusOK, c.User.Username)
	}
	role := func(w http.ResponseWriter, _ *http.Request, c auth.Caller, _ project.Project) error {
		return web.JSON(w, http.StatusOK, c.Role)
	}
	roleInGroup := func(w http.ResponseWriter, _ *http.Request, c auth.Caller, _ project.Group) error {
		return web.JSON(w, http.StatusOK, c.Role)
	}
	mux := web.NewMux()
	mux.Handle("/me", a.Auth.User()(whoami))
	mux.Handle("/profile", a.Auth.User(scope.ReadUser)(whoami))
	mux.Handle("/admin", a.Auth.Admin()(whoami))
	mux.Handle("/projects/{id}", a.Auth.Project(project.Maintainer)(role))
	mux.Handle("/seen/{id}", a.Auth.Project(project.NoRole)(role))
	mux.Handle("/groups/{id}", a.Auth.Group(project.Maintainer)(roleInGroup))
	return mux
}

const (
	expired = "Token is expired. You can either do re-authorization or token refresh."
	revoked = "Token was revoked. You have to re-authorize from the user."
	realm   = `Bearer realm="Gatehouse"`
)

func invalidToken(description string) object {
	return object{"error": "invalid_token", "error_description": description}
}

func insufficient(scopes string) object {
	return object{
		"error": "insufficient_scope", "scope": scopes,
		"error_description": "The request requires higher privileges than provided by the access token.",
	}
}

// expiringToken returns a token that ends within a day.
func expiringToken(t *testing.T, a *apptest.App, u user.User) string {
	t.Helper()
	_, text, err := a.Tokens.Create(t.Context(), audit.Setup, accesstoken.Request{
		UserID: u.ID, Name: "short", Scopes: scope.Of(scope.API), ExpiresAt: a.Now().Truncate(24*time.Hour).AddDate(0, 0, 1),
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.Reveal()
}

// Each caller fails at one check and would fail at every later one as well.
func TestOrderOfChecks(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	ada, dana := a.User("ada"), a.User("dana")
	blocked := a.User("blocked")
	hidden := a.Project("hidden", a.Namespace(ada), project.Private)
	open := a.Project("open", a.Namespace(ada), project.Internal)
	a.Member(open.Place(), dana, project.Developer)
	old := expiringToken(t, a, blocked)
	a.Pass(24 * time.Hour)
	blockeds := a.Token(blocked, scope.ReadUser)
	revokeds := a.RevokedToken(blocked)
	a.Block(blocked)
	gone := a.User("gone")
	gones := a.Token(gone)
	if err := a.Users.Delete(t.Context(), audit.Setup, gone.ID); err != nil {
		t.Fatal(err)
	}
	unauthorized := object{"message": "401 Unauthorized"}
	tests := []struct {
		name, method, token string
		project             project.Project
		status              int
		body                any
		challenge           string
	}{
		{"no token", "PUT", "", hidden, 401, unauthorized, realm},
		{"unknown token", "PUT", "gtpat-unheard", hidden, 401, unauthorized, realm},
		{"deleted user", "PUT", gones, hidden, 401, unauthorized, realm},
		{"expired token", "PUT", old, hidden, 401, invalidToken(expired), realm + `, error="invalid_token", error_description="` + expired + `"`},
		{"revoked token", "PUT", revokeds, hidden, 401, invalidToken(revoked), realm + `, error="invalid_token", error_description="` + revoked + `"`},
		{"blocked user", "PUT", blockeds, hidden, 403, object{"message": "403 Forbidden - Your account has been blocked"}, ""},
		{"scope too small to write", "PUT", a.Token(dana, scope.ReadAPI), hidden, 403, insufficient("api"), ""},
		{"scope too small to read", "GET", a.Token(dana, scope.ReadUser), hidden, 403, insufficient("api read_api"), ""},
		{"unknown project", "PUT", a.Token(dana), project.Project{ID: 9999}, 404, object{"message": "404 Project Not Found"}, ""},
		{"hidden project", "PUT", a.Token(dana), hidden, 404, object{"message": "404 Project Not Found"}, ""},
		{"role too small", "PUT", a.Token(dana), open, 403, object{"message": "403 Forbidden"}, ""},
		{"enough", "PUT", a.Token(ada), hidden, 200, float64(project.Owner), ""},
		{"enough to read", "GET", a.Token(ada, scope.ReadAPI), hidden, 200, float64(project.Owner), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer := apptest.Call(t, h, test.method, fmt.Sprintf("/projects/%d", test.project.ID), test.token, nil)
			answer.Want(t, test.status, test.body)
			if got := answer.Header.Get("WWW-Authenticate"); got != test.challenge {
				t.Errorf("WWW-Authenticate is %q, want %q", got, test.challenge)
			}
		})
	}
}

func TestWaysToSendAToken(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	ada := a.User("ada")
	tokens := map[string]string{"personal": a.Token(ada), "OAuth": a.OAuthToken(ada, scope.API)}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Add(name, value) }
	}
	query := func(q string) func(*http.Request) { return func(r *http.Request) { r.URL.RawQuery = q } }
	basic := func(name, password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(name, password) }
	}
	twice := object{"error": "invalid_request", "error_description": "the request holds more than one access token"}
	for kind, token := range tokens {
		tests := []struct {
			name    string
			arrange []func(*http.Request)
			status  int
			body    any
		}{
			{"Bearer", []func(*http.Request){header("Authorization", "Bearer "+token)}, 200, "ada"},
			{"bearer", []func(*http.Request){header("Authorization", "bearer  "+token)}, 200, "ada"},
			{"PRIVATE-TOKEN", []func(*http.Request){header("PRIVATE-TOKEN", token)}, 200, "ada"},
			{"access_token", []func(*http.Request){query("access_token=" + token)}, 200, "ada"},
			{"private_token", []func(*http.Request){query("private_token=" + token)}, 200, "ada"},
			{"Basic", []func(*http.Request){basic("ada", token)}, 200, "ada"},
			{"empty Basic beside it", []func(*http.Request){basic("", ""), header("PRIVATE-TOKEN", token)}, 200, "ada"},
			{"beside a query that is malformed", []func(*http.Request){query("a=%zz"), header("PRIVATE-TOKEN", token)}, 200, "ada"},
			{"header and query", []func(*http.Request){header("Authorization", "Bearer "+token), query("access_token=" + token)}, 400, twice},
			{"two headers", []func(*http.Request){header("Authorization", "Bearer "+token), header("PRIVATE-TOKEN", token)}, 400, twice},
			{"a header twice", []func(*http.Request){header("PRIVATE-TOKEN", token), header("PRIVATE-TOKEN", token)}, 400, twice},
			{"query twice", []func(*http.Request){query("access_token=" + token + "&access_token=" + token)}, 400, twice},
			{"unknown scheme", []func(*http.Request){header("Authorization", "Token "+token)}, 401, nil},
			{"as the user name", []func(*http.Request){basic(token, "")}, 401, nil},
			{"as the digest that is stored", []func(*http.Request){header("PRIVATE-TOKEN", digestOf(token))}, 401, nil},
			{"shortened", []func(*http.Request){header("PRIVATE-TOKEN", token[:len(token)-1])}, 401, nil},
		}
		for _, test := range tests {
			t.Run(kind+" "+test.name, func(t *testing.T) {
				r := httptest.NewRequest("GET", "/me", nil)
				for _, arrange := range test.arrange {
					arrange(r)
				}
				apptest.Send(t, h, r).Want(t, test.status, test.body)
			})
		}
	}
}

// digestOf is what somebody would know who read the store.
func digestOf(token string) string {
	digest := secret.NewText(token).Digest()
	return hex.EncodeToString(digest[:])
}

func TestScopes(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	root := a.Admin("root")
	const read, write = http.MethodGet, http.MethodPost
	tests := []struct {
		scope        scope.Scope
		method, path string
		want         int
	}{
		{scope.API, write, "/me", 200},
		{scope.API, read, "/admin", 200},
		{scope.ReadAPI, read, "/me", 200},
		{scope.ReadAPI, http.MethodHead, "/me", 200},
		{scope.ReadAPI, write, "/me", 403},
		{scope.ReadAPI, http.MethodDelete, "/me", 403},
		{scope.ReadAPI, http.MethodOptions, "/me", 403},
		{scope.ReadUser, read, "/profile", 200},
		{scope.ReadUser, write, "/profile", 403},
		{scope.ReadUser, read, "/me", 403},
		{scope.ReadUser, read, "/admin", 403},
		{scope.Sudo, read, "/me", 403},
		{scope.WriteRepository, read, "/profile", 403},
	}
	for _, test := range tests {
		answer := apptest.Call(t, h, test.method, test.path, a.Token(root, test.scope), nil)
		if answer.Status != test.want {
			t.Errorf("%s %s with scope %s answered %d, want %d", test.method, test.path, test.scope, answer.Status, test.want)
		}
	}
	apptest.Call(t, h, read, "/profile", a.Token(root, scope.WriteRepository), nil).Want(t, 403, insufficient("api read_api read_user"))
	apptest.Call(t, h, read, "/admin", a.Token(a.User("ada")), nil).WantMessage(t, 403, "403 Forbidden")
}

// Where applications need sudo to use an administrator's rights, one without it is served
// as for anybody else. Elsewhere no application has that scope.
func TestApplicationsOfAdministrators(t *testing.T) {
	a := apptest.New(t)
	asking := a.WithSudo()
	root, ada := a.Admin("root"), a.User("ada")
	private := fmt.Sprintf("/projects/%d", a.Project("web", a.Namespace(ada), project.Private).ID)
	own := fmt.Sprintf("/projects/%d", a.Project("own", a.Namespace(root), project.Private).ID)
	plain, full, personal := asking.OAuthToken(root, scope.API), asking.OAuthToken(root, scope.API, scope.Sudo), a.Token(root)
	owner, notFound, needsSudo := float64(project.Owner), object{"message": "404 Project Not Found"}, insufficient("sudo")
	tests := []struct {
		name   string
		on     *apptest.App
		token  string
		path   string
		status int
		body   any
	}{
		{"asking, without sudo: what administrators may", asking, plain, "/admin", 403, needsSudo},
		{"asking, without sudo: another's project", asking, plain, private, 404, notFound},
		{"asking, without sudo: their own project", asking, plain, own, 200, owner},
		{"asking, without sudo: as another", asking, plain, "/me?sudo=ada", 403, needsSudo},
		{"asking, without sudo: themselves", asking, plain, "/me", 200, "root"},
		{"asking, with sudo: what administrators may", asking, full, "/admin", 200, nil},
		{"asking, with sudo: another's project", asking, full, private, 200, owner},
		{"asking, with sudo: as another", asking, full, "/me?sudo=ada", 200, "ada"},
		{"asking, personal access token", asking, personal, "/admin", 200, nil},
		{"asking, application of another", asking, asking.OAuthToken(ada, scope.API), "/admin", 403, object{"message": "403 Forbidden"}},
		{"asking, application of another, with sudo", asking, asking.OAuthToken(ada, scope.API, scope.Sudo), "/me?sudo=root", 403, object{"message": "403 Forbidden - Must be admin to use sudo"}},
		{"not asking: what administrators may", a, plain, "/admin", 200, nil},
		{"not asking: as another, once with sudo", a, full, "/me?sudo=ada", 403, needsSudo},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			apptest.Call(t, guarded(test.on.App), "GET", test.path, test.token, nil).Want(t, test.status, test.body)
		})
	}
}

func TestSudo(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	root, ada, blocked := a.Admin("root"), a.User("ada"), a.User("blocked")
	a.Block(blocked)
	p := a.Project("web", a.Namespace(ada), project.Private)
	a.Group("adas", project.Group{}, ada, project.Private)
	a.Group("roots", project.Group{}, root, project.Private)
	sudoer := a.Token(root, scope.API, scope.Sudo)
	noSuch := func(name string) object {
		return object{"message": "404 User with ID or username '" + name + "' Not Found"}
	}
	tests := []struct {
		name, token, as, path string
		status                int
		body                  any
	}{
		{"by name", sudoer, "ada", "/me", 200, "ada"},
		{"in any case", sudoer, "ADA", "/me", 200, "ada"},
		{"by id", sudoer, fmt.Sprint(ada.ID), "/me", 200, "ada"},
		{"with that user's rights", sudoer, "ada", "/admin", 403, object{"message": "403 Forbidden"}},
		{"with that user's role", sudoer, "ada", fmt.Sprintf("/projects/%d", p.ID), 200, float64(project.Owner)},
		{"with that user's memberships", sudoer, "ada", "/groups/adas", 200, float64(project.Owner)},
		{"without the own memberships", sudoer, "ada", "/groups/roots", 404, object{"message": "404 Group Not Found"}},
		{"by e-mail address", sudoer, "ada@example.com", "/me", 404, noSuch("ada@example.com")},
		{"as nobody", sudoer, "nobody", "/me", 404, noSuch("nobody")},
		{"as an unknown id", sudoer, "9999", "/me", 404, noSuch("9999")},
		{"as a blocked user", sudoer, "blocked", "/me", 403, object{"message": "403 Forbidden - Your account has been blocked"}},
		{"without the scope", a.Token(root), "ada", "/me", 403, insufficient("sudo")},
		{"by nobody special", a.Token(ada), "root", "/me", 403, object{"message": "403 Forbidden - Must be admin to use sudo"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", test.path, nil)
			r.Header.Set("PRIVATE-TOKEN", test.token)
			r.Header.Set("Sudo", test.as)
			apptest.Send(t, h, r).Want(t, test.status, test.body)
			apptest.Call(t, h, "GET", test.path+"?sudo="+test.as, test.token, nil).Want(t, test.status, test.body)
		})
	}
	// An administrator acts with the rights of the other user alone.
	stranger := a.User("stranger")
	apptest.Call(t, h, "GET", fmt.Sprintf("/projects/%d?sudo=%d", p.ID, stranger.ID), sudoer, nil).
		WantMessage(t, 404, "404 Project Not Found")
}

func TestSudoIsRecorded(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	root, ada := a.Admin("root"), a.User("ada")
	sudoer := a.Token(root, scope.API, scope.Sudo)
	tests := []struct {
		name, path string
		want       []audit.Event
	}{
		{"not used", "/me", nil},
		{"as an unknown user", "/me?sudo=nobody", nil},
		{"as a user", "/me?sudo=ada", []audit.Event{{
			Name: auth.EventSudoUsed, ActorID: root.ID, UserID: ada.ID, Details: audit.Details{"call": "/me"}, Outcome: audit.Done,
		}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			apptest.Call(t, h, "GET", test.path, sudoer, nil)
			page, err := a.Trail.Entries(t.Context(), audit.Filter{Everybody: true, Name: auth.EventSudoUsed, Size: 10})
			if err != nil {
				t.Fatal(err)
			}
			var got []audit.Event
			for _, e := range page.Entries {
				got = append(got, e.Event)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
		})
	}
}

// In whichever place an administrator says it, it counts; where it cannot be
// known, nothing is done in the administrator's own name.
func TestSudoInParameters(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	a.User("ada")
	sudoer := a.Token(a.Admin("root"), scope.API, scope.Sudo)
	tests := []struct {
		name, target, header, contentType, body string
		status                                  int
	}{
		{"form", "/admin", "", "application/x-www-form-urlencoded", "sudo=ada", 403},
		{"JSON", "/admin", "", "application/json", `{"sudo":"ada"}`, 403},
		{"nobody", "/admin", "", "application/json", `{}`, 200},
		{"header and parameter agree", "/admin?sudo=ada", "ada", "", "", 403},
		{"header and parameter differ", "/admin?sudo=ada", "root", "", "", 400},
		{"twice", "/admin?sudo=root&sudo=root", "", "", "", 400},
		{"a list", "/admin?sudo[]=root", "", "", "", 400},
		{"twice in JSON", "/admin", "", "application/json", `{"sudo":"ada","sudo":"root"}`, 400},
		{"unreadable", "/admin", "", "application/json", `{"sudo":`, 400},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", test.target, strings.NewReader(test.body))
			r.Header.Set("PRIVATE-TOKEN", sudoer)
			r.Header.Set("Sudo", test.header)
			r.Header.Set("Content-Type", test.contentType)
			apptest.Send(t, h, r).Want(t, test.status, nil)
		})
	}
}

// Not everybody reads the body of a GET. Whoever names a user there must not get the answer
// for another one.
func TestSudoInTheBodyOfAGet(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	ada := a.User("ada")
	sudoer := a.Token(a.Admin("root"), scope.API, scope.Sudo)
	refused := object{"error": "sudo is invalid: it is not taken from the body of a GET, send the header Sudo"}
	tests := []struct {
		name, token, contentType, body string
		status                         int
		want                           any
	}{
		{"form", sudoer, "application/x-www-form-urlencoded", "sudo=ada", 400, refused},
		{"JSON", sudoer, "application/json", `{"sudo":"ada"}`, 400, refused},
		{"no administrator", a.Token(ada), "application/json", `{"sudo":"root"}`, 400, refused},
		{"another parameter", sudoer, "application/json", `{"search":"ada"}`, 200, "root"},
		{"a text", sudoer, "text/plain", "sudo", 200, "root"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/me", strings.NewReader(test.body))
			r.Header.Set("PRIVATE-TOKEN", test.token)
			r.Header.Set("Content-Type", test.contentType)
			apptest.Send(t, h, r).Want(t, test.status, test.want)
		})
	}
}

func TestOAuthTokensEnd(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	ada := a.User("ada")

	ended := a.OAuthToken(ada, scope.API)
	if err := a.OAuth.Revoke(t.Context(), oauth.Credentials{}, secret.NewText(ended)); err != nil {
		t.Fatal(err)
	}
	apptest.Call(t, h, "GET", "/me", ended, nil).Want(t, 401, invalidToken(revoked))

	late := a.OAuthToken(ada, scope.API)
	a.Pass(oauth.AccessLifetime - time.Second)
	apptest.Call(t, h, "GET", "/me", late, nil).Want(t, 200, "ada")
	a.Pass(time.Second)
	apptest.Call(t, h, "GET", "/me", late, nil).Want(t, 401, invalidToken(expired))

	live := a.OAuthToken(ada, scope.API)
	a.Block(ada)
	apptest.Call(t, h, "GET", "/me", live, nil).WantMessage(t, 403, "403 Forbidden - Your account has been blocked")
}

// A password that somebody else may know, and a block, end what the password
// alone opened. What an application got by the user's consent, and what the
// user made for a machine, have ends of their own.
func TestPasswordGrantEndsWithThePasswordAndWithABlock(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	ada := a.User("ada")
	personal, consented := a.Token(ada), consentedToken(t, a, ada)
	before := a.OAuthToken(ada, scope.API)
	a.Pass(time.Second)
	state, active, password := user.Blocked, user.Active, secret.NewText(apptest.Password)
	change := func(c user.Change) {
		t.Helper()
		if _, err := a.Users.Update(t.Context(), audit.Setup, ada.ID, c); err != nil {
			t.Fatal(err)
		}
	}

	change(user.Change{Password: &password})
	same := a.OAuthToken(ada, scope.API)
	apptest.Call(t, h, "GET", "/me", before, nil).Want(t, 401, invalidToken(revoked))
	apptest.Call(t, h, "GET", "/me", same, nil).Want(t, 200, "ada")

	a.Pass(time.Second)
	change(user.Change{State: &state})
	apptest.Call(t, h, "GET", "/me", same, nil).WantMessage(t, 403, "403 Forbidden - Your account has been blocked")
	a.Pass(time.Second)
	change(user.Change{State: &active})
	apptest.Call(t, h, "GET", "/me", same, nil).Want(t, 401, invalidToken(revoked))
	for _, token := range []string{personal, consented, a.OAuthToken(ada, scope.API)} {
		apptest.Call(t, h, "GET", "/me", token, nil).Want(t, 200, "ada")
	}
}

// consentedToken returns the access token of an application that the user let
// act with scope api.
func consentedToken(t *testing.T, a *apptest.App, u user.User) string {
	t.Helper()
	const redirectURI, verifier = "https://client.example/", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	client, _, err := a.OAuth.Register(t.Context(), audit.Setup, u.ID, oauth.Registration{
		Name: "App", RedirectURIs: redirectURI, Scopes: scope.Of(scope.API),
	})
	if err != nil {
		t.Fatal(err)
	}
	authorization, err := a.OAuth.Check(client, oauth.AuthorizeRequest{
		ClientID: client.ClientID, RedirectURI: redirectURI, ResponseType: "code",
		CodeChallenge: string(oauth.ChallengeOf(verifier)), CodeChallengeMethod: "S256",
	})
	if err != nil {
		t.Fatal(err)
	}
	redirect, err := a.OAuth.Approve(t.Context(), u, authorization)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := a.OAuth.Token(t.Context(), oauth.TokenRequest{
		GrantType: "authorization_code", Client: oauth.Credentials{ClientID: client.ClientID},
		Code: secret.NewText(redirect.Params.Get("code")), RedirectURI: redirectURI, CodeVerifier: verifier,
	})
	if err != nil {
		t.Fatal(err)
	}
	return tokens.Access.Reveal()
}

func TestTokensEndWithTheirApplication(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	a.User("ada")
	client, text, err := a.OAuth.Register(t.Context(), audit.Setup, 0, oauth.Registration{
		Name: "App", RedirectURIs: "https://client.example/", Scopes: scope.Of(scope.API), Confidential: true, PasswordGrant: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := a.OAuth.Token(t.Context(), oauth.TokenRequest{
		GrantType: "password", Username: "ada", Password: secret.NewText(apptest.Password),
		Client: oauth.Credentials{ClientID: client.ClientID, Secret: text},
	})
	if err != nil {
		t.Fatal(err)
	}
	apptest.Call(t, h, "GET", "/me", tokens.Access.Reveal(), nil).Want(t, 200, "ada")
	if err := a.OAuth.DeleteClient(t.Context(), audit.Setup, client); err != nil {
		t.Fatal(err)
	}
	apptest.Call(t, h, "GET", "/me", tokens.Access.Reveal(), nil).WantMessage(t, 401, "401 Unauthorized")
}

func TestUseOfATokenIsNotedOnceAMinute(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	token, text := a.AddToken(a.User("ada"))
	lastUsed := func() time.Time {
		t.Helper()
		stored, err := a.Tokens.AccessToken(t.Context(), token.ID)
		if err != nil {
			t.Fatal(err)
		}
		return stored.LastUsedAt
	}
	start := a.Now()
	for _, step := range []struct{ pass, want time.Duration }{
		{0, 0}, {59 * time.Second, 0}, {time.Second, time.Minute}, {time.Hour, time.Hour + time.Minute},
	} {
		a.Pass(step.pass)
		apptest.Call(t, h, "GET", "/me", text, nil).Want(t, 200, "ada")
		if got := lastUsed(); !got.Equal(start.Add(step.want)) {
			t.Errorf("last used %v after the start, want %v", got.Sub(start), step.want)
		}
	}
}

// A pair of tokens is a use as it comes, so that whoever uses it within a
// minute costs no write.
func TestUseOfAGrantIsNotedOnceAMinute(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	ada := a.User("ada")
	text, start := a.OAuthToken(ada, scope.API), a.Now()
	for _, step := range []struct{ pass, used, last time.Duration }{
		{0, -1, 0}, {59 * time.Second, -1, 0}, {time.Second, time.Minute, time.Minute},
		{59 * time.Second, time.Minute, time.Minute}, {time.Hour, time.Hour + 119*time.Second, time.Hour + 119*time.Second},
	} {
		a.Pass(step.pass)
		apptest.Call(t, h, "GET", "/me", text, nil).Want(t, 200, "ada")
		grants, err := a.Store.GrantsOf(t.Context(), ada.ID, 0, 10)
		if err != nil || len(grants) != 1 {
			t.Fatalf("GrantsOf = %v, %v, want one", grants, err)
		}
		g, used := grants[0], time.Time{}
		if step.used >= 0 {
			used = start.Add(step.used)
		}
		if !g.UsedAt.Equal(used) || !g.LastUse().Equal(start.Add(step.last)) {
			t.Errorf("used at %v, last use %v, want %v and %v after the start", g.UsedAt, g.LastUse(), step.used, step.last)
		}
	}
}

func TestGroupGuard(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	ada, dana := a.User("ada"), a.User("dana")
	top := a.Group("acme", project.Group{}, ada, project.Internal)
	team := a.Group("team", top, ada, project.Private)
	a.Member(top.Place(), dana, project.Developer)
	tests := []struct {
		u      user.User
		path   string
		status int
		body   any
	}{
		{ada, "acme", 200, float64(project.Owner)},
		{ada, "Acme%2FTeam", 200, float64(project.Owner)},
		{dana, fmt.Sprint(team.ID), 403, object{"message": "403 Forbidden"}},
		{a.User("ben"), "acme", 403, object{"message": "403 Forbidden"}},
		{a.User("eve"), "acme%2Fteam", 404, object{"message": "404 Group Not Found"}},
		{ada, "nothing", 404, object{"message": "404 Group Not Found"}},
		{ada, "ada", 404, object{"message": "404 Group Not Found"}}, // a user's namespace
	}
	for _, test := range tests {
		apptest.Call(t, h, "GET", "/groups/"+test.path, a.Token(test.u), nil).Want(t, test.status, test.body)
	}
}

// The role in a project is the same for somebody who is a member of many others.
func TestRoleBesideOtherMemberships(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	ada, yesterday := a.User("ada"), a.Now().AddDate(0, 0, -1)
	top := a.Group("acme", project.Group{}, ada, project.Internal)
	web := a.Project("web", a.Group("team", top, ada, project.Internal), project.Internal)
	sudoer, path := a.Token(a.Admin("root"), scope.API, scope.Sudo), fmt.Sprintf("/seen/%d", web.ID)
	tests := []struct {
		name           string
		inGroup, inWeb project.Member
		want           project.Role
	}{
		{"no member", project.Member{}, project.Member{}, project.NoRole},
		{"a member of the group", project.Member{Role: project.Maintainer}, project.Member{}, project.Maintainer},
		{"a member of the project", project.Member{}, project.Member{Role: project.Guest}, project.Guest},
		{"the higher role below", project.Member{Role: project.Guest}, project.Member{Role: project.Developer}, project.Developer},
		{"the higher role above", project.Member{Role: project.Developer}, project.Member{Role: project.Guest}, project.Developer},
		{"a role that ended", project.Member{Role: project.Guest}, project.Member{Role: project.Owner, ExpiresAt: yesterday}, project.Guest},
	}
	for _, others := range []int{0, 24, 40} {
		for n, test := range tests {
			u := memberOfOthers(a, fmt.Sprintf("user-%d-%d", others, n), others)
			for at, m := range map[project.Place]project.Member{top.Place(): test.inGroup, web.Place(): test.inWeb} {
				if m.Role != project.NoRole {
					a.MemberUntil(at, u, m.Role, m.ExpiresAt)
				}
			}
			t.Run(fmt.Sprintf("%s and of %d others", test.name, others), func(t *testing.T) {
				apptest.Call(t, h, "GET", path, a.Token(u), nil).Want(t, 200, float64(test.want))
				apptest.Call(t, h, "GET", path+"?sudo="+u.Username, sudoer, nil).Want(t, 200, float64(test.want))
				if got, err := a.Auth.RoleIn(t.Context(), web, u.ID); got != test.want || err != nil {
					t.Errorf("RoleIn = %d, %v, want %d", got, err, test.want)
				}
			})
		}
	}
}

// memberOfOthers adds a user who is a member of so many groups.
func memberOfOthers(a *apptest.App, username string, groups int) user.User {
	u := a.User(username)
	for n := range groups {
		a.Group(fmt.Sprintf("%s-%d", username, n), project.Group{}, u, project.Private)
	}
	return u
}

func TestVisibleProjectsAreForEverybodyWithAToken(t *testing.T) {
	a := apptest.New(t)
	h := guarded(a.App)
	g := a.Namespace(a.User("ada"))
	stranger := a.Token(a.User("stranger"))
	for visibility, want := range map[project.Visibility]int{project.Private: 404, project.Internal: 200, project.Public: 200} {
		a.Project(string(visibility), g, visibility)
		apptest.Call(t, h, "GET", "/seen/ada%2F"+string(visibility), stranger, nil).Want(t, want, nil)
		apptest.Call(t, h, "GET", "/seen/ada%2F"+string(visibility), "", nil).Want(t, 401, nil)
	}
}
