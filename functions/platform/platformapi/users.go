package platformapi

import (
	"context"
	"net/http"

	"gatehouse/shared/audit"
	"gatehouse/shared/auth"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/secret"
	"gatehouse/shared/twofactor"
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
	PrivateProfile   bool       `json:"private_profile"`
	TwoFactorEnabled bool       `json:"two_factor_enabled"`
	WebURL           string     `json:"web_url"`
	AvatarURL        *string    `json:"avatar_url"` // always null: there are no pictures
	CreatedAt        web.Time   `json:"created_at"`
}

func (a *api) userBody(u user.User) userBody {
	return userBody{
		ID: u.ID, Username: u.Username, Name: u.Name, Email: u.Email, State: u.State, Admin: u.Admin,
		PrivateProfile: u.PrivateProfile, TwoFactorEnabled: u.TwoFactorEnabled,
		WebURL: a.app.BaseURL + "/" + u.Username, CreatedAt: web.Time(u.CreatedAt),
	}
}

func (a *api) showSelf(w http.ResponseWriter, _ *http.Request, c auth.Caller) error {
	return web.JSON(w, http.StatusOK, a.userBody(c.User))
}

func (a *api) showUser(w http.ResponseWriter, r *http.Request, _ auth.Caller) error {
	u, err := found(r, "User", a.app.Users.User)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, a.userBody(u))
}

// listUsers answers all users, or the one with the user name that is asked for.
func (a *api) listUsers(w http.ResponseWriter, r *http.Request, _ auth.Caller) error {
	params, err := web.Params(r)
	if err != nil {
		return err
	}
	req, username := params.Page(), params.OptionalString("username")
	if err := params.Err(); err != nil {
		return err
	}
	var users page.Of[user.User]
	if username == nil {
		users, err = a.app.Users.Users(r.Context(), req)
	} else {
		users, err = a.usersNamed(r.Context(), *username, req)
	}
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, users, a.userBody)
}

func (a *api) usersNamed(ctx context.Context, username string, req page.Request) (page.Of[user.User], error) {
	u, err := a.app.Users.UserByUsername(ctx, username)
	switch {
	case fault.Is(err, fault.NotFound):
		return page.Of[user.User]{}, nil
	case err != nil:
		return page.Of[user.User]{}, err
	}
	return page.Cut([]user.User{u}, req), nil
}

func (a *api) createUser(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params, err := web.Params(r)
	if err != nil {
		return err
	}
	registration := user.Registration{
		Username: params.String("username"), Name: params.String("name"), Email: params.String("email"),
		Password: secret.NewText(params.String("password")),
		Admin:    params.BoolOr("admin", false), PrivateProfile: params.BoolOr("private_profile", false),
	}
	if err := params.Err(); err != nil {
		return err
	}
	u, err := a.app.Users.Create(r.Context(), registration)
	if err != nil {
		return err
	}
	events := []audit.Event{u.Event(user.EventCreated, c.ActorID())}
	if u.Admin {
		events = append(events, u.Event(user.EventAdminGranted, c.ActorID()))
	}
	a.app.Trail.Record(r.Context(), events...)
	return web.JSON(w, http.StatusCreated, a.userBody(u))
}

func (a *api) changeUser(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	u, err := found(r, "User", a.app.Users.User)
	if err != nil {
		return err
	}
	params, err := web.Params(r)
	if err != nil {
		return err
	}
	change := user.Change{
		Username: params.OptionalString("username"), Name: params.OptionalString("name"), Email: params.OptionalString("email"),
		Admin: params.OptionalBool("admin"), PrivateProfile: params.OptionalBool("private_profile"),
	}
	if password := params.OptionalString("password"); password != nil {
		text := secret.NewText(*password)
		change.Password = &text
	}
	if err := params.Err(); err != nil {
		return err
	}
	return a.updateUser(w, r, c, u, change, http.StatusOK)
}

func (a *api) blockUser(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	return a.setState(w, r, c, user.Blocked)
}

func (a *api) unblockUser(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	return a.setState(w, r, c, user.Active)
}

func (a *api) setState(w http.ResponseWriter, r *http.Request, c auth.Caller, state user.State) error {
	u, err := found(r, "User", a.app.Users.User)
	if err != nil {
		return err
	}
	return a.updateUser(w, r, c, u, user.Change{State: &state}, http.StatusCreated)
}

// errOneself keeps an active administrator in place: somebody else has to be
// one to take it away.
var errOneself = fault.New(fault.Invalid, "administrators cannot block, demote or delete themselves")

func (a *api) updateUser(w http.ResponseWriter, r *http.Request, c auth.Caller, u user.User, change user.Change, status int) error {
	demoted := change.Admin != nil && !*change.Admin
	blocked := change.State != nil && *change.State == user.Blocked
	if demoted || blocked {
		if u.ID == c.User.ID {
			return errOneself
		}
		change.By = c.User.ID // of two who do it to each other, one stays
	}
	events := change.Events(u, c.ActorID())
	u, err := a.app.Users.Update(r.Context(), u.ID, change)
	if err != nil {
		return web.NotFound("User", err)
	}
	a.app.Trail.Record(r.Context(), events...)
	return web.JSON(w, status, a.userBody(u))
}

// resetTwoFactor lets a user sign in with the password alone who lost the app
// and the recovery codes.
func (a *api) resetTwoFactor(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	u, err := found(r, "User", a.app.Users.User)
	if err != nil {
		return err
	}
	if err := a.app.TwoFactor.Reset(r.Context(), u, c.User.ID); err != nil {
		return web.NotFound("User", err)
	}
	if u.TwoFactorEnabled {
		a.app.Trail.Record(r.Context(), u.Event(twofactor.EventDisabled, c.ActorID()))
	}
	return web.NoContent(w)
}

func (a *api) deleteUser(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	u, err := found(r, "User", a.app.Users.User)
	switch {
	case err != nil:
		return err
	case u.ID == c.User.ID:
		return errOneself
	}
	if err := a.app.Users.DeleteUser(r.Context(), u.ID, c.User.ID); err != nil {
		return web.NotFound("User", err)
	}
	a.app.Trail.Record(r.Context(), u.Event(user.EventDeleted, c.ActorID()))
	return web.NoContent(w)
}
