// Package app puts the rules together over one store.
package app

import (
	"strings"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/auth"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/intake"
	"gatehouse/shared/integration"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/storage"
	"gatehouse/shared/throttle"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

// Config is what an instance of Gatehouse is told.
type Config struct {
	BaseURL   string // where clients reach it, without a slash at the end
	Keys      secret.Keys
	Passwords secret.Passwords
	Attempts  throttle.Limit // the zero Limit throttles nobody
	OAuth     oauth.Settings // HTTPS and Issuer follow from BaseURL
	Features  integration.Features
	Now       func() time.Time
}

// App is Gatehouse without its doors.
type App struct {
	BaseURL      string
	HTTPS        bool
	Keys         secret.Keys
	Store        storage.Store
	Users        *user.Rules
	Tokens       *accesstoken.Rules
	Sessions     *session.Rules
	Attempts     *throttle.Rules
	Trail        *audit.Trail
	TwoFactor    *twofactor.Rules
	Projects     *project.Rules
	Tracking     *errortracking.Rules
	OAuth        *oauth.Server
	Integrations *integration.Rules
	Alerts       *alert.Rules
	Intake       *intake.Rules
	Auth         *auth.Auth
	Now          func() time.Time
}

// New returns an App over the store.
func New(store storage.Store, c Config) *App {
	a := &App{BaseURL: strings.TrimSuffix(c.BaseURL, "/"), Keys: c.Keys, Store: store, Now: c.Now}
	a.HTTPS = strings.HasPrefix(a.BaseURL, "https:")
	c.OAuth.HTTPS, c.OAuth.Issuer = a.HTTPS, a.BaseURL
	a.Users = user.NewRules(store, c.Passwords, c.Now)
	a.Tokens = accesstoken.NewRules(store, c.Now)
	a.Sessions = session.NewRules(store, c.Now)
	a.TwoFactor = twofactor.NewRules(store, a.Users, c.Keys, c.Now)
	a.Projects = project.NewRules(store, c.Now)
	a.Attempts = throttle.NewRules(store, c.Keys, c.Attempts, c.Now)
	a.Trail = audit.NewTrail(store, c.Now)
	a.Tracking = errortracking.NewRules(store, a.Trail, c.Keys, c.Now)
	a.OAuth = oauth.NewServer(store, a.Users, a.Attempts, a.Trail, c.Keys, c.OAuth, c.Now)
	a.Integrations = integration.NewRules(store, a.Trail, c.Keys, c.Features, c.Now)
	a.Alerts = alert.NewRules(store, c.Now)
	a.Intake = intake.NewRules(store, a.Integrations, c.Now)
	a.Auth = auth.New(a.Users, a.Tokens, a.Projects, a.OAuth, a.Trail, c.Now)
	return a
}
