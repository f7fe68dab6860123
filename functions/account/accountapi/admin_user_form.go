package accountapi

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// The ways in which a new user gets a password.
const (
	startByLink     = "link"     // that the administrator hands over
	startByMail     = "mail"     // with a link
	startByPassword = "password" // that the administrator chooses
)

// userForm is the data of the forms for a user, new or not.
type userForm struct {
	user.User        // as sent
	Start     string // how a new one gets a password
	Confirmed bool   // the address is known to be the user's
	Own       bool   // the reader, whose rights stay as they are
	Mails     bool   // a mail reaches the user
	Changed   bool   // somebody else changed the user meanwhile
	// Asked says whether the complaints are about the form for the password.
	Asked      bool
	Complaints site.Complaints
}

// Address is that of the user's page.
func (f userForm) Address() string { return userAddress(f.User) }

// About returns the complaint about a field, other than that for another password.
func (f userForm) About(field string) string {
	if f.Asked {
		return ""
	}
	return f.Complaints.About(field)
}

// Focus names the field to start with.
func (f userForm) Focus() string {
	if focus := f.Complaints.Focus(); focus != "" {
		return focus
	}
	if f.ID == 0 {
		return "name"
	}
	return ""
}

func (a *api) newUser(w http.ResponseWriter, r *http.Request, _ user.User) error {
	return a.renderNewUser(w, r, http.StatusOK, userForm{Start: startByLink})
}

func (a *api) renderNewUser(w http.ResponseWriter, r *http.Request, status int, form userForm) error {
	form.Mails = !a.app.KeepsMails
	return a.renderAdmin(w, r, site.Page{Template: "user_new", Title: "New user", Status: status, Body: form})
}

// readUser reads what both forms have.
func readUser(sent site.Form) userForm {
	return userForm{
		User: user.User{
			Name: strings.TrimSpace(sent.Get("name")), Email: strings.TrimSpace(sent.Get("email")),
			Admin: sent.Checked("admin"), PrivateProfile: sent.Checked("private_profile"),
		},
		Confirmed: sent.Checked("confirmed"),
	}
}

// createUser makes a user, who has a password or gets a link to choose one.
func (a *api) createUser(w http.ResponseWriter, r *http.Request, u user.User) error {
	sent, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	form := readUser(sent)
	form.Username, form.Start = strings.TrimSpace(sent.Get("username")), sent.Get("start")
	made, err := a.app.Users.Create(r.Context(), audit.ByUser(u.ID), user.Registration{
		Username: form.Username, Name: form.Name, Email: form.Email,
		Password: secret.NewText(sent.Get("password")), WithoutPassword: form.Start != startByPassword,
		Admin: form.Admin, PrivateProfile: form.PrivateProfile, Confirmed: form.Confirmed,
	})
	var fields fault.Fields
	switch {
	case errors.As(err, &fields):
		form.Complaints = userComplaints(fields)
		return a.renderNewUser(w, r, http.StatusUnprocessableEntity, form)
	case err != nil:
		return err
	}
	switch form.Start {
	case startByPassword:
		return a.site.Done(w, r, nil, "user-created", userAddress(made))
	case startByMail:
		return a.invite(w, r, u, made)
	}
	return a.makeResetLink(w, r, u, made)
}

func userComplaints(wrong fault.Fields) site.Complaints {
	return site.NewComplaints(wrong, "name", "The name", "username", "The user name", "email", "The address", "password", "The password")
}

func (a *api) editUser(w http.ResponseWriter, r *http.Request, u, of user.User) error {
	return a.renderUserForm(w, r, http.StatusOK, userForm{User: of, Own: of.ID == u.ID})
}

func (a *api) renderUserForm(w http.ResponseWriter, r *http.Request, status int, form userForm) error {
	return a.renderAdmin(w, r, site.Page{Template: "user_edit", Title: "Edit @" + form.Username, Status: status, Body: form})
}

// updateUser changes what the form shows, if the user is still as the form showed it.
func (a *api) updateUser(w http.ResponseWriter, r *http.Request, u, of user.User) error {
	sent, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	form := readUser(sent)
	change := user.Change{
		Name: &form.Name, Email: &form.Email, PrivateProfile: &form.PrivateProfile, Confirmed: form.Confirmed,
	}
	if form.Own = of.ID == u.ID; !form.Own {
		change.Admin = &form.Admin
	}
	if change.SeenVersion, err = strconv.ParseInt(sent.Get("version"), 10, 64); err != nil {
		return fault.New(fault.Invalid, "The form does not tell which version of the user it showed.")
	}
	_, err = a.app.Users.Update(r.Context(), audit.ByUser(u.ID), of.ID, change)
	form.ID, form.Username, form.ConfirmedAt, form.Version = of.ID, of.Username, of.ConfirmedAt, change.SeenVersion
	var fields fault.Fields
	switch {
	case errors.As(err, &fields):
		form.Complaints = userComplaints(fields)
		return a.renderUserForm(w, r, http.StatusUnprocessableEntity, form)
	case errors.Is(err, user.ErrChanged):
		return a.renderUserForm(w, r, http.StatusConflict, userForm{User: of, Own: form.Own, Changed: true})
	}
	return a.site.Done(w, r, err, "user-saved", userAddress(of))
}

// setUserPassword sets the password of another user.
func (a *api) setUserPassword(w http.ResponseWriter, r *http.Request, u, of user.User) error {
	if of.ID == u.ID {
		return errOwnPassword
	}
	sent, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	_, err = a.app.Users.Update(r.Context(), audit.ByUser(u.ID), of.ID, user.Change{Password: new(secret.NewText(sent.Get("password")))})
	var fields fault.Fields
	if errors.As(err, &fields) {
		return a.renderUserForm(w, r, http.StatusUnprocessableEntity, userForm{User: of, Asked: true, Complaints: userComplaints(fields)})
	}
	return a.site.Done(w, r, err, "user-password", userAddress(of))
}
