package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// outcome is what is known of a call.
type outcome int

const (
	done      outcome = iota // answered with a success
	refused                  // answered that nothing was done
	uncertain                // not answered, or answered that it may have been done
)

// client calls the server and counts the answers by the kind of call.
type client struct {
	base   string
	cookie string // of a session
	http   *http.Client

	mu    sync.Mutex
	tally map[string]*answers
	mute  []string // what was 503 without Retry-After
}

// answers are how the calls of one kind were answered.
type answers struct{ all, unavailable, otherFailures, none int }

func newClient(base string) *client {
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	return &client{base: base, tally: map[string]*answers{}, http: &http.Client{
		Timeout: 40 * time.Second, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// answer is what the server answered.
type answer struct {
	outcome
	status int
	header http.Header
	body   []byte
}

// send sends a request. Headers come in pairs.
func (c *client) send(kind, method, path, body string, headers ...string) answer {
	r, err := http.NewRequest(method, c.base+path, strings.NewReader(body))
	if err != nil {
		panic(err) // the addresses are ours
	}
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	a := answer{outcome: uncertain}
	if got, err := c.http.Do(r); err == nil {
		a.body, err = io.ReadAll(got.Body)
		got.Body.Close()
		if err == nil {
			a.status, a.header = got.StatusCode, got.Header
			a.outcome = outcomeOf(got.StatusCode)
		}
	}
	c.count(kind, a)
	return a
}

func outcomeOf(status int) outcome {
	switch {
	case status < 400:
		return done
	case status < 500:
		return refused
	}
	return uncertain
}

func (c *client) count(kind string, a answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tally[kind]
	if t == nil {
		t = &answers{}
		c.tally[kind] = t
	}
	t.all++
	switch {
	case a.status == 0:
		t.none++
	case a.status == http.StatusServiceUnavailable:
		t.unavailable++
		if a.header.Get("Retry-After") == "" {
			c.mute = append(c.mute, kind)
		}
	case a.status >= 500:
		t.otherFailures++
	}
}

// api calls the REST API as the administrator.
func (c *client) api(kind, method, path string, params any) answer {
	var body bytes.Buffer
	if params != nil {
		if err := json.NewEncoder(&body).Encode(params); err != nil {
			panic(err)
		}
	}
	return c.send(kind, method, "/api/v4"+path, body.String(), "Private-Token", rootToken, "Content-Type", "application/json")
}

// must calls the REST API and reads the answer, which has to be a success.
func (c *client) must(method, path string, params, into any) error {
	a := c.api("arrange and check", method, path, params)
	if a.outcome != done {
		return fmt.Errorf("%s %s: %d %s", method, path, a.status, a.body)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(a.body, into)
}

// form posts a form.
func (c *client) form(kind, path string, form url.Values, headers ...string) answer {
	return c.send(kind, "POST", path, form.Encode(), append(headers, "Content-Type", "application/x-www-form-urlencoded")...)
}

// report writes how each kind of call was answered, and returns how many calls there were.
func (c *client) report(w io.Writer) (all int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "calls\trequests\t503\t503 %\tother 5xx\tno answer\t")
	var kinds []string
	for kind := range c.tally {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		t := c.tally[kind]
		all += t.all
		fmt.Fprintf(table, "%s\t%d\t%d\t%.2f\t%d\t%d\t\n", kind, t.all, t.unavailable, 100*float64(t.unavailable)/float64(t.all), t.otherFailures, t.none)
	}
	table.Flush()
	return all
}
