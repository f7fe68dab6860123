package accountapi

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/passkey"
	"gatehouse/shared/session"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

const passkeysTitle = "Passkeys"

// errNoPasskeys answers at an address for which browsers have no passkeys.
var errNoPasskeys = fault.New(fault.NotFound, "no passkeys at this address")

// passkeysBody is the data of the list of passkeys.
type passkeysBody struct {
	Rows                     []passkeyRow
	Available, Full, TwoStep bool
	passwordAsked
}

type passkeyRow struct {
	passkey.Passkey
	Address   string
	Complaint string // about the name
	Named     string // as sent
}

func (a *api) listPasskeys(w http.ResponseWriter, r *http.Request, u user.User) error {
	return a.renderPasskeys(w, r, http.StatusOK, u, "", "")
}

// renderPasskeys shows the list, with a complaint about a password, or about the name that was
// sent for the passkey whose number was asked for.
func (a *api) renderPasskeys(w http.ResponseWriter, r *http.Request, status int, u user.User, asked, complaint string) error {
	found, err := a.app.Passkeys.Of(r.Context(), u.ID)
	if err != nil {
		return err
	}
	body := passkeysBody{Available: a.party != nil, Full: len(found.Keys()) >= passkey.Most, TwoStep: u.TwoFactorEnabled, passwordAsked: passwordAsked{asked, complaint}}
	for _, one := range found.Keys() {
		number := strconv.FormatInt(one.Number, 10)
		row := passkeyRow{Passkey: one, Address: passkeysPath + "/" + number, Named: one.Name}
		if asked == number {
			row.Complaint = complaint
		}
		body.Rows = append(body.Rows, row)
	}
	return a.renderSettings(w, r, site.Page{Template: "passkeys", Title: passkeysTitle, Status: status, Body: body})
}

// newPasskeyBody is the data of the page on which the browser makes a key.
type newPasskeyBody struct {
	Options, Ticket, Name string
	Complaint             string // about the name
	Refused               string // why the answer was not taken
}

// beginPasskey asks the browser of a user who has just given the password for a key.
func (a *api) beginPasskey(w http.ResponseWriter, r *http.Request, u user.User, in session.Session) error {
	question := a.app.Passkeys.Ask(passkey.ForAdding(u, in.ID))
	return a.renderNewPasskey(w, r, http.StatusOK, u, question, newPasskeyBody{Name: in.Browser.String()})
}

func (a *api) renderNewPasskey(w http.ResponseWriter, r *http.Request, status int, u user.User, q passkey.Question, body newPasskeyBody) error {
	if a.party == nil {
		return errNoPasskeys
	}
	found, err := a.app.Passkeys.Of(r.Context(), u.ID)
	if err != nil {
		return err
	}
	options, err := a.party.ToCreate(q, u, found.Keys())
	if err != nil {
		return err
	}
	body.Options, body.Ticket = string(options), q.Ticket.Reveal()
	return a.renderSettings(w, r, site.Page{Template: "passkey_new", Secret: true, Title: "New passkey", Status: status, Body: body})
}

// addPasskey takes the key that the browser made.
func (a *api) addPasskey(w http.ResponseWriter, r *http.Request, u user.User, in session.Session) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	question, err := a.app.Passkeys.Resume(passkey.ForAdding(u, in.ID), form.Get("ticket"))
	if errors.Is(err, passkey.ErrOver) {
		return a.site.Done(w, r, nil, "two-factor-over", passkeysPath)
	}
	if a.party == nil {
		return errNoPasskeys
	}
	body := newPasskeyBody{Name: strings.TrimSpace(form.Get("name"))}
	answer, err := a.party.Creation(form.Get("answer"))
	if err == nil {
		err = a.app.Passkeys.Add(r.Context(), audit.ByUser(u.ID), u, question, answer, body.Name)
	}
	var fields fault.Fields
	switch {
	case err == nil:
		return a.site.Done(w, r, nil, "passkey-added", passkeysPath)
	case errors.As(err, &fields):
		body.Complaint = site.Sentence("The name", fields["name"])
	case errors.Is(err, passkey.ErrRefused):
		body.Refused = "Your browser sent no passkey that fits. It needs JavaScript, and a device that asks for your fingerprint, face or PIN."
	case errors.Is(err, passkey.ErrFull), errors.Is(err, passkey.ErrKnown):
		body.Refused = err.Error()
	default:
		return err
	}
	return a.renderNewPasskey(w, r, http.StatusUnprocessableEntity, u, question, body)
}

func (a *api) renamePasskey(w http.ResponseWriter, r *http.Request, u user.User) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	number, err := web.PathID(r, "number")
	if err == nil {
		err = a.app.Passkeys.Rename(r.Context(), audit.ByUser(u.ID), u, number, strings.TrimSpace(form.Get("name")))
	}
	var fields fault.Fields
	if errors.As(err, &fields) {
		return a.renderPasskeys(w, r, http.StatusUnprocessableEntity, u, r.PathValue("number"), site.Sentence("The name", fields["name"]))
	}
	return a.site.Done(w, r, err, "passkey-renamed", passkeysPath)
}

func (a *api) removePasskey(w http.ResponseWriter, r *http.Request, u user.User) error {
	number, err := web.PathID(r, "number")
	if err == nil {
		err = a.app.Passkeys.Remove(r.Context(), audit.ByUser(u.ID), u, number)
	}
	return a.site.Done(w, r, err, "passkey-removed", passkeysPath)
}
