package platformapi

import (
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/secret"
	"gatehouse/shared/signin"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// changeSelf changes what people may change of their own account.
func (a *api) changeSelf(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	change := signin.OwnChange{
		Name: params.OptionalString("name"), Email: params.OptionalString("email"),
		PrivateProfile: params.OptionalBool("private_profile"), Password: optionalSecret(params.OptionalString("password")),
	}
	if current := params.OptionalString("current_password"); current != nil {
		change.Current = secret.NewText(*current)
	}
	if err := params.Err(); err != nil {
		return err
	}
	u, err := a.app.SignIn.ChangeOwn(r.Context(), c.Actor(), c.User, change, web.ClientAddress(r))
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, a.userBody(u))
}

func optionalSecret(text *string) *secret.Text {
	if text == nil {
		return nil
	}
	wrapped := secret.NewText(*text)
	return &wrapped
}

// resetLinkBody is a link by which a user sets a new password, shown once.
type resetLinkBody struct {
	URL       string   `json:"url"`
	ExpiresAt web.Time `json:"expires_at"`
}

func (a *api) createResetLink(w http.ResponseWriter, r *http.Request, c auth.Caller, u user.User) error {
	link, err := a.app.Recovery.Link(r.Context(), c.Actor(), u)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusCreated, resetLinkBody{link.Address.Reveal(), web.Time(link.ExpiresAt)})
}
