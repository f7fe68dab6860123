package accountapi

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/site"
)

// Whatever the query, nobody is sent anywhere but to a registered address, and
// the form of the consent page asks for what the query asked for.
func FuzzAuthorizeQuery(f *testing.F) {
	const registered = "https://client.example/callback"
	for _, seed := range []string{
		"", "redirect_uri=" + url.QueryEscape(registered) + "&response_type=code&scope=api",
		"redirect_uri=https://evil.example&response_type=code",
		"redirect_uri=" + registered + "&redirect_uri=https://evil.example",
		"redirect_uri=" + registered + "&state=%0d%0aLocation:%20//evil&response_type=token&response_mode=fragment",
		"redirect_uri=" + registered + "&response_type=code&scope=api&code_challenge=x",
		"redirect_uri=" + registered + "&response_type=code&scope=openid&prompt=login+consent&max_age=1&nonce=x&signed_in_since=-1",
		"redirect_uri=" + registered + "&response_type=code&scope=openid&prompt=none&request=x&request_uri=https://evil.example", "&&;=%", "redirect_uri[]=x",
	} {
		f.Add(seed)
	}
	keys, err := secret.NewKeys(secret.Random(secret.KeySize))
	if err != nil {
		f.Fatal(err)
	}
	server := oauth.NewServer(nil, nil, nil, nil, keys, oauth.Settings{HTTPS: true}, time.Now)
	client := oauth.Client{RedirectURIs: []string{registered}, Scopes: scope.Of(scope.API, scope.OpenID), Confidential: true}
	f.Fuzz(func(t *testing.T, query string) {
		values, err := site.ParseValues(query)
		if err != nil {
			return
		}
		req := newAuthorizeRequest(values)
		var location string
		var toClient *oauth.RedirectError
		authorization, err := server.Check(client, req)
		switch {
		case err == nil:
			location = authorization.Deny().Location()
			if diff := cmp.Diff(req, newAuthorizeRequest(authorizeValues(req))); diff != "" {
				t.Errorf("%q asked for something else again (-first +second):\n%s", query, diff)
			}
		case errors.As(err, &toClient):
			location = toClient.Redirect.Location()
		default:
			return
		}
		if !strings.HasPrefix(location, registered+"?") && !strings.HasPrefix(location, registered+"#") || strings.ContainsAny(location, "\r\n ") {
			t.Errorf("%q leads to %q", query, location)
		}
	})
}
