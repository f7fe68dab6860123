package accountapi

import (
	"cmp"
	"errors"
	"net/http"
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
	Complaints site.Complaints
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
	for _, d := range scope.Client {
		choices = append(choices, scopeChoice{d, f.Registration.Scopes.Has(d.Scope)})
	}
	return choices
}

func formForNew(r oauth.Registration) applicationForm {
	return applicationForm{
		Heading: "New application", Submit: "Register", Action: applicationsPath,
		Back: applicationsPath, BackTo: "All applications", Registration: r,
	}
}

func formToEdit(c oauth.Client, r oauth.Registration) applicationForm {
	address := applicationAddress(c)
	return applicationForm{
		Heading: "Edit " + c.Name, Submit: "Save", Action: address,
		Back: address, BackTo: c.Name, Registration: r,
	}
}

func (a *api) newApplication(w http.ResponseWriter, r *http.Request, u user.User) error {
	return a.renderForm(w, r, http.StatusOK, formForNew(oauth.Registration{ByAdmin: u.Admin, Confidential: true, PasswordGrant: true}))
}

func (a *api) createApplication(w http.ResponseWriter, r *http.Request, u user.User) error {
	registration, err := readRegistration(r, u)
	if err != nil {
		return err
	}
	c, text, err := a.app.OAuth.Register(r.Context(), audit.ByUser(u.ID), u.ID, registration)
	if err != nil {
		return a.renderFormError(w, r, formForNew(registration), err)
	}
	return a.renderSecret(w, r, http.StatusCreated, "The application is registered", c, text)
}

func (a *api) editApplication(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error {
	return a.renderForm(w, r, http.StatusOK, formToEdit(c, oauth.Registration{
		ByAdmin: u.Admin, Name: c.Name, RedirectURIs: strings.Join(c.RedirectURIs, "\n"), Scopes: c.Scopes,
		Confidential: c.Confidential, Trusted: c.Trusted, RequireSecret: c.RequireSecret, PasswordGrant: c.PasswordGrant,
	}))
}

func (a *api) updateApplication(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error {
	registration, err := readRegistration(r, u)
	if err != nil {
		return err
	}
	if _, err := a.app.OAuth.ChangeClient(r.Context(), audit.ByUser(u.ID), c, registration); err != nil {
		return a.renderFormError(w, r, formToEdit(c, registration), err)
	}
	return a.site.Done(w, r, nil, "saved", applicationAddress(c))
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
	}, err
}

// renderFormError shows the form again with an error beside each wrong field.
// The status is 422: the request was understood but its content was rejected.
// Unlike 400, no cache or client takes that for a broken request.
func (a *api) renderFormError(w http.ResponseWriter, r *http.Request, form applicationForm, err error) error {
	var fields fault.Fields
	if !errors.As(err, &fields) {
		return err
	}
	form.Complaints = site.NewComplaints(fields, "name", "The name", "redirect_uri", "The redirect URI", "scopes", "The list of scopes")
	return a.renderForm(w, r, http.StatusUnprocessableEntity, form)
}

func (a *api) renderForm(w http.ResponseWriter, r *http.Request, status int, form applicationForm) error {
	return a.renderSettings(w, r, site.Page{
		Template: "application_form", Title: form.Heading, Status: status, Body: form,
	})
}
