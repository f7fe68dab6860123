package functions_test

import (
	"encoding/base32"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/audit"
	"gatehouse/shared/auth"
	"gatehouse/shared/boot"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/integration"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/session"
	"gatehouse/shared/signin"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

// Whatever somebody does to an account is in the trail and in the log, under
// the name that it always has; renewed tokens, throttled attempts and of those
// at names that nobody has all but one a minute are in the log alone. What opens
// an account is in neither.
func TestDeedsAreInTheAuditTrail(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { deedsAreInTheAuditTrail(t, startServer(t)) })
	if os.Getenv("AWS_ENDPOINT_URL_DYNAMODB") != "" {
		t.Run("dynamodb", func(t *testing.T) { deedsAreInTheAuditTrail(t, overPolicies(t)) })
	}
}

func deedsAreInTheAuditTrail(t *testing.T, s *server) {
	lines := &log{}
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(lines, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })

	browser, other := s.signIn(t), s.signIn(t)
	rest := func(method, path string, params map[string]any, want int) map[string]any {
		t.Helper()
		return s.rest(t, method, path, params, want)
	}
	form := func(path string, want int, pairs ...string) {
		t.Helper()
		s.form(t, browser, path, values(pairs...), want)
	}
	guess := func(login string) {
		s.form(t, newBrowser(t), "/users/sign_in", values("login", login, "password", "a wrong password"), http.StatusUnprocessableEntity)
	}
	nextMinute := func() { s.pass(time.Minute - time.Duration(s.now().UnixNano())%time.Minute) }
	root, err := s.app.Users.UserByLogin(t.Context(), boot.RootName)
	if err != nil {
		t.Fatal(err)
	}

	var pair, reused, granted tokens
	var code, recovery string
	var seed twofactor.Seed
	own := values("password", s.root.Password.Reveal())
	var ben, application, token, group, app, uptime, client float64
	at := func(path string, id float64) string { return fmt.Sprintf(path, int64(id)) }
	var key string
	p := s.project(t, root)
	integrations, tracking := at("/projects/%d/monitor/integrations", float64(p.ID)), at("/projects/%d/error_tracking", float64(p.ID))
	sections := "/console/" + p.FullPath + "/settings"
	uptimes := map[string]any{"name": "Uptime", "type": "http", "active": true}
	tracker := map[string]any{
		"active": true, "integrated": false, "api_url": "https://tracker.example/api/0/projects/acme/web/", "token": "the token of the tracker",
	}
	registration := values("name", "Weather", "redirect_uri", callback, "scopes[]", "api", "confidential", "1")
	steps := []struct {
		deed   func()
		stored []audit.Name
		logged []audit.Name // besides
	}{
		{deed: func() { s.signIn(t) }, stored: names(signin.EventSignIn)},
		{deed: func() { guess(boot.RootName) }, stored: names(signin.EventFailed)},
		{deed: func() { nextMinute(); guess("my secret password") }, stored: names(signin.EventFailed)},
		{deed: func() {
			nextMinute()
			for range 9 {
				guess("somebody")
			}
		}, stored: names(signin.EventFailed), logged: slices.Repeat(names(signin.EventFailed), 8)},
		{deed: func() { code = s.code(t, browser) }, stored: names(oauth.EventConsent)},
		{deed: func() { pair = s.exchange(t, code) }, stored: names(oauth.EventTokenIssued)},
		{deed: func() { reused, pair = pair, s.refresh(t, pair.Refresh) }, logged: names(oauth.EventTokenRefreshed)},
		{deed: func() {
			s.pass(time.Minute)
			s.fail(t, values("grant_type", "refresh_token", "refresh_token", reused.Refresh))
		}, stored: names(oauth.EventRefreshTokenReused)},
		{deed: func() {
			again := s.code(t, browser)
			s.exchange(t, again)
			s.fail(t, values("grant_type", "authorization_code", "code", again, "redirect_uri", callback))
		}, stored: names(oauth.EventCodeReused, oauth.EventTokenIssued, oauth.EventConsent)},
		{deed: func() {
			granted = s.token(t, values("grant_type", "password", "username", boot.RootName, "password", s.root.Password.Reveal()))
		}, stored: names(oauth.EventTokenIssued)},
		{deed: func() { s.revoke(t, granted.Access) }, stored: names(oauth.EventTokenRevoked)},
		{deed: func() {
			s.fail(t, values("grant_type", "password", "username", boot.RootName, "password", "a wrong password"))
		}, stored: names(signin.EventFailed)},
		{deed: func() {
			form("/user_settings/authorized_applications/"+strconv.FormatInt(s.client.ID, 10)+"/revoke", http.StatusSeeOther)
		}, stored: names(oauth.EventAuthorizationRevoked)},
		{deed: func() { form("/user_settings/sessions/end_others", http.StatusSeeOther) }, stored: names(session.EventOthersRevoked)},
		{deed: func() { form("/user_settings/sessions/"+strings.Repeat("0", 32)+"/end", http.StatusSeeOther) }, stored: names(session.EventRevoked)},

		{deed: func() { s.form(t, browser, "/user_settings/applications", registration, http.StatusCreated) }, stored: names(oauth.EventApplicationCreated)},
		{deed: func() { s.form(t, browser, "/user_settings/applications/2", registration, http.StatusSeeOther) }, stored: names(oauth.EventApplicationChanged)},
		{deed: func() { form("/user_settings/applications/2/renew_secret", http.StatusOK) }, stored: names(oauth.EventSecretRenewed)},
		{deed: func() { form("/user_settings/applications/2/delete", http.StatusSeeOther) }, stored: names(oauth.EventApplicationDeleted)},
		{deed: func() {
			application = rest("POST", "/applications", map[string]any{"name": "REST", "redirect_uri": callback, "scopes": "api"}, 201)["id"].(float64)
		}, stored: names(oauth.EventApplicationCreated)},
		{deed: func() { rest("POST", at("/applications/%d/renew-secret", application), nil, 201) }, stored: names(oauth.EventSecretRenewed)},
		{deed: func() { rest("DELETE", at("/applications/%d", application), nil, 204) }, stored: names(oauth.EventApplicationDeleted)},

		{deed: func() {
			ben = rest("POST", "/users", map[string]any{"username": "ben", "name": "Ben", "email": "ben@example.com", "password": "the password of ben"}, 201)["id"].(float64)
		}, stored: names(user.EventCreated)},
		{deed: func() {
			rest("POST", "/users", map[string]any{"username": "boss", "name": "Boss", "email": "boss@example.com", "password": "the password of ben", "admin": true}, 201)
		}, stored: names(user.EventCreated, user.EventAdminGranted)},
		{deed: func() {
			rest("PUT", at("/users/%d", ben), map[string]any{"name": "Benjamin", "admin": true, "password": "another password of ben"}, 200)
		}, stored: names(user.EventAdminGranted, user.EventPasswordChanged, user.EventChanged)},
		{deed: func() { rest("PUT", at("/users/%d", ben), map[string]any{"name": "Benjamin", "admin": false}, 200) }, stored: names(user.EventAdminRevoked)},
		{deed: func() { rest("POST", at("/users/%d/block", ben), nil, 201) }, stored: names(user.EventBlocked)},
		{deed: func() { rest("POST", at("/users/%d/unblock", ben), nil, 201) }, stored: names(user.EventUnblocked)},
		{deed: func() { form(at("/admin/users/%d/block", ben), http.StatusSeeOther) }, stored: names(user.EventBlocked)},
		{deed: func() { form(at("/admin/users/%d/unblock", ben), http.StatusSeeOther) }, stored: names(user.EventUnblocked)},

		{deed: func() {
			token = rest("POST", at("/users/%d/personal_access_tokens", ben), map[string]any{"name": "ci", "scopes": []string{"api"}}, 201)["id"].(float64)
		}, stored: names(accesstoken.EventCreated)},
		{deed: func() {
			token = rest("POST", at("/personal_access_tokens/%d/rotate", token), nil, 201)["id"].(float64)
		}, stored: names(accesstoken.EventRotated)},
		{deed: func() { rest("DELETE", at("/personal_access_tokens/%d", token), nil, 204) }, stored: names(accesstoken.EventRevoked)},
		{deed: func() {
			form("/user_settings/personal_access_tokens", http.StatusCreated, "name", "page", "scopes[]", "api", "expires_at", s.now().AddDate(0, 0, 9).UTC().Format(time.DateOnly))
		}, stored: names(accesstoken.EventCreated)},

		{deed: func() {
			group = rest("POST", "/groups", map[string]any{"name": "Team", "path": "team"}, 201)["id"].(float64)
		}, stored: names(project.EventGroupCreated)},
		{deed: func() { rest("PUT", at("/groups/%d", group), map[string]any{"visibility": "public"}, 200) }, stored: names(project.EventGroupChanged)},
		{deed: func() { rest("PUT", at("/groups/%d", group), map[string]any{"visibility": "public"}, 200) }}, // is
		{deed: func() {
			app = rest("POST", "/projects", map[string]any{"name": "App", "namespace_id": group}, 201)["id"].(float64)
		}, stored: names(project.EventProjectCreated)},
		{deed: func() { rest("PUT", at("/projects/%d", app), map[string]any{"visibility": "public"}, 200) }, stored: names(project.EventProjectChanged)},
		{deed: func() { rest("PUT", at("/projects/%d", app), map[string]any{"name": "App"}, 200) }},                    // has it
		{deed: func() { rest("DELETE", at("/groups/%d", group), nil, 409) }, stored: names(project.EventGroupDeleted)}, // refused
		{deed: func() { rest("DELETE", at("/projects/%d", app), nil, 204) }, stored: names(project.EventProjectDeleted)},
		{deed: func() {
			rest("POST", at("/groups/%d/members", group), map[string]any{"user_id": ben, "access_level": 30}, 201)
		}, stored: names(project.EventMemberAdded)},
		{deed: func() {
			rest("PUT", at("/groups/%d/members", group)+at("/%d", ben), map[string]any{"access_level": 40}, 200)
		}, stored: names(project.EventMemberChanged)},
		{deed: func() { rest("DELETE", at("/groups/%d/members", group)+at("/%d", ben), nil, 204) }, stored: names(project.EventMemberRemoved)},
		{deed: func() { rest("DELETE", at("/groups/%d", group), nil, 204) }, stored: names(project.EventGroupDeleted)},
		{deed: func() { rest("GET", "/user?sudo=ben", nil, 200) }, stored: names(auth.EventSudoUsed)},

		{deed: func() { uptime = rest("POST", integrations, uptimes, 201)["id"].(float64) }, stored: names(integration.EventCreated)},
		{deed: func() { rest("POST", integrations, map[string]any{"name": "", "type": "http", "active": true}, 400) }}, // nothing came of it
		{deed: func() {
			rest("PATCH", at(integrations+"/%d", uptime), map[string]any{"active": false, "name": "Off"}, 200)
		}, stored: names(integration.EventDisabled)},
		{deed: func() {
			form(at(sections+"/integrations/%d", uptime), http.StatusSeeOther, "name", "Off", "active", "1")
		}, stored: names(integration.EventEnabled)},
		{deed: func() {
			rest("PUT", at(integrations+"/%d", uptime), map[string]any{"active": true, "name": "Checks", "rate_limit": 9}, 200)
		}, stored: names(integration.EventChanged)},
		{deed: func() {
			key = rest("POST", at(integrations+"/%d/reset_key", uptime), nil, 200)["authorization_key"].(string)
		}, stored: names(integration.EventKeyReset)},
		{deed: func() {
			form(at(sections+"/integrations/%d/key", uptime), http.StatusSeeOther)
		}, stored: names(integration.EventKeyReset)},
		{deed: func() { rest("DELETE", at(integrations+"/%d", uptime), nil, 204) }, stored: names(integration.EventDeleted)},
		{deed: func() {
			rest("PUT", at("/projects/%d/monitor/settings", float64(p.ID)), map[string]any{"generic_alert_fingerprinting": false}, 200)
		}, stored: names(integration.EventAlertSettingsChanged)},
		{deed: func() { form(sections+"/alerts", http.StatusSeeOther, "fingerprinting", "1") }, stored: names(integration.EventAlertSettingsChanged)},
		{deed: func() { rest("PUT", tracking+"/settings", tracker, 200) }, stored: names(errortracking.EventChanged)},
		{deed: func() { rest("PATCH", tracking+"/settings", map[string]any{"active": false}, 200) }, stored: names(errortracking.EventChanged)},
		{deed: func() {
			form(sections+"/error_tracking", http.StatusSeeOther, "active", "1", "tracker", "integrated")
		}, stored: names(errortracking.EventChanged)},
		{deed: func() { client = rest("POST", tracking+"/client_keys", nil, 201)["id"].(float64) }, stored: names(errortracking.EventClientKeyCreated)},
		{deed: func() { rest("DELETE", at(tracking+"/client_keys/%d", client), nil, 200) }, stored: names(errortracking.EventClientKeyDeleted)},
		{deed: func() { form(sections+"/error_tracking/client_keys", http.StatusSeeOther) }, stored: names(errortracking.EventClientKeyCreated)},

		{deed: func() { s.enableTwoFactor(t, browser) }, stored: names(twofactor.EventEnabled)},
		{deed: func() { rest("DELETE", at("/users/%d/two_factor", float64(root.ID)), nil, 204) }, stored: names(twofactor.EventDisabled)},
		{deed: func() { rest("DELETE", at("/users/%d/two_factor", float64(root.ID)), nil, 204) }}, // is off
		{deed: func() {
			browser = s.signIn(t)
			seed, _ = s.enableTwoFactor(t, browser)
		}, stored: names(signin.EventSignIn, twofactor.EventEnabled)},
		{deed: func() {
			s.form(t, browser, "/user_settings/two_factor/disable", values("password", "a wrong password"), http.StatusUnprocessableEntity)
		}, stored: names(user.EventPasswordRefused)},
		{deed: func() {
			recovery = recoveryCode.FindString(s.form(t, browser, "/user_settings/two_factor/recovery_codes", own, http.StatusOK))
		}, stored: names(twofactor.EventRecoveryCodesRenewed)},
		{deed: func() {
			b := newBrowser(t)
			s.form(t, b, "/users/sign_in", values("login", boot.RootName, "password", s.root.Password.Reveal()), http.StatusSeeOther)
			s.form(t, b, "/users/two_factor", values("code", "aaaa-aaaa-aaaa-aaaa"), http.StatusUnprocessableEntity)
			s.form(t, b, "/users/two_factor", values("code", recovery), http.StatusSeeOther)
		}, stored: names(signin.EventFailed, signin.EventSignIn, twofactor.EventRecoveryCodeUsed)},
		{deed: func() {
			s.form(t, browser, "/user_settings/two_factor/disable", own, http.StatusSeeOther)
		}, stored: names(twofactor.EventDisabled)},
		{deed: func() { rest("DELETE", at("/users/%d", ben), nil, 204) }, stored: names(user.EventDeleted)},

		{deed: func() { form("/users/sign_out", http.StatusSeeOther) }, stored: names(session.EventSignOut)},
		{deed: func() { s.form(t, other, "/users/sign_out", nil, http.StatusSeeOther) }}, // was ended
		{deed: func() {
			nextMinute()
			guess("somebody")
			s.form(t, newBrowser(t), "/users/sign_in", values("login", "somebody", "password", "x"), http.StatusTooManyRequests)
		}, stored: names(signin.EventFailed), logged: names(signin.EventThrottled)},
	}
	seen := map[audit.Name]bool{}
	for i, step := range steps {
		known, inLog := len(s.trail(t)), len(lines.events(t))
		step.deed()
		fresh := s.trail(t)
		fresh = fresh[:len(fresh)-known]
		var stored []audit.Name
		for _, e := range fresh {
			stored = append(stored, e.Name)
			if e.Browser.Address != "127.0.0.1" || e.RequestID == "" || e.Outcome == "" {
				t.Errorf("step %d: the entry %+v does not tell all", i, e)
			}
		}
		logged := lines.events(t)[inLog:]
		for _, list := range [][]audit.Name{stored, step.stored, logged} {
			slices.Sort(list)
		}
		if diff := gocmp.Diff(step.stored, stored, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("step %d: stored (-want +got):\n%s", i, diff)
		}
		want := append(slices.Clone(step.stored), step.logged...)
		slices.Sort(want)
		if diff := gocmp.Diff(want, logged, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("step %d: logged (-want +got):\n%s", i, diff)
		}
		for _, name := range want {
			seen[name] = true
		}
	}
	for _, k := range audit.Kinds() {
		if !seen[k.Name] {
			t.Errorf("nothing here causes %s", k.Name)
		}
	}

	encoded, err := json.Marshal(s.trail(t))
	if err != nil {
		t.Fatal(err)
	}
	lines.mu.Lock()
	defer lines.mu.Unlock()
	for _, secret := range []string{
		s.root.Password.Reveal(), s.root.Token.Reveal(), s.clientSecret.Reveal(), code, pair.Access, pair.Refresh, reused.Refresh, granted.Access,
		"a wrong password", "my secret password", "the password of ben", "another password of ben",
		key, "the token of the tracker", seed.String(), recovery, strings.ReplaceAll(recovery, "-", ""),
	} {
		if strings.Contains(string(encoded), secret) || strings.Contains(lines.String(), secret) {
			t.Errorf("the trail or the log holds %q", secret)
		}
	}
	var about []int64
	for _, e := range s.trail(t) {
		if e.Name == signin.EventFailed {
			about = append(about, e.UserID)
		}
	}
	if want := append(append([]int64{0, root.ID, root.ID}, make([]int64, 2)...), root.ID); !slices.Equal(about, want) {
		t.Errorf("failed sign-ins concern %v, want %v", about, want)
	}
}

var (
	ticket       = regexp.MustCompile(`name="ticket" value="([^"]+)"`)
	secretOfApp  = regexp.MustCompile(`id="two-factor-secret">([A-Z2-7 ]+)<`)
	recoveryCode = regexp.MustCompile(`[a-z2-7]{4}(-[a-z2-7]{4}){3}`)
)

// enableTwoFactor sets two-factor authentication up for the administrator in
// whose session the browser is, and returns the seed that the app gets and a
// recovery code.
func (s *server) enableTwoFactor(t *testing.T, browser *http.Client) (seed twofactor.Seed, recovery string) {
	t.Helper()
	page := s.form(t, browser, "/user_settings/two_factor/begin", values("password", s.root.Password.Reveal()), http.StatusOK)
	shown := strings.ReplaceAll(secretOfApp.FindStringSubmatch(page)[1], " ", "")
	seed, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(shown)
	if err != nil {
		t.Fatal(err)
	}
	enable := values("ticket", ticket.FindStringSubmatch(page)[1], "code", seed.Code(s.now()))
	return seed, recoveryCode.FindString(s.form(t, browser, "/user_settings/two_factor", enable, http.StatusOK))
}

func names(all ...audit.Name) []audit.Name { return all }

func values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Add(pairs[i], pairs[i+1])
	}
	return v
}

func newBrowser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// trail returns everybody's entries of the test, the newest first.
func (s *server) trail(t *testing.T) []audit.Entry {
	t.Helper()
	page, err := s.app.Trail.Entries(t.Context(), audit.Filter{Everybody: true, From: time.Now().AddDate(0, 0, -1), Size: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return page.Entries
}

// events returns the names in the log's lines about the trail.
func (l *log) events(t *testing.T) []audit.Name {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []audit.Name
	for line := range strings.Lines(l.String()) {
		var read struct {
			Message string     `json:"msg"`
			Event   audit.Name `json:"event"`
		}
		if err := json.Unmarshal([]byte(line), &read); err != nil {
			t.Fatal(err)
		}
		if read.Message == "audit" {
			all = append(all, read.Event)
		}
	}
	return all
}

// rest calls the REST API as the administrator and returns the answer's object.
func (s *server) rest(t *testing.T, method, path string, params map[string]any, want int) map[string]any {
	t.Helper()
	body, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	if params == nil {
		body = nil
	}
	r, err := http.NewRequest(method, s.URL+"/api/v4"+path, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("PRIVATE-TOKEN", s.root.Token.Reveal())
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != want {
		t.Fatalf("%s %s: status %d %s, want %d", method, path, answer.StatusCode, text, want)
	}
	var object map[string]any
	if len(text) > 0 {
		if err := json.Unmarshal(text, &object); err != nil {
			t.Fatal(err)
		}
	}
	return object
}
