// Package people plays those around a third-party application under test: the
// person who signs in with a browser, and the administrator who registers the
// application.
package people

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"gatehouse/scripts/rest"
)

// callback is every application's redirect URI. Nobody listens there: the
// person stops before it.
const callback = "http://127.0.0.1:9/callback"

// Password is every person's.
const Password = "a walk in the park"

// Person is somebody with an account and a browser.
type Person struct {
	Name    string // the user name
	browser *browser
}

// Newcomer makes a user and gives them a browser.
func Newcomer(ctx context.Context, admin Administrator) (*Person, error) {
	p := &Person{Name: fmt.Sprintf("walker%d", time.Now().UnixNano())}
	if err := admin.createUser(ctx, p.Name); err != nil {
		return nil, err
	}
	return p, p.OpenBrowser()
}

// OpenBrowser gives the person a new browser, in which nobody is signed in.
func (p *Person) OpenBrowser() (err error) {
	p.browser, err = newBrowser()
	return err
}

// Authorize opens the application's address, signs in where asked to, approves
// where asked to, and returns the parameters with which the browser is sent
// back, whose state must be this one.
func (p *Person) Authorize(ctx context.Context, address, state string) (url.Values, error) {
	back, err := p.browser.walk(ctx, address, map[string]string{
		"login": p.Name, "password": Password, "decision": "approve",
	})
	if err != nil {
		return nil, fmt.Errorf("sign in and approve: %w", err)
	}
	if !strings.HasPrefix(back.String(), callback) || back.Query().Get("state") != state {
		return nil, fmt.Errorf("the browser came back with %s", back)
	}
	return back.Query(), nil
}

// Run runs the test of a client library as rest.Main does, and prints what it did.
func Run(library string, test func(ctx context.Context, admin Administrator) (did string, err error)) {
	rest.Main(library, func(ctx context.Context, admin rest.Client) error {
		did, err := test(ctx, Administrator{admin})
		if err == nil {
			fmt.Println(library + ": " + did)
		}
		return err
	})
}
