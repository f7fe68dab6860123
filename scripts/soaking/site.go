package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
)

const callback = "http://127.0.0.1:9/callback"

// site is the server under load with what the load works on.
type site struct {
	*client
	*ledger
	clientID, secret string
	project          int64 // of all alerts and incidents
	plain, metrics   endpoint
	own              []int64 // a project for each worker
}

type endpoint struct{ path, key string }

func newSite(base string, seed uint64) (*site, error) {
	s := &site{client: newClient(base), ledger: newLedger()}
	var app struct {
		ID     string `json:"application_id"`
		Secret string
	}
	if err := s.must("POST", "/applications", map[string]any{"name": "Soak", "redirect_uri": callback, "scopes": "api", "trusted": true}, &app); err != nil {
		return nil, err
	}
	s.clientID, s.secret = app.ID, app.Secret
	name := fmt.Sprintf("soak%d-%d", seed, rand.Uint32())
	project, err := s.makeProject(name)
	if err != nil {
		return nil, err
	}
	s.project = project
	for n := range workers {
		own, err := s.makeProject(fmt.Sprintf("%s-%d", name, n))
		if err != nil {
			return nil, err
		}
		s.own = append(s.own, own)
		if err := s.must("PUT", fmt.Sprintf("/projects/%d/error_tracking/settings", own), map[string]any{"active": true, "integrated": true}, nil); err != nil {
			return nil, err
		}
	}
	if s.plain, err = s.integrate("http"); err != nil {
		return nil, err
	}
	if s.metrics, err = s.integrate("metrics"); err != nil {
		return nil, err
	}
	return s, s.signIn()
}

func (s *site) makeProject(path string) (int64, error) {
	var made struct{ ID int64 }
	err := s.must("POST", "/projects", map[string]any{"path": path}, &made)
	return made.ID, err
}

func (s *site) integrate(kind string) (endpoint, error) {
	var made struct {
		URL string
		Key string `json:"authorization_key"`
	}
	err := s.must("POST", fmt.Sprintf("/projects/%d/monitor/integrations", s.project),
		map[string]any{"name": kind, "type": kind, "active": true, "api_url": "http://metrics.example"}, &made)
	return endpoint{strings.TrimPrefix(made.URL, s.base), made.Key}, err
}

func (s *site) signIn() error {
	a := s.form("arrange and check", "/users/sign_in", url.Values{"login": {"root"}, "password": {rootPassword}})
	if a.status != http.StatusSeeOther {
		return fmt.Errorf("sign in: %d", a.status)
	}
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		s.cookie += c.Name + "=" + c.Value + "; "
	}
	return nil
}

// notify sends a payload to an endpoint that makes one event of each of the titles.
func (s *site) notify(kind string, to endpoint, body string, titles ...string) {
	a := s.send(kind, "POST", to.path, body, "Authorization", "Bearer "+to.key, "Content-Type", "application/json")
	s.note(func() {
		for _, title := range titles {
			if a.outcome != refused {
				counted(s.events, title, a.outcome == done)
			} else {
				s.violation("%s was refused: %d %s", kind, a.status, a.body)
			}
		}
		var touched []found
		if a.outcome == done && json.Unmarshal(a.body, &touched) == nil {
			for _, f := range touched {
				s.numbered(s.titles, "alert", f.IID, f.Title)
			}
		}
	})
}

// check compares what was acknowledged with what is there: all of it, or the newest.
func (s *site) check(complete bool) error {
	alerts, err := s.list("alerts", complete)
	if err != nil {
		return err
	}
	incidents, err := s.list("incidents", complete)
	if err != nil {
		return err
	}
	s.checkAlerts(alerts, complete)
	s.checkIncidents(incidents, complete)
	return s.checkRest(complete)
}

func (s *site) checkRest(complete bool) error {
	there := map[int64]bool{}
	for n, project := range s.own {
		var stored struct{ Active bool }
		if err := s.must("GET", fmt.Sprintf("/projects/%d/error_tracking/settings", project), nil, &stored); err != nil {
			return err
		}
		s.checkSetting(n, stored.Active)
		for page := 1; ; page++ {
			var keys []struct {
				ID     int64
				Active bool
			}
			if err := s.must("GET", fmt.Sprintf("/projects/%d/error_tracking/client_keys?per_page=100&page=%d", project, page), nil, &keys); err != nil {
				return err
			}
			for _, k := range keys {
				there[k.ID] = there[k.ID] || k.Active
			}
			if len(keys) < 100 {
				break
			}
		}
	}
	s.checkKeys(there)
	for _, tokens := range []map[string]bool{s.good, s.dead} {
		looked := 0
		for token := range tokens {
			if looked++; !complete && looked > 50 {
				break
			}
			if a := s.send("arrange and check", "GET", "/oauth/token/info", "", "Authorization", "Bearer "+token); a.status < 500 {
				s.checkToken(token, a.outcome == done)
			}
		}
	}
	return nil
}

// list lists all alerts or incidents, or the newest, and compares how many there are with
// how many the server says there are.
func (s *site) list(what string, complete bool) ([]found, error) {
	var all []found
	for page := 1; ; page++ {
		a := s.api("arrange and check", "GET", fmt.Sprintf("/projects/%d/monitor/%s?per_page=100&page=%d", s.project, what, page), nil)
		var some []found
		if a.outcome != done || json.Unmarshal(a.body, &some) != nil {
			return nil, fmt.Errorf("list %s: %d %s", what, a.status, a.body)
		}
		all = append(all, some...)
		if len(some) == 100 && (complete || page < 3) {
			continue
		}
		if total, err := strconv.Atoi(a.header.Get("X-Total")); err == nil && len(some) < 100 && total != len(all) {
			s.violation("the server counts %d %s, and lists %d", total, what, len(all))
		}
		return all, nil
	}
}

func (s *site) violated() (yes bool) {
	s.note(func() { yes = len(s.broken) > 0 })
	return yes
}

// verdict reports what happened, and is an error if something was not as it must be.
func (s *site) verdict() error {
	all := s.report(os.Stdout)
	var events int64
	for _, c := range s.events {
		events += c.acknowledged
	}
	fmt.Printf("%d requests, %d acknowledged events of %d alerts, %d incidents, %d good and %d revoked tokens, %d client keys\n",
		all, events, len(s.titles), len(s.incident), len(s.good), len(s.dead), len(s.ledger.keys))
	for _, kind := range s.mute {
		s.violation("%s was 503 without Retry-After", kind)
	}
	for _, v := range s.broken[:min(20, len(s.broken))] {
		fmt.Println("VIOLATION:", v)
	}
	fmt.Printf("%d violations\n", len(s.broken))
	if len(s.broken) > 0 {
		return errors.New("the server broke its word")
	}
	return nil
}
