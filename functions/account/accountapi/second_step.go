package accountapi

import (
	"net/http"
	"net/url"

	"gatehouse/shared/signin"
	"gatehouse/shared/site"
)

// secondStepPath is the page that asks for the second factor.
const secondStepPath = "/users/two_factor"

// secondStepBody is the data of the page that asks for the second factor.
type secondStepBody struct {
	ReturnTo string
	Recovery bool // the page asks for a recovery code
	Refused  bool
	Wait     string // until the next attempt, after too many failures
	Client   string // the name of the application that the sign-in is for, if any
}

// Address returns the address of the page, for a code or for a recovery code.
func (b secondStepBody) Address(recovery bool) string {
	query := url.Values{"return_to": {b.ReturnTo}}
	if recovery {
		query.Set("recovery", "1")
	}
	return secondStepPath + "?" + query.Encode()
}

// Again returns the address at which the sign-in starts again.
func (b secondStepBody) Again() string {
	return "/users/sign_in?" + url.Values{"again": {"1"}, "return_to": {b.ReturnTo}}.Encode()
}

// showSecondStep asks for the second factor of a pending sign-in.
func (a *api) showSecondStep(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	body := secondStepBody{ReturnTo: site.LocalPath(query.Get("return_to")), Recovery: query.Has("recovery")}
	if !a.app.SignIn.Pending(a.site.Pending(r)) {
		return a.signInOver(w, r, body.ReturnTo)
	}
	return a.renderSecondStep(w, r, http.StatusOK, body)
}

// signInOver sends a user who took too long back to the password.
func (a *api) signInOver(w http.ResponseWriter, r *http.Request, returnTo string) error {
	a.site.EndPending(w)
	a.site.Notify(w, "sign-in-over")
	return site.ToSignIn(w, r, returnTo)
}

// secondStep takes the second factor and completes the sign-in.
func (a *api) secondStep(w http.ResponseWriter, r *http.Request) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	body := secondStepBody{ReturnTo: site.LocalPath(form.Get("return_to")), Recovery: form.Checked("recovery")}
	result, err := a.app.SignIn.SecondFactor(r.Context(), signin.CodeAttempt{
		Pending: a.site.Pending(r), Code: form.Get("code"), Origin: a.site.Origin(r),
	})
	if err != nil {
		return err
	}
	switch result.Outcome {
	case signin.SignedIn:
		a.site.EndPending(w)
		if result.RecoveryCode {
			a.site.Notify(w, "recovery-used")
		}
		a.site.SetSession(w, result.Cookie)
		return site.Redirect(w, r, body.ReturnTo)
	case signin.Over:
		return a.signInOver(w, r, body.ReturnTo)
	case signin.Throttled:
		body.Wait = retryAfter(w, result)
		return a.renderSecondStep(w, r, http.StatusTooManyRequests, body)
	}
	body.Refused = true
	return a.renderSecondStep(w, r, http.StatusUnprocessableEntity, body)
}

func (a *api) renderSecondStep(w http.ResponseWriter, r *http.Request, status int, body secondStepBody) error {
	page := site.Page{Template: "second_step", Title: "Sign in", Status: status, Focused: true}
	body.Client, page.Targets = a.waiting(r.Context(), body.ReturnTo)
	page.Body = body
	return a.site.Render(w, r, page)
}
