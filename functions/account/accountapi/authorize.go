package accountapi

import (
	"errors"
	"net/http"
	"net/url"
	"sync"

	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/session"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// askUser serves the authorization endpoint (RFC 6749 section 3.1): it asks
// the user, or answers the application at once when there is nothing to ask.
func (a *api) askUser(w http.ResponseWriter, r *http.Request) error {
	values, err := site.ParseValues(r.URL.RawQuery)
	if err != nil {
		return err
	}
	req := newAuthorizeRequest(values)
	u, r, authorization, err := a.authorization(r, req)
	if err != nil {
		return a.refuse(w, r, req, err)
	}
	consented, err := a.app.OAuth.Consented(r.Context(), u.ID, authorization)
	switch {
	case err != nil:
		return err
	case consented:
		return a.approve(w, r, u, req, authorization)
	case authorization.Silent():
		return a.refuse(w, r, req, authorization.Refuse(oauth.ConsentRequired))
	default:
		return a.renderConsent(w, r, u, req, authorization)
	}
}

// decide takes the user's answer. Everything is checked again: between the
// question and the answer the application may have changed, and the form came
// from a browser.
func (a *api) decide(w http.ResponseWriter, r *http.Request) error {
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	decision := values["decision"]
	if len(decision) != 1 || decision[0] != "approve" && decision[0] != "deny" {
		return fault.New(fault.Invalid, "The form says neither whether to approve nor to deny.")
	}
	return a.answer(w, r, newAuthorizeRequest(values), decision[0] == "approve")
}

// deny is the refusal by the method DELETE, for whoever sends no form, with the
// parameters in the query or in a body.
func (a *api) deny(w http.ResponseWriter, r *http.Request) error {
	values, err := site.ParseValues(r.URL.RawQuery)
	if err != nil {
		return err
	}
	form, err := site.FormValues(r)
	if err != nil {
		return err
	}
	for name, all := range form {
		values[name] = append(values[name], all...)
	}
	return a.answer(w, r, newAuthorizeRequest(values), false)
}

func (a *api) answer(w http.ResponseWriter, r *http.Request, req oauth.AuthorizeRequest, approved bool) error {
	u, r, authorization, err := a.authorization(r, req)
	switch {
	case err != nil:
		return a.refuse(w, r, req, err)
	case !approved:
		return a.send(w, r, authorization.Deny())
	default:
		return a.approve(w, r, u, req, authorization)
	}
}

// authorization returns who is signed in, the request as that user's, and what
// is asked of the user. The session and the client are read side by side; that
// nobody is signed in comes before anything wrong with the request.
func (a *api) authorization(r *http.Request, req oauth.AuthorizeRequest) (user.User, *http.Request, oauth.Authorization, error) {
	var reads sync.WaitGroup
	var found session.Session
	var client oauth.Client
	var sessionErr, clientErr error
	reads.Go(func() { found, sessionErr = a.site.Session(r) })
	reads.Go(func() { client, clientErr = a.app.OAuth.FindClient(r.Context(), req) })
	reads.Wait()

	u, r, err := a.userOf(r, found, sessionErr)
	if err != nil && !req.Silent() {
		return user.User{}, r, oauth.Authorization{}, err
	}
	if clientErr != nil {
		return user.User{}, r, oauth.Authorization{}, clientErr
	}
	authorization, checkErr := a.app.OAuth.Check(client, req)
	switch {
	case checkErr != nil:
		err = checkErr
	case err != nil:
		err = unattended(authorization, err)
	default:
		authorization, err = a.app.OAuth.SignedIn(authorization, found.CreatedAt)
	}
	return u, r, authorization, err
}

func (a *api) userOf(r *http.Request, found session.Session, err error) (user.User, *http.Request, error) {
	if err != nil {
		return user.User{}, r, err
	}
	return a.site.User(r, found)
}

// unattended turns what a page would tell into what the client is told, which
// forbade pages.
func unattended(authorization oauth.Authorization, err error) error {
	switch {
	case errors.Is(err, site.ErrNotSignedIn):
		return authorization.Refuse(oauth.LoginRequired)
	case fault.Is(err, fault.Forbidden):
		return authorization.Refuse(oauth.InteractionRequired)
	}
	return err
}

func (a *api) approve(w http.ResponseWriter, r *http.Request, u user.User, req oauth.AuthorizeRequest, authorization oauth.Authorization) error {
	redirect, err := a.app.OAuth.Approve(r.Context(), u, authorization)
	if err != nil {
		return a.refuse(w, r, req, err)
	}
	return a.send(w, r, redirect)
}

// toSignIn sends the user to sign in and then back to the request; again, if
// the user is signed in but not recently enough.
func (a *api) toSignIn(w http.ResponseWriter, r *http.Request, req oauth.AuthorizeRequest, again bool) error {
	later, changed := a.app.OAuth.RequireFreshSignIn(req)
	if !changed && r.Method == http.MethodGet {
		return site.ErrNotSignedIn // and back to the very same address
	}
	query := url.Values{"return_to": {authorizePath + "?" + authorizeValues(later).Encode()}}
	if again {
		query.Set("again", "1")
	}
	return site.Redirect(w, r, "/users/sign_in?"+query.Encode())
}

// refuse tells the client what is wrong with the request when its redirect URI
// is known to be good, and else only the user: an error must not be a way to
// send people anywhere (RFC 6749 section 4.1.2.1). Who has to sign in first is
// sent there.
func (a *api) refuse(w http.ResponseWriter, r *http.Request, req oauth.AuthorizeRequest, err error) error {
	if again := errors.Is(err, oauth.ErrSignInAgain); again || errors.Is(err, site.ErrNotSignedIn) {
		return a.toSignIn(w, r, req, again)
	}
	var toClient *oauth.RedirectError
	if errors.As(err, &toClient) {
		return a.send(w, r, toClient.Redirect)
	}
	var toUser *oauth.Error
	if !errors.As(err, &toUser) {
		return err
	}
	status := http.StatusBadRequest
	if toUser.Code == oauth.InvalidClient || toUser.Code == oauth.UnauthorizedClient {
		status = http.StatusUnauthorized
	}
	a.site.Explain(w, r, status, toUser.Description, string(toUser.Code))
	return nil
}
