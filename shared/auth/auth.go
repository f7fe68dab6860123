// Package auth finds out who calls the REST API and whether they may. The
// order of the checks is the interface's: a usable token, a user in good
// standing, the token's scope, whether the project or group is visible, the
// role in it. Parameters come after that and are the endpoint's own affair.
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
	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// Auth recognises callers.
type Auth struct {
	users    *user.Rules
	tokens   *accesstoken.Rules
	projects *project.Rules
	oauth    *oauth.Server
	trail    *audit.Trail
	now      func() time.Time
}

// New returns an Auth over the rules.
func New(users *user.Rules, tokens *accesstoken.Rules, projects *project.Rules, server *oauth.Server, trail *audit.Trail, now func() time.Time) *Auth {
	return &Auth{users, tokens, projects, server, trail, now}
}

// Caller is who makes a request, by which token.
type Caller struct {
	User   user.User
	Scopes scope.Set
	// Grant is what an OAuth access token stands for, and Client who has it;
	// both are zero for a personal access token and Token is set.
	Grant  oauth.Grant
	Client oauth.Client
	Token  accesstoken.Token
	// By is the id of the administrator who acts as User by sudo; zero: nobody
	// does.
	By int64
	// Role is the caller's in the project or group that the request is about;
	// zero in a request about none.
	Role project.Role
}

// ByOAuth reports whether the caller came with an OAuth access token.
func (c Caller) ByOAuth() bool { return c.Token.ID == 0 }

// ActorID is the id of the user who really makes the request.
func (c Caller) ActorID() int64 { return cmp.Or(c.By, c.User.ID) }

// Actor is who makes the request, and in whose name.
func (c Caller) Actor() audit.Actor { return audit.Actor{ID: c.ActorID(), UserID: c.User.ID} }

// bearer is a token that was recognised, before its user and client were read.
type bearer struct {
	userID int64
	scopes scope.Set
	grant  oauth.Grant
	token  accesstoken.Token
}

// Recognise returns the caller whose token this is: one read for the token,
// then one for the user beside one for the client, and beside what else is read
// of the user with this id.
func (a *Auth) Recognise(ctx context.Context, token secret.Text, also ...func(ctx context.Context, userID int64) error) (Caller, error) {
	b, err := a.bearer(ctx, token)
	if err != nil {
		return Caller{}, err
	}
	var more []func(context.Context) error
	for _, read := range also {
		more = append(more, func(ctx context.Context) error { return read(ctx, b.userID) })
	}
	return a.resolve(ctx, b, more...)
}

// bearer recognises an OAuth access token by its form, and takes anything else
// for a personal access token.
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
		return bearer{}, unknown(err)
	}
	return bearer{userID: g.UserID, scopes: g.Scopes, grant: g}, nil
}

func (a *Auth) personal(ctx context.Context, token secret.Text) (bearer, error) {
	t, err := a.tokens.AccessTokenByDigest(ctx, token.Digest())
	switch {
	case err != nil:
		return bearer{}, unknown(err)
	case t.Revoked():
		return bearer{}, errRevoked
	case t.Expired(a.now()):
		return bearer{}, errExpired
	}
	return bearer{userID: t.UserID, scopes: t.Scopes, token: t}, nil
}

// unknown turns "not found" into "not authorized": who may not even call
// learns nothing.
func unknown(err error) error {
	if errors.Is(err, fault.NotFound) {
		return errUnauthorized
	}
	return err
}

// resolve reads what stands behind a token, and whatever else the request is
// certain to need, side by side.
func (a *Auth) resolve(ctx context.Context, b bearer, more ...func(context.Context) error) (Caller, error) {
	c := Caller{Scopes: b.scopes, Grant: b.grant, Token: b.token}
	reads, readCtx := errgroup.WithContext(ctx)
	if b.grant.Application != "" {
		reads.Go(func() (err error) {
			c.Client, err = a.oauth.Store().Client(readCtx, b.grant.Application)
			return unknown(err)
		})
	}
	if b.token.ID != 0 && a.now().Sub(b.token.LastUsedAt) >= accesstoken.TouchEvery {
		reads.Go(func() error { return a.tokens.TouchAccessToken(readCtx, b.token, a.now()) })
	}
	if b.token.ID == 0 && a.oauth.UseIsNews(b.grant) { // not c.ByOAuth(): c is being written
		reads.Go(func() error { return a.oauth.NoteUse(readCtx, b.grant) })
	}
	for _, read := range more {
		reads.Go(func() error { return read(readCtx) })
	}
	var err error
	c.User, err = a.users.User(ctx, b.userID) // there is always one: no need of a goroutine
	if err := errors.Join(reads.Wait(), unknown(err)); err != nil {
		return Caller{}, err
	}
	switch {
	case c.User.Blocked():
		return Caller{}, errBlocked
	case c.ByOAuth() && !c.Grant.Refreshable && !c.User.SessionValid(c.Grant.SessionEpoch):
		return Caller{}, errRevoked
	}
	return c, nil
}

// as returns the caller acting as another user, who is named by id or user
// name (Interface: "Sudo").
func (a *Auth) as(ctx context.Context, c Caller, name string) (Caller, error) {
	if name == "" {
		return c, nil
	}
	switch {
	case !c.User.Admin:
		return Caller{}, fault.New(fault.Forbidden, "Must be admin to use sudo")
	case !c.Scopes.Has(scope.Sudo):
		return Caller{}, insufficientScope{scope.Sudo}
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
	return c, nil
}

func (a *Auth) findUser(ctx context.Context, name string) (user.User, error) {
	if id, err := strconv.ParseInt(name, 10, 64); err == nil {
		return a.users.User(ctx, id)
	}
	return a.users.UserByUsername(ctx, name)
}
