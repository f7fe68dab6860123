package oauthapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/user"
)

// RoundTrip lets a client library talk to the handler.
func (f *fixture) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	return w.Result(), nil
}

// relyingParty is a client written with go-oidc, which found the rest out by
// itself.
type relyingParty struct {
	*fixture
	ctx      context.Context
	provider *oidc.Provider
	config   oauth2.Config
	client   oauth.Client
}

func newRelyingParty(t *testing.T, f *fixture) *relyingParty {
	t.Helper()
	ctx := oidc.ClientContext(t.Context(), &http.Client{Transport: f})
	provider, err := oidc.NewProvider(ctx, apptest.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	client, text, err := f.OAuth.Register(t.Context(), audit.Setup, f.user.ID, oauth.Registration{
		Name: "Relying party", RedirectURIs: redirectURI, Confidential: true,
		Scopes: scope.Of(scope.OpenID, scope.Profile, scope.Email, scope.ReadUser),
	})
	if err != nil {
		t.Fatal(err)
	}
	return &relyingParty{f, ctx, provider, oauth2.Config{
		ClientID: client.ClientID, ClientSecret: text.Reveal(), RedirectURL: redirectURI, Endpoint: provider.Endpoint(),
	}, client}
}

// signIn gets tokens for a user who signed in so long ago.
func (rp *relyingParty) signIn(t *testing.T, scopes, nonce string, ago time.Duration) *oauth2.Token {
	t.Helper()
	a, err := rp.OAuth.Check(rp.client, oauth.AuthorizeRequest{
		ClientID: rp.client.ClientID, RedirectURI: redirectURI, ResponseType: "code", Scope: scopes, Nonce: nonce,
	})
	if err != nil {
		t.Fatal(err)
	}
	if a, err = rp.OAuth.SignedIn(a, rp.user.ID, rp.Now().Add(-ago)); err != nil {
		t.Fatal(err)
	}
	redirect, err := rp.OAuth.Approve(t.Context(), rp.user, a)
	if err != nil {
		t.Fatal(err)
	}
	token, err := rp.config.Exchange(rp.ctx, redirect.Params.Get("code"))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (rp *relyingParty) refresh(t *testing.T, token *oauth2.Token) *oauth2.Token {
	t.Helper()
	old := *token
	old.Expiry = time.Now().Add(-time.Hour) // makes the library refresh
	token, err := rp.config.TokenSource(rp.ctx, &old).Token()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// claims verifies the id_token and returns its claims.
func (rp *relyingParty) claims(t *testing.T, token *oauth2.Token) map[string]any {
	t.Helper()
	raw, _ := token.Extra("id_token").(string)
	verified, err := rp.provider.VerifierContext(rp.ctx, &oidc.Config{ClientID: rp.client.ClientID, Now: rp.Now}).Verify(rp.ctx, raw)
	if err != nil {
		t.Fatalf("the id_token %q: %v", raw, err)
	}
	if err := verified.VerifyAccessToken(token.AccessToken); err != nil {
		t.Errorf("at_hash: %v", err)
	}
	var claims map[string]any
	if err := verified.Claims(&claims); err != nil {
		t.Fatal(err)
	}
	return claims
}

func TestIDTokenClaims(t *testing.T) {
	f := newFixture(t)
	team := f.Group("team", f.Group("acme", project.Group{}, f.User("owner"), project.Private), f.User("lead"), project.Private)
	f.Member(team.Place(), f.user, project.Guest)
	f.Group("club", project.Group{}, f.user, project.Public)
	rp := newRelyingParty(t, f)
	token := rp.signIn(t, "openid email", "n-0S6", time.Hour)
	claims := rp.claims(t, token)
	legacy, _ := claims["sub_legacy"].(string)
	want := map[string]any{
		"iss": apptest.BaseURL, "sub": sub(f.user), "aud": rp.client.ClientID,
		"iat": float64(f.Now().Unix()), "exp": float64(f.Now().Add(2 * time.Hour).Unix()),
		"auth_time": float64(f.Now().Add(-time.Hour).Unix()), "nonce": "n-0S6", "at_hash": claims["at_hash"],
		"sub_legacy": legacy, "email": "ada@example.com", "email_verified": false,
		"groups_direct": []any{"acme/team", "club"},
	}
	if diff := cmp.Diff(want, claims); diff != "" || len(legacy) != 64 {
		t.Errorf("claims (-want +got):\n%s", diff)
	}

	// A refresh tells of the same sign-in, but of no nonce.
	f.Pass(30 * time.Minute)
	refreshed := rp.claims(t, rp.refresh(t, token))
	delete(want, "nonce")
	want["iat"], want["exp"] = float64(f.Now().Unix()), float64(f.Now().Add(2*time.Hour).Unix())
	want["at_hash"] = refreshed["at_hash"]
	if diff := cmp.Diff(want, refreshed); diff != "" {
		t.Errorf("claims after the refresh (-want +got):\n%s", diff)
	}
}

func TestIDTokenLeavesOutWhatTheScopeDoesNotTell(t *testing.T) {
	f := newFixture(t)
	rp := newRelyingParty(t, f)
	claims := rp.claims(t, rp.signIn(t, "openid", "", 0))
	for _, name := range []string{"email", "email_verified", "nonce", "groups_direct", "name", "preferred_username", "groups"} {
		if value, told := claims[name]; told {
			t.Errorf("the id_token tells %s: %v", name, value)
		}
	}
	if token := rp.signIn(t, "read_user", "", 0); token.Extra("id_token") != nil {
		t.Errorf("without the scope openid there is the id_token %v", token.Extra("id_token"))
	}
}

func sub(u user.User) string { return strconv.FormatInt(u.ID, 10) }

func TestUserInfoClaims(t *testing.T) {
	f := newFixture(t)
	root := f.User("owner")
	acme := f.Group("acme", project.Group{}, root, project.Private)
	team := f.Group("team", acme, root, project.Private)
	f.Group("deep", team, root, project.Private)
	f.Member(acme.Place(), f.user, project.Developer)
	f.Member(team.Place(), f.user, project.Maintainer)
	f.Group("club", project.Group{}, f.user, project.Public)
	f.Group("open", project.Group{}, root, project.Public) // seen, not joined
	f.MemberUntil(f.Group("past", project.Group{}, root, project.Private).Place(), f.user, project.Owner, f.Now().Add(-time.Hour))
	guest := f.Group("visitors", project.Group{}, root, project.Internal)
	f.Member(guest.Place(), f.user, project.Guest)
	rp := newRelyingParty(t, f)

	token := rp.signIn(t, "openid", "", 0)
	idToken := rp.claims(t, token)
	want := map[string]any{
		"sub": sub(f.user), "sub_legacy": idToken["sub_legacy"], "name": "The user ada", "nickname": "ada",
		"preferred_username": "ada", "profile": apptest.BaseURL + "/users/ada",
		"groups":                                 []any{"acme", "acme/team", "acme/team/deep", "club", "visitors"},
		apptest.BaseURL + "/claims/groups/owner": []any{"club"},
		apptest.BaseURL + "/claims/groups/maintainer": []any{"acme/team", "acme/team/deep"},
		apptest.BaseURL + "/claims/groups/developer":  []any{"acme"},
	}
	if diff := cmp.Diff(want, rp.userInfo(t, token)); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	want["email"], want["email_verified"] = "ada@example.com", false
	if diff := cmp.Diff(want, rp.userInfo(t, rp.signIn(t, "openid email", "", 0))); diff != "" {
		t.Errorf("claims with the scope email (-want +got):\n%s", diff)
	}
}

// userInfo asks as the library does.
func (rp *relyingParty) userInfo(t *testing.T, token *oauth2.Token) map[string]any {
	t.Helper()
	info, err := rp.provider.UserInfo(rp.ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		t.Fatal(err)
	}
	var claims map[string]any
	if err := info.Claims(&claims); err != nil {
		t.Fatal(err)
	}
	return claims
}

func TestUserInfoLeavesOutWhatIsBlank(t *testing.T) {
	f := newFixture(t)
	rp := newRelyingParty(t, f)
	claims := rp.userInfo(t, rp.signIn(t, "openid", "", 0))
	for _, name := range []string{"picture", "website", "groups", "email", apptest.BaseURL + "/claims/groups/owner"} {
		if value, told := claims[name]; told {
			t.Errorf("userinfo tells %s: %v", name, value)
		}
	}
}

// An administrator may do everything everywhere, and is a member of nothing.
func TestUserInfoTellsOfMembershipOnly(t *testing.T) {
	f := newFixture(t)
	f.Group("acme", project.Group{}, f.user, project.Private)
	f.user = f.Admin("boss")
	rp := newRelyingParty(t, f)
	if groups, told := rp.userInfo(t, rp.signIn(t, "openid", "", 0))["groups"]; told {
		t.Errorf("the administrator is in %v", groups)
	}
}

func TestUserInfoRefusals(t *testing.T) {
	f := newFixture(t)
	rp := newRelyingParty(t, f)
	good, noOpenID := rp.signIn(t, "openid", "", 0).AccessToken, rp.signIn(t, "read_user", "", 0).AccessToken
	const bare, invalid = `Bearer realm="Gatehouse"`, `Bearer realm="Gatehouse", error="invalid_token", error_description="The access token is invalid."`
	tests := []struct {
		name, method, target, body, bearer string
		status                             int
		challenge                          string
	}{
		{"Bearer", "GET", "", "", good, 200, ""},
		{"Bearer by POST", "POST", "", "", good, 200, ""},
		{"form", "POST", "", "access_token=" + good, "", 200, ""},
		{"nothing", "GET", "", "", "", 401, bare},
		{"nothing by POST", "POST", "", "", "", 401, bare},
		{"query", "GET", "?access_token=" + good, "", "", 401, bare},
		{"query by POST", "POST", "?access_token=" + good, "", "", 401, bare},
		{"unknown token", "GET", "", "", "nonsense", 401, invalid},
		{"unknown token in the form", "POST", "", "access_token=nonsense", "", 401, invalid},
		{"both", "POST", "", "access_token=" + good, good, 400, `Bearer realm="Gatehouse", error="invalid_request"`},
		{"twice", "POST", "", "access_token=" + good + "&access_token=" + good, "", 400, `Bearer realm="Gatehouse", error="invalid_request"`},
		{"without openid", "GET", "", "", noOpenID, 403, ""},
		{"personal access token", "GET", "", "", f.Token(f.user), 403, ""},
	}
	ask := func(method, target, body, bearer string) *httptest.ResponseRecorder {
		if bearer == "" {
			return f.send(method, "/oauth/userinfo"+target, body)
		}
		return f.send(method, "/oauth/userinfo"+target, body, "Authorization", "Bearer "+bearer)
	}
	for _, test := range tests {
		w := ask(test.method, test.target, test.body, test.bearer)
		if w.Code != test.status || w.Header().Get("WWW-Authenticate") != test.challenge {
			t.Errorf("%s: %d with challenge %q, want %d with %q", test.name, w.Code, w.Header().Get("WWW-Authenticate"), test.status, test.challenge)
		}
		if (w.Body.Len() == 0) != (test.status != 200) || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: body %q, Cache-Control %q", test.name, w.Body, w.Header().Get("Cache-Control"))
		}
	}
	f.Block(f.user)
	if w := ask("GET", "", "", good); w.Code != 401 || w.Header().Get("WWW-Authenticate") != invalid || w.Body.Len() != 0 {
		t.Errorf("for a blocked user: %d %q", w.Code, w.Body)
	}
}

// withoutGroups is a store that counts how often groups are looked for.
type withoutGroups struct {
	storage.Store
	reads *atomic.Int32
}

func (s withoutGroups) MembershipsIn(ctx context.Context, k project.Kind, userID int64) (project.Memberships, error) {
	s.reads.Add(1)
	return s.Store.MembershipsIn(ctx, k, userID)
}

func TestRefusedUserInfoReadsNoGroups(t *testing.T) {
	store := withoutGroups{sqlitetest.Open(t), new(atomic.Int32)}
	f := newFixtureOver(t, apptest.Over(t, store))
	rp := newRelyingParty(t, f)
	good, noOpenID := rp.signIn(t, "openid", "", 0).AccessToken, rp.signIn(t, "read_user", "", 0).AccessToken
	for token, test := range map[string]struct {
		status int
		reads  int32
	}{noOpenID: {403, 0}, good: {200, 1}} {
		store.reads.Store(0)
		w := f.send("GET", "/oauth/userinfo", "", "Authorization", "Bearer "+token)
		if got := store.reads.Load(); w.Code != test.status || got != test.reads {
			t.Errorf("userinfo = %d after looking %d times for groups, want %d after %d", w.Code, got, test.status, test.reads)
		}
	}
}

// Anybody can make anybody else a member of any number of groups.
func TestForcedMembershipsDoNotStopASignIn(t *testing.T) {
	f := newFixture(t)
	stranger := f.User("stranger")
	f.Group("acme", project.Group{}, f.user, project.Private)
	top := f.Group(strings.Repeat("a", 240), project.Group{}, stranger, project.Private)
	for n := range 250 {
		g := f.Group(fmt.Sprintf("%04d%s", n, strings.Repeat("b", 236)), top, stranger, project.Private)
		f.Member(g.Place(), f.user, project.Owner)
	}
	rp := newRelyingParty(t, f)
	token := rp.signIn(t, "openid", "", 0)
	for range 2 {
		raw, _ := token.Extra("id_token").(string)
		claims := rp.claims(t, token)
		direct, _ := claims["groups_direct"].([]any)
		if !slices.Contains(direct, any("acme")) || claims["groups_direct_truncated"] != true || len(raw) > 16<<10 {
			t.Errorf("an id_token of %d bytes tells %d groups, truncated %v", len(raw), len(direct), claims["groups_direct_truncated"])
		}
		token = rp.refresh(t, token)
	}
	info := rp.userInfo(t, token)
	groups, _ := info["groups"].([]any)
	owned, _ := info[apptest.BaseURL+"/claims/groups/owner"].([]any)
	if len(groups) != 200 || len(owned) != 200 || !slices.Contains(groups, any("acme")) || info["groups_truncated"] != true {
		t.Errorf("userinfo tells %d groups and %d of an owner, truncated %v", len(groups), len(owned), info["groups_truncated"])
	}
}

func TestUserInfoByThePasswordGrant(t *testing.T) {
	f := newFixture(t)
	tokens, err := f.OAuth.Token(t.Context(), oauth.TokenRequest{
		GrantType: "password", Username: "ada", Password: secret.NewText(apptest.Password), Scope: "openid",
	})
	if err != nil || !tokens.ID.Empty() {
		t.Fatalf("password grant: id_token %t, %v, want none", !tokens.ID.Empty(), err)
	}
	w := f.send("GET", "/oauth/userinfo", "", "Authorization", "Bearer "+tokens.Access.Reveal())
	if w.Code != 200 || decode(t, w)["sub"] != sub(f.user) {
		t.Errorf("userinfo: %d %s", w.Code, w.Body)
	}
}

func TestMetadata(t *testing.T) {
	f := newFixture(t)
	w := f.send("GET", "/.well-known/openid-configuration", "")
	wantHeaders(t, w, map[string]string{"Content-Type": "application/json", "Cache-Control": "public, max-age=3600"})
	metadata := decode(t, w)
	if diff := cmp.Diff(metadata, decode(t, f.send("GET", "/.well-known/oauth-authorization-server", ""))); diff != "" {
		t.Errorf("the two documents differ:\n%s", diff)
	}
	want := map[string]any{
		"issuer":                                         apptest.BaseURL,
		"authorization_endpoint":                         apptest.BaseURL + "/oauth/authorize",
		"token_endpoint":                                 apptest.BaseURL + "/oauth/token",
		"userinfo_endpoint":                              apptest.BaseURL + "/oauth/userinfo",
		"revocation_endpoint":                            apptest.BaseURL + "/oauth/revoke",
		"introspection_endpoint":                         apptest.BaseURL + "/oauth/introspect",
		"jwks_uri":                                       apptest.BaseURL + "/oauth/discovery/keys",
		"response_types_supported":                       []any{"code"},
		"response_modes_supported":                       []any{"query", "fragment", "form_post"},
		"grant_types_supported":                          []any{"authorization_code", "password", "refresh_token"},
		"subject_types_supported":                        []any{"public"},
		"id_token_signing_alg_values_supported":          []any{"RS256"},
		"prompt_values_supported":                        []any{"none", "login", "consent", "select_account"},
		"code_challenge_methods_supported":               []any{"S256"},
		"authorization_response_iss_parameter_supported": false,
		"request_parameter_supported":                    false,
		"request_uri_parameter_supported":                false,
	}
	got := map[string]any{}
	for name := range want {
		got[name] = metadata[name]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
}

// Everything that the metadata name is there, and for other origins where that
// is meant.
func TestMetadataLeadSomewhere(t *testing.T) {
	f := newFixture(t)
	metadata := decode(t, f.send("GET", "/.well-known/openid-configuration", ""))
	for name, method := range map[string]string{
		"token_endpoint": "POST", "revocation_endpoint": "POST", "introspection_endpoint": "POST", "userinfo_endpoint": "GET", "jwks_uri": "GET",
	} {
		address, err := url.Parse(metadata[name].(string))
		if err != nil {
			t.Fatal(err)
		}
		if w := f.send(method, address.Path, ""); w.Code == http.StatusNotFound || w.Code == http.StatusMethodNotAllowed {
			t.Errorf("%s %s: %d", method, address.Path, w.Code)
		}
	}
	for _, path := range []string{"/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/oauth/discovery/keys", "/.well-known/webfinger?resource=acct:a@b"} {
		w := f.send("GET", path, "", "Origin", "https://spa.example")
		wantHeaders(t, w, map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET, HEAD"})
		preflight := []string{"Origin", "https://spa.example", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "authorization"}
		wantHeaders(t, f.send("OPTIONS", path, "", preflight...), map[string]string{"Access-Control-Allow-Origin": ""})
	}
}

func TestKeySetMayBeKeptForADay(t *testing.T) {
	w := newFixture(t).send("GET", "/oauth/discovery/keys", "")
	wantHeaders(t, w, map[string]string{"Content-Type": "application/json", "Cache-Control": "public, max-age=86400"})
	keys, _ := decode(t, w)["keys"].([]any)
	if len(keys) != 1 {
		t.Fatalf("the key set %s has %d keys, want the first", w.Body, len(keys))
	}
	for _, private := range []string{"d", "p", "q", "dp", "dq", "qi"} {
		if _, told := keys[0].(map[string]any)[private]; told {
			t.Errorf("the key set tells the private part %s", private)
		}
	}
}

func TestWebFinger(t *testing.T) {
	f := newFixture(t)
	issuer := []any{map[string]any{"rel": "http://openid.net/specs/connect/1.0/issuer", "href": apptest.BaseURL}}
	tests := []struct {
		query url.Values
		links []any // nil: refused
	}{
		{url.Values{"resource": {"acct:ada@example.com"}, "rel": {"http://openid.net/specs/connect/1.0/issuer"}}, issuer},
		{url.Values{"resource": {"acct:ada@example.com"}}, issuer},
		{url.Values{"resource": {"https://gatehouse.example/nobody"}, "rel": {"avatar", "http://openid.net/specs/connect/1.0/issuer"}}, issuer},
		{url.Values{"resource": {"acct:ada@example.com"}, "rel": {"avatar"}}, []any{}},
		{url.Values{}, nil},
		{url.Values{"resource": {""}}, nil},
		{url.Values{"resource": {"ada@example.com"}}, nil},
		{url.Values{"resource": {"acct:a@b", "acct:c@d"}}, nil},
	}
	for _, test := range tests {
		w := f.send("GET", "/.well-known/webfinger?"+test.query.Encode(), "")
		if test.links == nil {
			if w.Code != 400 || decode(t, w)["error"] != "invalid_request" {
				t.Errorf("%v: %d %s, want it refused", test.query, w.Code, w.Body)
			}
			continue
		}
		want := map[string]any{"subject": test.query.Get("resource"), "links": test.links}
		if diff := cmp.Diff(want, decode(t, w)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.query, diff)
		}
		wantHeaders(t, w, map[string]string{"Content-Type": "application/jrd+json"})
	}
}
