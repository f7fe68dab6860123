package accountapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/signin"
	"gatehouse/shared/site"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// signInBody is what the sign-in page shows.
type signInBody struct {
	Login, ReturnTo string
	Refused         bool
	Wait            string // until the next attempt, after too many
	Client          string // the application that is waiting, if one is
}

// showSignIn sends on who is signed in, unless that is what has to be done
// again.
func (a *api) showSignIn(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	returnTo := site.LocalPath(query.Get("return_to"))
	if query.Has("again") {
		return a.renderSignIn(w, r, http.StatusOK, signInBody{ReturnTo: returnTo})
	}
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
	u, attempt, err := a.authenticate(r, body.Login, secret.NewText(form.Get("password")))
	var throttled *throttle.Refused
	switch {
	case errors.As(err, &throttled):
		a.app.Trail.Record(r.Context(), audit.Event{Name: signin.EventThrottled, Outcome: audit.Refused})
		body.Wait = minutes(throttled.Wait)
		web.RetryAfter(w, throttled)
		return a.renderSignIn(w, r, http.StatusTooManyRequests, body)
	case fault.Is(err, fault.Unauthorized):
		a.app.Trail.Record(r.Context(), audit.Event{Name: signin.EventFailed, UserID: u.ID, Outcome: audit.Refused})
		body.Refused = true
		// Like every form with a mistake in it. A 401 would have to come with
		// a challenge (RFC 9110 section 15.5.2), and there is none for a form.
		return a.renderSignIn(w, r, http.StatusUnprocessableEntity, body)
	case err != nil:
		return err
	}
	if u.TwoFactorEnabled {
		return a.beginSecondStep(w, r, u, attempt, body.ReturnTo)
	}
	return a.finishSignIn(w, r, u, attempt, body.ReturnTo)
}

// beginSecondStep lets who gave the password on to where the second factor is
// asked for, and to nothing else.
func (a *api) beginSecondStep(w http.ResponseWriter, r *http.Request, u user.User, attempt throttle.Attempt, returnTo string) error {
	if err := a.app.Attempts.Succeed(r.Context(), attempt); err != nil {
		return err
	}
	a.site.SetPending(w, a.app.TwoFactor.Pend(u))
	return site.Redirect(w, r, secondStepBody{ReturnTo: returnTo}.Address(false))
}

// finishSignIn starts the session of a user who gave everything that it takes
// in the attempt, and leads back to where the user came from. What else has
// happened is taken down on the way.
func (a *api) finishSignIn(w http.ResponseWriter, r *http.Request, u user.User, attempt throttle.Attempt, returnTo string, happened ...audit.Event) error {
	event := audit.Event{Name: signin.EventSignIn, ActorID: u.ID, UserID: u.ID}
	err := a.app.Trail.Do(r.Context(), event, func(ctx context.Context) error {
		writes, ctx := errgroup.WithContext(ctx)
		writes.Go(func() error { return a.app.Attempts.Succeed(ctx, attempt) })
		writes.Go(func() error { return a.site.SignIn(w, r.WithContext(ctx), u) })
		writes.Go(func() error { a.app.Trail.Record(ctx, happened...); return nil })
		return writes.Wait()
	})
	if err != nil {
		return err
	}
	return site.Redirect(w, r, returnTo)
}

// authenticate returns the user whose login and password these are, and the
// attempt, which was counted before the password was looked at.
func (a *api) authenticate(r *http.Request, login string, password secret.Text) (u user.User, attempt throttle.Attempt, err error) {
	guess := throttle.Guess{Kind: throttle.Password, Account: login, Address: web.ClientAddress(r)}
	u, err = a.app.Users.Authenticate(r.Context(), login, password, func(ctx context.Context) (err error) {
		attempt, err = a.app.Attempts.Begin(ctx, guess)
		return err
	})
	return u, attempt, err
}

func (a *api) signOut(w http.ResponseWriter, r *http.Request) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	ended, err := a.site.SignOut(w, r)
	if err != nil {
		return err
	}
	if ended.UserID != 0 {
		a.app.Trail.Record(r.Context(), audit.Event{Name: session.EventSignOut, ActorID: ended.UserID, UserID: ended.UserID})
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
	page.Body = body
	return a.site.Render(w, r, page)
}

// waiting returns the application whose authorization request goes on after
// the sign-in, and where a form must be able to lead for that: when the user
// need not be asked, the sign-in is redirected all the way to the application,
// and browsers hold the form-action of this page against that.
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
		return "", nil // the request itself will tell
	}
	var toClient *oauth.RedirectError
	if _, err := a.app.OAuth.Check(client, req); err != nil && !errors.As(err, &toClient) {
		return "", nil
	}
	return client.Name, []string{site.FormTarget(req.RedirectURI)}
}
