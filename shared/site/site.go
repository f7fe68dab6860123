// Package site holds what all groups with pages share: the layout and its
// stylesheet, security headers, the session of the browser, notices after an
// action, forms, and errors as pages. A group has its own templates and handlers.
package site

import (
	"html/template"
	"io/fs"
	"net/http"
	"net/url"

	"gatehouse/shared/app"
	"gatehouse/shared/fault"
	"gatehouse/shared/web"
)

// Notices are the messages that an action can leave for the next page, by code.
type Notices map[string]string

// noticeSeconds is how long a notice waits for the next page.
const noticeSeconds = 60

// Notify leaves a notice for the next page. The cookie holds only its code, so
// whoever plants one can choose among our sentences but write none.
func (s *Site) Notify(w http.ResponseWriter, code string) {
	s.setCookie(w, "notice", code, noticeSeconds)
}

// Done answers a form: with the error, else with the page at the location and a
// notice there.
func (s *Site) Done(w http.ResponseWriter, r *http.Request, err error, notice, location string) error {
	if err != nil {
		return err
	}
	s.Notify(w, notice)
	return Redirect(w, r, location)
}

// takeNotice returns the notice that the last action left, once.
func (s *Site) takeNotice(w http.ResponseWriter, r *http.Request) string {
	code := s.cookie(r, "notice")
	if code != "" {
		s.setCookie(w, "notice", "", -1)
	}
	return s.notices[code]
}

// Site renders the pages of one group.
type Site struct {
	app       *app.App
	templates map[string]func() *template.Template
	notices   Notices
	origins   *http.CrossOriginProtection // with the exceptions
	here      *http.CrossOriginProtection // without
}

// New returns a site with the templates in the directory "templates" of files. Each
// defines "content", and its name without ".html" is the name of the page.
// parts.html, if it exists, defines what several pages show. Templates are part of
// the program, so one that does not parse is a panic.
func New(app *app.App, files fs.FS, notices Notices) *Site {
	templates, err := fs.Sub(files, "templates")
	if err != nil {
		panic(err) // not reached: the name is valid
	}
	s := &Site{app: app, templates: parse(templates, app.Now), notices: notices, origins: newOrigins(app.BaseURL), here: newOrigins(app.BaseURL)}
	s.origins.SetDenyHandler(s.Page(func(http.ResponseWriter, *http.Request) error { return errForeignForm }))
	return s
}

// newOrigins returns the protection from forms on other sites. Behind a proxy the Host
// header may differ from the host that people see, so their origin is trusted by name.
func newOrigins(baseURL string) *http.CrossOriginProtection {
	origins := http.NewCrossOriginProtection()
	if base, err := url.Parse(baseURL); err == nil && base.Host != "" {
		if err := origins.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
			panic(err) // not reached: a scheme and a host are an origin
		}
	}
	return origins
}

// Serve adds what every page needs to a group's routes: security headers,
// protection from forms on other sites, and errors as pages.
func (s *Site) Serve(mux *web.Mux) http.Handler {
	mux.Refuse = s.refuse
	next := s.origins.Handler(web.WithoutTrailingSlash(mux))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.apologise(w, r)
		setHeaders(w.Header())
		next.ServeHTTP(w, r)
	})
}

// TakeFromAnywhere takes forms for the pattern also from pages that do not tell the site
// they are on. It is for those that the browser's cookies open nothing for, and for those
// that call CheckOrigin where they do.
func (s *Site) TakeFromAnywhere(pattern string) { s.origins.AddInsecureBypassPattern(pattern) }

var errForeignForm = fault.New(fault.Forbidden, "The form was sent from another site. If you meant to send it, open the page here and send it again.")

// CheckOrigin returns an error for a form that was sent from another site.
func (s *Site) CheckOrigin(r *http.Request) error {
	if s.here.Check(r) != nil {
		return errForeignForm
	}
	return nil
}

// Handler serves a page and may fail.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Page returns an http.Handler that renders the handler's error as a page.
func (s *Site) Page(h Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.Error(w, r, err)
		}
	})
}

// Redirect sends the browser to another address: with 302 in answer to a GET, and
// with 303 after a form, so that the form is not sent again.
func Redirect(w http.ResponseWriter, r *http.Request, location string) error {
	status := http.StatusSeeOther
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		status = http.StatusFound
	}
	w.Header().Set("Location", location)
	w.WriteHeader(status)
	return nil
}
