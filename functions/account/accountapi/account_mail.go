package accountapi

import (
	"errors"
	"net/http"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/instance"
	"gatehouse/shared/recovery"
	"gatehouse/shared/secret"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

const forgotPath = "/users/password/new"

// forgotBody is the data of the page for people who forgot the password.
type forgotBody struct {
	Mails bool
	instance.Settings
}

// showForgot shows the form or, where no mail can be sent, whom to ask.
func (a *api) showForgot(w http.ResponseWriter, r *http.Request) error {
	body := forgotBody{Mails: !a.app.KeepsMails}
	if !body.Mails {
		current, err := a.app.Instance.Settings(r.Context())
		if err != nil {
			return err
		}
		body.Settings = current.Settings
	}
	return a.site.Render(w, r, site.Page{Template: "forgot", Title: "Lost password", Focused: true, Body: body})
}

// errNoMails answers forms that an instance without a mail server does not show.
var errNoMails = fault.New(fault.NotFound, "the instance sends no mails")

// askForMail has a link mailed, if there is such an account. The answer does not tell.
func (a *api) askForMail(w http.ResponseWriter, r *http.Request) error {
	if a.app.KeepsMails {
		return errNoMails
	}
	form, err := site.ReadForm(r)
	if err == nil {
		err = a.app.Recovery.Ask(r.Context(), strings.TrimSpace(form.Get("login")), web.ClientAddress(r))
	}
	return a.site.Done(w, r, err, "reset-asked", "/users/sign_in")
}

// sendConfirmation mails the user a link that confirms the address.
func (a *api) sendConfirmation(w http.ResponseWriter, r *http.Request, u user.User) error {
	if a.app.KeepsMails || !u.ConfirmedAt.IsZero() {
		return errNoMails
	}
	err := a.app.Recovery.SendConfirmation(r.Context(), u)
	said := "confirmation-sent"
	if fault.Is(err, fault.TooMany) {
		said, err = "confirmation-enough", nil
	}
	return a.site.Done(w, r, err, said, profilePath)
}

// confirmationBody is the data of the page behind a link that confirms an address.
type confirmationBody struct {
	Token string
	User  user.User
	Over  bool // the link does not work any more
	Done  bool
}

// showConfirmation asks before it confirms: programs that look through mails follow links.
func (a *api) showConfirmation(w http.ResponseWriter, r *http.Request) error {
	body := confirmationBody{Token: r.URL.Query().Get("token")}
	var err error
	if body.User, err = a.app.Recovery.AddressOf(r.Context(), secret.NewText(body.Token)); err != nil {
		return a.renderConfirmation(w, r, confirmationBody{}, err)
	}
	return a.renderConfirmation(w, r, body, nil)
}

func (a *api) confirmByMail(w http.ResponseWriter, r *http.Request) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	err = a.app.Recovery.Confirm(r.Context(), secret.NewText(form.Get("token")))
	return a.renderConfirmation(w, r, confirmationBody{Done: true}, err)
}

func (a *api) renderConfirmation(w http.ResponseWriter, r *http.Request, body confirmationBody, err error) error {
	status := http.StatusOK
	switch {
	case errors.Is(err, recovery.ErrLink):
		status, body = http.StatusNotFound, confirmationBody{Over: true}
	case err != nil:
		return err
	}
	return a.site.Render(w, r, site.Page{Template: "confirmation", Secret: true, Title: "E-mail address", Status: status, Focused: true, Body: body})
}
