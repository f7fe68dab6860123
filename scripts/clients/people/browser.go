package people

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// browser reads pages the way a person with a browser does, as far as forms
// go.
type browser struct{ *http.Client }

// maxPages bounds a walk that never arrives.
const maxPages = 10

func newBrowser() (*browser, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	return &browser{&http.Client{Jar: jar, CheckRedirect: stopAtCallback}}, nil
}

func stopAtCallback(req *http.Request, _ []*http.Request) error {
	if strings.HasPrefix(req.URL.String(), callback) {
		return http.ErrUseLastResponse
	}
	return nil
}

// walk opens the address and fills in and sends the form of each page, until
// it is sent to the callback.
func (b *browser) walk(ctx context.Context, address string, answers map[string]string) (*url.URL, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	for range maxPages {
		if err != nil {
			return nil, err
		}
		resp, err := b.Do(req)
		if err != nil {
			return nil, err
		}
		if location, err := resp.Location(); err == nil {
			return location, resp.Body.Close()
		}
		page, err := html.Parse(resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			return nil, err
		}
		if resp.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s answered %d", resp.Request.URL.Path, resp.StatusCode)
		}
		if req, err = fill(ctx, resp.Request.URL, page, answers); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("no end after %d pages", maxPages)
}

// fill makes the request that sends the first form of the page that has a
// field to answer.
func fill(ctx context.Context, at *url.URL, page *html.Node, answers map[string]string) (*http.Request, error) {
	for n := range page.Descendants() {
		if n.Data != "form" {
			continue
		}
		fields, answered := read(n, answers)
		if !answered {
			continue
		}
		action, err := at.Parse(attribute(n, "action"))
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, action.String(), strings.NewReader(fields.Encode()))
		if err == nil {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		return req, err
	}
	return nil, fmt.Errorf("%s has no form to fill in", at.Path)
}

// read returns the fields of a form with the answers in place, and whether
// there was one to put in.
func read(form *html.Node, answers map[string]string) (fields url.Values, answered bool) {
	fields = url.Values{}
	for n := range form.Descendants() {
		name := attribute(n, "name")
		answer, known := answers[name]
		switch {
		case name == "" || n.Data != "input" && n.Data != "button":
		case known && (n.Data == "input" || attribute(n, "value") == answer):
			fields.Set(name, answer)
			answered = true
		case n.Data == "input":
			fields.Set(name, attribute(n, "value"))
		}
	}
	return fields, answered
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
