package accountapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
	"gatehouse/shared/signin"
	"gatehouse/shared/site"
	"gatehouse/shared/throttle"
	"gatehouse/shared/web"
)

// signInBody is the data of the sign-in page.
type signInBody struct {
	Login, ReturnTo string
	Refused         bool
	Wait            string // until the next attempt, after too many failures
	Client          string // the name of the application that the sign-in is for, if any
	Passkey         string // where passkeys sign in; empty: browsers have none for this address
	Text            string // of the administrators
}

// showSignIn shows the form. A user who is signed in already is redirected,
// unless the query asks for another sign-in.
func (a *api) showSignIn(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	returnTo := site.LocalPath(query.Get("return_to"))
	if query.Has("again") {
		return a.greet(w, r, returnTo)
	}
	switch _, _, err := a.site.SessionUser(r); {
	case err == nil, fault.Is(err, fault.Forbidden): // the next page reports the block
		return site.Redirect(w, r, returnTo)
	case !errors.Is(err, site.ErrNotSignedIn):
		return err
	}
	return a.greet(w, r, returnTo)
}

// greet shows the form with the text of the administrators. Whoever mistyped the password has
// read that: the answer to a form is without, so that guesses cost no more.
func (a *api) greet(w http.ResponseWriter, r *http.Request, returnTo string) error {
	settings, err := a.app.Instance.Settings(r.Context())
	if err != nil {
		return err
	}
	return a.renderSignIn(w, r, http.StatusOK, signInBody{ReturnTo: returnTo, Text: settings.SignInText})
}

func (a *api) signIn(w http.ResponseWriter, r *http.Request) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	body := signInBody{Login: form.Get("login"), ReturnTo: site.LocalPath(form.Get("return_to"))}
	result, err := a.app.SignIn.Password(r.Context(), signin.PasswordAttempt{
		Login: body.Login, Password: secret.NewText(form.Get("password")), Origin: a.site.Origin(r),
	})
	if err != nil {
		return err
	}
	switch result.Outcome {
	case signin.SignedIn:
		a.site.SetSession(w, result.Cookie)
		return site.Redirect(w, r, body.ReturnTo)
	case signin.NeedsSecondFactor:
		a.site.SetPending(w, result.Cookie)
		return site.Redirect(w, r, secondStepBody{ReturnTo: body.ReturnTo}.Address(false))
	case signin.Throttled:
		body.Wait = retryAfter(w, result)
		return a.renderSignIn(w, r, http.StatusTooManyRequests, body)
	}
	body.Refused = true
	// 422, like every form with a mistake in it. A 401 would need a challenge
	// (RFC 9110 section 15.5.2), and there is none for a form.
	return a.renderSignIn(w, r, http.StatusUnprocessableEntity, body)
}

// retryAfter sets the header that says how long to wait, and returns that in
// words.
func retryAfter(w http.ResponseWriter, result signin.Result) string {
	web.RetryAfter(w, &throttle.Refused{Wait: result.Wait})
	n, unit := int((result.Wait+time.Minute-1)/time.Minute), " minutes"
	if n > 120 {
		n, unit = (n+59)/60, " hours"
	}
	if n > 1 {
		return strconv.Itoa(n) + unit
	}
	return "a minute"
}

func (a *api) signOut(w http.ResponseWriter, r *http.Request) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	if err := a.site.SignOut(w, r); err != nil {
		return err
	}
	a.site.Notify(w, "signed-out")
	if returnTo := site.LocalPath(form.Get("return_to")); returnTo != "/" {
		return site.ToSignIn(w, r, returnTo)
	}
	return site.Redirect(w, r, "/users/sign_in")
}

func (a *api) renderSignIn(w http.ResponseWriter, r *http.Request, status int, body signInBody) error {
	page := site.Page{Template: "sign_in", Title: "Sign in", Status: status, Focused: true}
	body.Client, page.Targets = a.waiting(r.Context(), body.ReturnTo)
	if a.party != nil {
		body.Passkey = passkeyStepPath + "?" + url.Values{"return_to": {body.ReturnTo}}.Encode()
	}
	page.Body = body
	return a.site.Render(w, r, page)
}

// waiting returns the name of the application that the sign-in is for, and the
// additional targets that the page's form-action policy needs: if the user need
// not be asked, the sign-in is redirected all the way to the application, and
// browsers check each redirect of a form against the policy.
func (a *api) waiting(ctx context.Context, returnTo string) (name string, targets []string) {
	u, err := url.Parse(returnTo)
	if err != nil || u.Path != authorizePath {
		return "", nil
	}
	values, err := site.ParseValues(u.RawQuery)
	if err != nil {
		return "", nil
	}
	req := newAuthorizeRequest(values)
	client, err := a.app.OAuth.FindClient(ctx, req)
	if err != nil {
		return "", nil // the request itself will report it
	}
	var toClient *oauth.RedirectError
	if _, err := a.app.OAuth.Check(client, req); err != nil && !errors.As(err, &toClient) {
		return "", nil
	}
	return client.Name, []string{site.FormTarget(req.RedirectURI)}
}
