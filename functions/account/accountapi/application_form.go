package accountapi

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// applicationForm is the data of the form for an application.
type applicationForm struct {
	Heading, Submit, Action string
	Back, BackTo            string
	oauth.Registration
	OfInstance bool              // it will belong to nobody
	Offered    []scope.Described // the scopes
	Complaints site.Complaints
}

// RefreshRetry is the text of its field, from which nothing is lost but what is no time.
func (f applicationForm) RefreshRetry() string {
	retry := f.Registration.RefreshRetry
	if retry == nil || *retry < 0 {
		return ""
	}
	return strconv.FormatInt(*retry, 10)
}

// Focus names the field to start with: the first one with a mistake.
func (f applicationForm) Focus() string { return cmp.Or(f.Complaints.Focus(), "name") }

// scopeChoice is a box to tick.
type scopeChoice struct {
	scope.Described
	Checked bool
}

// Scopes returns a box for each scope that an application can have.
func (f applicationForm) Scopes() []scopeChoice {
	var choices []scopeChoice
	for _, d := range f.Offered {
		choices = append(choices, scopeChoice{d, f.Registration.Scopes.Has(d.Scope)})
	}
	return choices
}

func (d desk) formForNew(r oauth.Registration) applicationForm {
	return applicationForm{
		Heading: "New application", Submit: "Register", Action: d.list, OfInstance: d.admin,
		Back: d.list, BackTo: "All applications", Registration: r,
	}
}

func (d desk) formToEdit(c oauth.Client, r oauth.Registration) applicationForm {
	address := d.address(c)
	return applicationForm{
		Heading: "Edit " + c.Name, Submit: "Save", Action: address,
		Back: address, BackTo: c.Name, Registration: r,
	}
}

func (a *api) newApplication(d desk) site.UserHandler {
	return func(w http.ResponseWriter, r *http.Request, u user.User) error {
		empty := oauth.Registration{ByAdmin: u.Admin, Confidential: true, PasswordGrant: true}
		return a.renderForm(w, r, http.StatusOK, d, d.formForNew(empty))
	}
}

// createApplication registers an application of the user, or of the instance where
// administrators manage all.
func (a *api) createApplication(d desk) site.UserHandler {
	return func(w http.ResponseWriter, r *http.Request, u user.User) error {
		registration, err := readRegistration(r, u)
		if err != nil {
			return err
		}
		owner := u.ID
		if d.admin {
			owner = 0
		}
		c, text, err := a.app.OAuth.Register(r.Context(), audit.ByUser(u.ID), owner, registration)
		if err != nil {
			return a.renderFormError(w, r, d, d.formForNew(registration), err)
		}
		return d.renderSecret(w, r, http.StatusCreated, "The application is registered", c, text)
	}
}

func (a *api) editApplication(d desk) clientHandler {
	return func(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error {
		return a.renderForm(w, r, http.StatusOK, d, d.formToEdit(c, c.Registration(u.Admin)))
	}
}

func (a *api) updateApplication(d desk) clientHandler {
	return func(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error {
		registration, err := readRegistration(r, u)
		if err != nil {
			return err
		}
		if _, err := a.app.OAuth.ChangeClient(r.Context(), audit.ByUser(u.ID), c, registration); err != nil {
			return a.renderFormError(w, r, d, d.formToEdit(c, registration), err)
		}
		return a.site.Done(w, r, nil, "saved", d.address(c))
	}
}

// readRegistration reads the form as the user sent it.
func readRegistration(r *http.Request, u user.User) (oauth.Registration, error) {
	form, err := site.ReadForm(r)
	return oauth.Registration{
		ByAdmin:       u.Admin,
		Name:          strings.TrimSpace(form.Get("name")),
		RedirectURIs:  form.Get("redirect_uri"),
		Scopes:        scope.Of(form.All("scopes[]")...),
		Confidential:  form.Checked("confidential"),
		Trusted:       form.Checked("trusted"),
		RequireSecret: form.Checked("require_secret"),
		PasswordGrant: form.Checked("password_grant"),
		RefreshRetry:  readSeconds(form.Get("refresh_retry")),
	}, err
}

// readSeconds reads a number, of which a blank is none. What is no number is -1, which no
// field allows.
func readSeconds(text string) *int64 {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		n = -1
	}
	return &n
}

// renderFormError shows the form again with an error beside each wrong field.
// The status is 422: the request was understood but its content was rejected.
// Unlike 400, no cache or client takes that for a broken request.
func (a *api) renderFormError(w http.ResponseWriter, r *http.Request, d desk, form applicationForm, err error) error {
	var fields fault.Fields
	if !errors.As(err, &fields) {
		return err
	}
	form.Complaints = site.NewComplaints(fields, "name", "The name", "redirect_uri", a.wrongRedirect(form.RedirectURIs), "scopes", "The list of scopes",
		"refresh_retry_seconds", "The time")
	return a.renderForm(w, r, http.StatusUnprocessableEntity, d, form)
}

// wrongRedirect returns the words that a sentence about the redirect URIs begins with.
func (a *api) wrongRedirect(lines string) string {
	number, line := a.app.OAuth.WrongRedirect(lines)
	if number == 0 {
		return "The list of redirect URIs"
	}
	const shown = 80
	if runes := []rune(line); len(runes) > shown {
		line = string(runes[:shown]) + "…"
	}
	return fmt.Sprintf("The redirect URI in line %d, “%s”,", number, line)
}

func (a *api) renderForm(w http.ResponseWriter, r *http.Request, status int, d desk, form applicationForm) error {
	form.Offered = a.app.OAuth.ScopesToRegister(form.ByAdmin)
	return d.render(w, r, site.Page{
		Template: "application_form", Title: form.Heading, Status: status, Body: form,
	})
}
