package oauth

import (
	"context"
	"net/url"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
)

// AuthorizeRequest is an unchecked request to the authorization endpoint (RFC
// 6749 section 4.1.1, RFC 7636 section 4.3, OpenID Connect Core section
// 3.1.2.1).
type AuthorizeRequest struct {
	ClientID, RedirectURI, ResponseType, ResponseMode string
	Scope, State                                      string
	CodeChallenge, CodeChallengeMethod                string
	Nonce, Prompt, MaxAge, IDTokenHint                string
	Request, RequestURI                               string
	// SignedInSince is our own parameter: see Server.RequireFreshSignIn.
	SignedInSince string
	// Repeated names the parameters that came more than once.
	Repeated map[string]bool
}

// Authorization is a checked request that the user may grant.
type Authorization struct {
	Client      Client
	RedirectURI string
	Scopes      scope.Set
	Challenge   Challenge
	signIn      signIn
	reply       reply
}

// ResponseMode is the way in which the response gets to the redirect URI (OAuth
// 2.0 Multiple Response Type Encoding Practices; Form Post Response Mode).
type ResponseMode string

// The response modes.
const (
	QueryMode    ResponseMode = "query"
	FragmentMode ResponseMode = "fragment"
	FormPostMode ResponseMode = "form_post"
)

// Redirect is a response that the browser carries to the client.
type Redirect struct {
	URI    string // the client's redirect URI
	Mode   ResponseMode
	Params url.Values
}

// Location returns the address to redirect the browser to, for the modes query
// and fragment. A query in the redirect URI is kept.
func (r Redirect) Location() string {
	switch {
	case r.Mode == FragmentMode:
		return r.URI + "#" + r.Params.Encode()
	case strings.HasSuffix(r.URI, "?"), strings.HasSuffix(r.URI, "&"):
		return r.URI + r.Params.Encode()
	case strings.Contains(r.URI, "?"):
		return r.URI + "&" + r.Params.Encode()
	default:
		return r.URI + "?" + r.Params.Encode()
	}
}

// RedirectError is an OAuth error that goes to the client through the browser
// (RFC 6749 section 4.1.2.1). Any other error of the authorization endpoint is
// shown on a page, because the redirect URI cannot be trusted.
type RedirectError struct {
	Redirect Redirect
	cause    *Error
}

// Error returns the OAuth error's text.
func (e *RedirectError) Error() string { return e.cause.Error() }

// Unwrap returns the OAuth error.
func (e *RedirectError) Unwrap() error { return e.cause }

// reply makes responses for a client after its redirect URI was checked.
type reply struct {
	issuer, uri, state string
	mode               ResponseMode
}

// with returns a response with one more parameter. To a request with the scope openid it
// names the issuer, so that a client of several authorization servers cannot be tricked
// into taking one's response for another's (RFC 9207). Widely used libraries refuse it in
// other responses.
func (r reply) with(name, value string) Redirect {
	params := url.Values{name: {value}}
	if r.issuer != "" {
		params.Set("iss", r.issuer)
	}
	if r.state != "" {
		params.Set("state", r.state)
	}
	return Redirect{URI: r.uri, Mode: r.mode, Params: params}
}

func (r reply) error(err *Error) *RedirectError {
	redirect := r.with("error", string(err.Code))
	redirect.Params.Set("error_description", err.Description)
	return &RedirectError{redirect, err}
}

// FindClient returns the client that an authorization request names.
func (s *Server) FindClient(ctx context.Context, req AuthorizeRequest) (Client, error) {
	switch {
	case req.Repeated["client_id"]:
		return Client{}, newError(InvalidRequest, "The parameter client_id came more than once.")
	case req.ClientID == "":
		return Client{}, missing("client_id")
	}
	c, err := s.store.Client(ctx, req.ClientID)
	if fault.Is(err, fault.NotFound) {
		return Client{}, newError(InvalidClient, "No application has this client_id.")
	}
	return c, err
}

// Check decides whether the client may make this request. The first problem is
// the error: an *Error until the redirect URI is known to be the client's, a
// *RedirectError from then on.
func (s *Server) Check(c Client, req AuthorizeRequest) (Authorization, error) {
	if err := s.checkRedirect(c, req); err != nil {
		return Authorization{}, err
	}
	reply := reply{uri: req.RedirectURI, state: req.State, mode: req.mode()}
	if req.identifies() {
		reply.issuer = s.settings.Issuer
	}
	if err := req.check(); err != nil {
		return Authorization{}, reply.error(err)
	}
	scopes, err := s.requestedScopes(req.Scope, c)
	if err == nil && len(scopes) == 0 {
		err = newError(InvalidScope, "The application offers no scope that could be granted.")
	}
	if err != nil {
		return Authorization{}, reply.error(err)
	}
	if err := req.checkPKCE(c); err != nil {
		return Authorization{}, reply.error(err)
	}
	signIn, err := req.signIn(scopes)
	if err != nil {
		return Authorization{}, reply.error(err)
	}
	if signIn.hinted, err = s.hinted(req, scopes); err != nil {
		return Authorization{}, reply.error(err)
	}
	signIn.since = s.signedInSince(req)
	return Authorization{
		Client: c, RedirectURI: req.RedirectURI, Scopes: scopes,
		Challenge: Challenge(req.CodeChallenge), signIn: signIn, reply: reply,
	}, nil
}

func (s *Server) checkRedirect(c Client, req AuthorizeRequest) error {
	switch {
	case req.Repeated["redirect_uri"]:
		return newError(InvalidRedirectURI, "The parameter redirect_uri came more than once.")
	case req.RedirectURI == "":
		return newError(InvalidRedirectURI, "The parameter redirect_uri is missing.")
	case CheckRedirectURI(req.RedirectURI, s.settings.HTTPS) != "", !c.AllowsRedirect(req.RedirectURI):
		return newError(InvalidRedirectURI, "The redirect_uri is not one that the application registered.")
	}
	return nil
}

// mode returns the requested response mode, or the default if there is no such
// mode, because an error about the mode has to get to the client too.
func (req AuthorizeRequest) mode() ResponseMode {
	switch mode := ResponseMode(req.ResponseMode); mode {
	case FragmentMode, FormPostMode:
		return mode
	}
	return QueryMode
}

func (req AuthorizeRequest) check() *Error {
	switch {
	case len(req.Repeated) > 0:
		return newError(InvalidRequest, "A parameter came more than once.")
	case req.ResponseType == "":
		return missing("response_type")
	case req.ResponseType != "code":
		return newError(UnsupportedResponseType, "The only response_type is code.")
	case req.ResponseMode != "" && ResponseMode(req.ResponseMode) != req.mode():
		return newError(UnsupportedResponseMode, "The response_mode is query, fragment or form_post.")
	}
	return nil
}

func (req AuthorizeRequest) checkPKCE(c Client) *Error {
	switch {
	case req.CodeChallenge == "" && !c.Confidential:
		return newError(InvalidRequest, "A public application must send a code_challenge.")
	case req.CodeChallenge == "":
		return nil
	case req.CodeChallengeMethod != "S256":
		return newError(InvalidRequest, "The code_challenge_method must be S256.")
	case !Challenge(req.CodeChallenge).WellFormed():
		return newError(InvalidRequest, "The code_challenge is malformed.")
	}
	return nil
}

// requestedScopes reads a scope parameter. Without one the client gets the
// default scope, if it registered that.
func (s *Server) requestedScopes(parameter string, c Client) (scope.Set, *Error) {
	c.Scopes = s.Held(c.Scopes)
	if parameter == "" {
		return scope.Of(scope.Default).And(c.Scopes), nil
	}
	scopes, ok := scope.Parse(parameter)
	if !ok || len(scopes) == 0 || !scopes.Within(c.Scopes) {
		return nil, newError(InvalidScope, "The scope is malformed or not one that the application registered.")
	}
	return scopes, nil
}

// consentGrants is how many grants are looked at for a consent.
const consentGrants = 100

// Consented reports whether the user need not be asked. That takes a request
// without prompt=consent from a confidential client that is trusted or has a
// live grant of the user with exactly these scopes among the newest. A public client
// always asks, even a trusted one, because anyone can pretend to be it.
func (s *Server) Consented(ctx context.Context, userID int64, a Authorization) (bool, error) {
	if a.signIn.consent {
		return false, nil
	}
	if a.Client.Trusted || !a.Client.Confidential {
		return a.Client.Confidential, nil
	}
	grants, err := s.store.GrantsOf(ctx, userID, a.Client.ID, consentGrants)
	if err != nil {
		return false, err
	}
	for _, g := range grants {
		if g.Live(s.now()) && g.Scopes.Equal(a.Scopes) {
			return true, nil
		}
	}
	return false, nil
}

// Approve grants the authorization and returns the code for the client (RFC
// 6749 section 4.1.2).
func (s *Server) Approve(ctx context.Context, u user.User, a Authorization) (Redirect, error) {
	if u.Blocked() {
		return Redirect{}, a.reply.error(newError(AccessDenied, "The user is blocked."))
	}
	g := s.newGrant(u.ID, a.Client, a.Scopes)
	g.RedirectURI, g.Challenge, g.Refreshable = a.RedirectURI, a.Challenge, true
	g.OIDCNonce, g.AuthenticatedAt = a.signIn.nonce, a.signIn.at
	consent := event(EventConsent, g, a.Client)
	consent.ActorID = u.ID
	err := s.trail.Do(ctx, consent, func(ctx context.Context) error { return s.store.CreateGrant(ctx, g) })
	if err != nil {
		return Redirect{}, err
	}
	return a.reply.with("code", s.codec.Credential(CodeKind, g).Reveal()), nil
}

// Deny returns the response that the user denied the request.
func (a Authorization) Deny() Redirect {
	return a.reply.error(newError(AccessDenied, "The user refused the request.")).Redirect
}
