package accountapi

import (
	"errors"
	"net/http"

	"golang.org/x/sync/errgroup"

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
		return a.refuse(w, r, err)
	}
	consented, err := a.app.OAuth.Consented(r.Context(), u.ID, authorization)
	switch {
	case err != nil:
		return err
	case consented:
		return a.approve(w, r, u, authorization)
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

// deny is the refusal by the method that some clients' tests use, with the
// parameters in the query or in a form.
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
	case errors.Is(err, site.ErrNotSignedIn):
		return site.ToSignIn(w, r, authorizePath+"?"+authorizeValues(req).Encode())
	case err != nil:
		return a.refuse(w, r, err)
	case !approved:
		return a.send(w, r, authorization.Deny())
	default:
		return a.approve(w, r, u, authorization)
	}
}

// authorization returns who is signed in, the request as that user's, and what
// is asked of the user. The session and the client are read side by side; that
// nobody is signed in comes before anything wrong with the request.
func (a *api) authorization(r *http.Request, req oauth.AuthorizeRequest) (user.User, *http.Request, oauth.Authorization, error) {
	var reads errgroup.Group
	var found session.Session
	var client oauth.Client
	var clientErr error
	reads.Go(func() (err error) {
		found, err = a.site.Session(r)
		return err
	})
	reads.Go(func() error {
		client, clientErr = a.app.OAuth.FindClient(r.Context(), req)
		return nil
	})
	if err := reads.Wait(); err != nil {
		return user.User{}, r, oauth.Authorization{}, err
	}
	u, r, err := a.site.User(r, found)
	if err == nil {
		err = clientErr
	}
	if err != nil {
		return user.User{}, r, oauth.Authorization{}, err
	}
	authorization, err := a.app.OAuth.Check(client, req)
	return u, r, authorization, err
}

func (a *api) approve(w http.ResponseWriter, r *http.Request, u user.User, authorization oauth.Authorization) error {
	redirect, err := a.app.OAuth.Approve(r.Context(), u, authorization)
	if err != nil {
		return a.refuse(w, r, err)
	}
	return a.send(w, r, redirect)
}

// refuse tells the client what is wrong with the request when its redirect URI
// is known to be good, and else only the user: an error must not be a way to
// send people anywhere (RFC 6749 section 4.1.2.1).
func (a *api) refuse(w http.ResponseWriter, r *http.Request, err error) error {
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
