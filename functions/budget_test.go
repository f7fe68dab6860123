package functions_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/boot"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/tables"
	"gatehouse/shared/user"
)

// steps counts what a request costs in round trips to DynamoDB. It holds every
// round trip back until no other has come for a while, and then lets all go at
// once: those that go together are one step.
type steps struct {
	mu      sync.Mutex
	waiting []chan struct{}
	timer   *time.Timer
	taken   int
	writes  int
	entries int // writes to the audit trail, which are not among the others
}

// quietFor is how long no other round trip must come.
const quietFor = 100 * time.Millisecond

func (s *steps) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	<-s.wait(r.Header.Get("X-Amz-Target"), bytes.Contains(body, []byte(`"AUDIT#`)))
	return http.DefaultClient.Do(r)
}

func (s *steps) wait(target string, audit bool) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, operation, _ := strings.Cut(target, ".")
	switch {
	case strings.HasSuffix(operation, "GetItem"), operation == "Query":
	case audit:
		s.entries++
	default:
		s.writes++
	}
	turn := make(chan struct{})
	s.waiting = append(s.waiting, turn)
	if s.timer == nil {
		s.timer = time.AfterFunc(quietFor, s.release)
	}
	s.timer.Reset(quietFor)
	return turn
}

func (s *steps) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) > 0 {
		s.taken++
	}
	for _, turn := range s.waiting {
		close(turn)
	}
	s.waiting = nil
}

// during returns the steps and writes that a call takes.
func (s *steps) during(call func()) (taken, writes, entries int) {
	s.mu.Lock()
	s.taken, s.writes, s.entries = 0, 0, 0
	s.mu.Unlock()
	call()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken, s.writes, s.entries
}

// overDynamoDB returns a server on the emulator that the environment tells of,
// with the counter in between.
func overDynamoDB(t *testing.T) (*server, *steps) {
	t.Helper()
	options, counter := emulated(t), &steps{}
	options.HTTPClient = counter
	return serverOver(t, dynamodb.New(options)), counter
}

// emulated names fresh tables on that emulator.
func emulated(t *testing.T) dynamodb.Options {
	t.Helper()
	env, err := boot.ReadEnv(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	if env.DynamoDBEndpoint == "" {
		t.Skip("AWS_ENDPOINT_URL_DYNAMODB is not set: there is no DynamoDB to test on (scripts/test starts an emulator)")
	}
	env.TablePrefix = "test-" + hex.EncodeToString(secret.Random(6))
	options := boot.DynamoDB(env)
	if err := tables.Create(t.Context(), options, "../template.yaml"); err != nil {
		t.Fatal(err)
	}
	return options
}

// Every request that clients repeat stays within its round trips: sequential
// steps, and how many of them write. What goes into the audit trail is written
// beside that, twice for each entry, and takes no step of its own.
func TestRoundTripsOfWholeRequests(t *testing.T) {
	t.Parallel()
	s, counter := overDynamoDB(t)
	browser := s.signIn(t)
	consent := url.Values{
		"client_id": {s.client.ClientID}, "redirect_uri": {callback}, "response_type": {"code"}, "decision": {"approve"},
	}
	pair := s.exchange(t, s.code(t, browser))
	code := s.code(t, browser)
	root, err := s.app.Users.UserByLogin(t.Context(), boot.RootName)
	if err != nil {
		t.Fatal(err)
	}
	p := s.project(t, root)
	s.group(t, root)
	identified := s.exchange(t, s.code(t, browser, scope.OpenID)) // makes the signing key
	identityCode := s.code(t, browser, scope.OpenID)
	gitToken := s.gitToken(t, root)
	s.ask(t, p, gitToken) // notes the token's use, which is done once a minute

	tracking := fmt.Sprintf("/api/v4/projects/%d/error_tracking", p.ID)
	tests := []struct {
		name          string
		call          func()
		steps, writes int
		entries       int
	}{
		{"token info", func() { s.info(t, pair.Access) }, 2, 0, 0},
		{"project by id", func() { s.get(t, "/api/v4/projects/1", pair.Access) }, 2, 0, 0},
		{"project by path", func() { s.get(t, "/api/v4/projects/"+url.PathEscape(p.FullPath), pair.Access) }, 3, 0, 0},
		{"Git request", func() { s.ask(t, p, gitToken) }, 3, 0, 0},
		{"token info, whose use is noted once a minute", func() { s.pass(oauth.TouchEvery); s.info(t, pair.Access) }, 2, 1, 0},
		{"token info within that minute", func() { s.info(t, pair.Access) }, 2, 0, 0},
		{"project by path, likewise", func() {
			s.pass(oauth.TouchEvery)
			s.get(t, "/api/v4/projects/"+url.PathEscape(p.FullPath), pair.Access)
		}, 3, 1, 0},
		{"authorization approved", func() { s.form(t, browser, "/oauth/authorize", consent, http.StatusFound) }, 3, 1, 2},
		{"code exchange", func() { s.exchange(t, code) }, 3, 1, 2},
		{"refresh", func() { pair = s.refresh(t, pair.Refresh) }, 3, 1, 0},
		{"code exchange with id_token", func() { s.exchange(t, identityCode) }, 3, 1, 2},
		{"refresh with id_token", func() { identified = s.refresh(t, identified.Refresh) }, 3, 1, 0},
		{"userinfo", func() { s.get(t, "/oauth/userinfo", identified.Access) }, 4, 0, 0},
		{"error tracking switched on", func() { s.send(t, "PUT", tracking+"/settings", "active=1&integrated=1", pair.Access, 200) }, 3, 1, 2},
		{"error tracking switched off", func() { s.send(t, "PATCH", tracking+"/settings", "active=0", pair.Access, 200) }, 3, 1, 2},
		{"error tracking switched on again", func() { s.send(t, "PATCH", tracking+"/settings", "active=1", pair.Access, 200) }, 3, 1, 2},
		{"error tracking settings", func() { s.get(t, tracking+"/settings", pair.Access) }, 3, 0, 0},
		{"client key made", func() { s.send(t, "POST", tracking+"/client_keys", "", pair.Access, 201) }, 3, 1, 2},
		{"client keys", func() { s.get(t, tracking+"/client_keys", pair.Access) }, 4, 0, 0},
		{"password grant", func() {
			s.token(t, url.Values{"grant_type": {"password"}, "username": {boot.RootName}, "password": {s.root.Password.Reveal()}})
		}, 3, 3, 2}, // the attempt counted beside the reads, forgotten beside the grant
		{"sign-in", func() { s.signIn(t) }, 3, 3, 2},
		{"revocation", func() { s.revoke(t, pair.Access) }, 2, 1, 2},
	}
	for _, test := range tests {
		taken, writes, entries := counter.during(test.call)
		if taken != test.steps || writes != test.writes || entries != test.entries {
			t.Errorf("%s takes %d steps with %d writes and %d of audit entries, want %d with %d and %d",
				test.name, taken, writes, entries, test.steps, test.writes, test.entries)
		}
	}
}

// A sign-in in two steps stays within its round trips. After a failure it takes
// one more: the counter is there and has to be asked for.
func TestRoundTripsOfTheSecondStep(t *testing.T) {
	t.Parallel()
	s, counter := overDynamoDB(t)
	seed, recovery := s.enableTwoFactor(t, s.signIn(t))
	var browser *http.Client
	password := func() {
		s.pass(time.Minute)
		browser = newBrowser(t)
		s.form(t, browser, "/users/sign_in", values("login", boot.RootName, "password", s.root.Password.Reveal()), http.StatusSeeOther)
	}
	answer := func(code string, want int) { s.form(t, browser, "/users/two_factor", values("code", code), want) }
	wrong := func() { answer(seed.Code(s.now().Add(-time.Hour)), http.StatusUnprocessableEntity) }
	tests := []struct {
		name          string
		call          func()
		steps, writes int
		entries       int
	}{
		{"password", password, 3, 2, 0}, // the attempt counted beside the reads, and forgotten
		{"code", func() { answer(seed.Code(s.now()), http.StatusSeeOther) }, 3, 4, 2},
		{"password again", password, 3, 2, 0},
		{"recovery code", func() { answer(recovery, http.StatusSeeOther) }, 3, 4, 4},
		{"password for a wrong code", password, 3, 2, 0},
		{"wrong code", wrong, 2, 1, 2},
		{"code after that", func() { answer(seed.Code(s.now()), http.StatusSeeOther) }, 4, 5, 2},
	}
	for _, test := range tests {
		taken, writes, entries := counter.during(test.call)
		if taken != test.steps || writes != test.writes || entries != test.entries {
			t.Errorf("%s takes %d steps with %d writes and %d of audit entries, want %d with %d and %d",
				test.name, taken, writes, entries, test.steps, test.writes, test.entries)
		}
	}
}

// send sends a form with a token and expects the status.
func (s *server) send(t *testing.T, method, path, form, token string, status int) {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+path, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != status {
		t.Errorf("%s %s: status %d, want %d", method, path, resp.StatusCode, status)
	}
}

// ask asks as a Git front end whether a fetch may pass, and expects 200.
func (s *server) ask(t *testing.T, p project.Project, token secret.Text) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, s.URL+"/git/authorize", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Original-URI", "/"+p.FullPath+".git/info/refs?service=git-upload-pack")
	req.SetBasicAuth("oauth2", token.Reveal())
	s.do(t, req)
}

func (s *server) gitToken(t *testing.T, u user.User) secret.Text {
	t.Helper()
	_, text, err := s.app.Tokens.Create(t.Context(), accesstoken.Request{
		UserID: u.ID, Name: "Git", Scopes: scope.Of(scope.ReadRepository),
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// group adds a group of the owner, for claims to tell of.
func (s *server) group(t *testing.T, owner user.User) {
	t.Helper()
	draft := project.Draft{Name: "Team", Path: "team", Visibility: project.Private}
	if _, err := s.app.Projects.NewGroup(t.Context(), draft, project.Group{}, owner.ID); err != nil {
		t.Fatal(err)
	}
}

func (s *server) project(t testing.TB, owner user.User) project.Project {
	t.Helper()
	namespace, err := s.app.Projects.Group(t.Context(), owner.NamespaceID)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.app.Projects.NewProject(t.Context(), project.ProjectDraft("Web", "web", project.Private), namespace)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
