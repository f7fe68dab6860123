// Package app puts the rules together over one store.
package app

import (
	"context"
	"strings"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/alert"
	"gatehouse/shared/approval"
	"gatehouse/shared/attention"
	"gatehouse/shared/audit"
	"gatehouse/shared/auth"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/geo"
	"gatehouse/shared/incident"
	"gatehouse/shared/instance"
	"gatehouse/shared/intake"
	"gatehouse/shared/integration"
	"gatehouse/shared/license"
	"gatehouse/shared/mail"
	"gatehouse/shared/mergerequest"
	"gatehouse/shared/mirror"
	"gatehouse/shared/notice"
	"gatehouse/shared/oauth"
	"gatehouse/shared/oidc"
	"gatehouse/shared/oncall"
	"gatehouse/shared/paging/permit"
	"gatehouse/shared/passkey"
	"gatehouse/shared/project"
	"gatehouse/shared/recovery"
	"gatehouse/shared/runner"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/signin"
	"gatehouse/shared/sns"
	"gatehouse/shared/storage"
	"gatehouse/shared/throttle"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/undelivered"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

// Config is the configuration of an instance of Gatehouse.
type Config struct {
	BaseURL   string // where clients reach it
	GitURL    string // where the front end of the Git server is; empty: not known
	Keys      secret.Keys
	Passwords secret.Passwords
	Attempts  throttle.Limit // the zero Limit throttles nobody
	OAuth     oauth.Settings // HTTPS and Issuer follow from BaseURL
	Features  integration.Features
	Webhooks  webhook.Delivery
	Web       sns.Getter
	Mails     mail.Way // empty: they are kept
	// TopLevelGroups says who may make top-level groups until an administrator does.
	TopLevelGroups project.TopLevel
	Now            func() time.Time
}

// App is the rules of one instance of Gatehouse.
type App struct {
	BaseURL      string
	GitURL       string
	HTTPS        bool
	Users        *user.Rules
	Tokens       *accesstoken.Rules
	Sessions     *session.Rules
	SignIn       *signin.Rules
	Recovery     *recovery.Rules
	Trail        audit.Reader // the rules alone write it
	TwoFactor    *twofactor.Rules
	Passkeys     *passkey.Rules
	Projects     *project.Rules
	Tracking     *errortracking.Rules
	OAuth        *oauth.Server
	Approvals    *approval.Rules
	Geo          *geo.Rules
	Instance     *instance.Rules
	Licenses     *license.Rules
	Merges       *mergerequest.Rules
	Runners      *runner.Rules
	Mirrors      *mirror.Rules
	Integrations *integration.Rules
	Alerts       *alert.Rules
	Incidents    *incident.Rules
	Intake       *intake.Rules
	Webhooks     *webhook.Rules
	Notices      *notice.Rules
	Mails        *mail.Rules // those that an instance keeps
	KeepsMails   bool        // because it can send none
	Permits      permit.Links
	OnCall       *oncall.Rules
	Attention    *attention.Rules
	Undelivered  *undelivered.Rules
	Deprecations *deprecation.Rules
	Auth         *auth.Auth
	Now          func() time.Time

	store  storage.Store
	config Config
}

// New returns an App over the store.
func New(store storage.Store, c Config) *App {
	a := &App{BaseURL: strings.TrimSuffix(c.BaseURL, "/"), GitURL: c.GitURL, Now: c.Now, store: store, config: c}
	a.HTTPS = strings.HasPrefix(a.BaseURL, "https:")
	c.OAuth.HTTPS, c.OAuth.Issuer = a.HTTPS, a.BaseURL
	trail := audit.NewTrail(store, c.Now)
	a.Trail = trail
	a.Users = user.NewRules(store, trail, c.Passwords, c.Now)
	a.Tokens = accesstoken.NewRules(store, trail, c.Now)
	a.Sessions = session.NewRules(store, trail, c.Now)
	a.Passkeys = passkey.NewRules(store, trail, c.Keys, c.Now)
	a.TwoFactor = twofactor.NewRules(store, trail, a.Passkeys, c.Keys, c.Now)
	attempts := throttle.NewRules(store, c.Keys, c.Attempts, c.Now)
	a.Instance = instance.NewRules(store, trail, instance.Defaults(c.TopLevelGroups), c.Now)
	a.Projects = project.NewRules(store, trail, attempts, a.Instance, c.Now)
	a.SignIn = signin.NewRules(a.Users, trail, attempts, a.TwoFactor, a.Passkeys, a.Sessions, c.Keys, c.Now)
	a.Recovery = recovery.NewRules(a.Users, store, attempts, trail, a.BaseURL, c.Keys, c.Now)
	a.Tracking = errortracking.NewRules(store, trail, c.Keys, c.Now)
	a.Approvals = approval.NewRules(store, trail, c.Now)
	a.Licenses = license.NewRules(store, trail, c.Now)
	a.Merges = mergerequest.NewRules(store, trail, c.Now)
	a.Runners = runner.NewRules(store, trail, attempts, c.Now)
	a.Mirrors = mirror.NewRules(store, a.Projects, trail, c.Keys, c.Now)
	a.Geo = geo.NewRules(store, trail, c.Now)
	a.OAuth = oauth.NewServer(store, a.Users, attempts, trail, c.Keys, c.OAuth, c.Now)
	a.Integrations = integration.NewRules(store, trail, c.Keys, c.Features, c.Now)
	a.Intake = intake.NewRules(store, a.Integrations, sns.NewRules(c.Web, c.Now), c.Now)
	a.Webhooks = webhook.NewRules(store, a.Integrations, trail, c.Keys, c.Webhooks, c.Now)
	a.Notices = notice.NewRules(store, a.Webhooks.Own(), trail, c.Now)
	a.Mails, a.KeepsMails = mail.NewRules(store, c.Now), c.Mails == "" || c.Mails == mail.ByKeeping
	if !a.KeepsMails {
		a.Users.OnNewAddress(a.Recovery.AddressChanged)
	}
	a.Permits = permit.NewLinks(a.BaseURL, c.Keys)
	a.OnCall = oncall.NewRules(store, a.Integrations, trail, c.Now)
	a.Undelivered = undelivered.NewRules(store, trail, c.Now)
	a.Deprecations = deprecation.NewRules(store, c.Now)
	a.Auth = auth.New(a.Users, a.Tokens, a.Projects, a.OAuth, a.Deprecations, trail, c.Now)
	a.Alerts = alert.NewRules(store, a.Auth, a.Integrations, c.Now)
	a.Incidents = incident.NewRules(store, a.Alerts, trail, incident.Config{
		BaseURL: a.BaseURL, Members: a.Auth, Retention: a.retention, Now: c.Now,
	})
	a.Attention = attention.NewRules(store, a.Projects, a.Alerts, a.Incidents, a.OnCall, c.Now)
	return a
}

// retention returns for how many days a project keeps closed incidents; zero: for ever.
func (a *App) retention(ctx context.Context, p project.Project) (int, error) {
	policy, err := a.Integrations.AlertPolicy(ctx, p)
	return policy.KeptDays, err
}

// maxPing is how long the store may take to show that it is there.
const maxPing = 3 * time.Second

// Ping reports whether the store answers.
func (a *App) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, maxPing)
	defer cancel()
	return a.store.Ping(ctx)
}

// OpenID returns the OpenID provider. It is made here on demand because only one
// function needs it, and the others are smaller without.
func (a *App) OpenID() *oidc.Provider {
	return oidc.New(a.store, a.Projects, a.config.Keys, a.BaseURL, a.Now)
}

// At returns the instance as it is at another time.
func (a *App) At(t time.Time) *App {
	c := a.config
	c.Now = func() time.Time { return t }
	return New(a.store, c)
}
