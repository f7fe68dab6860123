package accountapi

import (
	"errors"
	"net/http"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// applicationForm is what the form for an application shows.
type applicationForm struct {
	Heading, Submit, Action string
	Back, BackTo            string
	oauth.Registration
	Admin      bool // may set Trusted
	Complaints complaints
}

// complaints are what is wrong with the fields, in words.
type complaints struct{ Name, RedirectURI, Scopes string }

// Any reports whether there is one.
func (c complaints) Any() bool { return c != complaints{} }

// Focus names the field to start with: the first one with a mistake.
func (f applicationForm) Focus() string {
	switch c := f.Complaints; {
	case c.Name != "":
		return "name"
	case c.RedirectURI != "":
		return "redirect_uri"
	case c.Scopes != "":
		return "scopes"
	}
	return "name"
}

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

func formForNew(u user.User, r oauth.Registration) applicationForm {
	return applicationForm{
		Heading: "New application", Submit: "Register", Action: applicationsPath,
		Back: applicationsPath, BackTo: "All applications", Registration: r, Admin: u.Admin,
	}
}

func formToEdit(u user.User, c oauth.Client, r oauth.Registration) applicationForm {
	address := applicationAddress(c)
	return applicationForm{
		Heading: "Edit " + c.Name, Submit: "Save", Action: address,
		Back: address, BackTo: c.Name, Registration: r, Admin: u.Admin,
	}
}

func (a *api) newApplication(w http.ResponseWriter, r *http.Request, u user.User) error {
	return a.renderForm(w, r, http.StatusOK, formForNew(u, oauth.Registration{Confidential: true, PasswordGrant: true}))
}

func (a *api) createApplication(w http.ResponseWriter, r *http.Request, u user.User) error {
	registration, err := readRegistration(r, u)
	if err != nil {
		return err
	}
	c, text, err := a.app.OAuth.Register(r.Context(), u.ID, registration)
	if err != nil {
		return a.complain(w, r, formForNew(u, registration), err)
	}
	a.app.Trail.Record(r.Context(), c.Event(oauth.EventApplicationCreated, u.ID))
	return a.renderSecret(w, r, http.StatusCreated, "The application is registered", c, text)
}

func (a *api) editApplication(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error {
	return a.renderForm(w, r, http.StatusOK, formToEdit(u, c, oauth.Registration{
		Name: c.Name, RedirectURIs: strings.Join(c.RedirectURIs, "\n"), Scopes: c.Scopes,
		Confidential: c.Confidential, Trusted: c.Trusted, RequireSecret: c.RequireSecret, PasswordGrant: c.PasswordGrant,
	}))
}

func (a *api) updateApplication(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error {
	registration, err := readRegistration(r, u)
	if err != nil {
		return err
	}
	changed, err := a.app.OAuth.Edit(r.Context(), c, registration)
	if err != nil {
		return a.complain(w, r, formToEdit(u, c, registration), err)
	}
	a.app.Trail.Record(r.Context(), changed.Event(oauth.EventApplicationChanged, u.ID))
	a.site.Notify(w, "saved")
	return site.Redirect(w, r, applicationAddress(c))
}

// readRegistration reads the form. A trusted application asks nobody, so only
// an administrator can say what it is: one that somebody else saves, such as an
// administrator of former days, is trusted no more.
func readRegistration(r *http.Request, u user.User) (oauth.Registration, error) {
	form, err := site.ReadForm(r)
	return oauth.Registration{
		Name:          strings.TrimSpace(form.Get("name")),
		RedirectURIs:  form.Get("redirect_uri"),
		Scopes:        scope.Of(form.All("scopes[]")...),
		Confidential:  form.Checked("confidential"),
		Trusted:       u.Admin && form.Checked("trusted"),
		RequireSecret: form.Checked("require_secret"),
		PasswordGrant: form.Checked("password_grant"),
	}, err
}

// complain shows the form again with what is wrong beside the fields. The
// status is 422: the request was understood, its content was not accepted, and
// unlike 400 no cache or client takes it for a broken request.
func (a *api) complain(w http.ResponseWriter, r *http.Request, form applicationForm, err error) error {
	var fields fault.Fields
	if !errors.As(err, &fields) {
		return err
	}
	form.Complaints = complaints{
		Name:        site.Sentence("The name", fields["name"]),
		RedirectURI: site.Sentence("The redirect URI", fields["redirect_uri"]),
		Scopes:      site.Sentence("The list of scopes", fields["scopes"]),
	}
	return a.renderForm(w, r, http.StatusUnprocessableEntity, form)
}

func (a *api) renderForm(w http.ResponseWriter, r *http.Request, status int, form applicationForm) error {
	return a.renderSettings(w, r, site.Page{
		Template: "application_form", Title: form.Heading, Status: status, Body: form,
	})
}
