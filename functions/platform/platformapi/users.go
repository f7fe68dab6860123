package platformapi

import (
	"context"
	"net/http"

	"gatehouse/shared/audit"
	"gatehouse/shared/auth"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// userBody is a user as administrators and the user see it.
type userBody struct {
	ID               int64      `json:"id"`
	Username         string     `json:"username"`
	Name             string     `json:"name"`
	Email            string     `json:"email"`
	State            user.State `json:"state"`
	Admin            bool       `json:"admin"`
	IsAdmin          bool       `json:"is_admin"` // the same, under the name that clients of the field read
	PrivateProfile   bool       `json:"private_profile"`
	TwoFactorEnabled bool       `json:"two_factor_enabled"`
	WebURL           string     `json:"web_url"`
	AvatarURL        *string    `json:"avatar_url"` // always null: there are no pictures
	CreatedAt        web.Time   `json:"created_at"`
	ConfirmedAt      web.Time   `json:"confirmed_at"` // null: the address is not confirmed
	LastSignInAt     web.Time   `json:"last_sign_in_at"`
	CurrentSignInAt  web.Time   `json:"current_sign_in_at"` // the same, under the other name that clients of the field read
}

func (a *api) userBody(u user.User) userBody {
	return userBody{
		ID: u.ID, Username: u.Username, Name: u.Name, Email: u.Email, State: u.State, Admin: u.Admin, IsAdmin: u.Admin,
		PrivateProfile: u.PrivateProfile, TwoFactorEnabled: u.TwoFactorEnabled,
		WebURL: a.app.BaseURL + u.PagePath(), CreatedAt: web.Time(u.CreatedAt), ConfirmedAt: web.Time(u.ConfirmedAt),
		LastSignInAt: web.Time(u.LastSignInAt), CurrentSignInAt: web.Time(u.LastSignInAt),
	}
}

func (a *api) showSelf(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	return a.showUser(w, r, c, c.Self())
}

func (a *api) showUser(w http.ResponseWriter, _ *http.Request, _ auth.Caller, u user.User) error {
	return web.JSON(w, http.StatusOK, a.userBody(u))
}

func (a *api) createUser(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	registration := user.Registration{
		Username: params.String("username"), Name: params.String("name"), Email: params.String("email"),
		WithoutPassword: params.BoolOr("force_random_password", false),
		Admin:           params.BoolOr("admin", false), PrivateProfile: params.BoolOr("private_profile", false),
		Confirmed: params.BoolOr("skip_confirmation", false),
	}
	if !registration.WithoutPassword {
		registration.Password = secret.NewText(params.String("password"))
	}
	if err := params.Err(); err != nil {
		return err
	}
	u, err := a.app.Users.Create(r.Context(), c.Actor(), registration)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusCreated, a.userBody(u))
}

func (a *api) changeUser(w http.ResponseWriter, r *http.Request, c auth.Caller, u user.User) error {
	params := web.Params(r)
	change := user.Change{
		Username: params.OptionalString("username"), Name: params.OptionalString("name"), Email: params.OptionalString("email"),
		Admin: params.OptionalBool("admin"), PrivateProfile: params.OptionalBool("private_profile"),
		Confirmed: params.BoolOr("skip_reconfirmation", false),
	}
	change.Password = optionalSecret(params.OptionalString("password"))
	if err := params.Err(); err != nil {
		return err
	}
	u, err := a.app.Users.Update(r.Context(), c.Actor(), u.ID, change)
	if err != nil {
		return web.NotFound("User", err)
	}
	return web.JSON(w, http.StatusOK, a.userBody(u))
}

// setState returns the handler that blocks or unblocks the user in the path.
func (a *api) setState(set func(context.Context, audit.Actor, int64) (user.User, error)) auth.UserHandler {
	return func(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
		u, err := found(r, "User", func(ctx context.Context, id int64) (user.User, error) { return set(ctx, c.Actor(), id) })
		if err != nil {
			return err
		}
		return web.JSON(w, http.StatusCreated, a.userBody(u))
	}
}

func (a *api) resetTwoFactor(w http.ResponseWriter, r *http.Request, c auth.Caller, u user.User) error {
	_, err := a.app.TwoFactor.Reset(r.Context(), c.Actor(), u)
	return web.Deleted(w, "User", err)
}

func (a *api) endSessions(w http.ResponseWriter, r *http.Request, c auth.Caller, u user.User) error {
	_, err := a.app.Users.EndSessions(r.Context(), c.Actor(), u.ID)
	return web.Deleted(w, "User", err)
}

func (a *api) deleteUser(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	id, err := web.PathID(r, "id")
	if err == nil {
		err = a.app.Users.Delete(r.Context(), c.Actor(), id)
	}
	return web.Deleted(w, "User", err)
}
