package accountapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
	"gatehouse/shared/site"
)

// signInBody is what the sign-in page shows.
type signInBody struct {
	Login, ReturnTo string
	Refused         bool
	Client          string // the application that is waiting, if one is
}

func (a *api) showSignIn(w http.ResponseWriter, r *http.Request) error {
	returnTo := site.LocalPath(r.URL.Query().Get("return_to"))
	switch _, _, err := a.site.SessionUser(r); {
	case err == nil, fault.Is(err, fault.Forbidden): // the next page tells who is blocked
		return site.Redirect(w, r, returnTo)
	case !errors.Is(err, site.ErrNotSignedIn):
		return err
	}
	return a.renderSignIn(w, r, http.StatusOK, signInBody{ReturnTo: returnTo})
}

func (a *api) signIn(w http.ResponseWriter, r *http.Request) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	body := signInBody{Login: form.Get("login"), ReturnTo: site.LocalPath(form.Get("return_to"))}
	u, err := a.app.Users.Authenticate(r.Context(), body.Login, secret.NewText(form.Get("password")))
	if fault.Is(err, fault.Unauthorized) {
		body.Refused = true
		// Like every form with a mistake in it. A 401 would have to come with
		// a challenge (RFC 9110 section 15.5.2), and there is none for a form.
		return a.renderSignIn(w, r, http.StatusUnprocessableEntity, body)
	}
	if err != nil {
		return err
	}
	if err := a.site.SignIn(w, r, u); err != nil {
		return err
	}
	return site.Redirect(w, r, body.ReturnTo)
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
	client, target := a.waiting(r.Context(), body.ReturnTo)
	if target != "" {
		body.Client = client
		page.Targets = []string{target}
	}
	page.Body = body
	return a.site.Render(w, r, page)
}

// waiting returns the application whose authorization request goes on after
// the sign-in, and where a form must be able to lead for that: when the user
// need not be asked, the sign-in is redirected all the way to the application,
// and browsers hold the form-action of this page against that.
func (a *api) waiting(ctx context.Context, returnTo string) (name, target string) {
	u, err := url.Parse(returnTo)
	if err != nil || u.Path != authorizePath {
		return "", ""
	}
	values, err := site.ParseValues(u.RawQuery)
	if err != nil {
		return "", ""
	}
	req := newAuthorizeRequest(values)
	client, err := a.app.OAuth.FindClient(ctx, req)
	if err != nil {
		return "", "" // the request itself will tell
	}
	var toClient *oauth.RedirectError
	if _, err := a.app.OAuth.Check(client, req); err != nil && !errors.As(err, &toClient) {
		return "", ""
	}
	return client.Name, site.FormTarget(req.RedirectURI)
}
