package site

import (
	"context"
	"net/http"
	"net/url"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/passkey"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/signin"
	"gatehouse/shared/telemetry"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// ErrNotSignedIn means that a page needs a sign-in first.
var ErrNotSignedIn = fault.New(fault.Unauthorized, "You need to sign in.")

// errBlocked answers a user who was signed in when the account was blocked.
var errBlocked = fault.New(fault.Forbidden, "Your account is blocked. An administrator can tell you why and unblock it.")

// cookieName returns the full name of a cookie. Over https its prefix makes browsers
// refuse such a cookie from another host or over plain http.
func (s *Site) cookieName(name string) string {
	if s.app.HTTPS {
		return "__Host-gatehouse_" + name
	}
	return "gatehouse_" + name
}

// setCookie sets a cookie of the site. It is Lax and not Strict because the browser
// must send it when an application redirects here.
func (s *Site) setCookie(w http.ResponseWriter, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(name), Value: value, Path: "/", MaxAge: maxAge,
		Secure: s.app.HTTPS, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// undoneCookie says that a form came when the browser's session had ended.
const undoneCookie = "undone"

// undoneSeconds is how long a person may take to sign in and still be told. A session
// that ends at night is noticed in the morning by the form that is sent then.
const undoneSeconds = 3600

// noteUndone remembers that what the request asks for is not done, so that the first page
// after the sign-in says so. A page that is merely opened loses nothing.
func (s *Site) noteUndone(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.setCookie(w, undoneCookie, "1", undoneSeconds)
	}
}

// takeUndone reports whether a form was not taken because nobody was signed in. Once
// somebody is, it is told once.
func (s *Site) takeUndone(w http.ResponseWriter, r *http.Request) bool {
	undone := s.cookie(r, undoneCookie) != ""
	if undone && visitor(r) != nil {
		s.setCookie(w, undoneCookie, "", -1)
	}
	return undone
}

// cookie returns the value of a cookie of the site, or "" when the browser sent none
// or several: of a cookie that we set it sends one.
func (s *Site) cookie(r *http.Request, name string) string {
	cookies := r.CookiesNamed(s.cookieName(name))
	if len(cookies) != 1 {
		return ""
	}
	return cookies[0].Value
}

// Session returns the session of the browser, or ErrNotSignedIn.
func (s *Site) Session(r *http.Request) (session.Session, error) {
	found, err := s.app.Sessions.Recognise(r.Context(), s.cookie(r, sessionCookie))
	if fault.Is(err, fault.Unauthorized) {
		return session.Session{}, ErrNotSignedIn
	}
	return found, err
}

// User returns the user of a session, and the request with that user for Render and
// Error. It returns ErrNotSignedIn if the user was deleted or the session has ended,
// and a fault.Forbidden error if the user is blocked.
func (s *Site) User(r *http.Request, of session.Session) (user.User, *http.Request, error) {
	u, err := s.app.Users.User(r.Context(), of.UserID)
	switch {
	case fault.Is(err, fault.NotFound):
		return user.User{}, r, ErrNotSignedIn
	case err != nil:
		return user.User{}, r, err
	case !u.SessionValid(of.SessionEpoch) && !u.Blocked():
		return user.User{}, r, ErrNotSignedIn
	}
	telemetry.NoteCaller(r.Context(), telemetry.Caller{UserID: u.ID, Proof: telemetry.BySession})
	r = r.WithContext(context.WithValue(r.Context(), visitorKey{}, &u))
	if u.Blocked() {
		return user.User{}, r, errBlocked
	}
	return u, r, nil
}

// SessionUser returns the user of the browser's session, like User.
func (s *Site) SessionUser(r *http.Request) (user.User, *http.Request, error) {
	found, err := s.Session(r)
	if err != nil {
		return user.User{}, r, err
	}
	return s.User(r, found)
}

type visitorKey struct{}

// visitor returns the user of the request, or nil.
func visitor(r *http.Request) *user.User {
	u, _ := r.Context().Value(visitorKey{}).(*user.User)
	return u
}

// UserHandler serves a page to a signed-in user.
type UserHandler func(w http.ResponseWriter, r *http.Request, u user.User) error

// SignedIn serves signed-in users and sends everybody else to sign in first.
func (s *Site) SignedIn(h UserHandler) http.Handler {
	return s.InSession(func(w http.ResponseWriter, r *http.Request, u user.User, _ session.Session) error {
		return h(w, r, u)
	})
}

// SessionHandler serves a page that also needs the session.
type SessionHandler func(w http.ResponseWriter, r *http.Request, u user.User, in session.Session) error

// InSession is SignedIn for a handler that needs the session.
func (s *Site) InSession(h SessionHandler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, err := s.Session(r)
		var u user.User
		if err == nil {
			u, r, err = s.User(r, found)
		}
		if err == nil {
			err = h(w, r, u, found)
		}
		if err != nil {
			s.Error(w, r, err)
		}
	})
}

// ToSignIn sends the browser to the sign-in page and from there to an address
// of the site.
func ToSignIn(w http.ResponseWriter, r *http.Request, returnTo string) error {
	return Redirect(w, r, "/users/sign_in?"+url.Values{"return_to": {returnTo}}.Encode())
}

// SignIn starts a session for the user and ends the browser's previous one, so that
// a planted session is worth nothing afterwards. The user must be as read when the
// password was verified.
func (s *Site) SignIn(w http.ResponseWriter, r *http.Request, u user.User) error {
	value, err := s.app.Sessions.Replace(r.Context(), s.cookie(r, sessionCookie), u, browser(r))
	if err != nil {
		return err
	}
	s.SetSession(w, value)
	return nil
}

const (
	sessionCookie = "session"
	pendingCookie = "pending" // of a sign-in that waits for its second factor
	askedCookie   = "passkey" // of a sign-in for which a passkey is asked
)

// SetPending gives the browser the cookie of a pending sign-in.
func (s *Site) SetPending(w http.ResponseWriter, value secret.Text) {
	s.setCookie(w, pendingCookie, value.Reveal(), int(signin.PendingLifetime.Seconds()))
}

// Pending returns the value of the cookie of a pending sign-in.
func (s *Site) Pending(r *http.Request) string { return s.cookie(r, pendingCookie) }

// EndPending takes the cookie of a pending sign-in from the browser.
func (s *Site) EndPending(w http.ResponseWriter) { s.setCookie(w, pendingCookie, "", -1) }

// SetAsked gives the browser the ticket of what it asks a passkey.
func (s *Site) SetAsked(w http.ResponseWriter, ticket secret.Text) {
	s.setCookie(w, askedCookie, ticket.Reveal(), int(passkey.Lifetime.Seconds()))
}

// Asked returns that ticket.
func (s *Site) Asked(r *http.Request) string { return s.cookie(r, askedCookie) }

// EndAsked takes that ticket from the browser.
func (s *Site) EndAsked(w http.ResponseWriter) { s.setCookie(w, askedCookie, "", -1) }

// Origin returns where a request to sign in comes from.
func (s *Site) Origin(r *http.Request) signin.Origin {
	return signin.Origin{Address: web.ClientAddress(r), Browser: browser(r), Session: s.cookie(r, sessionCookie)}
}

// browser returns the browser that a request says it comes from.
func browser(r *http.Request) audit.Browser {
	return audit.Browser{UserAgent: r.UserAgent(), Address: web.ClientAddress(r).String()}
}

// SetSession gives the browser the cookie of a session.
func (s *Site) SetSession(w http.ResponseWriter, value secret.Text) {
	s.setCookie(w, sessionCookie, value.Reveal(), int(session.AbsoluteLimit.Seconds()))
}

// SignOut ends the session of the browser, if it has one.
func (s *Site) SignOut(w http.ResponseWriter, r *http.Request) error {
	err := s.app.Sessions.SignOut(r.Context(), s.cookie(r, sessionCookie))
	if err == nil {
		s.setCookie(w, sessionCookie, "", -1)
	}
	return err
}
