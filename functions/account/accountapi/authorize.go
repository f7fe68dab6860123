package accountapi

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
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
		return a.renderAuthorizeError(w, r, req, err)
	}
	consented, err := a.app.OAuth.Consented(r.Context(), u.ID, authorization)
	switch {
	case err != nil:
		return err
	case consented:
		return a.approve(w, r, u, req, authorization)
	case authorization.Silent():
		return a.renderAuthorizeError(w, r, req, authorization.RedirectError(oauth.ConsentRequired))
	default:
		return a.renderConsent(w, r, u, req, authorization)
	}
}

// decide takes the user's answer. It checks everything again, as the application
// may have changed meanwhile, and the form comes from a browser. A form without an answer is
// a request of the application by POST, and may come from anywhere.
func (a *api) decide(w http.ResponseWriter, r *http.Request) error {
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	decision, answered := values["decision"]
	if !answered {
		return askByGET(w, r, values)
	}
	if err := a.site.CheckOrigin(r); err != nil {
		return err
	}
	if len(decision) != 1 || decision[0] != "approve" && decision[0] != "deny" {
		return fault.New(fault.Invalid, "The form says neither whether to approve nor to deny.")
	}
	return a.answer(w, r, newAuthorizeRequest(values), answer{approved: decision[0] == "approve", userID: values.Get(answererField)})
}

// longestQuery is what an address may have, in bytes: the gateway takes 10,240 with headers.
const longestQuery = 8000

// askByGET serves an authorization request by POST (OpenID Connect Core section 3.1.2.1): the
// browser repeats it by GET. Browsers send no cookies with a form of another site.
func askByGET(w http.ResponseWriter, r *http.Request, values url.Values) error {
	known := knownValues(values)
	if hints := known["id_token_hint"]; len(hints) == 1 {
		hints[0] = oauth.ShortHint(hints[0])
	}
	query := known.Encode()
	if len(query) > longestQuery {
		return fault.New(fault.TooLarge, "The authorization request is too long.")
	}
	return site.Redirect(w, r, authorizePath+"?"+query)
}

// deny denies the request by the method DELETE, for callers without the form. The
// parameters are in the query or in a body.
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
	return a.answer(w, r, newAuthorizeRequest(values), answer{})
}

// answer is what a user decided.
type answer struct {
	approved bool
	userID   string // whom the page named as the one who answers; empty for callers without the page
}

// answer passes an answer on to the client. Somebody else may have signed in since the page
// was shown: then the page is shown again, because nobody agrees for another person.
func (a *api) answer(w http.ResponseWriter, r *http.Request, req oauth.AuthorizeRequest, given answer) error {
	u, r, authorization, err := a.authorization(r, req)
	switch {
	case err != nil:
		return a.renderAuthorizeError(w, r, req, err)
	case !given.approved:
		return a.send(w, r, authorization.Deny())
	case given.userID != "" && given.userID != strconv.FormatInt(u.ID, 10):
		return a.renderConsent(w, r, u, req, authorization)
	default:
		return a.approve(w, r, u, req, authorization)
	}
}

// authorization returns the user who is signed in, the HTTP request with that
// user, and the checked authorization request. It reads the session and the
// client in parallel. A missing sign-in is reported before a wrong request.
func (a *api) authorization(r *http.Request, req oauth.AuthorizeRequest) (user.User, *http.Request, oauth.Authorization, error) {
	var reads sync.WaitGroup
	var found session.Session
	var client oauth.Client
	var sessionErr, clientErr error
	reads.Go(func() { found, sessionErr = a.site.Session(r) })
	reads.Go(func() { client, clientErr = a.app.OAuth.FindClient(r.Context(), req) })
	reads.Wait()

	u, err := user.User{}, sessionErr
	if err == nil {
		u, r, err = a.site.User(r, found)
	}
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
		err = silentError(authorization, err)
	default:
		authorization, err = a.app.OAuth.SignedIn(authorization, u.ID, found.CreatedAt)
	}
	return u, r, authorization, err
}

// silentError turns an error that needs a page into one for the client that
// forbids pages.
func silentError(authorization oauth.Authorization, err error) error {
	switch {
	case errors.Is(err, site.ErrNotSignedIn):
		return authorization.RedirectError(oauth.LoginRequired)
	case fault.Is(err, fault.Forbidden):
		return authorization.RedirectError(oauth.InteractionRequired)
	}
	return err
}

func (a *api) approve(w http.ResponseWriter, r *http.Request, u user.User, req oauth.AuthorizeRequest, authorization oauth.Authorization) error {
	redirect, err := a.app.OAuth.Approve(r.Context(), u, authorization)
	if err != nil {
		return a.renderAuthorizeError(w, r, req, err)
	}
	return a.send(w, r, redirect)
}

// toSignIn sends the user to sign in and then back to the request. With again the
// user is signed in, but not recently enough.
func (a *api) toSignIn(w http.ResponseWriter, r *http.Request, req oauth.AuthorizeRequest, again bool) error {
	later, changed := a.app.OAuth.RequireFreshSignIn(req)
	if !changed && r.Method == http.MethodGet {
		return site.ErrNotSignedIn // comes back to the same address
	}
	query := url.Values{"return_to": {authorizePath + "?" + authorizeValues(later).Encode()}}
	if again {
		query.Set("again", "1")
	}
	return site.Redirect(w, r, "/users/sign_in?"+query.Encode())
}

// renderAuthorizeError sends an error to the client if the redirect URI was
// checked, and else shows it to the user only: an error must not redirect people
// anywhere (RFC 6749 section 4.1.2.1). It sends users who have to sign in first to
// do so.
func (a *api) renderAuthorizeError(w http.ResponseWriter, r *http.Request, req oauth.AuthorizeRequest, err error) error {
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
