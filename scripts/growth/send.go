package main

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"gatehouse/shared/telemetry"
)

// answer takes the place of a connection.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

// send has a function answer a request.
func (s *site) send(function string, r *http.Request) *answer {
	a := &answer{header: http.Header{}}
	s.handlers[function].ServeHTTP(a, r)
	a.WriteHeader(http.StatusOK)
	s.sent = a.body.Len()
	return a
}

var placeholder = regexp.MustCompile(`\{[a-z]+( [a-z]+)*\}`)

// expand puts the values in the place of their names.
func (s *site) expand(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		value, ok := s.values[strings.Trim(name, "{}")]
		if !ok {
			panic(fmt.Sprintf("no value stands for %s", name))
		}
		return value
	})
}

// request makes a request of somebody. Who is the name of the value that proves
// it: a session is a cookie and all others are bearer tokens. A body that begins
// with a brace is JSON, any other a form.
func (s *site) request(method, target, who, body string) *http.Request {
	target = s.expand(target)
	r, err := http.NewRequest(method, baseURL+target, strings.NewReader(s.expand(body)))
	if err != nil {
		panic(err) // a wrong table of calls
	}
	ctx, _ := telemetry.WithRequest(r.Context(), telemetry.IDs{Gateway: "JKJaXmPLvHcESHA=", Lambda: "8476a536-e9f4-11e8-9739-2dfe598c3fcd"})
	r = r.WithContext(ctx) // as functions get it
	r.RequestURI, r.RemoteAddr = target, "192.0.2.7:40000"
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if strings.HasPrefix(body, "{\"") {
		r.Header.Set("Content-Type", "application/json")
	}
	switch {
	case who == "":
	case strings.HasPrefix(who, "session "):
		r.AddCookie(&http.Cookie{Name: cookie, Value: s.values[who]})
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	default:
		r.Header.Set("Authorization", "Bearer "+s.values[who])
	}
	return r
}
