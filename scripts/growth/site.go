package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gatehouse/functions"
	"gatehouse/shared/accesstoken"
	"gatehouse/shared/app"
	"gatehouse/shared/audit"
	"gatehouse/shared/integration"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

// site is Gatehouse over a filled store, with people who make calls.
type site struct {
	*app.App
	store    storage.Store
	size     size
	handlers map[string]http.Handler
	people   map[string]user.User
	busy     project.Project
	// values are what stands for {name} in the calls.
	values map[string]string
	calls  int // that were made
	sent   int // bytes of the last answer, without its header
	keys   secret.Keys
	passed time.Duration // since the time that the clock stands at
	outside
}

const (
	baseURL  = "https://gatehouse.example"
	callback = "https://client.example/callback"
	cookie   = "__Host-gatehouse_session"
)

// newSite returns the site. Its clock stands still, so that no call has to record
// the use of a token or session, until something moves it.
func newSite(ctx context.Context, store storage.Store, size size, now time.Time) (*site, error) {
	key := sha256.Sum256([]byte("the growth of lists"))
	keys, err := secret.NewKeys(key[:])
	if err != nil {
		return nil, err
	}
	s := &site{store: store, size: size, people: map[string]user.User{}, values: map[string]string{}, keys: keys}
	s.App = app.New(store, app.Config{
		BaseURL: baseURL, Keys: keys, Passwords: secret.Passwords{Time: 1, Memory: 64}, OAuth: oauth.Settings{PasswordGrant: true},
		Attempts: throttle.DefaultLimit, Features: integration.AllFeatures,
		Webhooks: webhook.Delivery{Sender: &s.outside}, Now: func() time.Time { return now.Add(s.passed) },
	})
	s.handlers = functions.Handlers(s.App)
	for _, step := range []func(context.Context) error{s.findPeople, s.findBusy, s.findGroup, s.addIntake, s.addGrants} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	s.values["alerts page"] = lastPage(size.alerts, 20)
	s.values["projects page"] = lastPage(size.projectsOfMany, 20)
	s.values["alert"] = strconv.Itoa(size.alerts - 5)
	s.values["rare"], s.values["absent"] = string(rareEvent), string(absentEvent)
	return s, nil
}

// lastPage returns the number of the last full page of a list, or 100.
func lastPage(length, size int) string { return strconv.Itoa(max(1, min(100, length/size))) }

// findPeople gives each of the people a personal access token and a session.
func (s *site) findPeople(ctx context.Context) error {
	for _, name := range people {
		u, err := s.Users.UserByLogin(ctx, name)
		if err != nil {
			return err
		}
		s.people[name] = u
		if err := s.letIn(ctx, u, name, s.values); err != nil {
			return err
		}
	}
	return nil
}

// letIn gives a user a token and a session under a name.
func (s *site) letIn(ctx context.Context, u user.User, name string, values map[string]string) error {
	_, token, err := s.Tokens.Create(ctx, audit.Setup, accesstoken.Request{UserID: u.ID, Admin: u.Admin, Name: "growth", Scopes: scope.Of(scope.API)})
	if err != nil {
		return err
	}
	session, err := s.Sessions.Start(ctx, u, audit.Browser{UserAgent: "growth", Address: "192.0.2.7"})
	values["token "+name], values["session "+name] = token.Reveal(), session.Reveal()
	return err
}

func (s *site) findBusy(ctx context.Context) (err error) {
	if s.busy, err = s.Projects.FindProject(ctx, "busy/site"); err != nil {
		return err
	}
	member, err := s.Users.UserByLogin(ctx, fmt.Sprintf("user%06d", others+min(10, s.size.members-1)))
	s.values["busy"], s.values["member"] = strconv.FormatInt(s.busy.ID, 10), strconv.FormatInt(member.ID, 10)
	return err
}

// findGroup finds a public group at the top, with others below it.
func (s *site) findGroup(ctx context.Context) error {
	g, err := s.Projects.GroupByPath(ctx, "group00000")
	s.values["group"] = strconv.FormatInt(g.ID, 10)
	return err
}

func (s *site) addIntake(ctx context.Context) error { return s.addIntakeOf(ctx, s.busy, s.values) }

// addIntakeOf gives a project an integration, unless it has one.
func (s *site) addIntakeOf(ctx context.Context, p project.Project, values map[string]string) error {
	all, err := s.Integrations.Integrations(ctx, p)
	if err == nil && len(all) == 0 {
		var made integration.Integration
		made, err = s.Integrations.Create(ctx, audit.Setup, p, integration.Draft{Name: "Uptime", Type: integration.HTTP, Active: true})
		all = append(all, made)
	}
	if err != nil {
		return err
	}
	key, err := s.Integrations.Key(all[0])
	values["intake"], values["key"] = all[0].Path(p), key.Reveal()
	return err
}

// addGrants has people allow a trusted application several things.
func (s *site) addGrants(ctx context.Context) error {
	client, text, err := s.OAuth.Register(ctx, audit.Setup, 0, oauth.Registration{
		Name: "Growth", RedirectURIs: callback, Scopes: scope.Of(scope.ReadAPI, scope.OpenID), Confidential: true, ByAdmin: true, Trusted: true,
	})
	if err != nil {
		return err
	}
	s.values["client id"] = client.ClientID
	s.values["client"] = "client_id=" + client.ClientID + "&client_secret=" + text.Reveal()
	for _, grant := range []struct{ name, person, scope string }{
		{"openid few", "few", "openid"}, {"openid many", "many", "openid"}, {"openid refreshed", "many", "openid"},
		{"api many", "many", "read_api"}, {"api refreshed", "many", "read_api"},
	} {
		if err := s.allow(grant.name, grant.person, grant.scope); err != nil {
			return fmt.Errorf("grant %s: %w", grant.name, err)
		}
	}
	return nil
}

// The requests with which an application gets tokens.
const (
	authorization = "GET /oauth/authorize?client_id={client id}&redirect_uri=https%3A%2F%2Fclient.example%2Fcallback&response_type=code&scope="
	exchange      = "grant_type=authorization_code&code={code}&redirect_uri=https%3A%2F%2Fclient.example%2Fcallback&{client}"
)

// allow has a person allow the application, and keeps the tokens under a name.
func (s *site) allow(name, person, scopes string) error {
	if err := s.authorize(person, scopes); err != nil {
		return err
	}
	return s.keepTokens(name, s.send("oauth", s.request("POST", "/oauth/token", "", exchange)))
}

// authorize gets an authorization code of a person.
func (s *site) authorize(person, scopes string) error {
	method, target, _ := strings.Cut(authorization+scopes, " ")
	asked := s.send("account", s.request(method, target, "session "+person, ""))
	back, err := url.Parse(asked.header.Get("Location"))
	if err != nil || back.Query().Get("code") == "" {
		return fmt.Errorf("authorize answered %d to %q", asked.status, back)
	}
	s.values["code"] = back.Query().Get("code")
	return nil
}

// keepTokens keeps the tokens in an answer of the token endpoint under a name.
func (s *site) keepTokens(name string, a *answer) error {
	var tokens struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if err := json.Unmarshal(a.body.Bytes(), &tokens); err != nil || tokens.Access == "" {
		return fmt.Errorf("the token endpoint answered %d %s", a.status, &a.body)
	}
	s.values[name], s.values["refresh "+name] = tokens.Access, tokens.Refresh
	return nil
}
