// Package auth decides who may call an endpoint of the REST API. It checks, in
// this order: the token, its user, its scope, whether the user sees the group or
// project, and the user's role there (Interface: "Authentication"). Endpoints
// check their parameters after that.
package auth

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/audit"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/fault"
	"gatehouse/shared/git"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/telemetry"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// Auth authenticates and authorizes callers.
type Auth struct {
	users    *user.Rules
	tokens   *accesstoken.Rules
	projects *project.Rules
	oauth    *oauth.Server
	uses     *deprecation.Rules
	trail    *audit.Trail
	now      func() time.Time
}

// New returns an Auth over the rules.
func New(
	users *user.Rules, tokens *accesstoken.Rules, projects *project.Rules, server *oauth.Server, uses *deprecation.Rules,
	trail *audit.Trail, now func() time.Time,
) *Auth {
	return &Auth{users, tokens, projects, server, uses, trail, now}
}

// Caller is the user who makes a request, with their token.
type Caller struct {
	User   user.User
	Scopes scope.Set
	// Grant and Client belong to an OAuth access token. For a personal access
	// token both are zero and Token is set.
	Grant  oauth.Grant
	Client oauth.Client
	Token  accesstoken.Token
	// Bound means that the user is an administrator, for whom the token does no more than
	// for anybody else: User is none then.
	Bound bool
	// By is the id of the administrator who acts as User by sudo, or zero.
	By int64
	// Role is the caller's role in the request's project or group, or zero.
	Role project.Role
	// Known are memberships of the user that were read to tell the role.
	Known project.Known
}

// ByOAuth reports whether the token is an OAuth access token.
func (c Caller) ByOAuth() bool { return c.Token.ID == 0 }

// ActorID is the id of the user who makes the request: with sudo, the
// administrator.
func (c Caller) ActorID() int64 { return cmp.Or(c.By, c.User.ID) }

// Actor is the caller as the audit trail records it.
func (c Caller) Actor() audit.Actor {
	return audit.Actor{ID: c.ActorID(), UserID: c.User.ID, Bound: c.Bound}
}

// Self is the user as they are, whatever the token is good for.
func (c Caller) Self() user.User {
	u := c.User
	u.Admin = u.Admin || c.Bound
	return u
}

// CheckAdmin returns an error unless the caller has an administrator's rights.
func (c Caller) CheckAdmin() error {
	switch {
	case c.Bound:
		return insufficientScope(scope.Sudo)
	case !c.User.Admin:
		return errForbidden
	}
	return nil
}

// bearer is what a valid token says, before its user and client are read.
type bearer struct {
	userID int64
	scopes scope.Set
	grant  oauth.Grant
	token  accesstoken.Token
}

// Recognise returns the caller with this token. It reads the token, then user,
// client and the lookups in also in parallel. They get the token's user and scopes.
func (a *Auth) Recognise(ctx context.Context, token secret.Text, also ...func(ctx context.Context, userID int64, scopes scope.Set) error) (Caller, error) {
	b, err := a.bearer(ctx, token)
	if err != nil {
		return Caller{}, err
	}
	var more []func(context.Context) error
	for _, read := range also {
		more = append(more, func(ctx context.Context) error { return read(ctx, b.userID, b.scopes) })
	}
	return a.resolve(ctx, b, more...)
}

// bearer looks up a token: an OAuth access token if it looks like one, otherwise
// a personal access token.
func (a *Auth) bearer(ctx context.Context, token secret.Text) (bearer, error) {
	if token.Empty() {
		return bearer{}, errUnauthorized
	}
	if !a.oauth.IsAccessToken(token) {
		return a.personal(ctx, token)
	}
	g, err := a.oauth.Access(ctx, token)
	switch {
	case errors.Is(err, oauth.ErrExpired):
		return bearer{}, errExpired
	case errors.Is(err, oauth.ErrRevoked):
		return bearer{}, errRevoked
	case err != nil:
		return bearer{}, unauthorizedIfNotFound(err)
	}
	return bearer{userID: g.UserID, scopes: g.Scopes, grant: g}, nil
}

func (a *Auth) personal(ctx context.Context, token secret.Text) (bearer, error) {
	t, err := a.tokens.AccessTokenByDigest(ctx, token.Digest())
	switch {
	case err != nil:
		return bearer{}, unauthorizedIfNotFound(err)
	case t.Revoked():
		return bearer{}, errRevoked
	case t.Expired(a.now()):
		return bearer{}, errExpired
	}
	return bearer{userID: t.UserID, scopes: t.Scopes, token: t}, nil
}

// countedAs is the bearer as the counters of deprecated names know them.
func (b bearer) countedAs() deprecation.Caller {
	return deprecation.Caller{Client: b.grant.ClientID, ApplicationID: b.grant.Application, TokenID: b.token.ID, UserID: b.userID}
}

// unauthorizedIfNotFound turns a fault.NotFound error into errUnauthorized, which
// reveals nothing to a caller without a valid token.
func unauthorizedIfNotFound(err error) error {
	if errors.Is(err, fault.NotFound) {
		return errUnauthorized
	}
	return err
}

// resolve reads the token's user and client and calls more, all in parallel. The use
// of deprecated names is counted beside that and what follows.
func (a *Auth) resolve(ctx context.Context, b bearer, more ...func(context.Context) error) (Caller, error) {
	a.uses.Count(ctx, b.countedAs())
	c := Caller{Scopes: b.scopes, Grant: b.grant, Token: b.token}
	reads, readCtx := errgroup.WithContext(ctx)
	if b.grant.Application != "" {
		reads.Go(func() (err error) {
			c.Client, err = a.oauth.Client(readCtx, b.grant.Application)
			return unauthorizedIfNotFound(err)
		})
	}
	if b.token.ID != 0 {
		reads.Go(func() error { return a.tokens.Touch(readCtx, b.token) })
	}
	if b.token.ID == 0 { // not c.ByOAuth(): c is being written
		reads.Go(func() error { return a.oauth.Touch(readCtx, b.grant) })
	}
	for _, read := range more {
		reads.Go(func() error { return read(readCtx) })
	}
	var err error
	c.User, err = a.users.User(ctx, b.userID) // every token has a user: this read needs no goroutine
	if err := errors.Join(reads.Wait(), unauthorizedIfNotFound(err)); err != nil {
		return Caller{}, err
	}
	switch {
	case c.User.Blocked():
		return Caller{}, errBlocked
	case c.ByOAuth() && !c.Grant.Refreshable && !c.User.SessionValid(c.Grant.SessionEpoch):
		return Caller{}, errRevoked
	}
	c.note(ctx)
	return a.bind(c), nil
}

// bind takes from the token of a client the rights that it does not give.
func (a *Auth) bind(c Caller) Caller {
	if !c.ByOAuth() {
		return c
	}
	c.Scopes = a.oauth.Held(c.Scopes)
	c.Bound = c.User.Admin && !a.oauth.Empowers(c.Scopes)
	c.User.Admin = c.User.Admin && !c.Bound
	return c
}

// note has the log name the caller.
func (c Caller) note(ctx context.Context) {
	proof := telemetry.ByToken
	if c.ByOAuth() {
		proof = telemetry.ByOAuth
	}
	telemetry.NoteCaller(ctx, telemetry.Caller{
		UserID: c.User.ID, SudoBy: c.By, Proof: proof, TokenID: c.Token.ID, ApplicationID: c.Grant.ClientID,
	})
}

// actAs returns the caller acting as the user with this id or user name
// (Interface: "Sudo"). With an empty name the caller stays the same.
func (a *Auth) actAs(ctx context.Context, c Caller, name string) (Caller, error) {
	if name == "" {
		return c, nil
	}
	switch {
	case !c.User.Admin && !c.Bound:
		return Caller{}, fault.New(fault.Forbidden, "Must be admin to use sudo")
	case !c.Scopes.Has(scope.Sudo):
		return Caller{}, insufficientScope(scope.Sudo)
	}
	u, err := a.findUser(ctx, name)
	switch {
	case errors.Is(err, fault.NotFound):
		return Caller{}, noSuchSudoUser(name)
	case err != nil:
		return Caller{}, err
	case u.Blocked():
		return Caller{}, errBlocked
	}
	c.By, c.User = c.User.ID, u
	c.note(ctx)
	return c, nil
}

func (a *Auth) findUser(ctx context.Context, name string) (user.User, error) {
	if id, err := strconv.ParseInt(name, 10, 64); err == nil {
		return a.users.User(ctx, id)
	}
	return a.users.UserByUsername(ctx, name)
}

// Git returns the caller with this token and the project of a Git request. The
// checks are those of the REST API, in its order, but without sudo.
func (a *Auth) Git(ctx context.Context, token secret.Text, r git.Request) (Caller, project.Project, error) {
	check := func(c Caller) (Caller, error) { return c, c.checkScope(r.Operation.Scopes()) }
	find := func(ctx context.Context) (project.Project, error) { return a.projects.ProjectByPath(ctx, r.Project) }
	c, p, err := authorize(ctx, a, token, check, find)
	if err != nil {
		return Caller{}, project.Project{}, web.NotFound("Project", err)
	}
	if err := checkRole(c.Role, p, r.Operation.Role(p.Visibility), "Project"); err != nil {
		return Caller{}, project.Project{}, err
	}
	return c, p, nil
}
