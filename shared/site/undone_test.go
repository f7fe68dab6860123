package site_test

import (
	"net/http"
	"testing"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// Who sends a form when the session has ended is told before the sign-in and once after it,
// on whatever page that leads to. Who only opens a page has lost nothing.
func TestAFormAfterTheSessionIsNotLostInSilence(t *testing.T) {
	a := apptest.New(t)
	s := site.New(a.App, templates, nil)
	page := func(w http.ResponseWriter, r *http.Request) error {
		return s.Render(w, r, site.Page{Template: "hello", Title: "Hello", Body: "you"})
	}
	mine := s.SignedIn(func(w http.ResponseWriter, r *http.Request, _ user.User) error { return page(w, r) })
	mux := web.NewMux()
	mux.Handle("GET /users/sign_in", s.Page(page))
	mux.Handle("GET /mine", mine)
	mux.Handle("POST /mine", mine)
	b := apptest.NewBrowser(t, web.Wrap(apptest.BaseURL, s.Serve(mux)))
	const lost = "it was not made"

	b.Get("/mine").WantRedirect("/users/sign_in?return_to=%2Fmine")
	b.Get("/users/sign_in").WantNot(lost)
	b.Post("/mine", nil)
	b.Get("/users/sign_in").Want(200, lost, "Sign in, and you come back").WantNot("data-undone")
	b.Get("/users/sign_in").Want(200, lost)

	value, err := a.Sessions.Start(t.Context(), a.User("ada"), audit.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	b.Cookies[apptest.SessionCookie] = value.Reveal()
	b.Get("/mine").Want(200, lost, "data-undone", "send it again")
	b.Get("/mine").Want(200).WantNot(lost)
}
