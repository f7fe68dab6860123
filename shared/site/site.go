// Package site is what all groups with pages for people share: the layout and
// its stylesheet, security headers, the session of the browser, notices after
// an action, forms, and errors as pages. A group brings its own templates and
// handlers.
package site

import (
	"html/template"
	"io/fs"
	"net/http"
	"net/url"

	"gatehouse/shared/app"
	"gatehouse/shared/web"
)

// Notices are the messages that an action can leave for the next page, by the
// code that travels in between.
type Notices map[string]string

// Site renders the pages of one group.
type Site struct {
	app       *app.App
	templates map[string]func() *template.Template
	notices   Notices
	origins   *http.CrossOriginProtection
}

// New returns a site with the templates that lie at the top of files: each
// defines "content", and its name without ".html" is the page's; parts.html, if
// there is one, defines what several of them show. Templates are
// part of the program, so one that does not parse is a panic.
func New(app *app.App, files fs.FS, notices Notices) *Site {
	s := &Site{app: app, templates: parse(files), notices: notices, origins: http.NewCrossOriginProtection()}
	// Behind a proxy the Host header need not be the one people see, so the
	// origin people see is named.
	if base, err := url.Parse(app.BaseURL); err == nil && base.Host != "" {
		if err := s.origins.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
			panic(err) // not reached: a scheme and a host are an origin
		}
	}
	s.origins.SetDenyHandler(http.HandlerFunc(s.denyCrossOrigin))
	return s
}

// Serve puts around a group's routes what every page gets: security headers,
// protection from forms on other sites, and errors as pages.
func (s *Site) Serve(mux *web.Mux) http.Handler {
	mux.Refuse = s.refuse
	next := s.origins.Handler(web.WithoutTrailingSlash(mux))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.apologise(w, r)
		setHeaders(w.Header(), s.app.HTTPS)
		next.ServeHTTP(w, r)
	})
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

// Redirect sends the browser to another address: with 302 after a page was
// asked for, and with 303 after a form, so that the form is not sent on.
func Redirect(w http.ResponseWriter, r *http.Request, location string) error {
	status := http.StatusSeeOther
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		status = http.StatusFound
	}
	w.Header().Set("Location", location)
	w.WriteHeader(status)
	return nil
}
