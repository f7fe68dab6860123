package accountapi

import (
	"errors"
	"net/http"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/recovery"
	"gatehouse/shared/secret"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// newPasswordBody is the data of the page behind a link that sets a password.
type newPasswordBody struct {
	Token     string
	Username  string
	Over      bool   // the link does not work any more
	Complaint string // about the password
}

func (a *api) showNewPassword(w http.ResponseWriter, r *http.Request) error {
	return a.renderNewPassword(w, r, http.StatusOK, newPasswordBody{Token: r.URL.Query().Get("token")})
}

// renderNewPassword shows the form, unless the link does not work any more.
func (a *api) renderNewPassword(w http.ResponseWriter, r *http.Request, status int, body newPasswordBody) error {
	of, err := a.app.Recovery.User(r.Context(), secret.NewText(body.Token))
	switch {
	case errors.Is(err, recovery.ErrLink):
		status, body = http.StatusNotFound, newPasswordBody{Over: true}
	case err != nil:
		return err
	}
	body.Username = of.Username
	return a.site.Render(w, r, site.Page{Template: "new_password", Secret: true, Title: "New password", Status: status, Focused: true, Body: body})
}

// setPassword sets the password that a link allows to set.
func (a *api) setPassword(w http.ResponseWriter, r *http.Request) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	body := newPasswordBody{Token: form.Get("token")}
	err = a.app.Recovery.SetPassword(r.Context(), secret.NewText(body.Token), secret.NewText(form.Get("password")))
	var fields fault.Fields
	switch {
	case fault.Is(err, fault.TooMany):
		web.RetryAfter(w, err)
		body.Complaint = "Links set the password of an account three times a day at most. Try again tomorrow."
		return a.renderNewPassword(w, r, http.StatusTooManyRequests, body)
	case errors.As(err, &fields):
		body.Complaint = site.Sentence("The password", fields["password"])
		return a.renderNewPassword(w, r, http.StatusUnprocessableEntity, body)
	case errors.Is(err, recovery.ErrLink):
		return a.renderNewPassword(w, r, http.StatusOK, newPasswordBody{})
	}
	return a.site.Done(w, r, err, "password-set", "/users/sign_in")
}

// resetLinkBody is the data of the page that shows a link for a user.
type resetLinkBody struct {
	user.User
	Address   secret.Text
	ExpiresAt time.Time
	Back      string
}

// Invited reports whether the user has yet to choose the first password.
func (b resetLinkBody) Invited() bool { return b.PasswordHash == "" }

var errOwnPassword = fault.New(fault.Invalid, "Change your own password in your settings.")

// makeResetLink shows a link by which another user sets a new password, once. Administrators
// change their own in their settings, which takes the password as it is.
func (a *api) makeResetLink(w http.ResponseWriter, r *http.Request, u user.User, of user.User) error {
	if of.ID == u.ID {
		return errOwnPassword
	}
	link, err := a.app.Recovery.Link(r.Context(), audit.ByUser(u.ID), of)
	if err != nil {
		return err
	}
	return a.renderAdmin(w, r, site.Page{
		Template: "reset_link", Secret: true, Title: "Link for " + of.Username, Status: http.StatusCreated,
		Body: resetLinkBody{of, link.Address, link.ExpiresAt, userAddress(of)},
	})
}
