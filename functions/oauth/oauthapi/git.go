package oauthapi

import (
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/git"
	"gatehouse/shared/secret"
	"gatehouse/shared/web"
)

// gitAuthorizePath is where a Git front end asks whether to allow a request.
const gitAuthorizePath = "/git/authorize"

// gitAuthorize tells a Git front end whether to allow a request, and its user,
// project and operation.
func (a *api) gitAuthorize(w http.ResponseWriter, r *http.Request) error {
	asked, err := askedAbout(r)
	if err != nil {
		return err
	}
	caller, p, err := a.Auth.Git(r.Context(), gitToken(r), asked)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("X-Gatehouse-User", caller.User.Username)
	h.Set("X-Gatehouse-Project", p.FullPath)
	h.Set("X-Gatehouse-Project-Id", strconv.FormatInt(p.ID, 10))
	h.Set("X-Gatehouse-Permission", string(asked.Operation))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	return nil
}

var (
	errNothingAsked = fault.New(fault.Invalid,
		"The front end does not say about which request it asks: in X-Original-URI, in X-Forwarded-Uri, or in the path behind "+gitAuthorizePath+".")
	errTwoAsked = fault.New(fault.Invalid, "The front end asks about two requests at once.")
)

// askedAbout returns the request that the front end asks about. Front ends name it
// in different headers, and each passes on the others' headers as the client sent
// them. So none of them has precedence: all that are present must agree.
func askedAbout(r *http.Request) (git.Request, error) {
	addresses := headers(r, "X-Original-URI", "X-Forwarded-Uri")
	methods := headers(r, "X-Original-Method", "X-Forwarded-Method")
	if rest := strings.TrimPrefix(r.URL.EscapedPath(), gitAuthorizePath); rest != "" {
		if r.URL.RawQuery != "" {
			rest += "?" + r.URL.RawQuery
		}
		addresses = append(addresses, rest)
		if len(methods) == 0 {
			methods = append(methods, r.Method)
		}
	}
	address, err := agreed(addresses)
	if err != nil {
		return git.Request{}, err
	}
	method, err := agreed(methods)
	switch {
	case err != nil:
		return git.Request{}, err
	case address == "":
		return git.Request{}, errNothingAsked
	}
	return git.Parse(method, address)
}

// agreed returns the one value that all have, or "" if there are none.
func agreed(values []string) (string, error) {
	switch values = slices.Compact(values); len(values) {
	case 0:
		return "", nil
	case 1:
		return values[0], nil
	}
	return "", errTwoAsked
}

// headers returns the values of the request's headers with these names.
func headers(r *http.Request, names ...string) []string {
	var all []string
	for _, name := range names {
		all = append(all, r.Header.Values(name)...)
	}
	return slices.DeleteFunc(all, func(value string) bool { return value == "" })
}

// gitToken returns the password of HTTP Basic, which is a token. Git always sends a
// user name, which means nothing.
func gitToken(r *http.Request) secret.Text {
	name, password, ok := r.BasicAuth()
	if !ok || name == "" || len(r.Header.Values("Authorization")) > 1 {
		return secret.Text{}
	}
	return secret.NewText(password)
}

// gitHandler is an endpoint that answers errors in plain text, which Git shows to
// people as "remote: …" if a front end passes them on.
type gitHandler func(w http.ResponseWriter, r *http.Request) error

// ServeHTTP calls the endpoint and answers its error.
func (h gitHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := h(w, r)
	if err == nil {
		return
	}
	status, text := web.Status(err), err.Error()
	switch {
	case status >= http.StatusInternalServerError:
		slog.ErrorContext(r.Context(), "request not served", "error", err)
		text = "The request could not be served; try again."
	case status == http.StatusUnauthorized:
		// Git drops its saved password and asks for another.
		w.Header().Set("WWW-Authenticate", `Basic realm="Gatehouse"`)
	case text == "":
		text = http.StatusText(status)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}
