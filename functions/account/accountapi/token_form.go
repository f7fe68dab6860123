package accountapi

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/scope"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// usualLifetime is the lifetime that the form proposes.
const usualLifetime = 30 * 24 * time.Hour

// expiryField is the field for the day on which a token ends.
type expiryField struct {
	Value, First, Last string // days in the format of a date field
	Complaint          string
	Focused            bool // the field to start with
	day                time.Time
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// proposedExpiry returns the field of a new form.
func (a *api) proposedExpiry() expiryField {
	now := a.app.Now()
	return expiryField{
		Value: dayOf(now.Add(usualLifetime)), First: dayOf(now.AddDate(0, 0, 1)), Last: dayOf(accesstoken.LastDay(now)),
	}
}

// expiryOf returns the field as the user filled it in.
func (a *api) expiryOf(form site.Form) expiryField {
	field := a.proposedExpiry()
	field.Value = form.Get("expires_at")
	var err error
	if field.day, err = time.Parse(time.DateOnly, field.Value); err != nil || field.day.IsZero() {
		field.Complaint = "The day must be a date such as " + field.First + "."
	}
	return field
}

// tokenForm is the data of the form for a token.
type tokenForm struct {
	Name       string
	Chosen     scope.Set
	Offered    scope.Set
	Expiry     expiryField
	Complaints struct{ Name, Scopes string }
}

// Any reports whether a field is wrong.
func (f tokenForm) Any() bool {
	return f.Complaints.Name != "" || f.Complaints.Scopes != "" || f.Expiry.Complaint != ""
}

// Focus names the field to start with: the first one with a mistake.
func (f tokenForm) Focus() string {
	switch {
	case f.Complaints.Name != "":
		return "name"
	case f.Expiry.Complaint != "":
		return "expires_at"
	case f.Complaints.Scopes != "":
		return "scopes"
	}
	return "name"
}

// Scopes returns a box for each scope on offer.
func (f tokenForm) Scopes() []scopeChoice {
	var choices []scopeChoice
	for _, d := range scope.Describe(f.Offered) {
		choices = append(choices, scopeChoice{d, f.Chosen.Has(d.Scope)})
	}
	return choices
}

// offeredTo returns the scopes that the user can give to a token. Only
// administrators can act as other users.
func offeredTo(u user.User) scope.Set {
	offered := scope.Of(scope.Token...)
	if !u.Admin {
		offered = offered.Without(scope.Sudo)
	}
	return offered
}

func (a *api) newToken(w http.ResponseWriter, r *http.Request, u user.User) error {
	return a.renderTokenForm(w, r, http.StatusOK, tokenForm{Offered: offeredTo(u), Expiry: a.proposedExpiry()})
}

func (a *api) createToken(w http.ResponseWriter, r *http.Request, u user.User) error {
	sent, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	form := tokenForm{
		Name: strings.TrimSpace(sent.Get("name")), Chosen: scope.Of(sent.All("scopes[]")...),
		Offered: offeredTo(u), Expiry: a.expiryOf(sent),
	}
	req := accesstoken.Request{UserID: u.ID, Admin: u.Admin, Name: form.Name, Scopes: form.Chosen, ExpiresAt: form.Expiry.day}
	complaints := a.app.Tokens.Check(req)
	if form.Expiry.Complaint != "" || complaints != nil {
		return a.renderTokenError(w, r, form, complaints)
	}
	t, text, err := a.app.Tokens.Create(r.Context(), audit.ByUser(u.ID), req)
	if err != nil {
		return err
	}
	return a.renderTokenText(w, r, "The token is made", t, text)
}

// renderTokenError shows the form again with an error beside each wrong field.
func (a *api) renderTokenError(w http.ResponseWriter, r *http.Request, form tokenForm, err error) error {
	var fields fault.Fields
	if err != nil && !errors.As(err, &fields) {
		return err
	}
	form.Complaints.Name = site.Sentence("The name", fields["name"])
	form.Complaints.Scopes = site.Sentence("The list of scopes", fields["scopes"])
	if form.Expiry.Complaint == "" {
		form.Expiry.Complaint = site.Sentence("The day", fields["expires_at"])
	}
	return a.renderTokenForm(w, r, http.StatusUnprocessableEntity, form)
}

func (a *api) renderTokenForm(w http.ResponseWriter, r *http.Request, status int, form tokenForm) error {
	form.Expiry.Focused = form.Focus() == "expires_at"
	return a.renderSettings(w, r, site.Page{Template: "token_form", Title: "New access token", Status: status, Body: form})
}
