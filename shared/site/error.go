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
	Code             string // an OAuth error code, for the developer of the application
}

// explanations are the texts of the error page for each status.
var explanations = map[int]errorBody{
	http.StatusBadRequest:            {Heading: "That request does not work", Message: "Something in it is missing or malformed."},
	http.StatusUnauthorized:          {Heading: "That is not known here", Message: "It may have been removed, or the link is wrong."},
	http.StatusForbidden:             {Heading: "You may not do that", Message: "Your account does not allow it."},
	http.StatusNotFound:              {Heading: "There is nothing here", Message: "The page does not exist, or you may not see it."},
	http.StatusMethodNotAllowed:      {Heading: "That does not work this way", Message: "This address does not take such requests."},
	http.StatusConflict:              {Heading: "Someone else changed this", Message: "It was changed in the meantime. Open it again and repeat your change."},
	http.StatusRequestEntityTooLarge: {Heading: "That is too much", Message: "The form is too large. Go back and leave out a part of what you entered."},
	http.StatusUnsupportedMediaType:  {Heading: "That request does not work", Message: "Something in it is missing or malformed."},
	http.StatusTooManyRequests:       {Heading: "Too many attempts", Message: "Wait a few minutes and try again."},
	http.StatusServiceUnavailable:    {Heading: "Not available at the moment", Message: "Try again in a minute."},
	http.StatusInternalServerError:   {Heading: "Something went wrong", Message: "It is not your fault, and the error was logged. Try again in a minute."},
}

// Error answers with the page of an error, or sends people to sign in first. An
// error without a class is logged, and the page does not show its text.
func (s *Site) Error(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, ErrNotSignedIn) {
		s.noteUndone(w, r)
		ToSignIn(w, r, comeBack(r))
		return
	}
	status := web.Status(err)
	if web.ForTheLog(status, err) {
		slog.ErrorContext(r.Context(), "page not served", "error", err)
	}
	message := fault.Message(err)
	switch status {
	case http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge:
		message = "" // the errors of stores are not written for people
	}
	web.RetryAfter(w, err)
	s.Explain(w, r, status, message, "")
}

// comeBack returns where to go after a sign-in: to the address as the browser sent
// it, or for a form to the page that it was on, to be sent again.
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

// Explain answers with the error page of a status. An empty message means that of
// the status. The code is an OAuth error code for developers, if there is one.
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

// refuse answers a request that no route matches.
func (s *Site) refuse(w http.ResponseWriter, r *http.Request, status int) {
	s.Explain(w, r, status, "", "")
}

// apologise answers a panic with an error page and panics again, for the log.
func (s *Site) apologise(w http.ResponseWriter, r *http.Request) {
	if p := recover(); p != nil {
		s.Explain(w, r, http.StatusInternalServerError, "", "")
		panic(p)
	}
}
