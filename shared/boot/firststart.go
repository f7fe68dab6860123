package boot

import (
	"context"
	"fmt"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/app"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// RootName is the user name of the first administrator.
const RootName = "root"

// Root holds the credentials of the first administrator.
type Root struct {
	Password secret.Text
	Token    secret.Text // a personal access token with the scopes api and sudo
}

// FirstStart makes the first administrator if there are no users, and returns the
// credentials, which come from env or are generated. made reports whether it did. It
// makes the token last, so that an interrupted start is repeated.
func FirstStart(ctx context.Context, a *app.App, env Env) (root Root, made bool, err error) {
	root = Root{Password: env.RootPassword, Token: env.RootToken}
	if root.Password.Empty() {
		root.Password = secret.New("", 12)
	}
	if root.Token.Empty() {
		root.Token = secret.New(accesstoken.Prefix, 20)
	}
	u, err := a.Users.UserByLogin(ctx, RootName)
	switch {
	case fault.Is(err, fault.NotFound):
		var users page.Of[user.User]
		if users, err = a.Users.Users(ctx, page.First); err != nil || len(users.Items) > 0 {
			return Root{}, false, err // there are users, but no root
		}
		u, err = a.Users.Create(ctx, audit.Setup, user.Registration{
			Username: RootName, Name: "Administrator", Email: "root@localhost.localdomain", MadeUp: true, Password: root.Password, Admin: true,
		})
	case err == nil:
		var tokens page.Of[accesstoken.Token]
		if tokens, err = a.Tokens.AccessTokens(ctx, u.ID, page.First); len(tokens.Items) > 0 {
			return Root{}, false, err
		}
		if err == nil {
			u, err = a.Users.Update(ctx, audit.Setup, u.ID, user.Change{Password: &root.Password})
		}
	}
	if err != nil {
		return Root{}, false, naming("GATEHOUSE_ROOT_PASSWORD", err)
	}
	_, err = a.Tokens.Adopt(ctx, u.ID, "First start", scope.Of(scope.API, scope.Sudo), root.Token)
	return root, err == nil, naming("GATEHOUSE_ROOT_TOKEN", err)
}

// naming has an error about a value say which variable it came from.
func naming(variable string, err error) error {
	if err == nil || !fault.Is(err, fault.Invalid) {
		return err
	}
	return fmt.Errorf("%s cannot be used: %w", variable, err)
}
