package site

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"

	"gatehouse/shared/fault"
	"gatehouse/shared/web"
)

// errorBody is what the error page shows.
type errorBody struct {
	Heading, Message string
	Code             string // an OAuth error code, for whoever develops the application
}

// explanations are what people read for a status.
var explanations = map[int]errorBody{
	http.StatusBadRequest:            {Heading: "That request does not work", Message: "Something in it is missing or malformed."},
	http.StatusUnauthorized:          {Heading: "That is not known here", Message: "It may have been removed, or the link is wrong."},
	http.StatusForbidden:             {Heading: "You may not do that", Message: "Your account does not allow it."},
	http.StatusNotFound:              {Heading: "There is nothing here", Message: "The page does not exist, or it is not yours to see."},
	http.StatusMethodNotAllowed:      {Heading: "That does not work this way", Message: "This address does not take such requests."},
	http.StatusConflict:              {Heading: "Somebody was faster", Message: "It was changed in the meantime. Open it again and repeat your change."},
	http.StatusRequestEntityTooLarge: {Heading: "That is too much", Message: "The form is too large. Go back and leave out a part of what you entered."},
	http.StatusUnsupportedMediaType:  {Heading: "That request does not work", Message: "Something in it is missing or malformed."},
	http.StatusTooManyRequests:       {Heading: "Too many attempts", Message: "Wait a few minutes and try again."},
	http.StatusServiceUnavailable:    {Heading: "Not available at the moment", Message: "Try again in a minute."},
	http.StatusInternalServerError:   {Heading: "Something went wrong", Message: "It is not your fault, and it was noted. Try again in a minute."},
}

// Error answers an error as a page; who needs to sign in is sent there. One
// that nobody classified is logged and its text stays inside.
func (s *Site) Error(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, ErrNotSignedIn) {
		ToSignIn(w, r, comeBack(r))
		return
	}
	status := web.Status(err)
	if status == http.StatusInternalServerError {
		slog.ErrorContext(r.Context(), "page not served", "error", err)
	}
	message := fault.Message(err)
	switch status {
	case http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge:
		message = "" // words about things, not ours to people
	}
	web.RetryAfter(w, err)
	s.Explain(w, r, status, message, "")
}

// comeBack returns where to go after a sign-in: to the address as the browser
// sent it, whatever became of it on the way. A form has to be sent again, from
// the page that it was on.
func comeBack(r *http.Request) string {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return r.RequestURI
	}
	page, err := url.Parse(r.Referer())
	if err != nil {
		return "/"
	}
	return LocalPath(page.RequestURI())
}

// Explain answers with the error page of a status. An empty message leaves the
// status's own; code is the OAuth error code that a developer looks for.
func (s *Site) Explain(w http.ResponseWriter, r *http.Request, status int, message, code string) {
	body, known := explanations[status]
	if !known {
		body.Heading = http.StatusText(status)
	}
	if message != "" {
		body.Message = message
	}
	body.Code = code
	err := s.Render(w, r, Page{Template: "error", Title: body.Heading, Status: status, Body: body})
	if err != nil {
		slog.ErrorContext(r.Context(), "error page not served", "error", err)
	}
}

// refuse answers where no route fits.
func (s *Site) refuse(w http.ResponseWriter, r *http.Request, status int) {
	s.Explain(w, r, status, "", "")
}

func (s *Site) denyCrossOrigin(w http.ResponseWriter, r *http.Request) {
	s.Explain(w, r, http.StatusForbidden, "The form was sent from another site. If you meant to send it, open the page here and send it again.", "")
}

// apologise shows a panic to people as a page and to the log as what it is.
func (s *Site) apologise(w http.ResponseWriter, r *http.Request) {
	if p := recover(); p != nil {
		s.Explain(w, r, http.StatusInternalServerError, "", "")
		panic(p)
	}
}
