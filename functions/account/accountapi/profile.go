package accountapi

import (
	"errors"
	"net/http"
	"strings"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/signin"
	"gatehouse/shared/site"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

const profilePath = "/user_settings/profile"

// profileBody is the data of the page on which people change their own account.
type profileBody struct {
	user.User
	Name, Email string // as sent, if there were mistakes
	Asked       string // the form with the mistakes: profile, email or password; empty: none
	Complaints  site.Complaints
	Mails       bool // a mail can confirm the address
}

// PageAddress is that of the person's page.
func (b profileBody) PageAddress() string { return b.PagePath() }

// AsIs reports whether the field shows the address that the user has, not one to come.
func (b profileBody) AsIs() bool { return b.Email == b.User.Email }

// Field is what the template of a password's field needs.
func (b profileBody) Field(form, name, label string) profileField {
	f := profileField{ID: form + "-" + name, Name: name, Label: label, Autocomplete: "current-password"}
	if name == "password" {
		f.Autocomplete = "new-password"
	}
	if b.Asked == form {
		f.Complaint, f.Focused = b.Complaints.About(name), b.Complaints.Focus() == name
	}
	return f
}

// About returns the complaint about the field of the form, or "".
func (b profileBody) About(form, name string) string {
	if b.Asked != form {
		return ""
	}
	return b.Complaints.About(name)
}

// profileField is a field for a password.
type profileField struct {
	ID, Name, Label, Autocomplete, Complaint string
	Focused                                  bool
}

func (a *api) showProfile(w http.ResponseWriter, r *http.Request, u user.User) error {
	return a.renderProfile(w, r, http.StatusOK, profileBody{User: u, Name: u.Name, Email: u.Email})
}

func (a *api) renderProfile(w http.ResponseWriter, r *http.Request, status int, body profileBody) error {
	body.Mails = !a.app.KeepsMails && body.ConfirmedAt.IsZero()
	return a.renderSettings(w, r, site.Page{Template: "profile", Title: "Profile", Status: status, Body: body})
}

// changeProfile returns the handler of one of the forms of the page. Only this browser stays
// signed in after a new password.
func (a *api) changeProfile(form, notice string, read func(site.Form) signin.OwnChange) site.UserHandler {
	return func(w http.ResponseWriter, r *http.Request, u user.User) error {
		sent, err := site.ReadForm(r)
		if err != nil {
			return err
		}
		change := read(sent)
		changed, err := a.app.SignIn.ChangeOwn(r.Context(), audit.ByUser(u.ID), u, change, web.ClientAddress(r))
		if err != nil {
			return a.renderProfileError(w, r, u, form, change, err)
		}
		if change.Password != nil {
			err = a.site.SignIn(w, r, changed)
		}
		return a.site.Done(w, r, err, notice, profilePath)
	}
}

// renderProfileError shows the page again with what is wrong in the form.
func (a *api) renderProfileError(w http.ResponseWriter, r *http.Request, u user.User, form string, sent signin.OwnChange, err error) error {
	body := profileBody{User: u, Name: u.Name, Email: u.Email, Asked: form}
	if sent.Name != nil {
		body.Name = *sent.Name
	}
	if sent.Email != nil {
		body.Email = *sent.Email
	}
	status := http.StatusUnprocessableEntity
	var fields fault.Fields
	var throttled *throttle.Refused
	switch {
	case errors.As(err, &fields):
	case errors.As(err, &throttled):
		wait := retryAfter(w, signin.Result{Wait: throttled.Wait})
		fields, status = fault.Fields{"current_password": {"was wrong too often: wait " + wait}}, http.StatusTooManyRequests
	default:
		return err
	}
	body.Complaints = site.NewComplaints(fields,
		"name", "The name", "email", "The address", "current_password", "Your password", "password", "The new password")
	return a.renderProfile(w, r, status, body)
}

func readProfile(f site.Form) signin.OwnChange {
	return signin.OwnChange{Name: new(strings.TrimSpace(f.Get("name"))), PrivateProfile: new(f.Checked("private_profile"))}
}

func readEmail(f site.Form) signin.OwnChange {
	return signin.OwnChange{Email: new(strings.TrimSpace(f.Get("email"))), Current: secret.NewText(f.Get("current_password"))}
}

func readPassword(f site.Form) signin.OwnChange {
	return signin.OwnChange{Password: new(secret.NewText(f.Get("password"))), Current: secret.NewText(f.Get("current_password"))}
}
