package main

import (
	"bufio"
	"context"
	"encoding/base32"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"

	"gatehouse/scripts/rest"
	"gatehouse/shared/twofactor"
)

// account is a kind of account.
type account string

// The kinds of accounts. The others are compared with unknown.
const (
	unknown    account = "unknown"
	known      account = "known"
	blocked    account = "blocked"
	twoFactors account = "two factors"
)

var accounts = []account{unknown, known, blocked, twoFactors}

// door is a way in.
type door string

// The doors.
const (
	signInPage    door = "sign-in page"
	passwordGrant door = "password grant"
)

var doors = []door{signInPage, passwordGrant}

// password is that of all accounts. The tries have another of the same length.
const (
	password = "a walk in the park"
	wrong    = "a walk in the dark"
)

// site is the server with an account of each kind.
type site struct {
	base  *url.URL
	admin rest.Client
	names map[account]string // of one length
	tries uint32
}

func newSite(base, token string, random *rand.Rand) (*site, error) {
	address, err := url.Parse(base)
	if err != nil || !net.ParseIP(address.Hostname()).IsLoopback() {
		return nil, fmt.Errorf("GATEHOUSE_URL is %q, want an address on the loopback", base)
	}
	s := &site{base: address, admin: rest.Client{Base: base, Token: token}, names: map[account]string{}}
	for _, a := range accounts {
		s.names[a] = fmt.Sprintf("timing%09d", random.IntN(1e9))
		if err := s.add(a); err != nil {
			return nil, fmt.Errorf("an account for %s: %w", a, err)
		}
	}
	return s, nil
}

// add makes the account, unless nobody shall have its name.
func (s *site) add(a account) error {
	if a == unknown {
		return nil
	}
	name := s.names[a]
	var made struct{ ID int64 }
	if err := s.admin.API(context.Background(), http.MethodPost, "/users", map[string]any{
		"username": name, "name": name, "email": name + "@example.com", "password": password,
	}, &made); err != nil {
		return err
	}
	switch a {
	case blocked:
		return s.admin.API(context.Background(), http.MethodPost, fmt.Sprintf("/users/%d/block", made.ID), nil, nil)
	case twoFactors:
		return s.enableTwoFactors(name)
	}
	return nil
}

var (
	ticket      = regexp.MustCompile(`name="ticket" value="([^"]+)"`)
	secretOfApp = regexp.MustCompile(`id="two-factor-secret">([A-Z2-7 ]+)<`)
)

// enableTwoFactors does what the user does on the pages.
func (s *site) enableTwoFactors(name string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser := &http.Client{Jar: jar}
	if _, err := s.send(browser, "/users/sign_in", url.Values{"login": {name}, "password": {password}}); err != nil {
		return err
	}
	page, err := s.send(browser, "/user_settings/two_factor/begin", url.Values{"password": {password}})
	if err != nil {
		return err
	}
	found, shown := ticket.FindStringSubmatch(page), secretOfApp.FindStringSubmatch(page)
	if found == nil || shown == nil {
		return fmt.Errorf("the page shows no secret: %s", page)
	}
	seed, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ReplaceAll(shown[1], " ", ""))
	if err != nil {
		return err
	}
	code := twofactor.Seed(seed).Code(time.Now())
	_, err = s.send(browser, "/user_settings/two_factor", url.Values{"ticket": {found[1]}, "code": {code}})
	return err
}

// send sends a form and returns the page that comes of it.
func (s *site) send(browser *http.Client, path string, form url.Values) (page string, err error) {
	answer, err := browser.PostForm(s.base.JoinPath(path).String(), form)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s %s", path, answer.Status, body)
	}
	return string(body), err
}

// request returns a try of the account, and the status that refuses it.
func (s *site) request(v visit) (r *http.Request, refused int, err error) {
	name := s.names[v.account]
	path, form, refused := "/users/sign_in", url.Values{"login": {name}, "password": {wrong}}, http.StatusUnprocessableEntity
	if v.door == passwordGrant {
		path, refused = "/oauth/token", http.StatusBadRequest
		form = url.Values{"grant_type": {"password"}, "username": {name}, "password": {wrong}}
	}
	r, err = http.NewRequest(http.MethodPost, s.base.JoinPath(path).String(), strings.NewReader(form.Encode()))
	if err == nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r, refused, err
}

// try returns how long the server takes to refuse.
func (s *site) try(v visit) (time.Duration, error) {
	r, refused, err := s.request(v)
	if err != nil {
		return 0, err
	}
	conn, err := s.dial()
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	begun := time.Now()
	if err := r.Write(conn); err != nil {
		return 0, err
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		return 0, err
	}
	body, err := io.ReadAll(answer.Body)
	took := time.Since(begun)
	if err == nil && answer.StatusCode != refused {
		err = fmt.Errorf("%s %s, want %d", answer.Status, body, refused)
	}
	return took, err
}

// dial connects from another address of the loopback each time.
func (s *site) dial() (net.Conn, error) {
	s.tries++
	from := net.IPv4(127, 1+byte(s.tries>>16), byte(s.tries>>8), byte(s.tries))
	return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}).Dial("tcp", s.base.Host)
}
