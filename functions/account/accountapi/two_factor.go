package accountapi

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/signin"
	"gatehouse/shared/site"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// twoFactorBody is what the page about the second factor shows.
type twoFactorBody struct {
	Enabled bool
	Factor  twofactor.Factor
	passwordAsked
}

// passwordAsked is part of what a page shows that asks for the password.
type passwordAsked struct {
	Asked     string // what the password was sent for, if it was not right
	Complaint string // about the password
}

// AskedFor reports whether the password was sent for this and was not right.
func (b passwordAsked) AskedFor(what string) bool { return b.Asked == what }

// passwordField is the field for the user's own password.
type passwordField struct{ For, Complaint string }

// Password returns the field of the form for this.
func (b passwordAsked) Password(what string) passwordField {
	if !b.AskedFor(what) {
		return passwordField{For: what}
	}
	return passwordField{what, b.Complaint}
}

func (a *api) showTwoFactor(w http.ResponseWriter, r *http.Request, u user.User) error {
	return a.renderTwoFactor(w, r, http.StatusOK, u, "", "")
}

func (a *api) renderTwoFactor(w http.ResponseWriter, r *http.Request, status int, u user.User, asked, complaint string) error {
	body := twoFactorBody{Enabled: u.TwoFactorEnabled, passwordAsked: passwordAsked{asked, complaint}}
	if u.TwoFactorEnabled {
		var err error
		if body.Factor, err = a.app.TwoFactor.Factor(r.Context(), u.ID); err != nil {
			return err
		}
	}
	return a.renderSettings(w, r, site.Page{Template: "two_factor", Title: twoFactorTitle, Status: status, Body: body})
}

const twoFactorTitle = "Two-factor authentication"

// refusedPassword shows a page again whose form for this had a wrong password.
type refusedPassword func(w http.ResponseWriter, r *http.Request, status int, u user.User, asked, complaint string) error

// withPassword asks for the password before it calls the handler, so that a
// stranger at an open browser cannot change how its user signs in. The attempt
// counts like one on the sign-in page.
func (a *api) withPassword(refuse refusedPassword, what string, h site.SessionHandler) http.Handler {
	return a.site.InSession(func(w http.ResponseWriter, r *http.Request, u user.User, in session.Session) error {
		form, err := site.ReadForm(r)
		if err != nil {
			return err
		}
		result, err := a.app.SignIn.Confirm(r.Context(), u, secret.NewText(form.Get("password")), web.ClientAddress(r))
		if err != nil {
			return err
		}
		switch result.Outcome {
		case signin.Confirmed:
			return h(w, r, u, in)
		case signin.Throttled:
			complaint := "Too many wrong passwords. Wait " + retryAfter(w, result) + " and try again."
			return refuse(w, r, http.StatusTooManyRequests, u, what, complaint)
		}
		return refuse(w, r, http.StatusUnprocessableEntity, u, what, "The password is not right.")
	})
}

// enrolmentBody is the data of the page with the QR code.
type enrolmentBody struct {
	twofactor.Enrolment
	QR      qrCode
	Link    template.URL // for an app on the device that shows the page
	Account string
	Wrong   bool // the code that was sent is
}

// Complaint is the error beside the field for the code.
func (b enrolmentBody) Complaint() string {
	if !b.Wrong {
		return ""
	}
	return "The code is not right. If the next one is not either, check the clock of your phone."
}

// Groups returns the seed in groups of four characters, for typing.
func (b enrolmentBody) Groups() string {
	var text strings.Builder
	for i, c := range b.Seed.String() {
		if i > 0 && i%4 == 0 {
			text.WriteByte(' ')
		}
		text.WriteRune(c)
	}
	return text.String()
}

func (a *api) beginTwoFactor(w http.ResponseWriter, r *http.Request, u user.User, in session.Session) error {
	if u.TwoFactorEnabled {
		return a.startAgain(w, r)
	}
	return a.renderEnrolment(w, r, http.StatusOK, u, a.app.TwoFactor.Begin(u, in.ID))
}

func (a *api) renderEnrolment(w http.ResponseWriter, r *http.Request, status int, u user.User, e twofactor.Enrolment) error {
	code, err := newQRCode(e.URI(u))
	if err != nil {
		return err
	}
	body := enrolmentBody{Enrolment: e, QR: code, Link: template.URL(e.URI(u)), Account: u.Username, Wrong: status != http.StatusOK}
	return a.renderSettings(w, r, site.Page{Template: "two_factor_new", Secret: true, Title: twoFactorTitle, Status: status, Body: body})
}

// startAgain sends a form that came too late or twice back to its page.
func (a *api) startAgain(w http.ResponseWriter, r *http.Request) error {
	return a.site.Done(w, r, nil, "two-factor-over", twoFactorPath)
}

// enableTwoFactor takes the first code of the app. All sessions of the user end,
// and this browser gets a new one.
func (a *api) enableTwoFactor(w http.ResponseWriter, r *http.Request, u user.User, in session.Session) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	enrolment, err := a.app.TwoFactor.Resume(u, in.ID, form.Get("ticket"))
	if errors.Is(err, twofactor.ErrOver) {
		return a.startAgain(w, r)
	}
	if err != nil {
		return err
	}
	enabled, codes, err := a.app.TwoFactor.Enable(r.Context(), u, enrolment, form.Get("code"))
	switch {
	case errors.Is(err, twofactor.ErrWrongCode):
		return a.renderEnrolment(w, r, http.StatusUnprocessableEntity, u, enrolment)
	case fault.Is(err, fault.Conflict):
		return a.startAgain(w, r)
	case err != nil:
		return err
	}
	if err := a.site.SignIn(w, r, enabled); err != nil {
		return err
	}
	return a.renderRecoveryCodes(w, r, "Two-factor authentication is on", u, codes)
}

func (a *api) disableTwoFactor(w http.ResponseWriter, r *http.Request, u user.User, _ session.Session) error {
	if !u.TwoFactorEnabled {
		return a.startAgain(w, r)
	}
	u, err := a.app.TwoFactor.Disable(r.Context(), u)
	if fault.Is(err, fault.Conflict) {
		return a.startAgain(w, r)
	}
	if err != nil {
		return err
	}
	err = a.site.SignIn(w, r, u)
	return a.site.Done(w, r, err, "two-factor-disabled", twoFactorPath)
}

func (a *api) renewRecoveryCodes(w http.ResponseWriter, r *http.Request, u user.User, _ session.Session) error {
	codes, err := a.app.TwoFactor.RenewRecoveryCodes(r.Context(), u)
	if errors.Is(err, twofactor.ErrOver) {
		return a.startAgain(w, r)
	}
	if err != nil {
		return err
	}
	return a.renderRecoveryCodes(w, r, "New recovery codes", u, codes)
}

// recoveryBody is the data of the page that shows recovery codes once.
type recoveryBody struct {
	Heading  string
	Codes    []secret.Text
	Username string
	Instance string // the address of Gatehouse, which a sheet of paper does not tell
}

// File is the address of a text with the codes. It holds the text itself, so that nothing has
// to be kept for it and a browser without script can keep it too.
func (b recoveryBody) File() template.URL {
	text := "Recovery codes of @" + b.Username + " for Gatehouse at " + b.Instance + ". Each of them signs you in once.\r\n\r\n"
	for _, code := range b.Codes {
		text += code.Reveal() + "\r\n"
	}
	return template.URL("data:text/plain;charset=utf-8," + url.PathEscape(text))
}

func (a *api) renderRecoveryCodes(w http.ResponseWriter, r *http.Request, heading string, u user.User, codes []secret.Text) error {
	body := recoveryBody{heading, codes, u.Username, a.app.BaseURL}
	return a.renderSettings(w, r, site.Page{Template: "recovery_codes", Secret: true, Title: heading, Body: body})
}
