package oauth

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/scope"
)

// signIn is what a request with the scope openid says about how the user is to
// sign in (OpenID Connect Core section 3.1.2.1), and then when the user did.
type signIn struct {
	nonce string
	// silent requests may show no page.
	silent bool
	// login wants a fresh sign-in, consent that the user is asked.
	login, consent bool
	maxAge         time.Duration // negative: any
	since          time.Time     // what counts as fresh; zero: nothing yet
	at             time.Time
}

// maxNonce bounds what is kept with a grant and repeated in the id_token.
const maxNonce = 1024

// The words of the parameter prompt. One who selects an account signs in with
// it.
const (
	promptNone    = "none"
	promptLogin   = "login"
	promptConsent = "consent"
	promptSelect  = "select_account"
)

// Prompts lists the words that the parameter prompt can have.
var Prompts = []string{promptNone, promptLogin, promptConsent, promptSelect}

// signIn reads the request's parameters; without the scope openid they mean
// nothing.
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

// parseMaxAge reads a number of seconds. Centuries are as good as any.
func parseMaxAge(text string) (age time.Duration, ok bool) {
	if text == "" {
		return -1, true
	}
	seconds, err := strconv.ParseUint(text, 10, 32)
	return time.Duration(seconds) * time.Second, err == nil
}

// Silent reports whether the request forbids to show the user any page, as far
// as it can be told before it is checked.
func (req AuthorizeRequest) Silent() bool {
	return req.identifies() && slices.Equal(strings.Fields(req.Prompt), []string{promptNone})
}

func (req AuthorizeRequest) identifies() bool {
	scopes, ok := scope.Parse(req.Scope)
	return ok && scopes.Has(scope.OpenID) && len(req.Repeated) == 0
}

// freshFor is how long after it a sign-in counts as fresh: the time that the
// way back and the consent take.
const freshFor = 10 * time.Minute

// SignedIn returns the authorization for a user who signed in at that time. If
// that is too long ago for the client, the error is ErrSignInAgain, or what the
// client is told that forbids pages.
func (s *Server) SignedIn(a Authorization, at time.Time) (Authorization, error) {
	a.signIn.at = at
	switch {
	case !a.signIn.outdated(s.now()):
		return a, nil
	case a.signIn.silent:
		return Authorization{}, a.Refuse(LoginRequired)
	default:
		return Authorization{}, ErrSignInAgain
	}
}

func (w signIn) outdated(now time.Time) bool {
	age := now.Sub(w.at)
	if !w.since.IsZero() && !w.at.Before(w.since) && age < freshFor {
		return false
	}
	return w.login || w.maxAge >= 0 && age > w.maxAge
}

// Silent reports whether the client forbids to show the user any page.
func (a Authorization) Silent() bool { return a.signIn.silent }

// refusals say what it takes that the request forbids.
var refusals = map[Code]string{
	LoginRequired:       "The user is not signed in, or not recently enough.",
	ConsentRequired:     "The user has not yet agreed to this.",
	InteractionRequired: "The user has to be told something first.",
}

// Refuse returns the error that tells the client which page it forbade.
func (a Authorization) Refuse(code Code) error {
	return a.reply.error(newError(code, refusals[code]))
}
