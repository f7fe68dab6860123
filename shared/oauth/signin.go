package oauth

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/scope"
)

// signIn is what a request with the scope openid demands of the user's sign-in
// (OpenID Connect Core section 3.1.2.1), and when the user signed in.
type signIn struct {
	nonce          string
	silent         bool          // no page may be shown
	login, consent bool          // the user must sign in again, must be asked
	maxAge         time.Duration // negative: any
	since          time.Time     // a sign-in from then on is fresh; zero: none is
	at             time.Time
	hinted         string // the claim sub of the user whom the client expects; empty: anybody
}

// maxNonce is the longest nonce in bytes. It is stored with the grant.
const maxNonce = 1024

// The words of the parameter prompt. To select an account is to sign in again.
const (
	promptNone    = "none"
	promptLogin   = "login"
	promptConsent = "consent"
	promptSelect  = "select_account"
)

// Prompts lists the words that the parameter prompt can have.
var Prompts = []string{promptNone, promptLogin, promptConsent, promptSelect}

// signIn reads the request's parameters, which count with the scope openid only.
func (req AuthorizeRequest) signIn(scopes scope.Set) (signIn, *Error) {
	if !scopes.Has(scope.OpenID) {
		return signIn{maxAge: -1}, nil
	}
	words := strings.Fields(req.Prompt)
	has := func(word string) bool { return slices.Contains(words, word) }
	maxAge, ok := parseMaxAge(req.MaxAge)
	switch {
	case req.Request != "":
		return signIn{}, newError(RequestNotSupported, "The parameter request is not read here.")
	case req.RequestURI != "":
		return signIn{}, newError(RequestURINotSupported, "The parameter request_uri is not read here.")
	case len(req.Nonce) > maxNonce:
		return signIn{}, newError(InvalidRequest, "The nonce is longer than 1024 bytes.")
	case slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(Prompts, word) }):
		return signIn{}, newError(InvalidRequest, "The prompt is none, or of login, consent and select_account.")
	case has(promptNone) && len(words) > 1:
		return signIn{}, newError(InvalidRequest, "The prompt none goes with no other.")
	case !ok:
		return signIn{}, newError(InvalidRequest, "The max_age is a number of seconds.")
	}
	return signIn{
		nonce: req.Nonce, silent: has(promptNone), login: has(promptLogin) || has(promptSelect),
		consent: has(promptConsent), maxAge: maxAge,
	}, nil
}

// parseMaxAge reads a number of seconds.
func parseMaxAge(text string) (age time.Duration, ok bool) {
	if text == "" {
		return -1, true
	}
	seconds, err := strconv.ParseUint(text, 10, 32)
	return time.Duration(seconds) * time.Second, err == nil
}

// Silent reports whether the request, which is not checked yet, forbids showing
// the user any page.
func (req AuthorizeRequest) Silent() bool {
	return req.identifies() && slices.Equal(strings.Fields(req.Prompt), []string{promptNone})
}

func (req AuthorizeRequest) identifies() bool {
	scopes, ok := scope.Parse(req.Scope)
	return ok && scopes.Has(scope.OpenID) && len(req.Repeated) == 0
}

// freshFor is how long a sign-in stays fresh: the way back and the consent take
// time.
const freshFor = 10 * time.Minute

// SignedIn returns the authorization for a user who signed in at that time. If
// that is too long ago for the client, the error is ErrSignInAgain, or a
// *RedirectError if the client forbids pages. It is a *RedirectError too if the client
// expects another user.
func (s *Server) SignedIn(a Authorization, userID int64, at time.Time) (Authorization, error) {
	a.signIn.at = at
	outdated := a.signIn.outdated(s.now())
	switch {
	case outdated && !a.signIn.silent:
		return Authorization{}, ErrSignInAgain
	case outdated, !a.signIn.expects(userID):
		return Authorization{}, a.RedirectError(LoginRequired)
	default:
		return a, nil
	}
}

func (w signIn) expects(userID int64) bool {
	return w.hinted == "" || w.hinted == strconv.FormatInt(userID, 10)
}

func (w signIn) outdated(now time.Time) bool {
	age := now.Sub(w.at)
	if !w.since.IsZero() && !w.at.Before(w.since) && age < freshFor {
		return false
	}
	return w.login || w.maxAge >= 0 && age > w.maxAge
}

// Silent reports whether the client forbids showing the user any page.
func (a Authorization) Silent() bool { return a.signIn.silent }

// silentErrors describes why a silent request cannot be granted.
var silentErrors = map[Code]string{
	LoginRequired:       "The user is not signed in, or not recently enough, or is another than the id_token_hint names.",
	ConsentRequired:     "The user has not yet agreed to this.",
	InteractionRequired: "The user has to be told something first.",
}

// RedirectError returns the error that a silent request needs a page.
func (a Authorization) RedirectError(code Code) error {
	return a.reply.error(newError(code, silentErrors[code]))
}
