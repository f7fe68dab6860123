package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"gatehouse/scripts/rest"
)

const (
	callback = "http://127.0.0.1:9/callback"
	password = "a walk in the park"
	formType = "Content-Type: application/x-www-form-urlencoded\r\n"
)

// subject is the server under load, with a user who is signed in and an
// application that asks for no consent.
type subject struct {
	admin            rest.Client
	base             *url.URL
	clientID, secret string
	cookie           string
}

// pair is an access token with its refresh token.
type pair struct{ access, refresh string }

func newSubject(base, token string) (*subject, error) {
	address, err := url.Parse(base)
	if err != nil || address.Host == "" {
		return nil, fmt.Errorf("GATEHOUSE_URL is %q", base)
	}
	s := &subject{admin: rest.Client{Base: base, Token: token}, base: address}
	name := fmt.Sprintf("load%d", time.Now().UnixNano())
	if _, err := s.create("/users", map[string]any{
		"username": name, "name": "Load", "email": name + "@example.com", "password": password,
	}); err != nil {
		return nil, err
	}
	app, err := s.create("/applications", map[string]any{
		"name": "Load", "redirect_uri": callback, "scopes": "api", "trusted": true,
	})
	if err != nil {
		return nil, err
	}
	s.clientID, s.secret = app["application_id"].(string), app["secret"].(string)
	return s, s.signIn(name)
}

func (s *subject) create(path string, body map[string]any) (answer map[string]any, err error) {
	err = s.admin.API(context.Background(), http.MethodPost, path, body, &answer)
	return answer, err
}

func (s *subject) signIn(name string) error {
	c := &conn{}
	defer c.close()
	form := url.Values{"login": {name}, "password": {password}}
	r, err := c.send(s.base, http.MethodPost, "/users/sign_in", formType, form.Encode())
	if err := r.expect(http.StatusSeeOther, err); err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	s.cookie = r.cookie
	return nil
}

// codes has the clients ask for that many authorization codes.
func (s *subject) codes(clients, count int) ([]string, error) {
	query := url.Values{
		"client_id": {s.clientID}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"s"},
	}
	codes := make([]string, count)
	var failed sync.Once
	var failure error
	var group sync.WaitGroup
	for client := range clients {
		group.Go(func() {
			c := &conn{}
			defer c.close()
			for i := client; i < count; i += clients {
				r, err := c.send(s.base, http.MethodGet, "/oauth/authorize?"+query.Encode(), "Cookie: "+s.cookie+"\r\n", "")
				if codes[i], err = codeIn(r, err); err != nil {
					failed.Do(func() { failure = fmt.Errorf("authorize: %w", err) })
					return
				}
			}
		})
	}
	group.Wait()
	return codes, failure
}

// codeIn returns the code in the address that an approval redirects to.
func codeIn(r response, err error) (string, error) {
	if err := r.expect(http.StatusFound, err); err != nil {
		return "", err
	}
	back, err := url.Parse(r.location)
	if err != nil {
		return "", err
	}
	if code := back.Query().Get("code"); code != "" {
		return code, nil
	}
	return "", fmt.Errorf("sent to %s without a code", back)
}

// exchange turns the n-th code into the n-th pair.
func (s *subject) exchange(codes []string, pairs []pair) operation {
	return func(c *conn, _, n int) (err error) {
		pairs[n], err = s.tokens(c, url.Values{
			"grant_type": {"authorization_code"}, "code": {codes[n]}, "redirect_uri": {callback},
		})
		return err
	}
}

// refresh rotates one pair for each client, over and over.
func (s *subject) refresh(pairs []pair) operation {
	return func(c *conn, client, _ int) (err error) {
		pairs[client], err = s.tokens(c, url.Values{
			"grant_type": {"refresh_token"}, "refresh_token": {pairs[client].refresh},
		})
		return err
	}
}

func (s *subject) tokens(c *conn, form url.Values) (pair, error) {
	form.Set("client_id", s.clientID)
	form.Set("client_secret", s.secret)
	r, err := c.send(s.base, http.MethodPost, "/oauth/token", formType, form.Encode())
	if err := r.expect(http.StatusOK, err); err != nil {
		return pair{}, err
	}
	var body struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	err = json.Unmarshal(r.body, &body)
	return pair{body.Access, body.Refresh}, err
}

// info asks about one token.
func (s *subject) info(token string) operation {
	header := "Authorization: Bearer " + token + "\r\n"
	return func(c *conn, _, _ int) error {
		r, err := c.send(s.base, http.MethodGet, "/oauth/token/info", header, "")
		return r.expect(http.StatusOK, err)
	}
}

// revoke ends the n-th pair.
func (s *subject) revoke(pairs []pair) operation {
	return func(c *conn, _, n int) error {
		form := url.Values{"token": {pairs[n].access}, "client_id": {s.clientID}, "client_secret": {s.secret}}
		r, err := c.send(s.base, http.MethodPost, "/oauth/revoke", formType, form.Encode())
		return r.expect(http.StatusOK, err)
	}
}
