package accountapi

import (
	"net/http"
	"net/url"

	"gatehouse/shared/passkey"
	"gatehouse/shared/signin"
	"gatehouse/shared/site"
)

// passkeyStepPath is the page on which people sign in with a passkey.
const passkeyStepPath = "/users/sign_in/passkey"

// passkeyStepBody is the data of that page.
type passkeyStepBody struct {
	ReturnTo        string
	Options         string // what the browser is asked
	Start           bool   // the browser asks at once
	Refused, Copied bool
	Wait            string // until the next attempt, after too many failures
	Client          string // the name of the application that the sign-in is for, if any
}

// ByPassword returns the address of the sign-in with the password.
func (b passkeyStepBody) ByPassword() string {
	return "/users/sign_in?" + url.Values{"again": {"1"}, "return_to": {b.ReturnTo}}.Encode()
}

// showPasskeyStep asks the browser for a passkey.
func (a *api) showPasskeyStep(w http.ResponseWriter, r *http.Request) error {
	body := passkeyStepBody{ReturnTo: site.LocalPath(r.URL.Query().Get("return_to")), Start: true}
	return a.renderPasskeyStep(w, r, http.StatusOK, body)
}

// passkeyStep takes the answer of the passkey.
func (a *api) passkeyStep(w http.ResponseWriter, r *http.Request) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	if a.party == nil {
		return errNoPasskeys
	}
	body := passkeyStepBody{ReturnTo: site.LocalPath(form.Get("return_to"))}
	answer, err := a.party.Assertion(form.Get("answer"))
	if err != nil { // what no passkey answers counts as no attempt
		body.Refused = true
		return a.renderPasskeyStep(w, r, http.StatusUnprocessableEntity, body)
	}
	result, err := a.app.SignIn.Passkey(r.Context(), signin.PasskeyAttempt{Ticket: a.site.Asked(r), Answer: answer, Origin: a.site.Origin(r)})
	if err != nil {
		return err
	}
	switch result.Outcome {
	case signin.SignedIn:
		a.site.EndAsked(w)
		a.site.SetSession(w, result.Cookie)
		return site.Redirect(w, r, body.ReturnTo)
	case signin.Over:
		a.site.EndAsked(w)
		a.site.Notify(w, "sign-in-over")
		return site.ToSignIn(w, r, body.ReturnTo)
	case signin.Throttled:
		body.Wait = retryAfter(w, result)
		return a.renderPasskeyStep(w, r, http.StatusTooManyRequests, body)
	}
	body.Refused, body.Copied = result.Outcome == signin.Refused, result.Outcome == signin.Copied
	return a.renderPasskeyStep(w, r, http.StatusUnprocessableEntity, body)
}

func (a *api) renderPasskeyStep(w http.ResponseWriter, r *http.Request, status int, body passkeyStepBody) error {
	if a.party == nil {
		return errNoPasskeys
	}
	question := a.app.Passkeys.Ask(passkey.ForSignIn)
	options, err := a.party.ToUse(question)
	if err != nil {
		return err
	}
	a.site.SetAsked(w, question.Ticket)
	page := site.Page{Template: "passkey_step", Title: "Sign in with a passkey", Status: status, Focused: true}
	body.Client, page.Targets = a.waiting(r.Context(), body.ReturnTo)
	body.Options = string(options)
	page.Body = body
	return a.site.Render(w, r, page)
}
