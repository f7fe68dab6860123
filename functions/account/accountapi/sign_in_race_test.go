package accountapi_test

import (
	"context"
	"testing"

	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

// meanwhile is a store in which something happens just before a session or a
// grant is stored: after the password was verified.
type meanwhile struct {
	storage.Store
	happens func()
}

func (s *meanwhile) CreateSession(ctx context.Context, started session.Session) error {
	s.happens()
	return s.Store.CreateSession(ctx, started)
}

func (s *meanwhile) CreateGrant(ctx context.Context, g oauth.Grant) error {
	s.happens()
	return s.Store.CreateGrant(ctx, g)
}

// changes are what ends sessions; the last one ends the block again, which
// revives nothing.
var changes = map[string][]user.Change{
	"a new password":    {{Password: new(secret.NewText("difference engine"))}},
	"the same password": {{Password: new(secret.NewText(apptest.Password))}},
	"a block":           {{State: new(user.Blocked)}, {State: new(user.Active)}},
}

// appMeanwhile returns an App with a user, whom the changes meet between the
// password and what it opens. The clock stands still, so no time tells which
// was first.
func appMeanwhile(t *testing.T, during []user.Change) *app.App {
	t.Helper()
	a := apptest.New(t)
	ada := a.User("ada")
	keys, err := secret.NewKeys(secret.Random(secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return app.New(&meanwhile{a.Store, func() {
		for _, change := range during {
			if _, err := a.Users.Update(context.WithoutCancel(t.Context()), audit.Setup, ada.ID, change); err != nil {
				t.Error(err)
			}
		}
	}}, app.Config{
		BaseURL: apptest.BaseURL, Keys: keys, Passwords: secret.Passwords{Time: 1, Memory: 64},
		OAuth: oauth.Settings{PasswordGrant: true}, Now: a.Now,
	})
}

func TestSignInDoesNotSurviveWhatHappensWhileThePasswordIsVerified(t *testing.T) {
	for name, during := range changes {
		t.Run(name, func(t *testing.T) {
			b := newBrowser(t, appMeanwhile(t, during))
			b.Post("/users/sign_in", apptest.Form("login", "ada", "password", apptest.Password)).WantRedirect("/")
			b.Get("/user_settings/applications").WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fapplications")
		})
	}
}

func TestPasswordGrantDoesNotSurviveWhatHappensWhileThePasswordIsVerified(t *testing.T) {
	for name, during := range changes {
		t.Run(name, func(t *testing.T) {
			a := appMeanwhile(t, during)
			tokens, err := a.OAuth.Token(t.Context(), oauth.TokenRequest{
				GrantType: "password", Username: "ada", Password: secret.NewText(apptest.Password),
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.Auth.Recognise(t.Context(), tokens.Access); err == nil {
				t.Error("the token of a password that is verified no more was recognised")
			}
		})
	}
}

func TestSignInGoesOnBesideOtherChanges(t *testing.T) {
	b := newBrowser(t, appMeanwhile(t, []user.Change{{Name: new("Ada King")}}))
	b.Post("/users/sign_in", apptest.Form("login", "ada", "password", apptest.Password)).WantRedirect("/")
	b.Get("/user_settings/applications").Want(200, "@ada")
}
