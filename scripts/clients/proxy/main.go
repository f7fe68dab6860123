// Command proxy does what oauth2-proxy does in front of a web site: it signs people in,
// lets those through who are in a group, and refreshes their tokens, for several requests
// at once.
//
// GATEHOUSE_URL names the server, GATEHOUSE_ROOT_TOKEN an administrator's token, and
// GATEHOUSE_WORLD the file with what scripts/clients/world made.
package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"gatehouse/scripts/clients/people"
)

// requests is how many a browser sends at once after the token expired.
const requests = 6

func main() {
	people.Run("proxy", func(ctx context.Context, admin people.Administrator) (did string, err error) {
		world, err := people.ReadWorld()
		if err != nil {
			return "", err
		}
		provider, err := oidc.NewProvider(ctx, admin.Base)
		if err != nil {
			return "", err
		}
		projects := slices.Collect(maps.Keys(world.Member.Levels))
		p := proxy{provider: provider, base: admin.Base, projects: projects, now: time.Now}
		// By default a refresh token works once.
		for seconds, want := range map[int]int{0: 1, 30: requests} {
			if p.Config, err = register(ctx, admin, seconds); err != nil {
				return "", err
			}
			p.Endpoint, p.Scopes = provider.Endpoint(), []string{"openid", "email", "read_api"}
			if err := p.try(ctx, admin, world.Member, want); err != nil {
				return "", fmt.Errorf("with refresh_retry_seconds=%d: %w", seconds, err)
			}
		}
		return fmt.Sprintf("signed in, let through by group and by project, refreshed 1 of %d requests at once, all with refresh_retry_seconds, revoked", requests), nil
	})
}

// register makes an application that may repeat a refresh for some time.
func register(ctx context.Context, admin people.Administrator, seconds int) (oauth2.Config, error) {
	return admin.RegisterWith(ctx, map[string]any{"name": "proxy", "scopes": "openid email read_api", "refresh_retry_seconds": seconds})
}

// try signs the person in and follows their session to the end. Of several requests at
// once after the token expired, want are to get through.
func (p proxy) try(ctx context.Context, admin people.Administrator, member people.Member, want int) error {
	cookie, err := p.signIn(ctx, member)
	if err != nil {
		return err
	}
	if err := p.tryGroups(ctx, member, cookie); err != nil {
		return err
	}
	p.group = member.Groups[0]
	p.now = ahead(3 * time.Hour)
	passed := 0
	for _, answer := range p.requestAtOnce(ctx, cookie) {
		switch {
		case answer.StatusCode == http.StatusOK && len(answer.Cookies()) == 1:
			passed++
			cookie = answer.Cookies()[0]
		case answer.StatusCode != http.StatusUnauthorized:
			return fmt.Errorf("a request after the expiry: status %d", answer.StatusCode)
		}
	}
	if passed != want {
		return fmt.Errorf("%d of %d requests at once got through, want %d", passed, requests, want)
	}
	return p.tryRevoked(ctx, admin, cookie)
}

// tryRevoked expects that a session whose token is revoked ends when it expires.
func (p proxy) tryRevoked(ctx context.Context, admin people.Administrator, cookie *http.Cookie) error {
	s, err := decode(cookie)
	if err != nil {
		return err
	}
	if err := people.Revoke(ctx, admin.Base, p.Config, s.Token.AccessToken); err != nil {
		return err
	}
	p.now = ahead(6 * time.Hour)
	if answer := p.request(ctx, cookie); answer.Code != http.StatusUnauthorized {
		return fmt.Errorf("a request after the revocation: status %d", answer.Code)
	}
	return nil
}

// ahead returns a clock that runs ahead.
func ahead(by time.Duration) func() time.Time {
	return func() time.Time { return time.Now().Add(by) }
}

// signIn returns the cookie of the person's session.
func (p proxy) signIn(ctx context.Context, member people.Member) (*http.Cookie, error) {
	person := people.Person{Name: member.Username}
	if err := person.OpenBrowser(); err != nil {
		return nil, err
	}
	state := oauth2.GenerateVerifier()
	back, err := person.Authorize(ctx, p.AuthCodeURL(state), state)
	if err != nil {
		return nil, err
	}
	answer := httptest.NewRecorder()
	p.callback(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, "/callback?"+back.Encode(), nil))
	if answer.Code != http.StatusOK {
		return nil, fmt.Errorf("sign in: status %d %s", answer.Code, answer.Body)
	}
	return answer.Result().Cookies()[0], nil
}

// tryGroups expects that the person gets through as a member of their groups and as a
// developer of projects, and not where they have no role or a lower one.
func (p proxy) tryGroups(ctx context.Context, member people.Member, cookie *http.Cookie) error {
	in, out := slices.Clone(member.Groups), slices.Clone(member.NotIn)
	for path, level := range member.Levels {
		if level >= developer {
			in = append(in, projectPrefix+path)
		} else {
			out = append(out, projectPrefix+path)
		}
	}
	for _, p.group = range in {
		if answer := p.request(ctx, cookie); answer.Code != http.StatusOK || answer.Body.String() != member.Email {
			return fmt.Errorf("a member of %s: status %d %s", p.group, answer.Code, answer.Body)
		}
	}
	for _, p.group = range out {
		if answer := p.request(ctx, cookie); answer.Code != http.StatusForbidden {
			return fmt.Errorf("nobody in %s: status %d", p.group, answer.Code)
		}
	}
	return nil
}

func (p proxy) request(ctx context.Context, cookie *http.Cookie) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	r.AddCookie(cookie)
	answer := httptest.NewRecorder()
	p.pass(answer, r)
	return answer
}

// requestAtOnce sends several requests of one browser, which has one cookie.
func (p proxy) requestAtOnce(ctx context.Context, cookie *http.Cookie) []*http.Response {
	answers := make([]*http.Response, requests)
	var sent sync.WaitGroup
	for i := range answers {
		sent.Go(func() { answers[i] = p.request(ctx, cookie).Result() })
	}
	sent.Wait()
	return answers
}
